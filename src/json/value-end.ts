const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const COMMA = 0x2c;
const COLON = 0x3a;

/** Values nested deeper than this are not gone into. */
const MAX_DEPTH = 64;

/* What stands in for an offset where the text is not JSON. */
const NONE = -1;

/** The offset of the first byte at or after `at` that is no white space. */
export function afterSpace(bytes: Uint8Array, at: number): number {
  let next = at;
  for (;;) {
    const byte = bytes[next] ?? 0;
    if (byte > SPACE || !(byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09)) return next;
    next++;
  }
}

/** The offset after the text in quotes that begins at `at`; -1 where there is none, or one with an escape in it. */
export function plainTextEnd(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== QUOTE) return NONE;
  for (let next = at + 1; ; next++) {
    const byte = bytes[next] ?? 0;
    if (byte === QUOTE) return next + 1;
    if (byte < SPACE || byte === BACKSLASH) return NONE;
  }
}

/** The offset after the text in quotes that begins at `at`; -1 where there is none. */
function stringEnd(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== QUOTE) return NONE;
  let next = at + 1;
  for (;;) {
    const byte = bytes[next++] ?? 0;
    // Nearly all are.
    if (byte > QUOTE && byte !== BACKSLASH) continue;
    if (byte === QUOTE) return next;
    if (byte === BACKSLASH) {
      next = escapeEnd(bytes, next);
      if (next < 0) return NONE;
    } else if (byte < SPACE) return NONE;
  }
}

/**
 * The offset after the JSON value that begins at `at`, checked as strictly as `JSON.parse` does; -1 where there is none,
 * or where it is nested more than 64 deep. Bytes that are no UTF-8 pass where they stand in strings.
 */
export function valueEnd(bytes: Uint8Array, at: number, depth = 0): number {
  const byte = bytes[at] ?? 0;
  if (byte === QUOTE) return stringEnd(bytes, at);
  if (byte === 0x7b) return depth < MAX_DEPTH ? objectEnd(bytes, at, depth + 1) : NONE;
  if (byte === 0x5b) return depth < MAX_DEPTH ? arrayEnd(bytes, at, depth + 1) : NONE;
  if (byte === 0x74) return wordEnd(bytes, at, 'true');
  if (byte === 0x66) return wordEnd(bytes, at, 'false');
  if (byte === 0x6e) return wordEnd(bytes, at, 'null');
  return numberEnd(bytes, at);
}

/** The offset of a member's value, whose key ends at `at`; -1 where no colon follows the key. */
export function memberValue(bytes: Uint8Array, at: number): number {
  const colon = afterSpace(bytes, at);
  return bytes[colon] === COLON ? afterSpace(bytes, colon + 1) : NONE;
}

/** The offset of what follows the comma after a value that ends at `at`; -1 where there is no comma. */
export function afterComma(bytes: Uint8Array, at: number): number {
  const comma = afterSpace(bytes, at);
  return bytes[comma] === COMMA ? afterSpace(bytes, comma + 1) : NONE;
}

function objectEnd(bytes: Uint8Array, at: number, depth: number): number {
  let next = afterSpace(bytes, at + 1);
  if (bytes[next] === 0x7d) return next + 1;
  for (;;) {
    const keyEnd = stringEnd(bytes, next);
    const value = keyEnd < 0 ? NONE : memberValue(bytes, keyEnd);
    const end = value < 0 ? NONE : valueEnd(bytes, value, depth);
    if (end < 0) return NONE;
    next = afterComma(bytes, end);
    if (next < 0) return markEnd(bytes, end, 0x7d);
  }
}

function arrayEnd(bytes: Uint8Array, at: number, depth: number): number {
  let next = afterSpace(bytes, at + 1);
  if (bytes[next] === 0x5d) return next + 1;
  for (;;) {
    const end = valueEnd(bytes, next, depth);
    if (end < 0) return NONE;
    next = afterComma(bytes, end);
    if (next < 0) return markEnd(bytes, end, 0x5d);
  }
}

/** The offset after `mark`, which follows at `at`, perhaps after white space; -1 where it does not. */
export function markEnd(bytes: Uint8Array, at: number, mark: number): number {
  const next = afterSpace(bytes, at);
  return bytes[next] === mark ? next + 1 : NONE;
}

/** `at` is the offset after the backslash. */
function escapeEnd(bytes: Uint8Array, at: number): number {
  const byte = String.fromCharCode(bytes[at] ?? 0);
  if (byte === 'u') return /^[0-9a-f]{4}$/i.test(latin1(bytes, at + 1, at + 5)) ? at + 5 : NONE;
  return '"\\/bfnrt'.includes(byte) ? at + 1 : NONE;
}

function wordEnd(bytes: Uint8Array, at: number, word: string): number {
  for (let index = 0; index < word.length; index++) if (bytes[at + index] !== word.charCodeAt(index)) return NONE;
  return at + word.length;
}

function numberEnd(bytes: Uint8Array, at: number): number {
  let end = at;
  while (isOfNumber(bytes[end] ?? 0)) end++;
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(latin1(bytes, at, end)) ? end : NONE;
}

function isOfNumber(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || byte === 0x2d || byte === 0x2b || byte === 0x2e || (byte | 0x20) === 0x65;
}

function latin1(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}
