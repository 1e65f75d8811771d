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

/** What comes next between two tokens. */
type Expected = 'value' | 'first-value' | 'key' | 'first-key' | 'colon' | 'separator';

const EXPECTED: Readonly<Record<Expected, string>> = {
  value: 'a value',
  'first-value': 'a value or ]',
  key: 'a key in quotes',
  'first-key': 'a key in quotes or }',
  colon: 'a colon',
  separator: 'a comma or the end',
};

/** A container around the elements, or one that is skipped. */
interface Container {
  readonly closer: ']' | '}' | undefined;
  /** Whether its values are elements. */
  readonly hasElements: boolean;
  /** The keys that lead to it. */
  readonly path: readonly string[];
}

/**
 * Splits JSON text that comes in pieces into the texts of its elements: the grammar around the elements is checked here,
 * an element itself by its parser. All methods throw `UsageError` with the line of what is not JSON.
 */
export class JsonElements {
  /** Whether any array of elements, or any element, was found. */
  found = false;
  /** The other values next to the array, by their dotted path, as far as they are short; at most 100. */
  readonly siblings = new Map<string, unknown>();
  /** Dotted paths of arrays that are not read. */
  readonly #otherArrays: string[] = [];
  #listPath: string | undefined;
  readonly #shape: JsonShape;
  readonly #records: readonly string[] | undefined;
  readonly #containers: Container[];
  #expected: Expected = 'value';
  #key = '';
  #rest = '';
  #line = 1;
  #isEmpty = true;

  /** @param records keys that lead to the array, if it is under another key than usual (--records) */
  constructor(shape: JsonShape, records?: readonly string[]) {
    this.#shape = shape;
    this.#records = records;
    this.#containers = [{ closer: undefined, hasElements: shape === 'values', path: [] }];
  }

  /** Returns the elements that `text` completes. */
  push(text: string): ListElement[] {
    return this.#read(this.#rest + text, false);
  }

  /** Returns the elements that the end of the text completes. */
  end(): ListElement[] {
    const elements = this.#read(this.#rest, true);
    if (this.#containers.length > 1) this.#fail('the JSON ends too early');
    return elements;
  }

  /** Whether there was nothing but white space. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** The error for a text in which no list was found. */
  notFound(): UsageError {
    const arrays = this.#otherArrays;
    if (this.#records !== undefined) {
      const found = arrays.length > 0 ? `The arrays are ${quoteAll(arrays)}.` : 'There is no array in it.';
      return new UsageError(`--records ${this.#records.join('.')}: there is no such array`, found, 'bad-list');
    }
    const hint =
      arrays.length > 0
        ? `Name the array: --records ${quoteForShell(arrays[0] ?? '')}`
        : 'A list is an array of entries, or an object with the array under a key such as "members".';
    return new UsageError('the JSON has no list under a usual key', hint, 'bad-list');
  }

  #read(text: string, atEnd: boolean): ListElement[] {
    const elements: ListElement[] = [];
    let at = 0;
    for (;;) {
      const start = skipWhiteSpace(text, at, atEnd);
      this.#line += countLineEnds(text, at, start);
      at = start;
      const token = text[at];
      // A CR at the end may be half of a CRLF.
      if (token === undefined || token === '\r') break;
      this.#isEmpty = false;
      const end = this.#token(text, at, token, atEnd, elements);
      if (end === undefined) break;
      this.#line += countLineEnds(text, at, end);
      at = end;
    }
    this.#rest = text.slice(at);
    return elements;
  }

  /** Reads the token at `at`. Returns the offset after it, or undefined if it is not complete yet. */
  #token(text: string, at: number, token: string, atEnd: boolean, elements: ListElement[]): number | undefined {
    const container = this.#container();
    const expected = this.#expected;
    if (token === container.closer && expected !== 'value' && expected !== 'key' && expected !== 'colon') {
      this.#containers.pop();
      this.#afterValue();
      return at + 1;
    }
    if (expected === 'separator' || expected === 'colon') {
      if (token !== (expected === 'colon' ? ':' : ',')) this.#unexpected(token);
      this.#expected = expected === 'colon' || container.closer === ']' ? 'value' : 'key';
      return at + 1;
    }
    const isKey = expected === 'key' || expected === 'first-key';
    if (isKey ? token !== '"' : !'{["-0123456789tfn'.includes(token)) this.#unexpected(token);
    if (!isKey && this.#enter(container, token)) return at + 1;
    const end = endOfValue(text, at, atEnd);
    if (end === 'too-deep') this.#fail(`a value is nested more than ${MAX_DEPTH} levels deep`);
    if ((end ?? text.length) - at > MAX_ROW_LENGTH) this.#fail('a value is longer than 1 MiB');
    if (end === undefined) {
      if (atEnd) this.#fail('the JSON ends too early');
      return undefined;
    }
    this.#value(text.slice(at, end), isKey, container, elements);
    return end;
  }

  #value(value: string, isKey: boolean, container: Container, elements: ListElement[]): void {
    if (isKey) {
      this.#key = String(this.#parse(value));
      this.#expected = 'colon';
      return;
    }
    if (container.hasElements) {
      this.found = true;
      elements.push({ text: value, line: this.#line });
    } else if (container.closer === undefined) {
      this.#fail(`${quote(value)} is neither an array nor an object`);
    } else if (container.closer === '}' && value.length <= MAX_SIBLING_LENGTH && this.siblings.size < MAX_SIBLINGS) {
      this.siblings.set([...container.path, this.#key].join('.'), this.#parse(value));
    }
    this.#afterValue();
  }

  /** Enters the container that `token` opens if the list is, or may be, inside it, or if it is an array to skip. */
  #enter(container: Container, token: string): boolean {
    if (container.hasElements || (token !== '[' && token !== '{')) return false;
    const isTop = container.closer === undefined;
    if (container.closer === ']') return false;
    const path = isTop ? [] : [...container.path, this.#key];
    if (token === '{') {
      if (!isTop && !this.#mayHoldList(path)) return false;
      this.#open({ closer: '}', hasElements: false, path }, 'first-key');
      return true;
    }
    const isList = this.#records === undefined ? isTop || isListKey(this.#key) : this.#isRecords(path);
    if (isList) this.#foundList(path.join('.'));
    else this.#otherArrays.push(path.join('.'));
    this.#open({ closer: ']', hasElements: isList, path }, 'first-value');
    return true;
  }

  #open(container: Container, expected: Expected): void {
    this.#containers.push(container);
    this.#expected = expected;
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
    return isListKey(this.#key) || WRAPPER_KEYS.has(this.#key.toLowerCase());
  }

  #isRecords(path: readonly string[]): boolean {
    return path.join('.') === this.#records?.join('.');
  }

  #afterValue(): void {
    this.#expected = this.#container().closer === undefined ? 'value' : 'separator';
  }

  #container(): Container {
    const container = this.#containers.at(-1);
    if (container === undefined) throw new Error('the outermost container is never closed');
    return container;
  }

  #parse(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      this.#fail(`${quote(text)} is not JSON`);
    }
  }

  #unexpected(token: string): never {
    const { closer } = this.#container();
    const isAfterEnd = closer === undefined && !this.#isEmpty && this.#shape === 'array' && this.found;
    this.#fail(`expected ${isAfterEnd ? 'nothing more' : EXPECTED[this.#expected]}, found ${quote(token)}`);
  }

  #fail(message: string, hint = HINT): never {
    throw new UsageError(`line ${this.#line}: ${message}`, hint, 'bad-list');
  }
}

/** Whether an array under this key is usually the list. */
export function isListKey(key: string): boolean {
  return LIST_KEYS.has(key.toLowerCase());
}

/** Whether a parsed value is an object that has the list under a usual key, also within a wrapper. */
export function hasList(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
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

function skipWhiteSpace(text: string, from: number, atEnd: boolean): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 13 && at + 1 === text.length && !atEnd) return at;
    if (code !== 32 && code !== 9 && code !== 10 && code !== 13) return at;
  }
  return at;
}

function countLineEnds(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code === 10 || (code === 13 && text.charCodeAt(at + 1) !== 10)) count++;
  }
  return count;
}

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
      const end = endOfString(text, at);
      if (end === undefined) return undefined;
      at = end - 1;
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
