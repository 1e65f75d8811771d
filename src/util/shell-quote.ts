/** Characters that are not shown as they are: controls, bidirectional marks, line separators and the BOM. */
const HIDDEN = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

/**
 * Quotes a word for a POSIX shell, so that a printed command can be pasted; plain words stay as they are. A word with hidden
 * characters, which cannot be shown, becomes `"$(printf 'a\012b')"`. A word that ends in a period is quoted, so that it does
 * not look like the end of a sentence.
 */
export function quoteForShell(word: string): string {
  if (HIDDEN.test(word)) return `"$(printf '${Array.from(word, printfText).join('')}')"`;
  return /^[\w@%+=:,./-]*[\w@%+=:,/-]$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function printfText(character: string): string {
  if (character === '%') return '%%';
  // A shell may expand some of them within the quotes, and printf reads a word that starts with - as an option.
  if (!HIDDEN.test(character) && !/['"\\`$!-]/.test(character)) return character;
  return Array.from(Buffer.from(character), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}
