/** Words in a fingerprint. */
export const FINGERPRINT_WORDS = 4;

const C1 = 0x239b961b;
const C2 = 0xab0e9789;
const C3 = 0x38b34ae5;
const C4 = 0xa1e38b93;

/**
 * Writes a 128-bit fingerprint of `text` (MurmurHash3 x86_128 over its UTF-16 code units, four to a block) into `out`.
 * Not for secrets: `seed` only makes it differ from run to run.
 */
export function fingerprint(text: string, seed: number, out: Uint32Array): void {
  let h1 = seed;
  let h2 = seed;
  let h3 = seed;
  let h4 = seed;
  const { length } = text;
  for (let at = 0; at < length; at += 8) {
    h1 = Math.imul(rotate(h1 ^ mix(pair(text, at), C1, C2, 15), 19) + h2, 5) + 0x561ccd1b;
    h2 = Math.imul(rotate(h2 ^ mix(pair(text, at + 2), C2, C3, 16), 17) + h3, 5) + 0x0bcaa747;
    h3 = Math.imul(rotate(h3 ^ mix(pair(text, at + 4), C3, C4, 17), 15) + h4, 5) + 0x96cd1c35;
    h4 = Math.imul(rotate(h4 ^ mix(pair(text, at + 6), C4, C1, 18), 13) + h1, 5) + 0x32ac3b17;
  }
  h1 ^= length;
  h2 ^= length;
  h3 ^= length;
  h4 ^= length;
  h1 += h2 + h3 + h4;
  h2 += h1;
  h3 += h1;
  h4 += h1;
  h1 = finalize(h1);
  h2 = finalize(h2);
  h3 = finalize(h3);
  h4 = finalize(h4);
  h1 += h2 + h3 + h4;
  out[0] = h1;
  out[1] = h2 + h1;
  out[2] = h3 + h1;
  out[3] = h4 + h1;
}

/** Two code units as one word; past the end they are 0, and the length, mixed in last, tells that apart. */
function pair(text: string, at: number): number {
  // Asked beyond the end even once, the engine would take a slower way for every character from then on.
  if (at + 1 < text.length) return text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
  return at < text.length ? text.charCodeAt(at) : 0;
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
