/** JSON that is not well formed, or exceeds a limit. */
export class JsonStructureError extends Error {}

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

/** Replaces a value next to the list that is too long to be kept. */
export const LONG_VALUE = '…';

/** Upper bound on the number of values next to the list that are kept. */
const MAX_MEMBERS = 100;

/** Enter the object, read the array as the list, or skip the value. */
type MemberRole = 'enter' | 'list' | 'skip';

/**
 * Finds the array that is the list among the members of an object: the one under a usual name (`data`, `items`, …), also
 * within a wrapper of a usual name, or else the first one that holds objects.
 */
export class ListLocator {
  /** The key of the list; dotted where it is a key of an inner object. */
  listKey: string | undefined;
  /** The keys of further arrays that might be the list. */
  readonly otherLists: string[] = [];
  /** Values next to the list, by dotted key; long ones are `LONG_VALUE`. */
  readonly members = new Map<string, unknown>();
  /** Whether the array that is read turned out not to be the list. */
  isSkipping = false;
  /** The keys of the inner objects around the member, the outermost first. */
  readonly #wrappers: string[] = [];
  /** The key of an array that is the list if its first element is an object. */
  #candidate: string | undefined;
  /** The key of an empty array, which is the list if there is no other. */
  #empty: string | undefined;

  /**
   * Returns what to do with a member, by its key and whether its value is an object or an array.
   *
   * @throws JsonStructureError if the list's key appears twice
   */
  member(key: string, type: 'object' | 'array' | 'scalar'): MemberRole {
    const path = this.#pathOf(key);
    const isFound = this.listKey !== undefined;
    if (type === 'object' && !isFound && includes(WRAPPERS, key) && this.#wrappers.length < MAX_WRAPPERS) {
      this.#wrappers.push(key);
      return 'enter';
    }
    if (type !== 'array' || includes(METADATA, key)) return 'skip';
    if (this.listKey === path) throw new JsonStructureError(`the key ${JSON.stringify(path)} appears twice`);
    if (isFound) {
      this.otherLists.push(path);
      return 'skip';
    }
    if (includes(LISTS, key)) this.listKey = path;
    else this.#candidate = path;
    return 'list';
  }

  /** Records a value next to the list, or `LONG_VALUE`. */
  addMember(key: string, value: unknown): void {
    if (this.members.size < MAX_MEMBERS) this.members.set(this.#pathOf(key), value);
  }

  /** Handles the start of an element. */
  element(isObject: boolean): void {
    if (this.#candidate === undefined) return;
    if (isObject) this.listKey = this.#candidate;
    else this.isSkipping = true;
    this.#candidate = undefined;
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
    this.listKey ??= this.#empty;
  }

  /** Returns a member's key after those of the inner objects around it, dotted. */
  #pathOf(key: string): string {
    return [...this.#wrappers, key].join('.');
  }
}

function includes(names: ReadonlySet<string>, key: string): boolean {
  return names.has(key.toLowerCase());
}
