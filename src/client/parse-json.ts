import { EXIT } from '../util/errors.ts';
import { ServiceError } from './service-error.ts';

/** An answer that is no JSON, or more than is held to be harmless. */
export class JsonParseError extends ServiceError {
  /** `it is not valid JSON`, for messages that say more on the answer. */
  readonly reason: string;

  constructor(reason: string) {
    super('invalid-response', EXIT.failure, `The answer of the service cannot be understood: ${reason}.`, {
      kind: 'invalid-response',
      processed: 'maybe',
      hint: 'Check that the base URL names the service itself; --debug shows the whole answer.',
    });
    this.reason = reason;
  }
}

/** Deeper nesting than this is refused: whatever walks the value later may recurse. */
export const MAX_JSON_DEPTH = 256;

/**
 * Parses the JSON of an answer, strictly. Integers whose digits a JavaScript number would change (identifiers beyond
 * 2^53), and numbers beyond its range, become strings of exactly what stood there; keys named `__proto__` are dropped.
 * Throws ServiceError (`invalid-response`) for anything that is not JSON, or is nested more than 256 levels deep.
 */
export function parseJson(text: string): unknown {
  const { depth, longNumbers } = scan(text);
  if (depth > MAX_JSON_DEPTH) throw new JsonParseError(`it is nested more than ${MAX_JSON_DEPTH} levels deep`);
  try {
    if (longNumbers.length === 0) return parse(text);
    // What is no JSON before its numbers are quoted must not become JSON by it.
    JSON.parse(text);
    return parse(quoteNumbers(text, longNumbers));
  } catch {
    throw new JsonParseError(text.trim() === '' ? 'it is empty' : 'it is not valid JSON');
  }
}

/** A reviver costs time, so it is used only where the key may occur, plain or escaped. */
function parse(text: string): unknown {
  return /__proto__|\\u00/.test(text) ? JSON.parse(text, withoutProto) : JSON.parse(text);
}

function withoutProto(key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value;
}

/** [start, end) of a number in the text. */
type Span = readonly [start: number, end: number];

const NUMBER = /-?\d[\d.eE+-]*/y;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** One pass over the text outside its strings: how deep it nests, and which numbers need care. */
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

/** Position of the quote that ends a string, or the end of a text that was cut. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at;
  }
  return text.length;
}

/** True for an integer that prints the same digits again, and for any other number that is not beyond the range. */
function survives(number: string): boolean {
  if (/^-?\d{1,15}$/.test(number)) return true;
  return /^-?\d+$/.test(number) ? String(Number(number)) === number : Number.isFinite(Number(number));
}

function quoteNumbers(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  let end = 0;
  const parts = spans.map(([start, stop]) => {
    const part = `${text.slice(end, start)}"${text.slice(start, stop)}"`;
    end = stop;
    return part;
  });
  return `${parts.join('')}${text.slice(end)}`;
}
