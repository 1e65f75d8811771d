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
