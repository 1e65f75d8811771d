/** Printable ASCII with single spaces between its words, as most text is. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;
/** Spaces of any kind, tabs, and line breaks. A byte order mark is none: it is hidden, and an error. */
const SPACES = /[\p{Zs}\t\n\v\f\r]+/gu;

/** Whether a text is printable ASCII with single spaces between its words, so that it is sent as it is. */
export function isPlainText(text: string): boolean {
  return PLAIN.test(text);
}

/**
 * Returns text as a person reads it, and as it is sent: in Unicode NFC, with each run of spaces, tabs, and line breaks as one
 * ordinary space, and none at the ends.
 */
export function sendableText(text: string): string {
  if (isPlainText(text)) return text;
  return text.normalize('NFC').replace(SPACES, ' ').replace(/^ | $/g, '');
}

/** Returns text for a comparison that sees no more than a person does: like `sendableText`, in lower case. */
export function comparableText(text: string): string {
  return sendableText(text).toLowerCase();
}
