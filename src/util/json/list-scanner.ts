import { isListKey, isWrapperKey } from './list-keys.ts';
import { MAX_JSON_DEPTH } from './parse-json.ts';

/** One element of the list. */
export interface ScannedElement {
  /** Its JSON text as UTF-8. Only its brackets and quotes match for certain: `JSON.parse` may still reject it. */
  readonly bytes: Buffer;
  /** The physical line on which it starts, from 1. */
  readonly line: number;
}

/** A value next to the list: a member of the object that holds it, or of an object around that. */
export interface ScannedMember {
  /** The keys that lead to it, joined with dots; empty for a value at the top. */
  readonly path: string;
  readonly type: 'array' | 'object' | 'scalar';
  /** The number of the text at the top that has it, from 1. */
  readonly document: number;
  /** Its JSON text; undefined if that is too long, or if the scanner searched the value for the list. */
  readonly text: string | undefined;
  /** Set for an object that the scanner searched for the list: its members are in the list of members, too. */
  readonly isSearched?: true;
}

export interface ListScannerOptions {
  /** `values`: each value at the top is an element, as in NDJSON and in the output of jq. */
  shape?: 'array' | 'values';
  /** The keys that lead to the array. By default, the scanner looks for an array under a usual key. */
  records?: readonly string[] | undefined;
  /** Upper bound on one element. */
  maxElementBytes: number;
  /** The size up to which the text of a value next to the list is kept; by default, 1,000 bytes. */
  maxMemberBytes?: number;
  /** Reads the text of keys and members, which errors quote; by default as UTF-8. */
  readText?: (bytes: Buffer) => string;
}

/** JSON text in which the scanner cannot find the elements. */
export class JsonScanError extends Error {
  /** The physical line, from 1. */
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

/** The text ends within a value. */
export class JsonCutOffError extends JsonScanError {}

/** Upper bounds on what is kept of the values next to the list. */
const [MAX_MEMBERS, DEFAULT_MEMBER_BYTES] = [1_000, 1_000];

const [LF, SPACE, TAB, CR] = [0x0a, 0x20, 0x09, 0x0d];
const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
/** The bytes of a byte order mark, which may come before each text. */
const BYTE_ORDER_MARK: readonly number[] = [0xef, 0xbb, 0xbf];

/** An array or object that the scanner has entered, or the text around all values (`top`). */
interface Container {
  readonly type: 'array' | 'object' | 'top';
  readonly path: string;
  /** Whether its values are the elements. */
  readonly isList: boolean;
  /** The kind of token that the scanner read last. */
  last: 'start' | 'value' | 'comma' | 'key' | 'colon';
  /** The last key of an object. */
  key: string;
}

/** Descriptions of the token that may come next, by the one before. */
const EXPECTED = {
  top: { start: 'a value', value: 'a value', comma: '', key: '', colon: '' },
  array: { start: 'a value or ]', value: 'a comma or ]', comma: 'a value', key: '', colon: '' },
  object: {
    start: 'a key in quotes or }',
    value: 'a comma or }',
    comma: 'a key in quotes',
    key: 'a colon',
    colon: 'a value',
  },
} as const;

/** A value that is being read to its end. */
interface OpenValue {
  readonly role: 'element' | 'key' | 'member' | 'ignored';
  readonly type: ScannedMember['type'];
  /** Whether it is a number or literal, which ends before the next mark. */
  readonly isBare: boolean;
  readonly line: number;
  size: number;
  /** The parts of its text in earlier chunks; empty for one of which nothing is kept. */
  held: Buffer[];
}

/**
 * Finds the list in JSON text and splits it into its elements as the text arrives, in no more memory than the largest element.
 * The list is an array at the top, or one in an object: under `records`, or under a usual key (`members`, `data`, …), also
 * within objects under usual keys. Several texts, one after another, may each hold a part of it.
 *
 * The scanner follows strings, escapes and brackets only: `JSON.parse` finds the errors within an element. Its methods throw
 * `JsonScanError`.
 */
export class ListScanner {
  /** The keys that lead to the list, joined with dots: empty for an array at the top, undefined if no list was found. */
  listPath: string | undefined;
  /** The values next to the list, in order, including other arrays and the objects around the list. */
  readonly members: ScannedMember[] = [];
  /** Number of values at the top. */
  documents = 0;
  readonly #options: ListScannerOptions;
  readonly #readText: (bytes: Buffer) => string;
  readonly #recordsPath: string | undefined;
  readonly #maxMemberBytes: number;
  readonly #containers: Container[];
  /** The number of the document in which the list was found last. */
  #foundIn = 0;
  /** The element that was completed last, until it is returned. */
  #element: ScannedElement | undefined;
  #line = 1;
  #value: OpenValue | undefined;
  /** Brackets that are open in the value, and whether a string is. */
  #depth = 0;
  #isInString = false;
  /** Bytes to skip in the next chunk: 1 if a backslash ended the last one. */
  #skip = 0;

  constructor(options: ListScannerOptions) {
    this.#options = options;
    this.#readText = options.readText ?? String;
    this.#recordsPath = options.records?.join('.');
    this.#maxMemberBytes = options.maxMemberBytes ?? DEFAULT_MEMBER_BYTES;
    const isList = options.shape === 'values';
    this.#containers = [{ type: 'top', path: '', isList, last: 'start', key: '' }];
    if (isList) this.listPath = '';
  }

  /** Yields the elements that a chunk of UTF-8, cut anywhere, completes. */
  *push(chunk: Buffer): Generator<ScannedElement> {
    let at = this.#value === undefined ? 0 : this.#readValue(this.#value, chunk, 0);
    for (;;) {
      if (this.#element !== undefined) yield this.#element;
      this.#element = undefined;
      if (at >= chunk.length) return;
      at = this.#readToken(chunk, at);
    }
  }

  /** Ends the text. Yields the element that this completes: a number at the top. */
  *end(): Generator<ScannedElement> {
    if (this.#value?.isBare) this.#endValue(this.#value, Buffer.alloc(0));
    if (this.#element !== undefined) yield this.#element;
    if (this.#value !== undefined || this.#containers.length > 1)
      throw new JsonCutOffError('the JSON ends too early', this.#line);
  }

  /** Reads what is between values, or starts a value. Returns the position after what was read. */
  #readToken(chunk: Buffer, at: number): number {
    const byte = chunk[at] as number;
    const container = this.#containers.at(-1) as Container;
    const { type, last } = container;
    switch (byte) {
      case LF:
        this.#line++;
        return at + 1;
      case SPACE:
      case TAB:
      case CR:
        return at + 1;
      case COMMA:
        if (type === 'top' || last !== 'value') this.#unexpected(byte);
        container.last = 'comma';
        return at + 1;
      case COLON:
        if (last !== 'key') this.#unexpected(byte);
        container.last = 'colon';
        return at + 1;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        if (type !== (byte === CLOSE_ARRAY ? 'array' : 'object') || (last !== 'start' && last !== 'value'))
          this.#unexpected(byte);
        this.#leave();
        return at + 1;
      default:
        if (type === 'top' && BYTE_ORDER_MARK.includes(byte)) return at + 1;
        return this.#startValue(container, chunk, at);
    }
  }

  #startValue(container: Container, chunk: Buffer, at: number): number {
    const byte = chunk[at] as number;
    const { type, last } = container;
    const isKey = type === 'object' && last !== 'colon';
    if (type === 'top') this.documents++;
    else if (last === 'key' || last === 'value' || (isKey && byte !== QUOTE)) this.#unexpected(byte);
    const valueType = byte === OPEN_ARRAY ? 'array' : byte === OPEN_OBJECT ? 'object' : 'scalar';
    if (!isKey && this.#enters(container, valueType)) return at + 1;
    const role = isKey ? 'key' : container.isList ? 'element' : type === 'array' ? 'ignored' : 'member';
    const isBare = valueType === 'scalar' && byte !== QUOTE;
    this.#value = { role, type: valueType, isBare, line: this.#line, size: 0, held: [] };
    return this.#readValue(this.#value, chunk, at);
  }

  /** Enters the array that is the list, or an object that may hold it. Returns false for any other value. */
  #enters({ type: outer, path, key, isList: isElement }: Container, type: ScannedMember['type']): boolean {
    if (isElement || outer === 'array' || type === 'scalar') return false;
    const isTop = outer === 'top';
    const inner = isTop ? '' : path === '' ? key : `${path}.${key}`;
    if (type === 'array') {
      if (!this.#isList(inner, isTop ? undefined : key)) return false;
      this.listPath = inner;
      this.#foundIn = this.documents;
    } else if (!isTop) {
      if (!this.#mayHoldList(inner, key)) return false;
      this.#addMember({ path: inner, type, document: this.documents, text: undefined, isSearched: true });
    }
    this.#containers.push({ type, path: inner, isList: type === 'array', last: 'start', key: '' });
    return true;
  }

  #isList(path: string, key: string | undefined): boolean {
    // The list may continue in the next document, under the same key.
    if (this.listPath !== undefined) return this.listPath === path && this.#foundIn !== this.documents;
    if (this.#recordsPath !== undefined) return this.#recordsPath === path;
    return key === undefined || isListKey(key);
  }

  #mayHoldList(path: string, key: string): boolean {
    if (this.#containers.length > MAX_JSON_DEPTH) return false;
    if (this.#recordsPath !== undefined) return this.#recordsPath.startsWith(`${path}.`);
    return isWrapperKey(key) && (this.listPath === undefined || this.listPath.startsWith(`${path}.`));
  }

  #leave(): void {
    this.#containers.pop();
    (this.#containers.at(-1) as Container).last = 'value';
  }

  /** Reads on in a value, whose text continues at `start`. Returns the position after what was read. */
  #readValue(value: OpenValue, chunk: Buffer, start: number): number {
    const end = this.#findEnd(value, chunk, start);
    const stop = end ?? chunk.length;
    value.size += stop - start;
    const isKept = value.role !== 'ignored' && (value.role !== 'member' || value.size <= this.#maxMemberBytes);
    if (isKept && value.size > this.#options.maxElementBytes)
      this.#fail(`a value is longer than ${this.#options.maxElementBytes} bytes`);
    const part = chunk.subarray(start, isKept ? stop : start);
    if (end !== undefined) this.#endValue(value, part);
    else if (isKept) hold(value, part);
    else value.held = [];
    return stop;
  }

  /** Returns the position after the value, or undefined if it continues in the next chunk. */
  #findEnd({ isBare, size }: OpenValue, chunk: Buffer, start: number): number | undefined {
    const { length } = chunk;
    let at = start;
    if (isBare) {
      // Its first byte may be any: a control character must not end a value before it begins.
      if (size === 0) at++;
      while (at < length && !isMark(chunk[at] as number)) at++;
      return at < length ? at : undefined;
    }
    at += this.#skip;
    let depth = this.#depth;
    let isInString = this.#isInString;
    while (at < length) {
      const byte = chunk[at++] as number;
      if (isInString) {
        if (byte === QUOTE) isInString = false;
        else if (byte === BACKSLASH) at++;
        else continue;
      } else if (byte === QUOTE) {
        isInString = true;
      } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        if (++depth > MAX_JSON_DEPTH) this.#fail(`a value has more than ${MAX_JSON_DEPTH} levels`);
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        depth--;
      } else {
        if (byte === LF) this.#line++;
        continue;
      }
      if (depth > 0 || isInString) continue;
      this.#depth = 0;
      this.#isInString = false;
      this.#skip = 0;
      return at;
    }
    this.#depth = depth;
    this.#isInString = isInString;
    this.#skip = at - length;
    return undefined;
  }

  #endValue(value: OpenValue, last: Buffer): void {
    const { role, type, line, size, held } = value;
    this.#value = undefined;
    const bytes = held.length === 0 ? last : Buffer.concat([...held, last]);
    const container = this.#containers.at(-1) as Container;
    container.last = role === 'key' ? 'key' : 'value';
    if (role === 'element') {
      this.#element = { bytes, line };
    } else if (role === 'key') {
      container.key = String(this.#parse(bytes, line));
    } else if (role === 'member') {
      const path = container.path === '' ? container.key : `${container.path}.${container.key}`;
      const isComplete = size <= this.#maxMemberBytes;
      if (isComplete) this.#parse(bytes, line);
      this.#addMember({ path, type, document: this.documents, text: isComplete ? this.#readText(bytes) : undefined });
    }
  }

  #addMember(member: ScannedMember): void {
    if (this.members.length === MAX_MEMBERS) this.#fail(`there are more than ${MAX_MEMBERS} values next to the list`);
    this.members.push(member);
  }

  #parse(bytes: Buffer, line: number): unknown {
    const text = this.#readText(bytes);
    try {
      return JSON.parse(text);
    } catch {
      throw new JsonScanError(`${JSON.stringify(text.slice(0, 100))} is not JSON`, line);
    }
  }

  #unexpected(byte: number): never {
    const { type, last } = this.#containers.at(-1) as Container;
    if (last === 'comma' && [COMMA, CLOSE_ARRAY, CLOSE_OBJECT].includes(byte))
      this.#fail(`there is a comma too many before ${describeByte(byte)}`);
    if (type === 'top' && byte === COMMA) this.#fail('there is a comma too many between values');
    this.#fail(`expected ${EXPECTED[type][last]}, found ${describeByte(byte)}`);
  }

  #fail(message: string): never {
    throw new JsonScanError(message, this.#line);
  }
}

function describeByte(byte: number): string {
  if (byte === QUOTE) return 'a string';
  const isVisible = byte > SPACE && byte < 0x7f;
  return isVisible ? `"${String.fromCharCode(byte)}"` : `byte 0x${byte.toString(16).padStart(2, '0')}`;
}

/** Whether a byte ends a number or literal. */
function isMark(byte: number): boolean {
  return byte <= SPACE || byte === COMMA || byte === CLOSE_ARRAY || byte === CLOSE_OBJECT;
}

/** Keeps the start of a value until the next chunk. */
function hold(value: OpenValue, part: Buffer): void {
  let rest = part;
  // Each part is longer than the next, so that a value which arrives byte by byte needs few of them.
  while ((value.held.at(-1)?.length ?? Number.POSITIVE_INFINITY) <= rest.length) {
    rest = Buffer.concat([value.held.pop() as Buffer, rest]);
  }
  value.held.push(rest);
}
