import { isJsonObject } from '../../../output/json.ts';
import { quoteForShell } from '../../../output/sanitize.ts';
import { UsageError } from '../../../util/errors.ts';
import { MAX_ROW_LENGTH, quote, quoteAll } from '../list-row.ts';

/** One element of a JSON list. */
export interface ListElement {
  /** Its JSON text, which may still be invalid inside. */
  readonly text: string;
  /** The physical line, 1-based, on which it starts. */
  readonly line: number;
}

/**
 * Where the elements of a JSON text are: in its array, which may be under a key (`array`), or one after another without
 * anything around them, as NDJSON and jq have them (`values`).
 */
export type JsonShape = 'array' | 'values';

/** Keys under which directories and their tools export an array of people. */
const LIST_KEYS = new Set(
  'members users people employees accounts value values resources results result data items entries records rows list nodes'.split(
    ' ',
  ),
);
/** Keys of objects in which they wrap such an array, in addition. */
const WRAPPER_KEYS = new Set('response payload body content _embedded'.split(' '));

const MAX_DEPTH = 64;
const MAX_SIBLING_LENGTH = 4096;
const MAX_SIBLINGS = 100;
const HINT = 'The list was read as JSON. If it is another format, name it with --format.';
const ENDS_EARLY = 'the JSON ends too early';

/** The characters that a value can begin with. */
const VALUE_STARTS = '{["-0123456789tfn';

/** Suspends reading until there is more text. */
type Reading<T = void> = Generator<undefined, T>;

/**
 * Splits JSON text that comes in pieces into the texts of its elements: the grammar around the elements is checked here,
 * an element itself by its parser. All methods throw `UsageError` with the line of what is not JSON.
 */
export class JsonElements {
  /** Whether there was nothing but white space. */
  isEmpty = true;
  /** Whether any array of elements, or any element, was found. */
  found = false;
  /** The other values next to the array, by their dotted path, as far as they are short; at most 100. */
  readonly siblings = new Map<string, unknown>();
  /** Dotted paths of arrays that are not read. */
  readonly #otherArrays: string[] = [];
  #listPath: string | undefined;
  readonly #shape: JsonShape;
  readonly #records: readonly string[] | undefined;
  readonly #elements: ListElement[] = [];
  #text = '';
  /** The offset in `#text` up to which it was read. */
  #at = 0;
  /** The line at `#at`. */
  #line = 1;
  #atEnd = false;
  readonly #reading = this.#document();

  /** @param records keys that lead to the array, if it is under another key than usual (--records) */
  constructor(shape: JsonShape, records?: readonly string[]) {
    this.#shape = shape;
    this.#records = records;
  }

  /** Returns the elements that `text` completes. */
  push(text: string): ListElement[] {
    this.#text = this.#text.slice(this.#at) + text;
    this.#at = 0;
    this.#reading.next();
    return this.#elements.splice(0);
  }

  /** Returns the elements that the end of the text completes. */
  end(): ListElement[] {
    this.#atEnd = true;
    return this.push('');
  }

  /** The error for a text in which no list was found. */
  notFound(): UsageError {
    const arrays = this.#otherArrays;
    if (this.#records !== undefined) {
      const named = arrays.length > 0 ? `The arrays are ${quoteAll(arrays)}.` : 'There is no array in it.';
      const hint = arrays.includes('') ? 'The array is at the top level: leave out --records.' : named;
      return new UsageError(`--records ${this.#records.join('.')}: there is no such array`, hint, 'bad-list');
    }
    const [first] = arrays;
    const hint =
      first === undefined
        ? 'A list is an array of entries, or an object with the array under a key such as "members".'
        : `Name the array: --records ${quoteForShell(first)}`;
    return new UsageError('the JSON has no list under a usual key', hint, 'bad-list');
  }

  *#document(): Reading {
    for (;;) {
      const first = yield* this.#peek();
      if (first === undefined) return;
      this.isEmpty = false;
      if (this.#shape === 'values') {
        this.#elements.push(yield* this.#value(VALUE_STARTS, 'a value'));
        this.found = true;
      } else if (first === '[') {
        yield* this.#array([]);
      } else if (first === '{') {
        yield* this.#object([]);
      } else {
        const { text, line } = yield* this.#value(VALUE_STARTS, this.found ? 'nothing more' : 'a value');
        this.#fail(`${quote(text)} is neither an array nor an object`, HINT, line);
      }
    }
  }

  *#array(path: readonly string[]): Reading {
    const dotted = path.join('.');
    const key = path.at(-1);
    const records = this.#records?.join('.');
    const isList = records === undefined ? key === undefined || isListKey(key) : dotted === records;
    if (isList) this.#foundList(dotted);
    else this.#otherArrays.push(dotted);
    yield* this.#container(']', (orEnd) => this.#element(isList, orEnd));
  }

  *#element(isList: boolean, orEnd: string): Reading {
    const element = yield* this.#value(VALUE_STARTS, `a value${orEnd}`);
    if (isList) this.#elements.push(element);
  }

  *#object(path: readonly string[]): Reading {
    yield* this.#container('}', (orEnd) => this.#member(path, orEnd));
  }

  *#member(outer: readonly string[], orEnd: string): Reading {
    const key = this.#parse(yield* this.#value('"', `a key in quotes${orEnd}`));
    yield* this.#mark(':', 'a colon');
    const path = [...outer, String(key)];
    const first = yield* this.#peek();
    if (first === '[') return yield* this.#array(path);
    if (first === '{' && this.#mayHoldList(path)) return yield* this.#object(path);
    const value = yield* this.#value(VALUE_STARTS, 'a value');
    if (value.text.length <= MAX_SIBLING_LENGTH && this.siblings.size < MAX_SIBLINGS) {
      this.siblings.set(path.join('.'), this.#parse(value));
    }
  }

  /** Reads an array or object. `read` reads one of its members; `orEnd` is what a message adds if it may have none. */
  *#container(closer: ']' | '}', read: (orEnd: string) => Reading): Reading {
    this.#at++;
    if ((yield* this.#peek()) !== closer) {
      yield* read(` or ${closer}`);
      while ((yield* this.#peek()) !== closer) {
        yield* this.#mark(',', 'a comma or the end');
        yield* read('');
      }
    }
    this.#at++;
  }

  *#mark(mark: ',' | ':', expected: string): Reading {
    this.#expect(yield* this.#peek(), mark, expected);
    this.#at++;
  }

  /** Reads a value that begins with one of the characters `starts`. */
  *#value(starts: string, expected: string): Reading<ListElement> {
    this.#expect(yield* this.#peek(), starts, expected);
    for (;;) {
      const end = endOfValue(this.#text, this.#at, this.#atEnd);
      if (end === 'too-deep') this.#fail(`a value is nested more than ${MAX_DEPTH} levels deep`);
      if ((end ?? this.#text.length) - this.#at > MAX_ROW_LENGTH) this.#fail('a value is longer than 1 MiB');
      if (end !== undefined) {
        const element = { text: this.#text.slice(this.#at, end), line: this.#line };
        this.#advance(end);
        return element;
      }
      if (this.#atEnd) this.#fail(ENDS_EARLY);
      yield;
    }
  }

  /** Skips white space. Returns the character after it, undefined at the end of the text. */
  *#peek(): Reading<string | undefined> {
    for (;;) {
      const end = skipWhiteSpace(this.#text, this.#at);
      // The next piece shows whether a CR at the end is half of a CRLF.
      const isCut = end === this.#text.length && !this.#atEnd;
      this.#advance(isCut && this.#text.endsWith('\r') ? end - 1 : end);
      if (!isCut) return this.#text[end];
      yield;
    }
  }

  #advance(to: number): void {
    this.#line += countLineEnds(this.#text, this.#at, to);
    this.#at = to;
  }

  #foundList(path: string): void {
    // Several texts, one after another, are pages of one list.
    if (this.#listPath !== undefined && this.#listPath !== path) {
      this.#fail(
        `both ${quote(this.#listPath)} and ${quote(path)} are arrays`,
        `Name the one to read: --records ${quoteForShell(path)}`,
      );
    }
    this.#listPath = path;
    this.found = true;
  }

  #mayHoldList(path: readonly string[]): boolean {
    const records = this.#records;
    if (records !== undefined) return path.length < records.length && path.every((key, at) => key === records[at]);
    return path.length < MAX_DEPTH && isWrapperKey(path.at(-1) ?? '');
  }

  #parse({ text, line }: ListElement): unknown {
    try {
      return JSON.parse(text);
    } catch {
      this.#fail(`${quote(text)} is not JSON`, HINT, line);
    }
  }

  #expect(found: string | undefined, wanted: string, expected: string): void {
    if (found === undefined) this.#fail(ENDS_EARLY);
    if (!wanted.includes(found)) this.#fail(`expected ${expected}, found ${quote(found)}`);
  }

  #fail(message: string, hint = HINT, line = this.#line): never {
    throw new UsageError(`line ${line}: ${message}`, hint, 'bad-list');
  }
}

/** Whether an array under this key is usually the list. */
function isListKey(key: string): boolean {
  return LIST_KEYS.has(key.toLowerCase());
}

/** Whether a parsed value is an object that has the list under a usual key, also within a wrapper. */
export function hasList(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(
    ([key, inner]) => (isListKey(key) && Array.isArray(inner)) || (isWrapperKey(key) && hasList(inner)),
  );
}

function isWrapperKey(key: string): boolean {
  return isListKey(key) || WRAPPER_KEYS.has(key.toLowerCase());
}

const MORE_KEYS = new Set(
  'nextlink nextpagetoken nextpage nextcursor nexttoken continuationtoken next hasmore hasnextpage incomplete'.split(
    ' ',
  ),
);
const TOTAL_KEYS = new Set('total totalcount totalresults totalitems totalsize'.split(' '));

/** Describes the value next to a list of `count` elements that says there are more; undefined if none does. */
export function describeMore(siblings: ReadonlyMap<string, unknown>, count: number): string | undefined {
  for (const [path, value] of siblings) {
    const key = (path.split(/[.@]/).at(-1) ?? '').toLowerCase().replace(/[_-]/g, '');
    const more = MORE_KEYS.has(key) && value !== null && value !== false && value !== '';
    const total = TOTAL_KEYS.has(key) && typeof value === 'number' && value > count;
    if (more || total) return `${quote(path)} is ${typeof value === 'string' ? quote(value) : JSON.stringify(value)}`;
  }
  return undefined;
}

function skipWhiteSpace(text: string, from: number): number {
  NOT_BLANK.lastIndex = from;
  return NOT_BLANK.exec(text)?.index ?? text.length;
}

function countLineEnds(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code === 10 || (code === 13 && text.charCodeAt(at + 1) !== 10)) count++;
  }
  return count;
}

const NOT_BLANK = /[^ \t\n\r]/g;
const QUOTE = 34;
const BACKSLASH = 92;
const END_OF_SCALAR = /[,\]}\s]/g;

/** Returns the offset after the value that begins at `start`; undefined if `text` may not have all of it. */
function endOfValue(text: string, start: number, atEnd: boolean): number | undefined | 'too-deep' {
  const first = text[start];
  if (first === '"') return endOfString(text, start);
  if (first !== '{' && first !== '[') {
    END_OF_SCALAR.lastIndex = start;
    const end = END_OF_SCALAR.exec(text)?.index;
    return end ?? (atEnd ? text.length : undefined);
  }
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = (endOfString(text, at) ?? text.length) - 1;
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > MAX_DEPTH) return 'too-deep';
    } else if ((code === 0x7d || code === 0x5d) && --depth === 0) {
      return at + 1;
    }
  }
  return undefined;
}

function endOfString(text: string, start: number): number | undefined {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at++;
  }
  return undefined;
}

/** Position of a member in the text of its object. */
export interface MemberSpan {
  readonly key: string;
  /** The offset of the key's opening quote. */
  readonly start: number;
  /** The offset just after the colon. */
  readonly value: number;
  /** The offset just after the value. */
  readonly end: number;
}

/** Returns the members of the object that `text` is, in order, including duplicate keys. `text` must be valid JSON. */
export function objectMembers(text: string): MemberSpan[] {
  const members: MemberSpan[] = [];
  let end = 0;
  for (let start = text.indexOf('"'); start >= 0; start = text.indexOf('"', end)) {
    const keyEnd = endOfString(text, start) ?? text.length;
    const value = text.indexOf(':', keyEnd) + 1;
    end = Number(endOfValue(text, skipWhiteSpace(text, value), true));
    members.push({ key: String(JSON.parse(text.slice(start, keyEnd))), start, value, end });
  }
  return members;
}
