import { EXIT } from '../../util/errors.ts';
import { ServiceError } from '../service-error.ts';

/** A response that is not JSON, or is nested too deep. */
export class JsonParseError extends ServiceError {
  /** `it is not valid JSON`, for messages that describe the response. */
  readonly reason: string;

  constructor(reason: string) {
    super('invalid-response', EXIT.failure, `the response of the service is invalid: ${reason}`, {
      kind: 'invalid-response',
      processed: 'maybe',
      hint: 'Check that the base URL is that of the service; --debug shows the response.',
    });
    this.reason = reason;
  }
}

/** Upper bound on nesting, because later code may recurse. */
export const MAX_JSON_DEPTH = 256;

/**
 * Parses the JSON of a response. Integers that a JavaScript number would change (identifiers beyond 2^53) and numbers out
 * of its range become strings of the original digits; keys named `__proto__` are dropped.
 *
 * @throws ServiceError (`invalid-response`) for anything that is not JSON, or is nested more than 256 levels deep
 */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (isPlain(value, MAX_JSON_DEPTH)) return value;
  } catch {
    // What is wrong is described below.
  }
  const { depth, longNumbers } = scan(text);
  if (depth > MAX_JSON_DEPTH) throw new JsonParseError(`it is nested more than ${MAX_JSON_DEPTH} levels deep`);
  try {
    // Quoting numbers must not turn invalid JSON into valid JSON.
    JSON.parse(text);
    return parseShortNumbers(quoteNumbers(text, longNumbers));
  } catch {
    throw new JsonParseError(text.trim() === '' ? 'it is empty' : 'it is not valid JSON');
  }
}

/** A smaller integer has at most 15 digits, all of which a JavaScript number holds. */
const MIN_LONG_NUMBER = 1e15;

/** Whether a parsed value is at most `maxDepth` levels deep, no number in it can have lost digits, and no key is `__proto__`. */
function isPlain(value: unknown, maxDepth: number): boolean {
  if (typeof value === 'number') return Math.abs(value) < MIN_LONG_NUMBER;
  if (typeof value !== 'object' || value === null) return true;
  if (maxDepth === 0) return false;
  if (Array.isArray(value)) return value.every((element) => isPlain(element, maxDepth - 1));
  for (const key in value)
    if (key === '__proto__' || !isPlain((value as Record<string, unknown>)[key], maxDepth - 1)) return false;
  return true;
}

/** Like `parseJson`, without checks, for valid JSON of limited depth whose numbers a JavaScript number can hold. */
export function parseShortNumbers(text: string): unknown {
  // A reviver is slow.
  const mayHaveProto = text.includes('__proto__') || text.includes('\\u00');
  return mayHaveProto ? JSON.parse(text, withoutProto) : JSON.parse(text);
}

function withoutProto(key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value;
}

/** [start, end) of a number in the text. */
type Span = readonly [start: number, end: number];

const NUMBER = /-?\d[\d.eE+-]*/y;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Finds the depth of nesting and the numbers that would lose digits, in one pass outside of strings. */
function scan(text: string): { depth: number; longNumbers: Span[] } {
  const longNumbers: Span[] = [];
  let level = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) at = endOfString(text, at);
    else if (char === 0x5b || char === 0x7b) depth = Math.max(depth, ++level);
    else if (char === 0x5d || char === 0x7d) level--;
    else if (char >= 0x30 && char <= 0x39) {
      const start = text.charCodeAt(at - 1) === 0x2d ? at - 1 : at;
      NUMBER.lastIndex = start;
      const digits = NUMBER.exec(text)?.[0] ?? '';
      if (!survives(digits)) longNumbers.push([start, start + digits.length]);
      at = start + digits.length - 1;
    }
  }
  return { depth, longNumbers };
}

/** Returns the position of the quote that ends a string, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at;
  }
  return text.length;
}

/** Whether an integer keeps its digits as a JavaScript number, or any other number is in its range. */
function survives(number: string): boolean {
  if (/^-?\d{1,15}$/.test(number)) return true;
  return /^-?\d+$/.test(number) ? String(Number(number)) === number : Number.isFinite(Number(number));
}

function quoteNumbers(text: string, spans: readonly Span[]): string {
  let end = 0;
  const parts = spans.map(([start, stop]) => {
    const part = `${text.slice(end, start)}"${text.slice(start, stop)}"`;
    end = stop;
    return part;
  });
  return `${parts.join('')}${text.slice(end)}`;
}
