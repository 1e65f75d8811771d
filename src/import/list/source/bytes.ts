import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { describeFsError, EXIT, OrgadmError, systemErrorCode, UsageError } from '../../../util/errors.ts';
import { formatCount } from '../../../util/units.ts';
import { GrowingBuffer } from './growing-buffer.ts';
import { listTooLarge, MAX_LIST_BYTES, MEBIBYTE } from './limits.ts';

/** What to read a list from. */
export interface SourceInput {
  /** A path, or `-` for `stdin`. */
  path: string;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
}

/** Where a list comes from. */
export interface Source {
  /** The name for messages: the path as the user wrote it, or `standard input`. */
  readonly name: string;
  /** The absolute path; undefined if it is not a regular file, so that only the user can pass the list again. */
  readonly path: string | undefined;
  /** SHA-256 of the bytes as they were read, before decompression, as 64 hex digits. */
  readonly digest: string;
}

/** The bytes of a list. They are read once, so the list cannot change while it is sent. */
export interface SourceBytes extends Source {
  /** The decompressed bytes. */
  readonly bytes: Buffer;
}

const GZIP_SIGNATURE = '1f8b';

/**
 * Reads a list into memory, and decompresses it if it is gzipped.
 *
 * @throws UsageError if there is nothing to read, for a list of more than 256 MiB, and for damaged gzip data
 * @throws OrgadmError if reading fails
 */
export async function readSourceBytes(input: SourceInput): Promise<SourceBytes> {
  const { bytes, ...source } = input.path === '-' ? await readStdin(input.stdin) : await readFile(input.path);
  const digest = createHash('sha256').update(bytes).digest('hex');
  const isGzipped = bytes.subarray(0, 2).toString('hex') === GZIP_SIGNATURE;
  return { ...source, bytes: isGzipped ? await decompress(bytes, source.name) : bytes, digest };
}

type ReadBytes = Omit<SourceBytes, 'digest'>;

async function readStdin(stdin: SourceInput['stdin']): Promise<ReadBytes> {
  if (stdin.isTTY) {
    throw new UsageError(
      'standard input is a terminal, so it has no list to read',
      'Pass a file, or pipe a list into the command: orgadm people bulk-add - < members.csv',
    );
  }
  const name = 'standard input';
  return { name, path: undefined, bytes: await readAll(stdin, name, 0) };
}

async function readFile(path: string): Promise<ReadBytes> {
  const handle: FileHandle = await open(path).catch((error: unknown) => {
    throw cannotOpen(path, error);
  });
  try {
    const stat = await handle.stat();
    if (stat.isDirectory()) throw new UsageError(`${path} is a directory`, 'Pass a file with a member list.');
    if (stat.size > MAX_LIST_BYTES) throw listTooLarge(path, `is ${formatCount(Math.ceil(stat.size / MEBIBYTE))} MiB`);
    const stream = handle.createReadStream({ autoClose: false, highWaterMark: MEBIBYTE });
    return {
      name: path,
      path: stat.isFile() ? resolve(path) : undefined,
      bytes: await readAll(stream, path, stat.size),
    };
  } finally {
    await handle.close();
  }
}

function cannotOpen(path: string, error: unknown): UsageError {
  if (systemErrorCode(error) === 'ENOENT')
    return new UsageError(`no such file: ${path}`, 'Check the path of the list.');
  return new UsageError(`cannot open ${path}: ${describeFsError(error)}`);
}

/** @param expectedBytes the size of the list, as far as it is known */
async function readAll(stream: AsyncIterable<unknown>, name: string, expectedBytes: number): Promise<Buffer> {
  const collected = new GrowingBuffer(expectedBytes);
  try {
    for await (const chunk of stream) {
      collected.append(chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk)));
      if (collected.bytes.length > MAX_LIST_BYTES) throw listTooLarge(name, 'is larger than 256 MiB');
    }
    return collected.bytes;
  } catch (error) {
    throw error instanceof OrgadmError ? error : cannotRead(name, error);
  }
}

/** Returns the error for a disk or a network share that failed before the end of the list. */
function cannotRead(name: string, cause: unknown): OrgadmError {
  const hint = 'Nothing was sent. Copy the list to another disk and pass the copy.';
  return new OrgadmError('list-read', EXIT.usage, `cannot read ${name}: ${describeFsError(cause)}`, { hint, cause });
}

async function decompress(compressed: Buffer, name: string): Promise<Buffer> {
  try {
    return await promisify(gunzip)(compressed, { maxOutputLength: MAX_LIST_BYTES, chunkSize: MEBIBYTE });
  } catch (error) {
    if (systemErrorCode(error) === 'ERR_BUFFER_TOO_LARGE')
      throw listTooLarge(name, 'is larger than 256 MiB after decompression');
    throw new UsageError(`${name}: the gzip data is damaged or incomplete`, 'Export the list again.', 'bad-encoding');
  }
}
