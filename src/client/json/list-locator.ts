import type { Envelope } from './envelope.ts';
import { isListKey, isMetadataKey, isWrapperKey, MAX_WRAPPERS } from './list-keys.ts';

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
