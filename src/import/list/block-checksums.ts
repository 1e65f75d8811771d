import { createHash } from 'node:crypto';
import { EXIT, OrgadmError } from '../../util/errors.ts';

const DIGEST_BYTES = 32;

/** The list is not any more what the first pass checked. Exit code 2: the rows that follow were not sent. */
export class ListChangedError extends OrgadmError {
  constructor(name: string) {
    super('list-changed', EXIT.usage, `${name} was changed while it was being read`, {
      hint: 'Rows after the change were not sent. Let the file stand still and run the command again.',
    });
  }
}

/** The SHA-256 of each fixed-size block of a list, so that a later pass can tell that it reads the same bytes. */
export class BlockChecksums {
  /** Blocks recorded so far. */
  count = 0;
  #digests = Buffer.alloc(DIGEST_BYTES * 64);
  #bytes = 0;

  /** Records the next block. */
  add(block: Uint8Array): void {
    const at = this.count * DIGEST_BYTES;
    if (at === this.#digests.length) this.#digests = Buffer.concat([this.#digests, Buffer.alloc(at)]);
    createHash('sha256').update(block).digest().copy(this.#digests, at);
    this.#bytes += block.length;
    this.count++;
  }

  /** Tells whether `block` is what was recorded as block number `index` (0-based). */
  matches(index: number, block: Uint8Array): boolean {
    if (index >= this.count) return false;
    const at = index * DIGEST_BYTES;
    const recorded = this.#digests.subarray(at, at + DIGEST_BYTES);
    return createHash('sha256').update(block).digest().equals(recorded);
  }

  /** The identity of all bytes: SHA-256 over the block digests and the length, as 64 hex digits. */
  identity(): string {
    const hash = createHash('sha256').update(this.#digests.subarray(0, this.count * DIGEST_BYTES));
    return hash.update(`:${this.#bytes}`).digest('hex');
  }
}
