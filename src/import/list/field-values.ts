const TRUE: ReadonlySet<string> = new Set(['true', 'yes', '1']);
const FALSE: ReadonlySet<string> = new Set(['false', 'no', '0']);

/** true/false, yes/no or 1/0 in any case; undefined for all else. */
export function readBoolean(text: string): boolean | undefined {
  const word = text.toLowerCase();
  if (TRUE.has(word)) return true;
  return FALSE.has(word) ? false : undefined;
}

/** An integer written in digits and exact as a JSON number (within ±(2^53-1)); undefined for all else. */
export function readInteger(text: string): number | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value + 0 : undefined;
}

/** Most text holds nothing else; as simple a pattern as this tells it several times faster than the other, or a loop. */
const BEYOND_ASCII_TEXT = /[^\x20-\x7e]/;
const NO_TEXT = /[\u0000-\u001f\u007f-\u009f\p{Surrogate}]/u;

/** The first character of `text` that cannot stand in a name or id, as `U+000A`: a control character or a lone surrogate. */
export function unprintable(text: string): string | undefined {
  if (!BEYOND_ASCII_TEXT.test(text)) return undefined;
  const character = NO_TEXT.exec(text)?.[0];
  if (character === undefined) return undefined;
  return `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}
