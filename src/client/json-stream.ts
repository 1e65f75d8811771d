import { JsonStructureError, ListLocator } from './json-envelope.ts';
import { MemberExcerpt } from './json-excerpt.ts';
import { Action, EXPECTED, IS_PLAIN, IS_SPACE, SCALAR_STATES, State, TABLE } from './json-grammar.ts';

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

/**
 * Splits a JSON array, or the array in a top-level object, into its elements as the bytes arrive. It needs no more
 * memory than its largest element, and it accepts exactly what `JSON.parse` accepts, plus a byte order mark. Bytes that
 * are not UTF-8 are accepted within strings; decoding replaces them. Methods throw `JsonStructureError`.
 */
export class JsonArrayReader {
  readonly #options: JsonArrayReaderOptions;
  readonly #locator: ListLocator;
  readonly #excerpt: MemberExcerpt;
  /** For each open container, whether it is an object. */
  readonly #stack: boolean[] = [];
  #state: number = State.start;
  #inObject = false;
  #inKey = false;
  /** Whether the string that is read, or was read last, has an escape sequence. */
  #hasEscape = false;
  /** Depth of the innermost object that is searched for the array. */
  #envelopeDepth = 0;
  /** Depth of the array whose elements are read; 0 outside of it. */
  #listDepth = 0;
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

  constructor(options: JsonArrayReaderOptions) {
    this.#options = options;
    this.#locator = new ListLocator(options.key);
    this.#excerpt = new MemberExcerpt(options.members ?? []);
  }

  /** The document around the elements, as far as it was read. */
  get envelope() {
    return this.#locator.envelope;
  }

  /** Appends the elements that a chunk of UTF-8, cut anywhere, completes; also those before the error that it throws. */
  push(bytes: Buffer, elements: JsonElement[]): void {
    this.#start = 0;
    const { length } = bytes;
    let state = this.#state;
    let at = 0;
    while (at < length) {
      if (state === State.string) {
        while (at < length && IS_PLAIN[bytes[at] as number] === 1) at++;
        if (at === length) break;
      }
      const byte = bytes[at] as number;
      const next = TABLE[(state << 8) | byte] as number;
      if (next < Action.lineBreak) {
        state = next;
        at++;
        continue;
      }
      if (next === Action.error) this.#unexpected(state, byte, at);
      state = next === Action.notPlain ? state : this.#act(next, state, bytes, at, elements);
      if (next === Action.notPlain) this.#isPlain = false;
      if (next !== Action.numberEnd) at++;
    }
    this.#state = state;
    this.#keepRest(bytes);
    this.#lastByte = bytes[length - 1] ?? this.#lastByte;
    this.#offset += length;
  }

  /** Ends the document. */
  end(): void {
    this.#locator.end();
    if (this.#state === State.done) return;
    this.#fail(this.envelope.top === undefined ? 'there is no JSON' : 'the JSON ends too early', 0);
  }

  /** Handles a byte that does more than to lead to the next state. Returns the state after it. */
  #act(action: number, state: number, bytes: Buffer, at: number, elements: JsonElement[]): number {
    switch (action) {
      case Action.lineBreak:
        if (bytes[at] === 0x0d || (at > 0 ? bytes[at - 1] : this.#lastByte) !== 0x0d) this.#line++;
        this.#isPlain = false;
        return state === State.start ? State.top : state;
      case Action.keyStart:
        this.#inKey = true;
        if (this.#stack.length === this.#envelopeDepth) this.#keep('key', at);
        else if (this.#atMember()) this.#excerpt.startKey(this.#position(at));
        this.#hasEscape = false;
        return State.string;
      case Action.escapeStart:
        this.#hasEscape = true;
        return State.escape;
      case Action.stringEnd:
        return this.#inKey ? this.#endKey(bytes, at + 1) : this.#afterValue();
      case Action.scalarStart:
        this.#startValue(bytes[at] as number, at);
        return SCALAR_STATES[bytes[at] as number] as number;
      case Action.containerStart:
        return this.#open(bytes[at] as number, at);
      case Action.numberEnd:
      case Action.literalEnd:
        return this.#afterValue();
      case Action.comma:
        this.#endValue(bytes, at, elements);
        return this.#inObject ? State.key : State.element;
      default:
        return this.#close(bytes, at, elements);
    }
  }

  /** Whether the scanner is between the braces of an element, next to its members. */
  #atMember(): boolean {
    return this.#excerpt.isUsed && this.#keeping === 'element' && this.#stack.length === this.#listDepth + 1;
  }

  #afterValue(): number {
    if (this.#stack.length === 0) return State.done;
    return this.#inObject ? State.afterMember : State.afterElement;
  }

  #startValue(token: number, at: number): void {
    const depth = this.#stack.length;
    if (depth === 0) return;
    if (depth === this.#listDepth) {
      this.#locator.element(String.fromCharCode(token));
      if (!this.#locator.isSkipping) this.#keep('element', at);
    } else if (depth === this.#envelopeDepth) {
      this.#startMember(String.fromCharCode(token), at);
    }
  }

  /** Starts a value of the envelope, which may be the array or hold it. */
  #startMember(token: string, at: number): void {
    let role: ReturnType<ListLocator['member']>;
    try {
      role = this.#locator.member(this.#key, token);
    } catch (error) {
      this.#fail((error as Error).message, at);
    }
    if (role === 'enter') this.#envelopeDepth++;
    else if (role === 'list') this.#listDepth = this.#stack.length + 1;
    else if (token !== '[') this.#keep('value', at);
  }

  #open(byte: number, at: number): number {
    this.#startValue(byte, at);
    const isObject = byte === 0x7b;
    const depth = this.#stack.length;
    if (depth === 0) {
      this.envelope.top = isObject ? 'object' : 'array';
      if (isObject) this.#envelopeDepth = 1;
      else this.#listDepth = 1;
    }
    const { maxDepth } = this.#options;
    if (depth - (this.#listDepth || this.#envelopeDepth) >= maxDepth)
      this.#fail(`a value is nested more than ${maxDepth} levels deep`, at);
    this.#stack.push(isObject);
    this.#inObject = isObject;
    return isObject ? State.firstKey : State.firstElement;
  }

  #close(bytes: Buffer, at: number, elements: JsonElement[]): number {
    this.#endValue(bytes, at, elements);
    const depth = this.#stack.length;
    if (depth === this.#listDepth) {
      this.#locator.leaveArray();
      this.#listDepth = 0;
    } else if (depth === this.#envelopeDepth && this.#listDepth === 0) {
      this.#locator.leaveObject();
      this.#envelopeDepth--;
    }
    this.#stack.pop();
    this.#inObject = this.#stack.at(-1) ?? false;
    if (this.#stack.length === this.#listDepth && this.#keeping === 'element') this.#finish(bytes, at + 1, elements);
    return this.#afterValue();
  }

  /** Handles a comma or closing bracket, which ends a member, or an element that is a scalar. */
  #endValue(bytes: Buffer, at: number, elements: JsonElement[]): void {
    const depth = this.#stack.length;
    if (this.#atMember()) this.#excerpt.endValue(this.#position(at));
    else if (depth === this.#listDepth && this.#keeping === 'element') this.#finish(bytes, at, elements);
    else if (depth === this.#envelopeDepth) this.#endEnvelopeValue(bytes, at);
  }

  #endEnvelopeValue(bytes: Buffer, end: number): void {
    if (this.#keeping === 'value' && this.#position(end) <= MAX_ENVELOPE_VALUE) {
      this.envelope.addMember(this.#locator.pathOf(this.#key), JSON.parse(this.#kept(bytes, end).toString()));
    }
    this.#keeping = undefined;
  }

  #endKey(bytes: Buffer, end: number): number {
    this.#inKey = false;
    if (this.#keeping === 'key') this.#key = String(JSON.parse(this.#kept(bytes, end).toString()));
    else if (this.#atMember()) this.#excerpt.endKey(this.#position(end), this.#hasEscape);
    return State.colon;
  }

  #finish(bytes: Buffer, end: number, elements: JsonElement[]): void {
    const kept = this.#kept(bytes, end);
    let size = kept.length;
    while (IS_SPACE.has(kept[size - 1] ?? 0)) size--;
    const element = size === kept.length ? kept : kept.subarray(0, size);
    elements.push({
      bytes: element,
      line: this.#elementLine,
      isPlain: this.#isPlain,
      excerpt: this.#excerpt.isUsed ? this.#excerpt.textOf(element) : '{}',
    });
  }

  #keep(role: 'key' | 'value' | 'element', at: number): void {
    this.#keeping = role;
    this.#start = at;
    this.#partBytes = 0;
    if (role !== 'element') return;
    this.#elementLine = this.#line;
    this.#isPlain = true;
    this.#excerpt.startObject();
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
