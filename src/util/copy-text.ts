/** Copies a text that is kept for long: the slice of a larger text would keep all of that text in memory. */
export function copyText(text: string): string {
  return Buffer.from(text).toString();
}
