import { randomBytes } from 'node:crypto';
import { FINGERPRINT_WORDS, idFingerprint } from './id-hash.ts';
import { WordList } from './word-store.ts';

/** Of a fingerprint's words, those that are kept. */
const FINGERPRINT_WORDS_KEPT = 3;
const STRIDE = FINGERPRINT_WORDS_KEPT + 1;
/** A fuller table would be smaller, but each id would be compared with several others all over memory. */
const MAX_LOAD = 0.65;

/**
 * The ids of a list and the line of the first row of each, in 22 to 28 bytes an id however long the ids are, and 6 more
 * while the table grows. Ids are compared by 96-bit fingerprints: that two of a million differ and look alike has a
 * chance of 1 in 10^17.
 */
export class DuplicateIndex {
  /** Fingerprint and line of each id, one after another. */
  readonly #ids = new WordList();
  readonly #seed = randomBytes(4).readInt32LE();
  readonly #fingerprint = new Uint32Array(FINGERPRINT_WORDS);
  #count = 0;
  /** Open addressing: 0 is free, else the number of the id, from 1. */
  #table = new Uint32Array(1 << 12);

  /** Takes an id; gives the line (1-based) on which it stood before, or undefined when it is new. */
  add(id: string, line: number): number | undefined {
    idFingerprint(id, this.#seed, this.#fingerprint);
    const slot = this.#slotOf(this.#fingerprint);
    const number = this.#table[slot] ?? 0;
    if (number > 0) return this.#ids.at((number - 1) * STRIDE + FINGERPRINT_WORDS_KEPT);
    this.#fingerprint[FINGERPRINT_WORDS_KEPT] = line;
    this.#ids.append(this.#fingerprint);
    this.#count++;
    this.#table[slot] = this.#count;
    if (this.#count > this.#table.length * MAX_LOAD) this.#grow();
    return undefined;
  }

  /** The slot that holds the id with this fingerprint, or the free one where it belongs. */
  #slotOf(print: Uint32Array): number {
    const mask = this.#table.length - 1;
    let slot = (print[0] ?? 0) & mask;
    for (;;) {
      const number = this.#table[slot] ?? 0;
      if (number === 0 || this.#same(number, print)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #same(number: number, print: Uint32Array): boolean {
    const at = (number - 1) * STRIDE;
    for (let word = 0; word < FINGERPRINT_WORDS_KEPT; word++) {
      if (this.#ids.at(at + word) !== print[word]) return false;
    }
    return true;
  }

  #grow(): void {
    const table = new Uint32Array(this.#table.length * 2);
    const mask = table.length - 1;
    for (let number = 1; number <= this.#count; number++) {
      let slot = this.#ids.at((number - 1) * STRIDE) & mask;
      while (table[slot] !== 0) slot = (slot + 1) & mask;
      table[slot] = number;
    }
    this.#table = table;
  }
}
