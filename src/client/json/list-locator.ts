/** What is to be done with the value of a member: go into the object, go through the array, or leave it out. */
export type MemberRole = 'enter' | 'list' | 'pass';

/**
 * Finds the array that is the list among the members of an object: the one under the key that was named, or else under
 * a usual name, also within a wrapper of a usual name, or else the first one that holds objects.
 */
export class ListLocator {
  readonly #envelope: Envelope;
  readonly #named: string | undefined;
  /** The keys of the inner objects around the member, the outermost first. */
  readonly #wrappers: string[] = [];
  /** The key of an array of which nothing was seen yet that tells whether it is the list. */
  #candidate: string | undefined;
  /** The key of an empty array, which is the list if there is no other. */
  #empty: string | undefined;
  /** The array that is gone through turned out not to be the list. */
  isSkipping = false;

  constructor(envelope: Envelope, named: string | undefined) {
    this.#envelope = envelope;
    this.#named = named;
  }

  /**
   * Takes a member by its key and the first character of its value.
   *
   * @throws Error that says what is wrong with the list's key
   */
  member(key: string, token: string): MemberRole {
    const path = this.pathOf(key);
    const { arrayKey } = this.#envelope;
    if (this.#named !== undefined) {
      if (path !== this.#named) return this.#pass(path);
      if (token !== '[') throw new Error(`${JSON.stringify(path)} is not an array`);
      return this.#list(path);
    }
    if (token === '{' && arrayKey === undefined && isWrapperKey(key) && this.#wrappers.length < MAX_WRAPPERS) {
      this.#envelope.addKey(path);
      this.#wrappers.push(key);
      return 'enter';
    }
    if (token !== '[' || isMetadataKey(key)) return this.#pass(path);
    if (arrayKey === path || (arrayKey === undefined && isListKey(key))) return this.#list(path);
    if (arrayKey === undefined) {
      this.#candidate = path;
      return 'list';
    }
    this.#envelope.otherLists.push(path);
    return this.#pass(path);
  }

  /** A member's key with those of the inner objects around it, dotted. */
  pathOf(key: string): string {
    return [...this.#wrappers, key].join('.');
  }

  /** Takes the first character of an element. */
  element(token: string): void {
    const path = this.#candidate;
    if (path === undefined) return;
    this.#candidate = undefined;
    if (token === '{') this.#envelope.arrayKey = path;
    else {
      this.#envelope.addKey(path);
      this.isSkipping = true;
    }
  }

  leaveArray(): void {
    this.#empty ??= this.#candidate;
    this.#candidate = undefined;
    this.isSkipping = false;
  }

  /** Tells whether the object that ends is an inner one. */
  leaveObject(): boolean {
    return this.#wrappers.pop() !== undefined;
  }

  end(): void {
    this.#envelope.arrayKey ??= this.#empty;
  }

  #list(path: string): MemberRole {
    if (this.#envelope.arrayKey !== undefined) throw new Error(`the key ${JSON.stringify(path)} stands twice`);
    this.#envelope.arrayKey = path;
    return 'list';
  }

  #pass(path: string): MemberRole {
    this.#envelope.addKey(path);
    return 'pass';
  }
}

const MAX_KEYS = 100;

/** What stands around the elements of a JSON text. */
export class Envelope {
  /** Undefined as long as nothing but white space was seen. */
  top: 'array' | 'object' | undefined;
  /** The key of the array, when the top is an object that has one; dotted where it is a key of an inner object. */
  arrayKey: string | undefined;
  /** The other keys of the object, the first 100 of them. */
  readonly keys: string[] = [];
  /** The keys of further arrays that might have been meant. */
  readonly otherLists: string[] = [];
  /** What stands under these keys, as far as it is short; arrays are left out. */
  readonly members = new Map<string, unknown>();

  /** Takes another key of the object. */
  addKey(key: string): void {
    if (this.keys.length < MAX_KEYS) this.keys.push(key);
  }

  /** Takes the value of a key that was taken. */
  addMember(key: string, value: unknown): void {
    if (this.keys.includes(key)) this.members.set(key, value);
  }
}

/** Names under which services put the list that was asked for. */
const LISTS = new Set(
  'data items findings results records rows entries elements nodes content list value values members'.split(' '),
);

/** Names of objects that services wrap such a list in. */
const WRAPPERS = new Set('data result results response payload body content findings _embedded'.split(' '));

/** Names of lists that only stand beside it. */
const METADATA_KEYS = new Set(
  'errors warnings messages notices links _links included meta metadata facets filters aggregations sort fields'.split(
    ' ',
  ),
);

/** Wrappers within wrappers are looked into as long as there are fewer than this many. */
const MAX_WRAPPERS = 3;

/** Whether an array under this key is the list, whatever its elements are. */
function isListKey(key: string): boolean {
  return LISTS.has(key.toLowerCase());
}

/** Whether the list may stand within the object under this key. */
function isWrapperKey(key: string): boolean {
  return WRAPPERS.has(key.toLowerCase());
}

/** Whether an array under this key is certainly not the list. */
function isMetadataKey(key: string): boolean {
  return METADATA_KEYS.has(key.toLowerCase());
}

/** JSON that is not built as it should be. `message` tells what was found and what was expected, without the place. */
export class JsonStructureError extends Error {
  /** The physical line, 1-based. */
  readonly line: number;
  /** The byte, counted from 0 at the start of the text. */
  readonly offset: number;

  constructor(message: string, line: number, offset: number) {
    super(message);
    this.name = 'JsonStructureError';
    this.line = line;
    this.offset = offset;
  }
}
