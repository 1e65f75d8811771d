import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describeFsError, EXIT, OrgadmError, systemErrorCode, UsageError } from '../../util/errors.ts';
import { formatCount } from '../../util/units.ts';

/** What to read a list from. */
export interface ListInput {
  /** A path, or `-` for `stdin`. */
  readonly path: string;
  readonly stdin: NodeJS.ReadableStream & { isTTY?: boolean };
}

/** The bytes of a list, and where they come from. */
export interface ListBytes {
  /** The name for messages: the path as the user wrote it, or `standard input`. */
  readonly name: string;
  /** The absolute path; undefined if it is not a regular file. */
  readonly path: string | undefined;
  readonly bytes: Buffer;
}

const MEBIBYTE = 1024 ** 2;

/** The most bytes that a list, or a part of a workbook, may have. */
export const MAX_LIST_BYTES = 256 * MEBIBYTE;

/**
 * Reads a list into memory.
 *
 * @throws UsageError if there is nothing to read, and for a list of more than 256 MiB
 * @throws OrgadmError (`list-read`) if reading fails
 */
export function readListBytes(input: ListInput): Promise<ListBytes> {
  return input.path === '-' ? readStdin(input.stdin) : readFile(input.path);
}

async function readStdin(stdin: ListInput['stdin']): Promise<ListBytes> {
  if (stdin.isTTY)
    throw new UsageError(
      'standard input is a terminal, so it has no list to read',
      'Pass a file, or pipe a list into the command: orgadm people bulk-add - < members.csv',
    );
  const name = 'standard input';
  return { name, path: undefined, bytes: await readAll(stdin, name) };
}

async function readFile(path: string): Promise<ListBytes> {
  const handle = await open(path).catch((error: unknown) => {
    throw cannotOpen(path, error);
  });
  try {
    const stat = await handle.stat();
    if (stat.isDirectory()) throw new UsageError(`${path} is a directory`, 'Pass a file with a member list.');
    if (stat.size > MAX_LIST_BYTES) throw tooLarge(path, `is ${formatCount(Math.ceil(stat.size / MEBIBYTE))} MiB`);
    // A pipe has no size.
    if (!stat.isFile())
      return { name: path, path: undefined, bytes: await readAll(handle.createReadStream({ autoClose: false }), path) };
    const bytes = await handle.readFile().catch((error: unknown) => {
      throw cannotRead(path, error);
    });
    return { name: path, path: resolve(path), bytes };
  } finally {
    await handle.close();
  }
}

async function readAll(stream: AsyncIterable<unknown>, name: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      const bytes = chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk));
      size += bytes.length;
      if (size > MAX_LIST_BYTES) throw tooLarge(name, 'is larger than 256 MiB');
      chunks.push(bytes);
    }
  } catch (error) {
    throw error instanceof OrgadmError ? error : cannotRead(name, error);
  }
  return Buffer.concat(chunks);
}

function cannotOpen(path: string, error: unknown): UsageError {
  if (systemErrorCode(error) === 'ENOENT') return new UsageError(`no such file: ${path}`, 'Check the path.');
  return new UsageError(`cannot open ${path}: ${describeFsError(error)}`);
}

/** Returns the error for a disk or a network share that failed before the end of the list. */
function cannotRead(name: string, cause: unknown): OrgadmError {
  const hint = 'Nothing was sent. Copy the list to another disk and pass the copy.';
  return new OrgadmError('list-read', EXIT.usage, `cannot read ${name}: ${describeFsError(cause)}`, { hint, cause });
}

/** @param problem continues the name of the list: `is 300 MiB` */
function tooLarge(name: string, problem: string): UsageError {
  return new UsageError(
    `${name} ${problem}; the limit for a list is 256 MiB`,
    'Split it into smaller files, each with the header, and import them one after another.',
  );
}
