import * as grammar from './json-grammar.ts';
import { JsonStructureError, ListLocator, LONG_VALUE, MAX_LIST_DEPTH, MemberExcerpts, viewOf } from './list-locator.ts';

export interface JsonArrayReaderOptions {
  maxElementBytes: number;
  /** `{}` is 1 deep. */
  maxDepth: number;
  /** Names of the members to return in `excerpt`. */
  members?: readonly string[];
}

/** One element of the array: the bytes of `source` from `start` up to `end`. */
export class JsonElement {
  readonly source: Buffer;
  readonly start: number;
  readonly end: number;
  /** Whether it holds printable ASCII only, so no line breaks either. */
  readonly isPlain: boolean;
  /** Whether it has a number that JavaScript may change: one of 16 characters or more, or with an exponent. */
  readonly hasLongNumber: boolean;
  /** JSON text of an object with those of its own members that `members` names. */
  readonly excerpt: string;

  constructor(
    ...[source, start, end, isPlain, hasLongNumber, excerpt]: [Buffer, number, number, boolean, boolean, string]
  ) {
    this.source = source;
    this.start = start;
    this.end = end;
    this.isPlain = isPlain;
    this.hasLongNumber = hasLongNumber;
    this.excerpt = excerpt;
  }

  get bytes(): Buffer {
    return this.source.subarray(this.start, this.end);
  }
}

/** Longer values next to the array are not kept, in bytes. */
const MAX_ENVELOPE_VALUE = 4096;
const LONG_NUMBER = 16;

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
  readonly #excerpts: MemberExcerpts;

  #chunk: Buffer = Buffer.alloc(0);
  #view = viewOf(this.#chunk);
  #state: number = grammar.DOCUMENT;
  #depth = 0;
  #maxDepth: number;
  /** The state after a value, at each depth. */
  readonly #after: Uint8Array;
  /** Depth of the innermost object that is searched for the array. */
  #envelopeDepth = 0;
  /** Depth of the array whose elements are read; 0 outside of it. */
  #listDepth = 0;
  /** Depth of the members whose positions are recorded; -1 for none. */
  #memberDepth = -1;

  /** What is kept, where it starts in the chunk, and its bytes in earlier chunks. Positions before the chunk are negative. */
  #keeping: 'key' | 'value' | 'element' | undefined;
  #start = 0;
  #held: Buffer[] = [];
  /** The last key of the envelope. */
  #key = '';
  #isKey = false;
  #scalarStart = 0;
  /** Start of the last key of the element, within the element. */
  #keyStart = 0;
  #isPlain = true;
  #hasLongNumber = false;

  constructor(options: JsonArrayReaderOptions) {
    this.#options = options;
    this.#excerpts = new MemberExcerpts(options.members ?? []);
    this.#maxDepth = options.maxDepth;
    this.#after = new Uint8Array(options.maxDepth + MAX_LIST_DEPTH + 1).fill(grammar.NOTHING);
  }

  /** Appends the elements that a chunk of UTF-8, cut anywhere, completes; also those before the error that it throws. */
  push(chunk: Buffer, elements: JsonElement[]): void {
    const { length } = chunk;
    const view = viewOf(chunk);
    this.#chunk = chunk;
    this.#view = view;
    let state = this.#state;
    let at = 0;
    while (at < length) {
      if (state === grammar.STRING) {
        at = grammar.skipText(view, at, length);
        while (at < length && grammar.TABLE[(grammar.STRING << 8) | (chunk[at] as number)] === grammar.STRING) at++;
      }
      if (at === length) break;
      const byte = chunk[at] as number;
      const next = grammar.TABLE[(state << 8) | byte] as number;
      if (next !== grammar.END_NUMBER) at++;
      switch (next) {
        case grammar.NOT_PLAIN:
          this.#isPlain = false;
          continue;
        case grammar.START_ESCAPE:
          if (this.#isKey) this.#excerpts.hasEscape = true;
          state = grammar.ESCAPE;
          continue;
        case grammar.START_KEY:
          this.#isKey = true;
          if (this.#depth === this.#memberDepth) this.#keyStart = at - 1 - this.#start;
          else if (this.#listDepth === 0 && this.#depth === this.#envelopeDepth) this.#keep('key', at - 1);
          state = grammar.STRING;
          continue;
        case grammar.START_STRING:
          if (this.#isWatched()) this.#startValue('scalar', at - 1);
          state = grammar.STRING;
          continue;
        case grammar.START_SCALAR:
          if (this.#isWatched()) this.#startValue('scalar', at - 1);
          this.#scalarStart = at - 1;
          state = grammar.SCALARS[byte] as number;
          continue;
        case grammar.START_NULL:
          this.top = 'null';
          state = grammar.SCALARS[byte] as number;
          continue;
        case grammar.OPEN_ARRAY:
        case grammar.OPEN_OBJECT:
          if (this.#isWatched()) this.#startValue(next === grammar.OPEN_ARRAY ? 'array' : 'object', at - 1);
          if (this.#depth >= this.#maxDepth) fail(`a value is nested more than ${this.#options.maxDepth} levels deep`);
          this.#after[++this.#depth] = next === grammar.OPEN_ARRAY ? grammar.NEXT_VALUE : grammar.NEXT_KEY;
          state = next === grammar.OPEN_ARRAY ? grammar.FIRST_VALUE : grammar.FIRST_KEY;
          continue;
        case grammar.END_STRING:
          if (!this.#isKey) break;
          this.#isKey = false;
          if (this.#depth === this.#memberDepth) this.#excerpts.endKey(this.#keyStart, at - this.#start);
          else if (this.#keeping === 'key') this.#endKey(at);
          state = grammar.COLON;
          continue;
        case grammar.CLOSE:
          if (this.#isWatched()) this.#leave();
          this.#depth--;
          break;
        case grammar.END_NUMBER:
          if (state === grammar.EXPONENT_DIGITS || at - this.#scalarStart >= LONG_NUMBER) this.#hasLongNumber = true;
          break;
        case grammar.END_LITERAL:
          break;
        case grammar.INVALID:
          unexpected(byte, grammar.EXPECTED[state] ?? 'valid JSON');
          break;
        default:
          state = next;
          continue;
      }
      // A value has ended.
      if (this.#depth === this.#memberDepth) this.#excerpts.endMember(at - this.#start);
      else if (this.#isWatched()) this.#endValue(at, elements);
      state = this.#after[this.#depth] as number;
    }
    this.#state = state;
    this.#holdRest();
  }

  /** Ends the document. */
  end(): void {
    this.locator.end();
    if (this.#state !== grammar.NOTHING && this.#state !== grammar.DOCUMENT) fail('the JSON ends too early');
  }

  /** Whether a value here is an element, or part of the envelope; all others are only validated. */
  #isWatched(): boolean {
    return this.#depth <= (this.#listDepth || this.#envelopeDepth);
  }

  /** Sets the depths of the list and of the object around it. */
  #enter(listDepth: number, envelopeDepth: number): void {
    this.#listDepth = listDepth;
    this.#envelopeDepth = envelopeDepth;
    this.#maxDepth = (listDepth || envelopeDepth) + this.#options.maxDepth;
  }

  #startValue(type: 'object' | 'array' | 'scalar', start: number): void {
    const depth = this.#depth;
    if (depth === 0) {
      this.top = type === 'object' ? 'object' : 'array';
      this.#enter(type === 'object' ? 0 : 1, type === 'object' ? 1 : 0);
    } else if (depth === this.#listDepth) {
      this.locator.element(type === 'object');
      if (this.locator.isSkipping) return;
      this.#keep('element', start);
      this.#isPlain = true;
      this.#hasLongNumber = false;
      this.#excerpts.clear();
      if (type === 'object' && !this.#excerpts.isEmpty) this.#memberDepth = depth + 1;
    } else {
      const role = this.locator.member(this.#key, type);
      if (role === 'enter') this.#enter(0, depth + 1);
      else if (role === 'list') this.#enter(depth + 1, depth);
      else this.#keep('value', start);
    }
  }

  #endValue(at: number, elements: JsonElement[]): void {
    if (this.#keeping === 'element') {
      this.#memberDepth = -1;
      const { source, start, end } = this.#endKept(at);
      const excerpt = this.#excerpts.textOf(source === this.#chunk ? this.#view : viewOf(source), start);
      elements.push(new JsonElement(source, start, end, this.#isPlain, this.#hasLongNumber, excerpt));
    } else if (this.#keeping === 'value') {
      const { source, start, end } = this.#endKept(at);
      const isShort = end - start <= MAX_ENVELOPE_VALUE;
      this.locator.addMember(this.#key, isShort ? JSON.parse(source.toString('utf8', start, end)) : LONG_VALUE);
    }
  }

  #endKey(at: number): void {
    const { source, start, end } = this.#endKept(at);
    this.#key = String(JSON.parse(source.toString('utf8', start, end)));
  }

  /** Leaves the array of elements, or an object around it. */
  #leave(): void {
    if (this.#depth === this.#listDepth) {
      this.locator.leaveArray();
      this.#enter(0, this.#envelopeDepth);
    } else {
      this.locator.leaveObject();
      this.#enter(0, this.#depth - 1);
    }
  }

  #keep(role: 'key' | 'value' | 'element', start: number): void {
    this.#keeping = role;
    this.#start = start;
  }

  /** Returns where the bytes of what was kept are: in the chunk, unless it started in an earlier one. */
  #endKept(end: number): { source: Buffer; start: number; end: number } {
    this.#keeping = undefined;
    const start = this.#start;
    this.#checkSize(end - start);
    if (start >= 0) return { source: this.#chunk, start, end };
    const source = Buffer.concat([...this.#held.splice(0), this.#chunk.subarray(0, end)]);
    return { source, start: 0, end: source.length };
  }

  /** Holds the part of the chunk that the next one continues. */
  #holdRest(): void {
    const { length } = this.#chunk;
    let rest = this.#chunk.subarray(Math.max(0, this.#start));
    this.#start -= length;
    this.#scalarStart -= length;
    if (this.#keeping === undefined) return;
    this.#checkSize(-this.#start);
    if (this.#keeping === 'value' && -this.#start > MAX_ENVELOPE_VALUE) {
      this.#keeping = undefined;
      this.#held = [];
      this.locator.addMember(this.#key, LONG_VALUE);
      return;
    }
    // Every part is longer than the next one, so that few are held, and each is copied only a few times.
    while ((this.#held.at(-1)?.length ?? Number.POSITIVE_INFINITY) <= rest.length) {
      rest = Buffer.concat([this.#held.pop() as Buffer, rest]);
    }
    this.#held.push(rest);
  }

  #checkSize(size: number): void {
    const { maxElementBytes } = this.#options;
    if (size > maxElementBytes) fail(`a value is longer than ${maxElementBytes} bytes`);
  }
}

function unexpected(byte: number, wanted: string): never {
  const isVisible = byte > 0x20 && byte < 0x7f;
  const shown = isVisible ? `"${String.fromCharCode(byte)}"` : `byte 0x${byte.toString(16).padStart(2, '0')}`;
  fail(`expected ${wanted}, found ${shown}`);
}

function fail(message: string): never {
  throw new JsonStructureError(message);
}
