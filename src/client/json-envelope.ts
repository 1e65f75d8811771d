const MAX_KEYS = 100;

/** The document around the elements of an array. */
export class Envelope {
  /** Undefined as long as only white space was read. */
  top: 'array' | 'object' | undefined;
  /** The key of the array in an object; dotted where it is a key of an inner object. */
  arrayKey: string | undefined;
  /** The other keys of the object, the first 100 of them. */
  readonly keys: string[] = [];
  /** The keys of further arrays that might be the list. */
  readonly otherLists: string[] = [];
  /** The values of these keys, as far as they are short; without arrays. */
  readonly members = new Map<string, unknown>();

  addKey(key: string): void {
    if (this.keys.length < MAX_KEYS) this.keys.push(key);
  }

  addMember(key: string, value: unknown): void {
    if (this.keys.includes(key)) this.members.set(key, value);
  }
}

/** Enter the object, read the array as the list, or pass over the value. */
type MemberRole = 'enter' | 'list' | 'pass';

/**
 * Finds the array that is the list among the members of an object: the one under the given key, or else under a usual
 * name, also within a wrapper of a usual name, or else the first one that holds objects.
 */
export class ListLocator {
  readonly envelope = new Envelope();
  readonly #named: string | undefined;
  /** The keys of the inner objects around the member, the outermost first. */
  readonly #wrappers: string[] = [];
  /** The key of an array that is the list if its first element is an object. */
  #candidate: string | undefined;
  /** The key of an empty array, which is the list if there is no other. */
  #empty: string | undefined;
  /** Whether the array that is read turned out not to be the list. */
  isSkipping = false;

  constructor(key: string | undefined) {
    this.#named = key;
  }

  /**
   * Returns what to do with a member, by its key and the first character of its value.
   *
   * @throws Error if the list's key appears twice or holds no array
   */
  member(key: string, token: string): MemberRole {
    const path = this.pathOf(key);
    const { arrayKey } = this.envelope;
    if (this.#named !== undefined) {
      if (path !== this.#named) return this.#pass(path);
      if (token !== '[') throw new Error(`${JSON.stringify(path)} is not an array`);
      return this.#list(path);
    }
    if (token === '{' && arrayKey === undefined && includes(WRAPPERS, key) && this.#wrappers.length < MAX_WRAPPERS) {
      this.envelope.addKey(path);
      this.#wrappers.push(key);
      return 'enter';
    }
    if (token !== '[' || includes(METADATA, key)) return this.#pass(path);
    if (arrayKey === path || (arrayKey === undefined && includes(LISTS, key))) return this.#list(path);
    if (arrayKey === undefined) {
      this.#candidate = path;
      return 'list';
    }
    this.envelope.otherLists.push(path);
    return this.#pass(path);
  }

  /** A member's key after those of the inner objects around it, dotted. */
  pathOf(key: string): string {
    return [...this.#wrappers, key].join('.');
  }

  /** Handles the first character of an element. */
  element(token: string): void {
    const path = this.#candidate;
    if (path === undefined) return;
    this.#candidate = undefined;
    if (token === '{') this.envelope.arrayKey = path;
    else {
      this.envelope.addKey(path);
      this.isSkipping = true;
    }
  }

  leaveArray(): void {
    this.#empty ??= this.#candidate;
    this.#candidate = undefined;
    this.isSkipping = false;
  }

  leaveObject(): void {
    this.#wrappers.pop();
  }

  end(): void {
    this.envelope.arrayKey ??= this.#empty;
  }

  #list(path: string): MemberRole {
    if (this.envelope.arrayKey !== undefined) throw new Error(`the key ${JSON.stringify(path)} appears twice`);
    this.envelope.arrayKey = path;
    return 'list';
  }

  #pass(path: string): MemberRole {
    this.envelope.addKey(path);
    return 'pass';
  }
}

/** Names under which services return a list. */
const LISTS = new Set(
  'data items findings results records rows entries elements nodes content list value values members'.split(' '),
);

/** Names of objects that services wrap such a list in. */
const WRAPPERS = new Set('data result results response payload body content findings _embedded'.split(' '));

/** Names of arrays next to the list that are never the list itself. */
const METADATA = new Set(
  'errors warnings messages notices links _links included meta metadata facets filters aggregations sort fields'.split(
    ' ',
  ),
);

/** Wrappers are searched up to this depth. */
const MAX_WRAPPERS = 3;

/** Depth of the list within all wrappers. */
export const MAX_LIST_DEPTH = MAX_WRAPPERS + 2;

function includes(names: ReadonlySet<string>, key: string): boolean {
  return names.has(key.toLowerCase());
}

/** JSON that is not well formed. `message` says what was found and what was expected, without the position. */
export class JsonStructureError extends Error {
  /** Physical line, 1-based. */
  readonly line: number;
  /** Byte offset in the text. */
  readonly offset: number;

  constructor(message: string, line: number, offset: number) {
    super(message);
    this.name = 'JsonStructureError';
    this.line = line;
    this.offset = offset;
  }
}

const [BRACE, BACKSLASH, COMMA] = [0x7b, 0x5c, 0x2c] as const;

/** Returns some members of objects, whose positions a reader has recorded, as JSON. */
export class MemberExcerpt {
  /** The keys as JSON. */
  readonly #keys: readonly Buffer[];
  readonly keyLengths: ReadonlySet<number>;
  /** Most elements of a list have the same excerpt, so that its text is decoded once. */
  #text = '{}';
  #bytes = Buffer.from(this.#text);

  constructor(names: readonly string[]) {
    this.#keys = names.map((name) => Buffer.from(JSON.stringify(name)));
    this.keyLengths = new Set(this.#keys.map(({ length }) => length));
  }

  /**
   * Returns the JSON text of an object with the wanted members of an element.
   *
   * @param spans for each candidate, the offsets of the start and end of its key, and of the end of its value
   */
  textOf(element: Buffer, spans: readonly number[]): string {
    const wanted: number[] = [];
    for (let at = 0; at < spans.length; at += 3) {
      const start = spans[at] as number;
      if (this.#isWanted(element, start, spans[at + 1] as number)) wanted.push(start, spans[at + 2] as number);
    }
    if (!this.#isSame(element, wanted)) {
      const members = wanted.flatMap((start, at) =>
        at % 2 === 0 ? [element.toString('utf8', start, wanted[at + 1])] : [],
      );
      this.#text = `{${members.join(',')}}`;
      this.#bytes = Buffer.from(this.#text);
    }
    return this.#text;
  }

  #isWanted(element: Buffer, start: number, end: number): boolean {
    for (const key of this.#keys) if (key.length === end - start && isAt(element, start, key)) return true;
    let at = start;
    while (at < end && element[at] !== BACKSLASH) at++;
    if (at === end) return false;
    const plain = Buffer.from(JSON.stringify(JSON.parse(element.toString('utf8', start, end))));
    return this.#keys.some((key) => key.equals(plain));
  }

  /** Whether the members at these offsets are those of the previous excerpt. */
  #isSame(element: Buffer, wanted: readonly number[]): boolean {
    const bytes = this.#bytes;
    let at = 0;
    for (let index = 0; index < wanted.length; index += 2) {
      if (bytes[at++] !== (index === 0 ? BRACE : COMMA)) return false;
      const end = wanted[index + 1] as number;
      for (let from = wanted[index] as number; from < end; from++) if (element[from] !== bytes[at++]) return false;
    }
    return Math.max(at + 1, 2) === bytes.length;
  }
}

function isAt(bytes: Buffer, start: number, part: Buffer): boolean {
  for (let at = 0; at < part.length; at++) if (bytes[start + at] !== part[at]) return false;
  return true;
}
