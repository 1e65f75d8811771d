import { createHash, randomBytes } from 'node:crypto';
import { fstatSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { describeFsError, EXIT, OrgadmError, UsageError } from '../../util/errors.ts';
import { makePrivateDirectory } from '../../util/files.ts';

/** Where a list comes from. */
export interface ListInput {
  /** A path, or `-` for `stdin`. */
  path: string;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  /** The private folder for a copy of what is not a regular file, or is converted. Created when it is needed. */
  spoolDir: string;
}

/** Identifies a file, whatever its path. */
export interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/** The bytes of a list, held open, to be read more than once. */
export interface ListSource {
  /** The name for messages: the path, or `standard input`. */
  readonly name: string;
  /** The file that the bytes come from; undefined if it is not a regular file. */
  readonly file: FileIdentity | undefined;
  /** The descriptor of the bytes, which `close` closes. */
  readonly fd: number;
  /** Returns the first bytes, at most `length` of them. */
  head(length: number): Promise<Buffer>;
  /** Reads all bytes for the first time, block by block; a block is valid until the next one is requested. */
  firstPass(checksums: BlockChecksums): AsyncGenerator<Buffer>;
  /** Reads them again. Throws `ListChangedError` instead of yielding a block that is not as in the first pass. */
  verifiedPass(checksums: BlockChecksums): AsyncGenerator<Buffer>;
  /** Reads all bytes as they are now. */
  blocks(): AsyncGenerator<Buffer>;
  close(): Promise<void>;
}

/** The list cannot be read to its end: a disk or a network share failed. Exit code 2 before anything is sent, 1 after. */
export class ListReadError extends OrgadmError {
  constructor(name: string, cause: unknown, pass: 'first' | 'later') {
    const reason = describeFsError(cause);
    if (pass === 'first') {
      const hint = 'Nothing was sent. Copy the list to another disk and pass the copy.';
      super('list-read', EXIT.usage, `cannot read ${name}: ${reason}`, { hint, cause });
    } else {
      const hint = 'Rows that were not read again are not sent. Continue with --resume once the list can be read.';
      super('list-read', EXIT.failure, `cannot read ${name} again: ${reason}`, { hint, cause });
    }
  }
}

const BLOCK_BYTES = 64 * 1024;

/** Opens a list's bytes. Throws `UsageError` if there is nothing that can be read. */
export async function openListSource(input: ListInput): Promise<ListSource> {
  if (input.path === '-') {
    if (input.stdin.isTTY) {
      throw new UsageError(
        'standard input is a terminal: there is no list to read',
        'Pass a file, or pipe a list into the command: orgadm people bulk-add - < members.csv',
      );
    }
    return spool(input.stdin, 'standard input', fileBehind(input.stdin), input);
  }
  const handle = await open(input.path).catch((error: NodeJS.ErrnoException) => {
    throw cannotOpen(input.path, error);
  });
  try {
    const stat = await handle.stat({ bigint: true });
    if (stat.isDirectory()) throw new UsageError(`${input.path} is a directory`, 'Name a file with a member list.');
    if (stat.isFile()) return createListSource(input.path, stat, handle, () => handle.close());
    const copy = await spool(handle.createReadStream({ autoClose: false }), input.path, undefined, input);
    await handle.close();
    return copy;
  } catch (error) {
    await handle.close().catch(() => undefined);
    throw error;
  }
}

/**
 * Writes what a source was converted to into a private copy, which replaces the source: that is closed.
 *
 * @throws OrgadmError if the copy cannot be written
 */
export async function replaceSource(
  source: ListSource,
  pieces: AsyncIterable<Uint8Array | string>,
  input: ListInput,
): Promise<ListSource> {
  const copy = await spool(pieces, source.name, source.file, input);
  await source.close();
  return copy;
}

/** The file that standard input was redirected from, if it was. */
function fileBehind(stdin: ListInput['stdin']): FileIdentity | undefined {
  if (!('fd' in stdin) || typeof stdin.fd !== 'number') return undefined;
  const stat = fstatSync(stdin.fd, { bigint: true });
  return stat.isFile() ? stat : undefined;
}

function createListSource(
  name: string,
  file: ListSource['file'],
  handle: FileHandle,
  close: () => Promise<void>,
): ListSource {
  const read: ReadBlock = async (buffer, position, pass) => {
    try {
      return await readBlock(handle, buffer, position);
    } catch (error) {
      throw new ListReadError(name, error, pass);
    }
  };
  return {
    ...{ name, file, close, fd: handle.fd },
    blocks: () => blocks(read, 'first'),
    head: (length) => read(Buffer.alloc(length), 0, 'first'),
    async *firstPass(checksums) {
      for await (const block of blocks(read, 'first')) {
        checksums.add(block);
        yield block;
      }
    },
    async *verifiedPass(checksums) {
      let index = 0;
      for await (const block of blocks(read, 'later')) {
        if (!checksums.matches(index, block)) throw new ListChangedError(name);
        index++;
        yield block;
      }
      if (index !== checksums.count) throw new ListChangedError(name);
    },
  };
}

type ReadBlock = (buffer: Buffer, position: number, pass: 'first' | 'later') => Promise<Buffer>;

/** Reads the next block while the last one is processed. */
async function* blocks(read: ReadBlock, pass: 'first' | 'later'): AsyncGenerator<Buffer> {
  let buffer = Buffer.alloc(BLOCK_BYTES);
  let spare = Buffer.alloc(BLOCK_BYTES);
  let reading = read(buffer, 0, pass);
  try {
    for (let position = BLOCK_BYTES; ; position += BLOCK_BYTES) {
      const block = await reading;
      const isLast = block.length < BLOCK_BYTES;
      if (!isLast) reading = read(spare, position, pass);
      // It may fail before it is awaited.
      reading.catch(() => {});
      if (block.length > 0) yield block;
      if (isLast) return;
      [buffer, spare] = [spare, buffer];
    }
  } finally {
    await reading.catch(() => {});
  }
}

/** Reads from `position` until `buffer` is full or the file ends; a single read may return less than requested. */
async function readBlock(handle: FileHandle, buffer: Buffer, position: number): Promise<Buffer> {
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

function cannotOpen(path: string, error: NodeJS.ErrnoException): UsageError {
  if (error.code === 'ENOENT') return new UsageError(`there is no file ${path}`, 'Check the path of the list.');
  if (error.code === 'EACCES' || error.code === 'EPERM') {
    return new UsageError(`no permission to read ${path}`, 'Ask for permission to read it, or name another file.');
  }
  return new UsageError(`cannot open ${path}: ${describeFsError(error)}`);
}

/** The list is no longer what the first pass validated. Exit code 2: the rows that follow were not sent. */
export class ListChangedError extends OrgadmError {
  constructor(name: string) {
    super('list-changed', EXIT.usage, `${name} was changed while it was being read`, {
      hint: 'Rows after the change were not sent. Run the command again when nothing changes the file.',
    });
  }
}

/** The SHA-256 of each fixed-size block of a list, so that a later pass can check that it reads the same bytes. */
export class BlockChecksums {
  readonly #checksums: Buffer[] = [];
  #bytes = 0;

  /** Blocks recorded so far. */
  get count(): number {
    return this.#checksums.length;
  }

  /** Records the next block. */
  add(block: Uint8Array): void {
    this.#checksums.push(createHash('sha256').update(block).digest());
    this.#bytes += block.length;
  }

  /** Whether `block` is what was recorded as block number `index` (0-based). */
  matches(index: number, block: Uint8Array): boolean {
    return this.#checksums[index]?.equals(createHash('sha256').update(block).digest()) ?? false;
  }

  /** The identity of all bytes: SHA-256 over the block checksums and the length, as 64 hex digits. */
  identity(): string {
    const hash = createHash('sha256');
    for (const checksum of this.#checksums) hash.update(checksum);
    return hash.update(`:${this.#bytes}`).digest('hex');
  }
}

/**
 * Copies what can be read only once into a new file (0600) in `spoolDir` (created with 0700 if it is missing). The name is
 * removed from the folder at once if the platform allows it for an open file, so that nothing is left behind whatever ends
 * the process.
 *
 * @throws OrgadmError if the copy cannot be written
 */
async function spool(
  pieces: AsyncIterable<unknown>,
  name: string,
  identity: FileIdentity | undefined,
  { spoolDir }: ListInput,
): Promise<ListSource> {
  const failed = (error: unknown) => {
    throw cannotSpool(spoolDir, error);
  };
  const file = path.join(spoolDir, `list-${randomBytes(8).toString('hex')}`);
  const handle = await makePrivateDirectory(spoolDir)
    .then(() => open(file, 'wx+', 0o600))
    .catch(failed);
  const isRemoved = await rm(file).then(
    () => true,
    () => false,
  );
  const close = async () => {
    await handle.close();
    if (!isRemoved) await rm(file, { force: true });
  };
  try {
    for await (const piece of pieces) {
      await handle.writeFile(piece instanceof Uint8Array ? piece : String(piece)).catch(failed);
    }
    return createListSource(name, identity, handle, close);
  } catch (error) {
    await close();
    throw error instanceof OrgadmError ? error : new ListReadError(name, error, 'first');
  }
}

function cannotSpool(folder: string, cause: unknown): OrgadmError {
  const message = `cannot keep a copy of the list in ${folder}: ${describeFsError(cause)}`;
  const hint =
    'A list that is not a plain text file is copied first, because it is read twice. Free some space there, or pass a text file.';
  return new OrgadmError('spool-failed', EXIT.failure, message, { hint, cause });
}
