import { type Span, ValueText } from './json-text.ts';
import { Envelope, JsonStructureError, ListLocator, type MemberRole } from './list-locator.ts';
import { ValueScanner } from './value-scanner.ts';

/** One element of the array. */
export interface ArrayElement {
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
export class JsonArrayStream {
  /** What stands around the elements, as far as it was seen. */
  readonly envelope = new Envelope();
  readonly #options: ArrayStreamOptions;
  readonly #locator: ListLocator;
  readonly #scanner = new ValueScanner();
  readonly #text = new ValueText();
  #state: GrammarState = 'top';
  /** What the value is that is being scanned, if one is. */
  #role: ValueRole | undefined;
  #valueLine = 1;
  #key = '';
  /** Bytes before the current piece. */
  #offset = 0;

  constructor(options: ArrayStreamOptions) {
    this.#options = options;
    this.#locator = new ListLocator(this.envelope, options.key);
  }

  /** The elements that `bytes` (UTF-8, cut anywhere) completes. The buffer may be used again afterwards. */
  push(bytes: Buffer): ArrayElement[] {
    const elements: ArrayElement[] = [];
    this.each(bytes, (from, start, end, line) => elements.push({ text: from.toString('utf8', start, end), line }));
    return elements;
  }

  /** Like `push`, one by one and as bytes. What `take` throws is thrown, and nothing is to be read on then. */
  each(bytes: Buffer, take: OnElement): void {
    let at = 0;
    while (at < bytes.length) {
      const byte = bytes[at] ?? 0;
      if (this.#role !== undefined) {
        at = this.#scan(bytes, at, at, take);
      } else if (byte === SPACE || byte === TAB) {
        at++;
      } else if (this.#state === 'top' && byte === BOM[this.#offset + at]) {
        at++;
      } else if (byte === LF || byte === CR) {
        this.#scanner.lineEnd(bytes, at++);
      } else {
        this.#take(byte, at);
        if (this.#role === undefined) at++;
        else at = this.#fastPath(bytes, at, take) ?? this.#scan(bytes, at, at + 1, take);
      }
    }
    this.#scanner.leave(bytes);
    this.#offset += bytes.length;
  }

  /** Tells that no bytes follow. */
  end(): void {
    this.#locator.end();
    if (this.#state !== 'done') this.#fail(this.#state === 'top' ? 'there is no JSON' : 'the JSON breaks off', 0);
  }

  /** Takes the byte at `at`, which stands between values or begins one. */
  #take(byte: number, at: number): void {
    const token = String.fromCharCode(byte);
    const { transitions, value, expects } = GRAMMAR[this.#state];
    const next = transitions[token];
    if (next !== undefined) this.#go(next, token);
    else if (value === undefined || !startsValue(value, token)) this.#unexpected(byte, expects, at);
    else if (value === 'member') this.#takeMember(token, byte, at);
    else {
      if (value === 'element') this.#locator.element(token);
      this.#begin(value, byte, !this.#locator.isSkipping);
    }
  }

  #go(state: GrammarState, token: string): void {
    if (this.#state === 'top') this.envelope.top = token === '[' ? 'array' : 'object';
    if (state === 'end-of-array') this.#locator.leaveArray();
    if (state === 'done' && this.#locator.leaveObject()) this.#state = 'after-member';
    else this.#state = state === 'end-of-array' && this.envelope.top === 'array' ? 'done' : state;
  }

  #takeMember(token: string, byte: number, at: number): void {
    const use = this.#use(token, at);
    if (use === 'pass') this.#begin('member', byte, token !== '[');
    else this.#state = use === 'enter' ? 'first-key' : 'first-element';
  }

  #use(token: string, at: number): MemberRole {
    try {
      return this.#locator.member(this.#key, token);
    } catch (error) {
      this.#fail((error as Error).message, at);
    }
  }

  #begin(purpose: ValueRole, first: number, kept = true): void {
    this.#role = purpose;
    this.#valueLine = this.#scanner.line;
    this.#scanner.begin(first);
    this.#text.begin(kept);
  }

  /** Takes an element at once, if it can be. Gives where to go on. */
  #fastPath(bytes: Buffer, start: number, take: OnElement): number | undefined {
    if (this.#role !== 'element' || this.#locator.isSkipping) return undefined;
    const end = this.#options.fastPath?.(bytes, start) ?? -1;
    if (end < 0 || end - start > this.#options.maxElementBytes) return undefined;
    this.#role = undefined;
    this.#state = 'after-element';
    take(bytes, start, end, this.#valueLine, true);
    return end;
  }

  /** Scans on from `from`; the value's bytes in this piece begin at `start`. Gives where to go on. */
  #scan(bytes: Buffer, start: number, from: number, take: OnElement): number {
    const end = this.#scanner.scan(bytes, from);
    const stop = end < 0 ? bytes.length : end;
    this.#bound(this.#text.bytes + stop - start, stop);
    if (end < 0) this.#text.add(bytes, start);
    else this.#finish(this.#text.end(bytes, start, stop), stop, take);
    return stop;
  }

  #finish({ bytes, start, end }: Span, at: number, take: OnElement): void {
    const purpose = this.#role;
    this.#role = undefined;
    const parse = () => this.#parse(bytes.toString('utf8', start, end), at);
    if (purpose === 'element') {
      this.#state = 'after-element';
      if (!this.#locator.isSkipping) take(bytes, start, end, this.#valueLine, false);
    } else if (purpose === 'key') {
      this.#state = 'colon';
      this.#key = String(parse());
    } else {
      this.#state = 'after-member';
      if (this.#text.kept) this.envelope.addMember(this.#locator.pathOf(this.#key), parse());
    }
  }

  #bound(bytes: number, at: number): void {
    const { maxElementBytes, maxDepth } = this.#options;
    if (this.#scanner.depth > maxDepth) this.#fail(`a value is nested more than ${maxDepth} deep`, at);
    if (this.#role === 'member') {
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

/** What to look for, and how much of it to hold. */
export interface ArrayStreamOptions {
  /**
   * The key whose array holds the elements when the top is an object. Without it, that is the array under a usual name
   * (`data`, `items`, …), also within a wrapper of a usual name, or else the first array that holds objects.
   */
  key?: string;
  /** An element of more bytes than this is refused. */
  maxElementBytes: number;
  /** An element nested deeper than this is refused; `{}` is 1 deep. */
  maxDepth: number;
  /**
   * Tells the offset after an element that begins at `from`, or -1 where it does not know. It may be right about elements
   * without line ends only that are not too deep; what it knows is not gone through again.
   */
  fastPath?: (bytes: Buffer, from: number) => number;
}

/** Takes an element, whose text lies in `bytes` as long as the call lasts. `skimmed`: its end was told by `skim`. */
type OnElement = (bytes: Buffer, start: number, end: number, line: number, skimmed: boolean) => void;

/** Where a text stands between two values. */
type GrammarState =
  | 'top'
  | 'first-element'
  | 'element'
  | 'after-element'
  | 'end-of-array'
  | 'first-key'
  | 'key'
  | 'colon'
  | 'member'
  | 'after-member'
  | 'done';

/** What a value is to the text around it. */
type ValueRole = 'element' | 'key' | 'member';

interface Step {
  /** Where a mark leads. */
  readonly transitions: Readonly<Record<string, GrammarState>>;
  /** What a value would be here. */
  readonly value?: ValueRole;
  /** For errors. */
  readonly expects: string;
}

/** What may stand between the values of an array, or of an object that holds one. */
const GRAMMAR: Readonly<Record<GrammarState, Step>> = {
  top: { transitions: { '[': 'first-element', '{': 'first-key' }, expects: '[ or {' },
  'first-element': { transitions: { ']': 'end-of-array' }, value: 'element', expects: 'a value or ]' },
  element: { transitions: {}, value: 'element', expects: 'a value' },
  'after-element': { transitions: { ',': 'element', ']': 'end-of-array' }, expects: 'a comma or ]' },
  'end-of-array': { transitions: { ',': 'key', '}': 'done' }, expects: 'a comma or }' },
  'first-key': { transitions: { '}': 'done' }, value: 'key', expects: 'a key in quotes or }' },
  key: { transitions: {}, value: 'key', expects: 'a key in quotes' },
  colon: { transitions: { ':': 'member' }, expects: 'a colon' },
  member: { transitions: {}, value: 'member', expects: 'a value' },
  'after-member': { transitions: { ',': 'key', '}': 'done' }, expects: 'a comma or }' },
  done: { transitions: {}, expects: 'nothing more' },
};

const VALUE_STARTS: Readonly<Record<ValueRole, string>> = {
  key: '"',
  element: '{["-0123456789tfn',
  member: '{["-0123456789tfn',
};

/** Whether `mark` can be the first character of a value that is a `purpose`. */
function startsValue(role: ValueRole, token: string): boolean {
  return VALUE_STARTS[role].includes(token);
}
