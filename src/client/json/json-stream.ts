import { isPrintableAscii } from '../printable-ascii.ts';
import { BETWEEN, END_BEFORE, ESCAPE, INVALID, POWER, STRING, TOKENS } from './json-tokens.ts';
import { JsonStructureError, ListLocator, LONG_VALUE, MAX_LIST_DEPTH } from './list-locator.ts';
import { MemberExcerpt } from './member-excerpt.ts';

/** One element of the array. */
export interface JsonElement {
  readonly bytes: Buffer;
  /** Whether it holds printable ASCII only, so no line breaks either. */
  readonly isPlain: boolean;
  /** Whether it has a number that JavaScript may change: one of 16 characters or more, or with an exponent. */
  readonly hasLongNumber: boolean;
  /** JSON text of an object with those of its own members that `members` names. */
  readonly excerpt: string;
}

export interface JsonArrayReaderOptions {
  maxElementBytes: number;
  /** `{}` is 1 deep. */
  maxDepth: number;
  /** Names of the members to return in `excerpt`. */
  members?: readonly string[];
}

/** Longer values next to the array are not kept, in bytes. */
const MAX_ENVELOPE_VALUE = 4096;
const LONG_NUMBER = 16;

/** What is expected between tokens, and its name in messages. */
const [DOCUMENT, VALUE, FIRST_VALUE, KEY, FIRST_KEY, COLON, NEXT_VALUE, NEXT_KEY, NOTHING] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8,
] as const;
const EXPECTED: readonly string[] = [
  ...['[ or {', 'a value', 'a value or ]', 'a key in quotes', 'a key in quotes or }'],
  ...['a colon', 'a comma or ]', 'a comma or }', 'nothing more'],
];

const [TAB, LF, CR, SPACE, QUOTE, COMMA, COLON_BYTE] = [0x09, 0x0a, 0x0d, 0x20, 0x22, 0x2c, 0x3a] as const;
const [OPEN_BRACKET, BACKSLASH, CLOSE_BRACKET] = [0x5b, 0x5c, 0x5d] as const;
const [LETTER_N, OPEN_BRACE, CLOSE_BRACE, MARK] = [0x6e, 0x7b, 0x7d, 0xef] as const;

/** Bytes of strings: 0 is printable ASCII, 1 any other byte, 2 needs attention. */
const STRING_BYTES = new Uint8Array(256).map((_, byte) => {
  if (byte < 0x20 || byte === QUOTE || byte === BACKSLASH) return 2;
  return byte < 0x7f ? 0 : 1;
});

/**
 * Splits a JSON array, or the array in a top-level object, into its elements as the bytes arrive. It needs no more memory
 * than its largest element and the chunk. It accepts exactly what `JSON.parse` accepts, plus a byte order mark; `null` and an
 * empty text have no elements. Bytes that are not UTF-8 are accepted within strings; decoding replaces them. Methods throw
 * `JsonStructureError`.
 */
export class JsonArrayReader {
  readonly locator = new ListLocator();
  /** Undefined as long as only white space was read. */
  top: 'array' | 'object' | 'null' | undefined;
  readonly #options: JsonArrayReaderOptions;
  readonly #excerpt: MemberExcerpt;

  /** The bytes from `#start` are kept, those from `#at` to `#end` are not yet read. */
  #bytes: Buffer = Buffer.alloc(0);
  #start = 0;
  #at = 0;
  #end = 0;

  /** Whether the bytes that are not yet read are printable ASCII, so that strings need not be read byte by byte. */
  #isPrintable = false;
  /** The positions of the next backslash and the next quote in them, if they are known. */
  #backslash = -1;
  #quote = -1;

  #expected: number = DOCUMENT;
  #token: number = BETWEEN;
  #tokenLength = 0;
  #depth = 0;
  #maxDepth: number;
  /** Whether the container at each depth is an array. */
  readonly #isArray: Uint8Array;
  /** Depth of the innermost object that is searched for the array. */
  #envelopeDepth = 0;
  /** Depth of the array whose elements are read; 0 outside of it. */
  #listDepth = 0;
  /** Values and keys that are nested deeper are only validated. */
  #watchedDepth = 0;
  /** What is kept. */
  #keeping: 'key' | 'value' | 'element' | undefined;
  /** The last key of the envelope. */
  #key = '';
  /** Whether the string that was read last has an escape sequence. */
  #hasEscape = false;
  #isPlain = true;
  #hasLongNumber = false;

  constructor(options: JsonArrayReaderOptions) {
    this.#options = options;
    this.#excerpt = new MemberExcerpt(options.members ?? []);
    this.#maxDepth = options.maxDepth;
    this.#isArray = new Uint8Array(options.maxDepth + MAX_LIST_DEPTH + 1);
  }

  /** Appends the elements that a chunk of UTF-8, cut anywhere, completes; also those before the error that it throws. */
  push(chunk: Buffer, elements: JsonElement[]): void {
    this.#append(chunk);
    this.#isPrintable = isPrintableAscii(chunk);
    this.#backslash = -1;
    this.#quote = -1;
    while (this.#at < this.#end) {
      const isValueEnd =
        this.#token === STRING ? this.#readString() : this.#token === BETWEEN ? this.#readBetween() : this.#readToken();
      if (!isValueEnd) continue;
      if (this.#depth <= this.#watchedDepth) this.#endValue(elements);
      this.#expected = this.#depth === 0 ? NOTHING : this.#isArray[this.#depth] === 1 ? NEXT_VALUE : NEXT_KEY;
    }
    const kept = this.#end - this.#start;
    if (this.#keeping === 'value' && kept > MAX_ENVELOPE_VALUE) {
      this.#keeping = undefined;
      this.locator.addMember(this.#key, LONG_VALUE);
    }
    if (this.#keeping === undefined) this.#start = this.#at;
    else this.#checkSize(kept);
  }

  /** Ends the document. */
  end(): void {
    this.locator.end();
    const isComplete = this.#expected === NOTHING || this.#expected === DOCUMENT;
    if (!isComplete || this.#token !== BETWEEN) fail('the JSON ends too early');
  }

  /** Appends a chunk to what is kept. Elements that were returned are views of what is before that. */
  #append(chunk: Buffer): void {
    const kept = this.#end - this.#start;
    if (kept === 0 || this.#end + chunk.length > this.#bytes.length) {
      // Twice as large, so that a long element is copied only a few times.
      const larger = kept === 0 ? chunk : Buffer.allocUnsafe(2 * kept + chunk.length);
      this.#bytes.copy(larger, 0, this.#start, this.#end);
      this.#bytes = larger;
      this.#at -= this.#start;
      this.#start = 0;
      this.#end = kept;
    }
    if (kept > 0) chunk.copy(this.#bytes, this.#end);
    this.#end += chunk.length;
  }

  /** Reads a part of a string. Returns whether it ended a value. */
  #readString(): boolean {
    const bytes = this.#bytes;
    const at = this.#isPrintable ? this.#findMark() : this.#skipText();
    this.#at = at;
    if (at === this.#end) return false;
    if (bytes[at] === BACKSLASH) this.#token = ESCAPE;
    else if (bytes[at] === QUOTE) this.#token = BETWEEN;
    else this.#unexpected('valid JSON');
    this.#at++;
    if (this.#token === ESCAPE) {
      this.#hasEscape = true;
      return false;
    }
    if (this.#expected !== KEY && this.#expected !== FIRST_KEY) return true;
    if (this.#depth <= this.#watchedDepth) this.#endKey();
    this.#expected = COLON;
    return false;
  }

  /** Returns the position of the next quote or backslash, in printable text. */
  #findMark(): number {
    const bytes = this.#bytes;
    if (this.#backslash < this.#at) this.#backslash = positionOf(BACKSLASH, bytes, this.#at, this.#end);
    if (this.#quote < this.#at) this.#quote = positionOf(QUOTE, bytes, this.#at, this.#end);
    return Math.min(this.#quote, this.#backslash);
  }

  /** Returns the position of the next quote, backslash or control character. */
  #skipText(): number {
    const bytes = this.#bytes;
    const end = this.#end;
    let at = this.#at;
    let kinds = 0;
    for (; at < end; at++) {
      const kind = STRING_BYTES[bytes[at] as number] as number;
      if (kind === 2) break;
      kinds |= kind;
    }
    if (kinds !== 0) this.#isPlain = false;
    return at;
  }

  /** Reads a part of an escape sequence, number or literal. Returns whether it ended a value. */
  #readToken(): boolean {
    while (this.#at < this.#end) {
      const next = TOKENS[(this.#token << 8) | (this.#bytes[this.#at] as number)] as number;
      if (next === INVALID) this.#unexpected('valid JSON');
      if (next !== END_BEFORE) this.#at++;
      if (next >= END_BEFORE) {
        if (this.#token === POWER || this.#tokenLength >= LONG_NUMBER) this.#hasLongNumber = true;
        this.#token = BETWEEN;
        // A byte order mark is not a value.
        return this.#expected !== DOCUMENT;
      }
      this.#token = next;
      this.#tokenLength++;
      if (next === STRING) return false;
    }
    return false;
  }

  /** Reads the byte after a token. Returns whether it ended a value. */
  #readBetween(): boolean {
    const byte = this.#bytes[this.#at] as number;
    const expected = this.#expected;
    switch (byte) {
      case LF:
      case CR:
        this.#isPlain = false;
        break;
      case SPACE:
      case TAB:
        break;
      case COMMA:
        if (expected !== NEXT_VALUE && expected !== NEXT_KEY) this.#unexpected();
        this.#expected = expected === NEXT_VALUE ? VALUE : KEY;
        break;
      case COLON_BYTE:
        if (expected !== COLON) this.#unexpected();
        this.#expected = VALUE;
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        if (expected > FIRST_VALUE) this.#unexpected();
        if (this.#depth <= this.#watchedDepth) this.#startValue(byte);
        if (this.#depth >= this.#maxDepth) fail(`a value is nested more than ${this.#options.maxDepth} levels deep`);
        this.#isArray[++this.#depth] = byte === OPEN_BRACKET ? 1 : 0;
        this.#expected = byte === OPEN_BRACKET ? FIRST_VALUE : FIRST_KEY;
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        if (
          byte === CLOSE_BRACKET
            ? expected !== NEXT_VALUE && expected !== FIRST_VALUE
            : expected !== NEXT_KEY && expected !== FIRST_KEY
        )
          this.#unexpected();
        if (this.#depth <= this.#watchedDepth) this.#leave();
        this.#depth--;
        this.#at++;
        return true;
      case QUOTE:
        if (expected === KEY || expected === FIRST_KEY) {
          if (this.#depth <= this.#watchedDepth) this.#startKey();
        } else {
          if (expected !== VALUE && expected !== FIRST_VALUE) this.#unexpected();
          if (this.#depth <= this.#watchedDepth) this.#startValue(byte);
        }
        this.#token = STRING;
        break;
      default:
        this.#startScalar(byte);
    }
    this.#at++;
    return false;
  }

  #startScalar(byte: number): void {
    const isMark = byte === MARK;
    const isAllowed =
      this.#expected === DOCUMENT ? isMark || byte === LETTER_N : this.#expected <= FIRST_VALUE && !isMark;
    const token = TOKENS[byte] as number;
    if (!isAllowed || token === INVALID) this.#unexpected();
    if (this.#expected !== DOCUMENT) {
      if (this.#depth <= this.#watchedDepth) this.#startValue(byte);
    } else if (!isMark) {
      this.top = 'null';
      this.#expected = NOTHING;
    }
    this.#token = token;
    this.#tokenLength = 1;
  }

  /** Sets the depths of the list and of the object around it. */
  #enter(listDepth: number, envelopeDepth: number): void {
    this.#listDepth = listDepth;
    this.#envelopeDepth = envelopeDepth;
    const outermost = listDepth || envelopeDepth;
    this.#maxDepth = outermost + this.#options.maxDepth;
    this.#watchedDepth = listDepth > 0 && !this.#excerpt.isEmpty ? listDepth + 1 : outermost;
  }

  #startValue(byte: number): void {
    const depth = this.#depth;
    const type = byte === OPEN_BRACE ? 'object' : byte === OPEN_BRACKET ? 'array' : 'scalar';
    if (depth === 0) {
      this.top = byte === OPEN_BRACE ? 'object' : 'array';
      this.#enter(byte === OPEN_BRACE ? 0 : 1, byte === OPEN_BRACE ? 1 : 0);
    } else if (depth === this.#listDepth) {
      this.locator.element(type === 'object');
      if (this.locator.isSkipping) return;
      this.#keep('element');
      this.#isPlain = true;
      this.#hasLongNumber = false;
      this.#excerpt.clear();
    } else if (this.#listDepth === 0) {
      const role = this.locator.member(this.#key, type);
      if (role === 'enter') this.#enter(0, depth + 1);
      else if (role === 'list') this.#enter(depth + 1, depth);
      else this.#keep('value');
    }
  }

  /** Leaves the array of elements, or an object around it. */
  #leave(): void {
    if (this.#depth === this.#listDepth) {
      this.locator.leaveArray();
      this.#enter(0, this.#envelopeDepth);
    } else if (this.#listDepth === 0) {
      this.locator.leaveObject();
      this.#enter(0, this.#depth - 1);
    }
  }

  #endValue(elements: JsonElement[]): void {
    if (this.#keeping === 'element') {
      if (this.#depth > this.#listDepth) {
        this.#excerpt.endMember(this.#at - this.#start);
      } else {
        const bytes = this.#kept();
        const excerpt = this.#excerpt.textOf(bytes);
        elements.push({ bytes, isPlain: this.#isPlain, hasLongNumber: this.#hasLongNumber, excerpt });
      }
    } else if (this.#keeping === 'value' && this.#depth === this.#envelopeDepth) {
      const bytes = this.#kept();
      const isShort = bytes.length <= MAX_ENVELOPE_VALUE;
      this.locator.addMember(this.#key, isShort ? JSON.parse(bytes.toString()) : LONG_VALUE);
    }
  }

  #startKey(): void {
    this.#hasEscape = false;
    if (this.#keeping === 'element') this.#excerpt.startKey(this.#at - this.#start);
    else if (this.#listDepth === 0 && this.#depth === this.#envelopeDepth) this.#keep('key');
  }

  #endKey(): void {
    if (this.#keeping === 'element') this.#excerpt.endKey(this.#bytes, this.#start, this.#at, this.#hasEscape);
    else if (this.#keeping === 'key') this.#key = String(JSON.parse(this.#kept().toString()));
  }

  #keep(role: 'key' | 'value' | 'element'): void {
    this.#keeping = role;
    this.#start = this.#at;
  }

  /** Returns what was kept, and keeps no more. */
  #kept(): Buffer {
    this.#keeping = undefined;
    const kept = this.#bytes.subarray(this.#start, this.#at);
    this.#checkSize(kept.length);
    return kept;
  }

  #checkSize(size: number): void {
    const { maxElementBytes } = this.#options;
    if (size > maxElementBytes) fail(`a value is longer than ${maxElementBytes} bytes`);
  }

  #unexpected(wanted = EXPECTED[this.#expected]): never {
    const byte = this.#bytes[this.#at] as number;
    const isVisible = byte > 0x20 && byte < 0x7f;
    const shown = isVisible ? `"${String.fromCharCode(byte)}"` : `byte 0x${byte.toString(16).padStart(2, '0')}`;
    fail(`expected ${wanted}, found ${shown}`);
  }
}

/** Returns the position of a byte from `at` on, or `end` if there is none before. */
function positionOf(byte: number, bytes: Buffer, at: number, end: number): number {
  // What is after the end would be searched in vain, again and again.
  const position = end < bytes.length ? bytes.subarray(at, end).indexOf(byte) + at : bytes.indexOf(byte, at);
  return position < at ? end : position;
}

function fail(message: string): never {
  throw new JsonStructureError(message);
}
