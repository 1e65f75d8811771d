/** Quotes a word for a POSIX shell, so that a printed command can be pasted; plain words stay as they are. */
export function quoteForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
