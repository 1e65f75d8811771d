import type { ElementsOptions, TakeElement } from './array-stream-options.ts';
import { Envelope } from './envelope.ts';
import { GRAMMAR, type Purpose, type State, startsValue } from './json-grammar.ts';
import { JsonStructureError } from './json-structure-error.ts';
import { type Span, ValueText } from './json-text.ts';
import { ListFinder, type MemberUse } from './list-locator.ts';
import { ValueScanner } from './value-scanner.ts';

/** One element of the array. */
export interface JsonElement {
  /** Its JSON text, for `JSON.parse`. */
  readonly text: string;
  /** The physical line, 1-based, on which it starts. */
  readonly line: number;
}

const SPACE = 0x20;
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
/** A byte order mark, which some services write before their JSON. */
const BOM = [0xef, 0xbb, 0xbf];

/** Longer strings beside the elements are not kept. */
const MAX_MEMBER_BYTES = 4096;

/**
 * Splits a JSON array, or the array under a key of a top-level object, into the texts of its elements as the bytes
 * come in, so that a body of any size needs no more memory than its largest element. What stands between elements is
 * checked here, an element itself by whoever parses it. Both methods throw `JsonStructureError`.
 */
export class JsonElements {
  /** What stands around the elements, as far as it was seen. */
  readonly envelope = new Envelope();
  readonly #options: ElementsOptions;
  readonly #finder: ListFinder;
  readonly #scanner = new ValueScanner();
  readonly #text = new ValueText();
  #state: State = 'top';
  /** What the value is that is being scanned, if one is. */
  #purpose: Purpose | undefined;
  #valueLine = 1;
  #key = '';
  /** Bytes before the current piece. */
  #offset = 0;

  constructor(options: ElementsOptions) {
    this.#options = options;
    this.#finder = new ListFinder(this.envelope, options.key);
  }

  /** The elements that `bytes` (UTF-8, cut anywhere) completes. The buffer may be used again afterwards. */
  push(bytes: Buffer): JsonElement[] {
    const elements: JsonElement[] = [];
    this.each(bytes, (from, start, end, line) => elements.push({ text: from.toString('utf8', start, end), line }));
    return elements;
  }

  /** Like `push`, one by one and as bytes. What `take` throws is thrown, and nothing is to be read on then. */
  each(bytes: Buffer, take: TakeElement): void {
    let at = 0;
    while (at < bytes.length) {
      const byte = bytes[at] ?? 0;
      if (this.#purpose !== undefined) {
        at = this.#scan(bytes, at, at, take);
      } else if (byte === SPACE || byte === TAB) {
        at++;
      } else if (this.#state === 'top' && byte === BOM[this.#offset + at]) {
        at++;
      } else if (byte === LF || byte === CR) {
        this.#scanner.lineEnd(bytes, at++);
      } else {
        this.#take(byte, at);
        if (this.#purpose === undefined) at++;
        else at = this.#skim(bytes, at, take) ?? this.#scan(bytes, at, at + 1, take);
      }
    }
    this.#scanner.leave(bytes);
    this.#offset += bytes.length;
  }

  /** Tells that no bytes follow. */
  end(): void {
    this.#finder.end();
    if (this.#state !== 'done') this.#fail(this.#state === 'top' ? 'there is no JSON' : 'the JSON breaks off', 0);
  }

  /** Takes the byte at `at`, which stands between values or begins one. */
  #take(byte: number, at: number): void {
    const mark = String.fromCharCode(byte);
    const { marks, value, expects } = GRAMMAR[this.#state];
    const next = marks[mark];
    if (next !== undefined) this.#go(next, mark);
    else if (value === undefined || !startsValue(value, mark)) this.#unexpected(byte, expects, at);
    else if (value === 'member') this.#takeMember(mark, byte, at);
    else {
      if (value === 'element') this.#finder.element(mark);
      this.#begin(value, byte, !this.#finder.isDropping);
    }
  }

  #go(state: State, mark: string): void {
    if (this.#state === 'top') this.envelope.top = mark === '[' ? 'array' : 'object';
    if (state === 'end-of-array') this.#finder.leaveArray();
    if (state === 'done' && this.#finder.leaveObject()) this.#state = 'after-member';
    else this.#state = state === 'end-of-array' && this.envelope.top === 'array' ? 'done' : state;
  }

  #takeMember(mark: string, byte: number, at: number): void {
    const use = this.#use(mark, at);
    if (use === 'pass') this.#begin('member', byte, mark !== '[');
    else this.#state = use === 'enter' ? 'first-key' : 'first-element';
  }

  #use(mark: string, at: number): MemberUse {
    try {
      return this.#finder.member(this.#key, mark);
    } catch (error) {
      this.#fail((error as Error).message, at);
    }
  }

  #begin(purpose: Purpose, first: number, kept = true): void {
    this.#purpose = purpose;
    this.#valueLine = this.#scanner.line;
    this.#scanner.begin(first);
    this.#text.begin(kept);
  }

  /** Takes an element at once, if it can be. Gives where to go on. */
  #skim(bytes: Buffer, start: number, take: TakeElement): number | undefined {
    if (this.#purpose !== 'element' || this.#finder.isDropping) return undefined;
    const end = this.#options.skim?.(bytes, start) ?? -1;
    if (end < 0 || end - start > this.#options.maxElementBytes) return undefined;
    this.#purpose = undefined;
    this.#state = 'after-element';
    take(bytes, start, end, this.#valueLine, true);
    return end;
  }

  /** Scans on from `from`; the value's bytes in this piece begin at `start`. Gives where to go on. */
  #scan(bytes: Buffer, start: number, from: number, take: TakeElement): number {
    const end = this.#scanner.scan(bytes, from);
    const stop = end < 0 ? bytes.length : end;
    this.#bound(this.#text.bytes + stop - start, stop);
    if (end < 0) this.#text.add(bytes, start);
    else this.#finish(this.#text.end(bytes, start, stop), stop, take);
    return stop;
  }

  #finish({ bytes, start, end }: Span, at: number, take: TakeElement): void {
    const purpose = this.#purpose;
    this.#purpose = undefined;
    const parse = () => this.#parse(bytes.toString('utf8', start, end), at);
    if (purpose === 'element') {
      this.#state = 'after-element';
      if (!this.#finder.isDropping) take(bytes, start, end, this.#valueLine, false);
    } else if (purpose === 'key') {
      this.#state = 'colon';
      this.#key = String(parse());
    } else {
      this.#state = 'after-member';
      if (this.#text.kept) this.envelope.addMember(this.#finder.pathOf(this.#key), parse());
    }
  }

  #bound(bytes: number, at: number): void {
    const { maxElementBytes, maxDepth } = this.#options;
    if (this.#scanner.depth > maxDepth) this.#fail(`a value is nested more than ${maxDepth} deep`, at);
    if (this.#purpose === 'member') {
      if (bytes > MAX_MEMBER_BYTES) this.#text.drop();
    } else if (bytes > maxElementBytes) {
      this.#fail(`a value is longer than ${maxElementBytes} bytes`, at);
    }
  }

  #parse(text: string, at: number): unknown {
    try {
      return JSON.parse(text);
    } catch {
      this.#fail(`${JSON.stringify(text.slice(0, 40))} is not JSON`, at);
    }
  }

  #unexpected(byte: number, expects: string, at: number): never {
    const shown =
      byte > SPACE && byte < 0x7f ? `"${String.fromCharCode(byte)}"` : `byte 0x${byte.toString(16).padStart(2, '0')}`;
    this.#fail(`${shown} stands where ${expects} is expected`, at);
  }

  #fail(message: string, at: number): never {
    throw new JsonStructureError(message, this.#scanner.line, this.#offset + at);
  }
}
