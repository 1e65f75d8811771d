import { type Cipher, createCipheriv, createHmac, randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../../util/errors.ts';
import { makePrivateDirectory } from '../../util/files.ts';
import { FINGERPRINT_WORDS, idFingerprint } from './id-fingerprint.ts';

const SECRET_BYTES = 32;
/** The words (32 bits) of a hashed user id that are kept: two of a million ids collide with a chance of 1 in 10^7. */
const KEPT_WORDS = 2;
/** Length of a hashed user id. */
export const HASH_BYTES = KEPT_WORDS * 4;

/** The secret of a journal directory. Hashes that are made with it reveal nothing without it. */
export interface Secret {
  readonly id: string;
  /** Returns the HMAC-SHA-256 of a text, as 32 hex digits. */
  sign(purpose: 'key' | 'lock', text: string): string;
  /** Returns 8 bytes for each user id, in order. */
  hashUserIds(userIds: readonly string[]): Buffer;
}

/**
 * Reads the secret of a directory, and creates it on first use.
 *
 * @throws UsageError for a secret that is damaged; file system errors
 */
export async function readSecret(directory: string): Promise<Secret> {
  await makePrivateDirectory(directory);
  const path = join(directory, 'secret');
  const secret = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return createSecret(directory, path);
    throw error;
  });
  if (secret.length !== SECRET_BYTES) {
    throw new UsageError(
      `the file ${path} is damaged: it has ${secret.length} bytes, not ${SECRET_BYTES}`,
      'Nothing was sent. Restore it, or remove it: then unfinished runs cannot be compared with other lists.',
      'journal-damaged',
    );
  }
  const hmac = (text: string) => createHmac('sha256', secret).update(text).digest();
  let cipher: Cipher | undefined;
  return {
    id: hmac('id').toString('hex', 0, 4),
    sign: (purpose, text) => hmac(`${purpose}\n${text}`).toString('hex', 0, 16),
    hashUserIds(userIds) {
      cipher ??= createCipheriv('aes-128-ecb', hmac('user ids').subarray(0, 16), null).setAutoPadding(false);
      return hashUserIds(userIds, cipher);
    },
  };
}

/** Encrypts a fast hash of each id, all at once: an HMAC of each would make a large import a sixth slower. */
function hashUserIds(userIds: readonly string[], cipher: Cipher): Buffer {
  const hashes = new Uint32Array(userIds.length * FINGERPRINT_WORDS);
  const message = new Uint32Array(FINGERPRINT_WORDS);
  let at = 0;
  for (const userId of userIds) {
    idFingerprint(userId, 0, message);
    for (let word = 0; word < FINGERPRINT_WORDS; word++) hashes[at++] = message[word] ?? 0;
  }
  // A copy, because words need an aligned start.
  const encrypted = new Uint32Array(new Uint8Array(cipher.update(new Uint8Array(hashes.buffer))).buffer);
  const kept = new Uint32Array(userIds.length * KEPT_WORDS);
  for (let row = 0; row < userIds.length; row++) {
    for (let word = 0; word < KEPT_WORDS; word++)
      kept[row * KEPT_WORDS + word] = encrypted[row * FINGERPRINT_WORDS + word] ?? 0;
  }
  return Buffer.from(kept.buffer);
}

/** Links a new secret to its path, so that two processes use the same one and neither reads part of it. */
async function createSecret(directory: string, path: string): Promise<Buffer> {
  const own = join(directory, `.secret-${randomBytes(8).toString('hex')}`);
  try {
    await writeFile(own, randomBytes(SECRET_BYTES), { mode: 0o600, flush: true });
    await link(own, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(own, { force: true });
  }
  return readFile(path);
}

/** The hashes of the user ids of a list's rows, as far as the journal contains them. */
export class UserIdHashes {
  #hashes = new BigUint64Array(1024);

  /** Adds the hashes of some rows, in their order. */
  add(entries: Iterable<number>, encoded: string | undefined): void {
    const bytes = Buffer.from(encoded ?? '', 'base64');
    let at = 0;
    for (const entry of entries) {
      if (at + HASH_BYTES > bytes.length) return;
      if (entry >= this.#hashes.length) this.#grow(entry);
      this.#hashes[entry] = bytes.readBigUInt64LE(at);
      at += HASH_BYTES;
    }
  }

  /** Returns the hash of a row's user id, or 0 if it is not known. */
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
