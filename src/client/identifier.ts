/**
 * An identifier as text: they are strings (interface 2), and some services write numbers. Undefined for anything else,
 * and for an empty one.
 */
export function parseIdentifier(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
