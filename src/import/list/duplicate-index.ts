import { randomInt } from 'node:crypto';

/** Words of a slot: two of the id's fingerprint, then the line on which the id was first seen, 0 in a free slot. */
const SLOT_WORDS = 3;
const MAX_LOAD = 0.7;

/**
 * The ids of a list and the line of the first row of each, in 17 to 34 bytes an id, however long the ids are (a `Map` of
 * a million ids takes 100 MB). Ids are compared by 64 bits of a fingerprint with a random seed: the chance that two of a
 * million different ids look alike is 1 in 30 million.
 */
export class DuplicateIndex {
  readonly #seed = randomInt(2 ** 31);
  readonly #fingerprint = new Uint32Array(FINGERPRINT_WORDS);
  /** Open addressing with linear probing. */
  #slots = new Uint32Array((1 << 12) * SLOT_WORDS);
  #count = 0;

  /** Adds an id. Returns the line (1-based) on which it was first seen, or undefined if it is new. */
  add(id: string, line: number): number | undefined {
    idFingerprint(id, this.#seed, this.#fingerprint);
    const low = this.#fingerprint[0] ?? 0;
    const high = this.#fingerprint[1] ?? 0;
    const slot = this.#find(low, high);
    const first = this.#slots[slot + 2] ?? 0;
    if (first > 0) return first;
    this.#fill(slot, low, high, line);
    if (++this.#count * SLOT_WORDS > this.#slots.length * MAX_LOAD) this.#grow();
    return undefined;
  }

  /** Returns the offset of the slot with this fingerprint, or of the free slot where it belongs. */
  #find(low: number, high: number): number {
    const slots = this.#slots;
    const count = slots.length / SLOT_WORDS;
    for (let probe = 0; probe < count; probe++) {
      const slot = ((low + probe) & (count - 1)) * SLOT_WORDS;
      if (slots[slot + 2] === 0 || (slots[slot] === low && slots[slot + 1] === high)) return slot;
    }
    throw new Error('the index is full');
  }

  #fill(slot: number, low: number, high: number, line: number): void {
    this.#slots[slot] = low;
    this.#slots[slot + 1] = high;
    this.#slots[slot + 2] = line;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(before.length * 2);
    for (let at = 0; at < before.length; at += SLOT_WORDS) {
      const low = before[at] ?? 0;
      const high = before[at + 1] ?? 0;
      const line = before[at + 2] ?? 0;
      if (line > 0) this.#fill(this.#find(low, high), low, high, line);
    }
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
/** The text that is being hashed, as bytes and as words. */
let bytes = new Uint8Array(1024);
let encoded = new Uint32Array(bytes.buffer);

/**
 * Writes a 128-bit fingerprint of `text` (MurmurHash3 x86_128 over its UTF-8 bytes, the last block padded with zeros) into
 * `out`. Not cryptographic: `seed` only makes it differ from run to run.
 */
export function idFingerprint(text: string, seed: number, out: Uint32Array): void {
  const length = encode(text);
  const message = encoded;
  let h1 = seed;
  let h2 = seed;
  let h3 = seed;
  let h4 = seed;
  // Integers beyond 32 bits would be computed as floating point numbers, at half the speed.
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

/** Encodes `text` into `bytes`, padded with zeros to the end of the block. Returns its length. */
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
  /** The line of the first row with the same id, by the number of each row with a duplicate id. */
  readonly #firstLines = new Map<number, number>();

  /** Adds the next row. `firstLine` is the line of the first row with the same id, if there is one. */
  add(invalid: boolean, firstLine: number | undefined): void {
    this.total++;
    if (firstLine !== undefined) this.#firstLines.set(this.total, firstLine);
    if (!invalid && firstLine === undefined) return;
    this.invalid++;
    const byte = this.total >>> 3;
    if (byte >= this.#bits.length) {
      const bits = new Uint8Array(byte * 2);
      bits.set(this.#bits);
      this.#bits = bits;
    }
    this.#bits[byte] = (this.#bits[byte] ?? 0) | (1 << (this.total & 7));
  }

  /** Whether the row `entry` (1-based) has an issue. */
  isInvalid(entry: number): boolean {
    return (((this.#bits[entry >>> 3] ?? 0) >>> (entry & 7)) & 1) === 1;
  }

  /** Returns the line of the first row with the same id as the row `entry`; undefined if `entry` is the first. */
  firstLine(entry: number): number | undefined {
    return this.#firstLines.get(entry);
  }
}
