/** A JSON number that JavaScript would print with other digits: `1001.0`, `1e3`, or `-0`. */
export class NumberToken {
  /** The number as it is written. */
  readonly token: string;

  constructor(token: string) {
    this.token = token;
  }

  toString(): string {
    return this.token;
  }
}

/** Text in which such a number may be. */
const MAY_HAVE_TOKEN = /[[:,\s](?:-0|-?\d+(?:\.\d|[eE]))/;
/** Matches each string and each number of a JSON text. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
/** Begins the strings that stand for a number while its text is parsed. */
const MARK = '\u0000number ';

/**
 * Returns a JSON text in which such numbers are marked strings, which `unmarkNumbers` finds in its value; undefined if it has
 * none. Fractions such as 1.5, which are no IDs, stay numbers.
 */
export function markNumbers(text: string): string | undefined {
  if (!MAY_HAVE_TOKEN.test(text)) return undefined;
  const isUnusual = (token: string) =>
    !token.startsWith('"') && Number.isSafeInteger(Number(token)) && String(Number(token)) !== token;
  const marked = text.replace(STRING_OR_NUMBER, (token) => (isUnusual(token) ? JSON.stringify(MARK + token) : token));
  return marked === text ? undefined : marked;
}

/** Replaces the marked strings in a value. */
export function unmarkNumbers(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith(MARK) ? new NumberToken(value.slice(MARK.length)) : value;
  if (Array.isArray(value)) return value.map(unmarkNumbers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, unmarkNumbers(inner)]));
}
