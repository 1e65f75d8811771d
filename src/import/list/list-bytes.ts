import { createHash } from 'node:crypto';
import { fstatSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { quoteForShell } from '../../output/sanitize.ts';
import { describeFsError, EXIT, OrgadmError, UsageError } from '../../util/errors.ts';
import { formatCount } from '../../util/units.ts';

/** The source of a list. */
export interface ListInput {
  /** A path, or `-` for `stdin`. */
  path: string;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
}

/** Identifies a file, whatever its path. */
export interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/** The bytes of a list. They are read once, so the list cannot change while it is sent. */
export interface ListBytes {
  /** The name for messages: the path, or `standard input`. */
  readonly name: string;
  /** The file that the bytes come from; undefined if it is not a regular file. */
  readonly file: FileIdentity | undefined;
  /** The decompressed bytes, in order, in blocks of at least 16 KiB; only the last one may be shorter. */
  readonly blocks: readonly Buffer[];
  /** SHA-256 of the bytes as they were read, before decompression, as 64 hex digits. */
  readonly digest: string;
}

const MEBIBYTE = 1024 ** 2;
/** The most bytes that a list may have, before and after decompression. */
const MAX_LIST_BYTES = 256 * MEBIBYTE;
const BLOCK_BYTES = 64 * 1024;
const GZIP_SIGNATURE = '1f8b';

/**
 * Reads a list into memory, and decompresses it if it is gzipped.
 *
 * @throws UsageError if there is nothing to read, for a list of more than 256 MiB, and for damaged gzip data
 * @throws OrgadmError if reading fails
 */
export async function readListBytes(input: ListInput): Promise<ListBytes> {
  const { name, file, blocks } = input.path === '-' ? await readStdin(input.stdin) : await readFile(input.path);
  const hash = createHash('sha256');
  for (const block of blocks) hash.update(block);
  const isGzipped = firstBytes(blocks, 2).toString('hex') === GZIP_SIGNATURE;
  return { name, file, blocks: isGzipped ? await gunzip(blocks, name) : blocks, digest: hash.digest('hex') };
}

/** Returns the first bytes, at most `length` of them. */
export function firstBytes(blocks: readonly Buffer[], length: number): Buffer {
  return Buffer.concat(blocks.slice(0, Math.ceil(length / BLOCK_BYTES))).subarray(0, length);
}

type ReadBytes = Omit<ListBytes, 'digest'>;

async function readStdin(stdin: ListInput['stdin']): Promise<ReadBytes> {
  if (stdin.isTTY) {
    throw new UsageError(
      'standard input is a terminal, so it has no list to read',
      'Pass a file, or pipe a list into the command: orgadm people bulk-add - < members.csv',
    );
  }
  const name = 'standard input';
  return { name, file: fileBehind(stdin), blocks: await readAll(stdin, name) };
}

/** Returns the file that the shell redirected standard input from, if any. */
function fileBehind(stdin: ListInput['stdin']): FileIdentity | undefined {
  if (!('fd' in stdin) || typeof stdin.fd !== 'number') return undefined;
  const stat = fstatSync(stdin.fd, { bigint: true });
  return stat.isFile() ? stat : undefined;
}

async function readFile(path: string): Promise<ReadBytes> {
  const handle: FileHandle = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw cannotOpen(path, error);
  });
  try {
    const stat = await handle.stat({ bigint: true });
    if (stat.isDirectory()) throw new UsageError(`${path} is a directory`, 'Pass a file with a member list.');
    if (stat.size > MAX_LIST_BYTES)
      throw listTooLarge(path, `has ${formatCount(Math.ceil(Number(stat.size) / MEBIBYTE))} MiB`);
    const stream = handle.createReadStream({ autoClose: false, highWaterMark: BLOCK_BYTES });
    return { name: path, file: stat.isFile() ? stat : undefined, blocks: await readAll(stream, path) };
  } finally {
    await handle.close();
  }
}

function cannotOpen(path: string, error: NodeJS.ErrnoException): UsageError {
  if (error.code === 'ENOENT') return new UsageError(`no such file: ${path}`, 'Check the path of the list.');
  if (error.code === 'EACCES' || error.code === 'EPERM') {
    return new UsageError(`no permission to read ${path}`, 'Ask for permission to read it, or name another file.');
  }
  return new UsageError(`cannot open ${path}: ${describeFsError(error)}`);
}

async function readAll(stream: AsyncIterable<unknown>, name: string): Promise<Buffer[]> {
  try {
    return await collectBlocks(stream, () => listTooLarge(name, 'has more than 256 MiB'));
  } catch (error) {
    throw error instanceof OrgadmError ? error : cannotRead(name, error);
  }
}

/** Returns the error for a disk or a network share that failed before the end of the list. */
function cannotRead(name: string, cause: unknown): OrgadmError {
  const hint = 'Nothing was sent. Copy the list to another disk and pass the copy.';
  return new OrgadmError('list-read', EXIT.usage, `cannot read ${name}: ${describeFsError(cause)}`, { hint, cause });
}

async function gunzip(compressed: readonly Buffer[], name: string): Promise<Buffer[]> {
  try {
    const decompressed = Readable.from(compressed).pipe(createGunzip({ chunkSize: BLOCK_BYTES }));
    return await collectBlocks(decompressed, () => listTooLarge(name, 'has more than 256 MiB after decompression'));
  } catch (cause) {
    if (!(cause instanceof Error) || !('code' in cause) || !String(cause.code).startsWith('Z_')) throw cause;
    throw new UsageError(`${name}: the gzip data is damaged or incomplete`, 'Export the list again.', 'bad-encoding');
  }
}

/** Collects a stream in blocks of at least 16 KiB: a pipe may yield a few bytes at a time. */
async function collectBlocks(stream: AsyncIterable<unknown>, limitError: () => UsageError): Promise<Buffer[]> {
  const blocks: Buffer[] = [];
  let parts: Uint8Array[] = [];
  let partBytes = 0;
  let totalBytes = 0;
  for await (const chunk of stream) {
    const part = chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk));
    parts.push(part);
    partBytes += part.length;
    totalBytes += part.length;
    if (totalBytes > MAX_LIST_BYTES) throw limitError();
    if (partBytes < BLOCK_BYTES) continue;
    blocks.push(joined(parts));
    parts = [];
    partBytes = 0;
  }
  if (partBytes > 0) blocks.push(joined(parts));
  return blocks;
}

function joined(parts: readonly Uint8Array[]): Buffer {
  const [first] = parts;
  return parts.length === 1 && first instanceof Buffer ? first : Buffer.concat(parts);
}

function listTooLarge(name: string, problem: string): UsageError {
  return new UsageError(`${name} ${problem}; a list may have at most 256 MiB`, splitHint(name));
}

/** The most rows that a list may have: short rows take more memory than their bytes. */
export const MAX_ROWS = 5_000_000;

/** Returns the error for a list with more rows. */
export function tooManyRows(name: string): UsageError {
  return new UsageError(`${name} has more than ${formatCount(MAX_ROWS)} rows`, splitHint(name));
}

/** Returns the commands that split a list, as far as its name shows how it is written. */
function splitHint(name: string): string {
  const [, format, gz] = /\.(csv|tsv|json|ndjson|jsonl)(\.gz)?$/i.exec(name) ?? [];
  const file = quoteForShell(name);
  const parts = 'split -l 1000000 - part-';
  const print = gz === undefined ? `cat ${file}` : `gzip -dc ${file}`;
  if (format === undefined) return 'Split it, and import the parts one after another.';
  if (/json$/i.test(format) && format.toLowerCase() === 'json')
    return `Split it, and import the parts one after another: ${print} | jq -c '.[]' | ${parts}`;
  if (/json/i.test(format)) return `Split it, and import the parts one after another: ${print} | ${parts}`;
  return `Split it, and import the parts one after another, with --columns and the names of its columns: ${print} | tail -n +2 | ${parts}`;
}
