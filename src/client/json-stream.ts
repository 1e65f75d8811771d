import { JsonStructureError, ListLocator, MAX_LIST_DEPTH, MemberExcerpt } from './json-envelope.ts';

/** One element of the array. `bytes` may be a view of the chunk that was passed to `push`. */
export interface JsonElement {
  readonly bytes: Buffer;
  /** Physical line on which it starts, 1-based. */
  readonly line: number;
  /** Whether it holds printable ASCII only, so no line breaks either. */
  readonly isPlain: boolean;
  /** JSON text of an object with those of its own members that `members` names. */
  readonly excerpt: string;
}

export interface JsonArrayReaderOptions {
  /**
   * The key whose array holds the elements when the document is an object. Without it: the array under a usual name
   * (`data`, `items`, …), also within a wrapper of a usual name, or else the first array that holds objects.
   */
  key?: string;
  maxElementBytes: number;
  /** `{}` is 1 deep. */
  maxDepth: number;
  /** Names of the members to return in `excerpt`. */
  members?: readonly string[];
}

/** Longer values next to the array are not kept, in bytes. */
const MAX_ENVELOPE_VALUE = 4096;

/** States between the tokens, where white space is skipped. */
const [START, TOP, FIRST_ELEMENT, ELEMENT, AFTER_ELEMENT] = [0, 1, 2, 3, 4] as const;
const [FIRST_KEY, KEY, COLON, MEMBER, AFTER_MEMBER, DONE] = [5, 6, 7, 8, 9, 10] as const;
/** States within a token, some of them the first of several: 4 digits, 8 parts of a number, 2 bytes of a byte order mark. */
const [STRING, ESCAPE, HEX, NUMBER, MARK, LITERALS] = [11, 12, 13, 17, 25, 27] as const;
/** Values of the table from here on are actions of the reader. */
const [LINE_BREAK, NOT_PLAIN, STRING_END, NUMBER_END, LITERAL_END] = [64, 65, 66, 67, 68] as const;
const [KEY_START, ESCAPE_START, SCALAR_START, CONTAINER_START, CONTAINER_END, ERROR] = [
  69, 70, 71, 72, 73, 255,
] as const;

/** What was expected in each of the states between the tokens, for messages. */
const EXPECTED: readonly string[] = [
  ...['[ or {', '[ or {', 'a value or ]', 'a value', 'a comma or ]', 'a key in quotes or }', 'a key in quotes'],
  ...['a colon', 'a value', 'a comma or }', 'nothing more'],
];

/** The JSON grammar: the next state or an action, at `state << 8 | byte`. How containers nest is up to the reader. */
const TABLE = new Uint8Array(64 << 8).fill(ERROR);
/** The state after the first byte of a string, number or literal. */
const SCALAR_STATES = new Uint8Array(256);
/** 1 for the bytes that need no attention within a string: printable ASCII but quotes and backslashes. */
const IS_PLAIN = new Uint8Array(256).map((_, byte) =>
  Number(byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c),
);

const DIGITS = '0123456789';
const [QUOTE, CR, BRACE] = [0x22, 0x0d, 0x7b] as const;

/** Adds to the table what these characters, Latin-1, lead to in these states. */
function add(states: readonly number[], characters: string, next: number): void {
  for (const state of states) for (const byte of Buffer.from(characters, 'latin1')) TABLE[(state << 8) | byte] = next;
}

function buildTable(): void {
  for (let state: number = START; state <= DONE; state++) {
    add([state], ' \t', state === START ? TOP : state);
    add([state], '\r\n', LINE_BREAK);
  }
  add([START], '\xef', MARK);
  add([MARK], '\xbb', MARK + 1);
  add([MARK + 1], '\xbf', TOP);
  add([START, TOP, FIRST_ELEMENT, ELEMENT, MEMBER], '[{', CONTAINER_START);
  add([FIRST_ELEMENT, ELEMENT, MEMBER], `"-${DIGITS}tfn`, SCALAR_START);
  add([FIRST_KEY, KEY], '"', KEY_START);
  add([COLON], ':', MEMBER);
  add([AFTER_ELEMENT], ',', ELEMENT);
  add([AFTER_MEMBER], ',', KEY);
  add([FIRST_ELEMENT, AFTER_ELEMENT], ']', CONTAINER_END);
  add([FIRST_KEY, AFTER_MEMBER], '}', CONTAINER_END);

  for (let byte = 0x20; byte < 0x100; byte++) TABLE[(STRING << 8) | byte] = IS_PLAIN[byte] === 1 ? STRING : NOT_PLAIN;
  add([STRING], '"', STRING_END);
  add([STRING], '\\', ESCAPE_START);
  add([ESCAPE], '"\\/bfnrt', STRING);
  add([ESCAPE], 'u', HEX);
  for (let digit = 0; digit < 4; digit++)
    add([HEX + digit], `${DIGITS}abcdefABCDEF`, digit < 3 ? HEX + digit + 1 : STRING);
  SCALAR_STATES[QUOTE] = STRING;

  const [minus, zero, integer, point, fraction, exponent, sign, power] = Array.from(
    { length: 8 },
    (_, at) => NUMBER + at,
  ) as [number, number, number, number, number, number, number, number];
  add([minus], '0', zero);
  add([minus], '123456789', integer);
  add([integer], DIGITS, integer);
  add([zero, integer], '.', point);
  add([point, fraction], DIGITS, fraction);
  add([zero, integer, fraction], 'eE', exponent);
  add([exponent], '+-', sign);
  add([exponent, sign, power], DIGITS, power);
  add([zero, integer, fraction, power], ' \t\n\r,]}', NUMBER_END);
  SCALAR_STATES[0x2d] = minus;
  for (const digit of Buffer.from(DIGITS)) SCALAR_STATES[digit] = digit === 0x30 ? zero : integer;

  let state: number = LITERALS;
  for (const literal of ['true', 'false', 'null']) {
    SCALAR_STATES[literal.charCodeAt(0)] = state;
    for (const character of literal.slice(1, -1)) add([state], character, ++state);
    add([state++], literal.slice(-1), LITERAL_END);
  }
}

buildTable();

/**
 * Splits a JSON array, or the array in a top-level object, into its elements as the bytes arrive. It needs no more
 * memory than its largest element, and it accepts exactly what `JSON.parse` accepts, plus a byte order mark. Bytes that
 * are not UTF-8 are accepted within strings; decoding replaces them. Methods throw `JsonStructureError`.
 */
export class JsonArrayReader {
  readonly #options: JsonArrayReaderOptions;
  readonly #locator: ListLocator;
  readonly #excerpt: MemberExcerpt;
  #state: number = START;
  #depth = 0;
  /** The state after a value at each depth. */
  readonly #after: Uint8Array;
  #inKey = false;
  /** Whether the string that is read, or was read last, has an escape sequence. */
  #hasEscape = false;
  /** Depth of the innermost object that is searched for the array. */
  #envelopeDepth = 0;
  /** Depth of the array whose elements are read; 0 outside of it. */
  #listDepth = 0;
  /** Values and keys that are nested deeper are only validated. */
  #watchedDepth = 0;
  #maxDepth: number;
  #key = '';
  #line = 1;
  #lastByte = 0;
  /** Bytes before the current chunk. */
  #offset = 0;

  /** Role of the bytes that are being kept: those of a key or value of the envelope, or of an element. */
  #keeping: 'key' | 'value' | 'element' | undefined;
  /** Where they start in the current chunk. */
  #start = 0;
  /** Their parts from earlier chunks. */
  #parts: Buffer[] = [];
  #partBytes = 0;
  #elementLine = 1;
  #isPlain = true;
  /** Offsets in the element of members that may be wanted: of the start and end of the key, and of the end of the value. */
  readonly #spans: number[] = [];
  #keyStart = 0;

  constructor(options: JsonArrayReaderOptions) {
    this.#options = options;
    this.#locator = new ListLocator(options.key);
    this.#excerpt = new MemberExcerpt(options.members ?? []);
    this.#maxDepth = options.maxDepth;
    this.#after = new Uint8Array(options.maxDepth + MAX_LIST_DEPTH + 1).fill(DONE);
  }

  /** The document around the elements, as far as it was read. */
  get envelope() {
    return this.#locator.envelope;
  }

  /** Appends the elements that a chunk of UTF-8, cut anywhere, completes; also those before the error that it throws. */
  push(bytes: Buffer, elements: JsonElement[]): void {
    this.#start = 0;
    const after = this.#after;
    const { length } = bytes;
    let state = this.#state;
    let depth = this.#depth;
    let at = 0;
    while (at < length) {
      if (state === STRING) {
        while (at < length && IS_PLAIN[bytes[at] as number] === 1) at++;
        if (at === length) break;
      }
      const byte = bytes[at] as number;
      const next = TABLE[(state << 8) | byte] as number;
      if (next < LINE_BREAK) {
        state = next;
        at++;
        continue;
      }
      switch (next) {
        case LINE_BREAK:
          if (byte === CR || (at > 0 ? bytes[at - 1] : this.#lastByte) !== CR) this.#line++;
          this.#isPlain = false;
          if (state === START) state = TOP;
          break;
        case NOT_PLAIN:
          this.#isPlain = false;
          break;
        case ESCAPE_START:
          this.#hasEscape = true;
          state = ESCAPE;
          break;
        case KEY_START:
          this.#inKey = true;
          if (depth <= this.#watchedDepth) this.#startKey(depth, at);
          state = STRING;
          break;
        case SCALAR_START:
          if (depth <= this.#watchedDepth) this.#startValue(byte, depth, at);
          state = SCALAR_STATES[byte] as number;
          break;
        case CONTAINER_START:
          if (depth <= this.#watchedDepth) this.#startValue(byte, depth, at);
          if (depth >= this.#maxDepth)
            this.#fail(`a value is nested more than ${this.#options.maxDepth} levels deep`, at);
          state = byte === BRACE ? FIRST_KEY : FIRST_ELEMENT;
          after[++depth] = byte === BRACE ? AFTER_MEMBER : AFTER_ELEMENT;
          break;
        case STRING_END:
        case NUMBER_END:
        case LITERAL_END:
        case CONTAINER_END:
          if (next === STRING_END && this.#inKey) {
            this.#inKey = false;
            if (depth <= this.#watchedDepth) this.#endKey(bytes, at + 1);
            state = COLON;
            break;
          }
          if (next === CONTAINER_END) {
            if (depth <= this.#watchedDepth) this.#leave(depth);
            depth--;
          }
          // The byte after a number belongs to what follows.
          if (next === NUMBER_END) at--;
          if (depth <= this.#watchedDepth) this.#endValue(bytes, depth, at + 1, elements);
          state = after[depth] as number;
          break;
        default:
          this.#unexpected(state, byte, at);
      }
      at++;
    }
    this.#state = state;
    this.#depth = depth;
    this.#keepRest(bytes);
    this.#lastByte = bytes[length - 1] ?? this.#lastByte;
    this.#offset += length;
  }

  /** Ends the document. */
  end(): void {
    this.#locator.end();
    if (this.#state === DONE) return;
    this.#fail(this.envelope.top === undefined ? 'there is no JSON' : 'the JSON ends too early', 0);
  }

  /** Sets the depths of the list and of the object around it. */
  #enter(listDepth: number, envelopeDepth: number): void {
    this.#listDepth = listDepth;
    this.#envelopeDepth = envelopeDepth;
    const outermost = listDepth || envelopeDepth;
    this.#maxDepth = outermost + this.#options.maxDepth;
    this.#watchedDepth = listDepth > 0 && this.#excerpt.keyLengths.size > 0 ? listDepth + 1 : outermost;
  }

  #startValue(byte: number, depth: number, at: number): void {
    const token = String.fromCharCode(byte);
    if (depth === 0) {
      this.envelope.top = token === '{' ? 'object' : 'array';
      this.#enter(token === '{' ? 0 : 1, token === '{' ? 1 : 0);
    } else if (depth === this.#listDepth) {
      this.#locator.element(token);
      if (!this.#locator.isSkipping) this.#keep('element', at);
    } else if (this.#listDepth === 0) {
      this.#startMember(token, depth, at);
    }
  }

  /** Starts a value of the envelope, which may be the array or hold it. */
  #startMember(token: string, depth: number, at: number): void {
    let role: ReturnType<ListLocator['member']>;
    try {
      role = this.#locator.member(this.#key, token);
    } catch (error) {
      this.#fail((error as Error).message, at);
    }
    if (role === 'enter') this.#enter(0, depth + 1);
    else if (role === 'list') this.#enter(depth + 1, depth);
    else if (token !== '[') this.#keep('value', at);
  }

  /** Leaves the array of elements, or an object around it. */
  #leave(depth: number): void {
    if (depth === this.#listDepth) {
      this.#locator.leaveArray();
      this.#enter(0, this.#envelopeDepth);
    } else if (this.#listDepth === 0) {
      this.#locator.leaveObject();
      this.#enter(0, depth - 1);
    }
  }

  #endValue(bytes: Buffer, depth: number, end: number, elements: JsonElement[]): void {
    if (this.#keeping === 'element') {
      if (depth > this.#listDepth) {
        if (this.#spans.length % 3 === 2) this.#spans.push(this.#position(end));
      } else {
        const element = this.#kept(bytes, end);
        const excerpt = this.#excerpt.textOf(element, this.#spans);
        elements.push({ bytes: element, line: this.#elementLine, isPlain: this.#isPlain, excerpt });
      }
    } else if (this.#keeping === 'value' && depth === this.#envelopeDepth) {
      if (this.#position(end) <= MAX_ENVELOPE_VALUE) {
        this.envelope.addMember(this.#locator.pathOf(this.#key), JSON.parse(this.#kept(bytes, end).toString()));
      }
      this.#keeping = undefined;
    }
  }

  #startKey(depth: number, at: number): void {
    this.#hasEscape = false;
    if (this.#keeping === 'element') this.#keyStart = this.#position(at);
    else if (this.#listDepth === 0 && depth === this.#envelopeDepth) this.#keep('key', at);
  }

  #endKey(bytes: Buffer, end: number): void {
    if (this.#keeping === 'key') {
      this.#key = String(JSON.parse(this.#kept(bytes, end).toString()));
    } else if (this.#keeping === 'element') {
      const position = this.#position(end);
      // A key with escape sequences has another length than its name.
      if (!this.#hasEscape && !this.#excerpt.keyLengths.has(position - this.#keyStart)) return;
      this.#spans.push(this.#keyStart, position);
    }
  }

  #keep(role: 'key' | 'value' | 'element', at: number): void {
    this.#keeping = role;
    this.#start = at;
    this.#partBytes = 0;
    if (role !== 'element') return;
    this.#elementLine = this.#line;
    this.#isPlain = true;
    this.#spans.length = 0;
  }

  /** Offset of a position in the chunk from the start of what is kept. */
  #position(at: number): number {
    return this.#partBytes + at - this.#start;
  }

  /** Returns what was kept up to `end`, and keeps no more. */
  #kept(bytes: Buffer, end: number): Buffer {
    this.#checkSize(end);
    const last = bytes.subarray(this.#start, end);
    this.#keeping = undefined;
    return this.#partBytes === 0 ? last : Buffer.concat([...this.#parts.splice(0), last]);
  }

  /** Copies what is kept of this chunk, for its buffer may be used again. */
  #keepRest(bytes: Buffer): void {
    if (this.#keeping === undefined) return;
    this.#checkSize(bytes.length);
    if (this.#keeping === undefined) return;
    if (this.#partBytes === 0) this.#parts = [];
    this.#parts.push(Buffer.from(bytes.subarray(this.#start)));
    this.#partBytes += bytes.length - this.#start;
  }

  #checkSize(end: number): void {
    const { maxElementBytes } = this.#options;
    const size = this.#position(end);
    if (this.#keeping === 'value' && size > MAX_ENVELOPE_VALUE) this.#keeping = undefined;
    else if (size > maxElementBytes) this.#fail(`a value is longer than ${maxElementBytes} bytes`, end);
  }

  #unexpected(state: number, byte: number, at: number): never {
    const isVisible = byte > 0x20 && byte < 0x7f;
    const shown = isVisible ? `"${String.fromCharCode(byte)}"` : `byte 0x${byte.toString(16).padStart(2, '0')}`;
    this.#fail(`expected ${EXPECTED[state] ?? 'valid JSON'}, found ${shown}`, at);
  }

  #fail(message: string, at: number): never {
    throw new JsonStructureError(message, this.#line, this.#offset + at);
  }
}
