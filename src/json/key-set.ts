/** A power of two. */
const SLOTS = 1024;
/** Fuller than this, looking for a slot takes long. */
const MAX_KEYS = SLOTS / 2;

/** The hash of a key before its first byte; keys of two objects never count as one, whatever they are called. */
export function seedOf(object: number): number {
  return Math.imul(object, 0x9e3779b1);
}

/**
 * Remembers the hashes of keys, for finding out whether a key stands twice in an object: equal keys have equal hashes.
 * Two keys that differ and have the same hash are rare, and taken for the same.
 */
export class KeySet {
  readonly #hashes = new Int32Array(SLOTS);
  /** A slot is taken when it bears the mark of this round. */
  readonly #marks = new Int32Array(SLOTS);
  #mark = 0;
  #count = 0;

  /** Forgets all keys. */
  clear(): void {
    this.#mark = (this.#mark + 1) | 0;
    this.#count = 0;
  }

  /** Whether the key is surely a new one; false also where there are too many to tell. */
  add(hash: number): boolean {
    if (++this.#count > MAX_KEYS) return false;
    let slot = (hash ^ (hash >>> 16)) & (SLOTS - 1);
    while (this.#marks[slot] === this.#mark) {
      if (this.#hashes[slot] === hash) return false;
      slot = (slot + 1) & (SLOTS - 1);
    }
    this.#marks[slot] = this.#mark;
    this.#hashes[slot] = hash;
    return true;
  }
}
