import { randomBytes } from 'node:crypto';

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

/** Words in a fingerprint. */
export const FINGERPRINT_WORDS = 4;

const C1 = 0x239b961b;
const C2 = 0xab0e9789;
const C3 = 0x38b34ae5;
const C4 = 0xa1e38b93;

const BLOCK_BYTES = 16;
const encoder = new TextEncoder();
/** What is hashed at present, and the same as words. */
let bytes = new Uint8Array(1024);
let encoded = new Uint32Array(bytes.buffer);

/**
 * Writes a 128-bit fingerprint of `text` (MurmurHash3 x86_128 over its UTF-8 bytes, the last block filled up with zeros)
 * into `out`. Not for secrets: `seed` only makes it differ from run to run.
 */
export function idFingerprint(text: string, seed: number, out: Uint32Array): void {
  const length = encode(text);
  const message = encoded;
  let h1 = seed;
  let h2 = seed;
  let h3 = seed;
  let h4 = seed;
  // What leaves 32 bits would be reckoned as a floating point number, at half the speed.
  for (let at = 0; at * 4 < length; at += 4) {
    h1 = (Math.imul(rotate(h1 ^ mix(message[at] ?? 0, C1, C2, 15), 19) + h2, 5) + 0x561ccd1b) | 0;
    h2 = (Math.imul(rotate(h2 ^ mix(message[at + 1] ?? 0, C2, C3, 16), 17) + h3, 5) + 0x0bcaa747) | 0;
    h3 = (Math.imul(rotate(h3 ^ mix(message[at + 2] ?? 0, C3, C4, 17), 15) + h4, 5) + 0x96cd1c35) | 0;
    h4 = (Math.imul(rotate(h4 ^ mix(message[at + 3] ?? 0, C4, C1, 18), 13) + h1, 5) + 0x32ac3b17) | 0;
  }
  h1 ^= length;
  h2 ^= length;
  h3 ^= length;
  h4 ^= length;
  h1 = (h1 + h2 + h3 + h4) | 0;
  h2 = finalize((h2 + h1) | 0);
  h3 = finalize((h3 + h1) | 0);
  h4 = finalize((h4 + h1) | 0);
  h1 = (finalize(h1) + h2 + h3 + h4) | 0;
  out[0] = h1;
  out[1] = h2 + h1;
  out[2] = h3 + h1;
  out[3] = h4 + h1;
}

/** Encodes `text` into `bytes`, with zeros up to the end of the block. Gives its length. */
function encode(text: string): number {
  const most = text.length * 3 + BLOCK_BYTES;
  if (most > bytes.length) {
    bytes = new Uint8Array(Math.ceil(most / BLOCK_BYTES) * BLOCK_BYTES);
    encoded = new Uint32Array(bytes.buffer);
  }
  const { written } = encoder.encodeInto(text, bytes);
  for (let at = written; at % BLOCK_BYTES !== 0; at++) bytes[at] = 0;
  return written;
}

function mix(word: number, by: number, then: number, turn: number): number {
  return Math.imul(rotate(Math.imul(word, by), turn), then);
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

function finalize(hash: number): number {
  let word = hash;
  word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  return word ^ (word >>> 16);
}

/** What the first pass found about each row, in a few bits a row. */
export class RowBitmap {
  total = 0;
  invalid = 0;
  #bits = new Uint8Array(1024);
  /** Rows whose id stood before: the row's number, then the line of the first, in order. */
  readonly #duplicates = new WordList();

  /** Takes the next row. `firstLine` is the line where its id stands already. */
  add(invalid: boolean, firstLine: number | undefined): void {
    this.total++;
    if (firstLine !== undefined) {
      this.#duplicates.push(this.total);
      this.#duplicates.push(firstLine);
    }
    if (!invalid && firstLine === undefined) return;
    this.invalid++;
    const byte = this.total >>> 3;
    while (byte >= this.#bits.length) this.#double();
    this.#bits[byte] = (this.#bits[byte] ?? 0) | (1 << (this.total & 7));
  }

  /** Whether the row `entry` (1-based) has a problem. */
  isInvalid(entry: number): boolean {
    return (((this.#bits[entry >>> 3] ?? 0) >>> (entry & 7)) & 1) === 1;
  }

  /** The line of the row that has the id of the row `entry` already; undefined when none has. */
  firstLine(entry: number): number | undefined {
    let low = 0;
    let high = this.#duplicates.length / 2;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#duplicates.at(middle * 2) < entry) low = middle + 1;
      else high = middle;
    }
    return this.#duplicates.at(low * 2) === entry ? this.#duplicates.at(low * 2 + 1) : undefined;
  }

  #double(): void {
    const bits = new Uint8Array(this.#bits.length * 2);
    bits.set(this.#bits);
    this.#bits = bits;
  }
}

const SLAB_BITS = 18;
const SLAB_WORDS = 1 << SLAB_BITS;

/** An append-only row of 32-bit words that grows by slabs of 1 MiB, so that growing never copies what is there. */
class WordList {
  length = 0;
  readonly #slabs: Uint32Array[] = [];

  push(word: number): void {
    const slab = this.#slabs[this.length >>> SLAB_BITS] ?? this.#grow();
    slab[this.length & (SLAB_WORDS - 1)] = word;
    this.length++;
  }

  /** Appends several; their number divides that of a slab. */
  append(values: Uint32Array): void {
    const slab = this.#slabs[this.length >>> SLAB_BITS] ?? this.#grow();
    const start = this.length & (SLAB_WORDS - 1);
    for (let at = 0; at < values.length; at++) slab[start + at] = values[at] ?? 0;
    this.length += values.length;
  }

  /** The word number `index` (0-based), unsigned; 0 past the end. */
  at(index: number): number {
    return this.#slabs[index >>> SLAB_BITS]?.[index & (SLAB_WORDS - 1)] ?? 0;
  }

  #grow(): Uint32Array {
    const slab = new Uint32Array(SLAB_WORDS);
    this.#slabs.push(slab);
    return slab;
  }
}
