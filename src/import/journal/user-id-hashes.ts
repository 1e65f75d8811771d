import { decodeRanges } from './journal-records.ts';

export const HASH_BYTES = 8;

/** The hashes of the user ids of a list's rows, as far as the journal contains them. */
export class UserIdHashes {
  #hashes = new BigUint64Array(1024);

  /** Adds the hashes of the rows of a record, in their order. */
  add(rows: string, encoded: string | undefined): void {
    if (encoded === undefined) return;
    const bytes = Buffer.from(encoded, 'base64');
    let at = 0;
    for (const entry of decodeRanges(rows)) {
      if (at + HASH_BYTES > bytes.length) return;
      if (entry >= this.#hashes.length) this.#grow(entry);
      this.#hashes[entry] = bytes.readBigUInt64LE(at);
      at += HASH_BYTES;
    }
  }

  /** Returns the hash of a row's user id, or 0 where it is not known. */
  of(entry: number): bigint {
    return this.#hashes[entry] ?? 0n;
  }

  #grow(entry: number): void {
    const grown = new BigUint64Array(Math.max(entry + 1, this.#hashes.length * 2));
    grown.set(this.#hashes);
    this.#hashes = grown;
  }
}

/** Encodes hashes as a record contains them. */
export function encodeHashes(hashes: readonly bigint[]): string {
  const bytes = Buffer.alloc(hashes.length * HASH_BYTES);
  for (const [at, hash] of hashes.entries()) bytes.writeBigUInt64LE(hash, at * HASH_BYTES);
  return bytes.toString('base64');
}
