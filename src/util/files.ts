import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  fsyncSync,
  lstatSync,
  openSync,
  promises,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { describeFsError, systemErrorCode, UsageError } from './errors.ts';

/**
 * Creates a directory with mode 0700, and the directories above it that are missing. Each new name is durable.
 *
 * The `recursive` option of `mkdir` cannot be used: if the system reports ENOENT for a name in a directory that
 * exists, as /proc does, Node 20 and 22 retry forever.
 *
 * @throws the error of the file system
 */
export async function makePrivateDirectory(path: string): Promise<void> {
  if (await isDirectory(path)) return;
  const parent = dirname(path);
  if (parent !== path) await makePrivateDirectory(parent);
  try {
    await promises.mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
    // Another process may have created it in the meantime.
    if (!(await isDirectory(path))) throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR', path });
  }
  fsyncDirectory(parent);
}

function isDirectory(path: string): Promise<boolean> {
  return promises.stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/**
 * Replaces a file, or creates it, with mode 0600: a reader finds the old content or the new one, never a part.
 *
 * @param options.durable whether the new content has to survive a power failure, which takes some milliseconds
 * @throws the error of the file system; the old content is then still there
 */
export function replaceFile(file: string, content: string | Uint8Array, options: { durable: boolean }): void {
  const draft = `${file}.${crypto.randomUUID()}.tmp`;
  try {
    const descriptor = openSync(draft, 'wx', 0o600);
    try {
      writeFileSync(descriptor, content);
      if (options.durable) fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(draft, file);
    if (options.durable) fsyncDirectory(dirname(file));
  } catch (error) {
    try {
      rmSync(draft, { force: true });
    } catch {
      // The first error is the one to report.
    }
    throw error;
  }
}

/**
 * Renames a draft that is on disk to its final name, durably.
 *
 * @throws the error of the file system
 */
export async function commitByRename(draft: string, file: string): Promise<void> {
  await promises.rename(draft, file);
  fsyncDirectory(dirname(file));
}

const CANNOT_SYNC = new Set(['EACCES', 'EPERM', 'EISDIR', 'EINVAL', 'ENOTSUP']);

/**
 * Makes the names in a directory durable: a new name is on disk only once its directory is.
 *
 * @throws the error of the file system, except if it cannot open or sync directories
 */
function fsyncDirectory(path: string): void {
  try {
    const descriptor = openSync(path, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (!CANNOT_SYNC.has(systemErrorCode(error) ?? '')) throw error;
  }
}

/**
 * Makes sure that a path in the state directory is a regular file, or nothing: orgadm would wait forever for a named pipe, and
 * somebody may have planted a link.
 *
 * @throws UsageError (`file`) that names it; the error of the file system
 */
export function requireRegularFile(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return;
  const kind = found.isSymbolicLink() ? 'a symbolic link' : found.isDirectory() ? 'a directory' : 'not a regular file';
  throw new UsageError(`${path} is ${kind}`, 'Move it somewhere else, and run the command again.', 'file');
}

/** Returns SHA-256 of a file, as 64 hex digits. Throws the error of the file system. */
export async function digestOfFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** Maximum size of a key file, in bytes. */
export const MAX_KEY_BYTES = 64 * 1024;
/** Maximum size of a certificate file, in bytes: more than the certificates of all public authorities. */
export const MAX_PEM_BYTES = 8 * 1024 * 1024;
/** Begins each certificate in such a file. */
export const PEM_MARKER = '-----BEGIN CERTIFICATE-----';
export const MAX_CONFIG_BYTES = 1024 * 1024;
/** Maximum size of a role file, in bytes. */
export const MAX_JSON_BYTES = 8 * 1024 * 1024;

/** Standard input, or a replacement in tests. */
export type InputStream = Readable & { readonly isTTY?: boolean };

export interface InputFileOptions {
  /** Option that names the file, for errors. */
  option: string;
  /** Maximum number of bytes. */
  maxBytes: number;
  /** Hint if standard input is a terminal. */
  terminalHint: string;
  /** Hint if there is no such file. The error does not repeat the name then, which may be the secret itself. */
  secretHint?: string;
}

/** The codes of a name that no file has. */
const NO_FILE: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']);

/**
 * Reads a file that an option names, or standard input for `-`.
 *
 * @throws UsageError if it cannot be read or is too long; no message contains its content
 */
export async function readInputFile(file: string, stdin: InputStream, options: InputFileOptions): Promise<Buffer> {
  const { option, maxBytes, terminalHint, secretHint } = options;
  if (file === '-' && stdin.isTTY) throw new UsageError(`${option} -: standard input is a terminal`, terminalHint);
  try {
    return await (file === '-' ? readStream(stdin, maxBytes) : readFileUpTo(file, maxBytes));
  } catch (error) {
    if (secretHint !== undefined && NO_FILE.has(systemErrorCode(error)))
      throw new UsageError(`${option}: there is no such file`, secretHint);
    throw new UsageError(`${option}: cannot read ${inputName(file)}: ${describeFsError(error)}`);
  }
}

/** Names an input file for a message; `-` is standard input. */
export function inputName(file: string): string {
  return file === '-' ? 'standard input' : file;
}

/**
 * Reads a file that is expected to be small; a device such as /dev/zero never ends.
 *
 * @throws the error of the file system; EFBIG for a file of more than `maxBytes`
 */
export function readFileUpTo(file: string, maxBytes: number): Promise<Buffer> {
  return readStream(createReadStream(file), maxBytes);
}

async function readStream(input: AsyncIterable<unknown>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of input) {
    const bytes = chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk));
    size += bytes.length;
    if (size > maxBytes) throw Object.assign(new Error(`longer than ${maxBytes} bytes`), { code: 'EFBIG' });
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}
