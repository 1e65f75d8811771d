const CR = 13;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const PLAIN = 0;
const OPEN = 1;
const CLOSE = 2;
const STRING = 3;
const LINE_END = 4;

const CLASSES = new Uint8Array(256);
for (const [characters, kind] of [
  ['{[', OPEN],
  ['}]', CLOSE],
  ['"', STRING],
  ['\r\n', LINE_END],
] as const) {
  for (const character of characters) CLASSES[character.charCodeAt(0)] = kind;
}

const ENDS_SCALAR = new Uint8Array(256);
for (const character of ',]} \t\r\n') ENDS_SCALAR[character.charCodeAt(0)] = 1;

/**
 * Finds the end of one JSON value at a time, in pieces of any size and without recursion. It minds quotes and depth
 * only; whether the value is well formed inside, `JSON.parse` tells. Counts physical lines (CR, LF, CRLF) as it goes.
 */
export class ValueScanner {
  /** The physical line of the scanner, 1-based. */
  line = 1;
  #depth = 0;
  #deepest = 0;
  #inString = false;
  #escaped = false;
  #scalar = false;
  #lastByte = 0;

  /** How deep the value is nested as far as it was seen. */
  get depth(): number {
    return this.#deepest;
  }

  /** Begins a value whose first byte is `first`; `scan` is to start at the byte after it. */
  begin(first: number): void {
    const kind = CLASSES[first] ?? PLAIN;
    this.#depth = kind === OPEN ? 1 : 0;
    this.#deepest = this.#depth;
    this.#inString = kind === STRING;
    this.#escaped = false;
    this.#scalar = kind === PLAIN;
  }

  /** The offset just after the value's last byte, or -1 when the value goes on after `bytes`. */
  scan(bytes: Uint8Array, from: number): number {
    return this.#scalar ? scanScalar(bytes, from) : this.#scanNested(bytes, from);
  }

  /** Counts a line end that stands at `at`, within a value or between two. */
  lineEnd(bytes: Uint8Array, at: number): void {
    const before = at > 0 ? bytes[at - 1] : this.#lastByte;
    if (bytes[at] === CR || before !== CR) this.line++;
  }

  /** Tells that `bytes` are done with and others follow. */
  leave(bytes: Uint8Array): void {
    this.#lastByte = bytes[bytes.length - 1] ?? this.#lastByte;
  }

  #scanNested(bytes: Uint8Array, from: number): number {
    const { length } = bytes;
    let at = from;
    for (;;) {
      if (this.#inString) {
        at = this.#endOfString(bytes, at);
        if (at < 0) return -1;
        this.#inString = false;
        if (this.#depth === 0) return at;
      }
      let kind = PLAIN;
      while (at < length) {
        kind = CLASSES[bytes[at] ?? 0] ?? PLAIN;
        if (kind !== PLAIN) break;
        at++;
      }
      if (at >= length) return -1;
      if (kind === LINE_END) this.lineEnd(bytes, at);
      else if (kind === STRING) this.#inString = true;
      else if (kind === OPEN) this.#deepest = Math.max(this.#deepest, ++this.#depth);
      else if (--this.#depth === 0) return at + 1;
      at++;
    }
  }

  /** The offset after the closing quote, or -1. */
  #endOfString(bytes: Uint8Array, from: number): number {
    const { length } = bytes;
    let at = from;
    if (this.#escaped && at < length) {
      this.#escaped = false;
      at++;
    }
    while (at < length) {
      const byte = bytes[at];
      if (byte === QUOTE) return at + 1;
      if (byte === BACKSLASH) {
        at += 2;
        this.#escaped = at > length;
      } else {
        at++;
      }
    }
    return -1;
  }
}

function scanScalar(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    if (ENDS_SCALAR[bytes[at] ?? 0] === 1) return at;
  }
  return -1;
}
