/** Control and format characters, lone surrogates, line separators, and blank letters. */
const HIDDEN = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u034f\u115f\u1160\u2800\u3164\uffa0]`;

/** Matches a character that cannot be seen. */
export const HIDDEN_CHARACTER = new RegExp(HIDDEN, 'u');

/** Matches a space other than the usual one, which cannot be told from it. */
export const ODD_SPACE = /(?! )\p{Zs}/u;

const UNSEEN = new RegExp(`${HIDDEN}|${ODD_SPACE.source}`, 'gu');

/** Returns the name of a character: `U+200B`. */
export function codePointName(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Words that have both Latin letters and others that look like them. */
const MIXED_WORD = /(?=\p{L}*\p{Script=Latin})(?=\p{L}*[\p{Script=Cyrillic}\p{Script=Greek}])\p{L}+/gu;
const LIKE_LATIN = /[\p{Script=Cyrillic}\p{Script=Greek}]/gu;

/**
 * Shows the characters of a text that cannot be seen, and letters that look like Latin ones in a Latin word: `tsk_1<U+200B>`,
 * `us<U+0435>rId`.
 */
export function showHidden(text: string): string {
  const show = (character: string) => `<${codePointName(character)}>`;
  return text.replace(UNSEEN, show).replace(MIXED_WORD, (word) => word.replace(LIKE_LATIN, show));
}

/** Returns a text without the joiners that change the shape of letters in Persian and Indic scripts, and join emoji. */
export function withoutJoiners(text: string): string {
  return text.replace(/[\u200c\u200d]/g, '');
}
