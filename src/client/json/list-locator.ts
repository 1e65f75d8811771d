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

/** Collects the wanted members of each element, as JSON. */
export class MemberExcerpts {
  /** Whether the element has escape sequences in keys. */
  hasEscape = false;
  /** The wanted keys as JSON, by length. */
  readonly #keys: (DataView[] | undefined)[] = [];
  /** For each member that may be wanted, offsets in the element: where its key starts and ends, and where its value ends. */
  readonly #marks: number[] = [];
  #count = 0;
  /** Most elements of a list have the same excerpt, so that its text is decoded once. */
  #text = '{}';
  #bytes = viewOf(Buffer.from(this.#text));

  constructor(names: readonly string[]) {
    for (const key of names.map((name) => Buffer.from(JSON.stringify(name)))) {
      this.#keys[key.length] = [...(this.#keys[key.length] ?? []), viewOf(key)];
    }
  }

  get isEmpty(): boolean {
    return this.#keys.length === 0;
  }

  clear(): void {
    this.#count = 0;
    this.hasEscape = false;
  }

  endKey(start: number, end: number): void {
    if (!this.hasEscape && this.#keys[end - start] === undefined) return;
    this.#marks[this.#count++] = start;
    this.#marks[this.#count++] = end;
  }

  endMember(end: number): void {
    if (this.#count % 3 === 2) this.#marks[this.#count++] = end;
  }

  /** Returns the JSON text of an object with the wanted members of the element that starts at `start`. */
  textOf(source: DataView, start: number): string {
    let isSame = true;
    let end = 0;
    for (let at = 0; at < this.#count; at += 3) {
      const from = start + (this.#marks[at] as number);
      const length = start + (this.#marks[at + 2] as number) - from;
      if (!this.#isWanted(source, from, start + (this.#marks[at + 1] as number))) this.#marks[at + 2] = 0;
      // In the excerpt, each member follows a brace or a comma.
      else if (isSame) {
        isSame = areEqual(source, from, this.#bytes, end + 1, length);
        end += length + 1;
      }
    }
    if (!isSame || Math.max(end, 1) + 1 !== this.#bytes.byteLength) this.#replace(source, start);
    return this.#text;
  }

  #replace(source: DataView, start: number): void {
    const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
    const members: string[] = [];
    for (let at = 0; at < this.#count; at += 3) {
      const [from, to] = [this.#marks[at] as number, this.#marks[at + 2] as number];
      if (to > 0) members.push(bytes.toString('utf8', start + from, start + to));
    }
    this.#text = `{${members.join(',')}}`;
    this.#bytes = viewOf(Buffer.from(this.#text));
  }

  #isWanted(source: DataView, start: number, end: number): boolean {
    const length = end - start;
    if (!this.hasEscape) return this.#keys[length]?.some((key) => areEqual(source, start, key, 0, length)) ?? false;
    // With only the escapes that JSON requires.
    const text = Buffer.from(source.buffer, source.byteOffset + start, length).toString();
    const key = Buffer.from(JSON.stringify(JSON.parse(text)));
    return this.#keys[key.length]?.some((wanted) => areEqual(wanted, 0, viewOf(key), 0, key.length)) ?? false;
  }
}

/** Returns a view, from which four bytes are read at once. */
export function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Whether `length` bytes from these positions on are the same; false beyond the end of `right`. */
function areEqual(left: DataView, leftStart: number, right: DataView, rightStart: number, length: number): boolean {
  if (rightStart + length > right.byteLength) return false;
  let at = 0;
  for (; at <= length - 4; at += 4) {
    if (left.getInt32(leftStart + at) !== right.getInt32(rightStart + at)) return false;
  }
  for (; at < length; at++) if (left.getUint8(leftStart + at) !== right.getUint8(rightStart + at)) return false;
  return true;
}
