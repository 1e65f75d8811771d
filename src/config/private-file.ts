import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { quoteForShell } from '../output/sanitize.ts';
import { describeFsError, EXIT, OrgadmError, systemErrorCode, UsageError } from '../util/errors.ts';
import { makePrivateDirectory, replaceFile } from '../util/files.ts';

/** Names the directory of profiles and keys. */
export const CONFIG_VARIABLE = 'ORGADM_CONFIG_DIR';

/** Matches the bits of a mode by which others can write, and those by which they can do anything. */
const WRITABLE = 0o022;
const ACCESSIBLE = 0o077;

/**
 * Reads a file of the configuration directory: a regular file of the user, in a directory that nobody else can write to. Others
 * must not be able to write it or, if it holds secrets, to read it.
 *
 * @param uid the user's number; undefined on systems without owners and modes
 * @returns the text, or undefined if there is no such file
 * @throws UsageError, with the command that fixes it, for any other file
 */
export function readPrivateFile(
  file: string,
  uid: number | undefined,
  { isSecret }: { isSecret: boolean },
): string | undefined {
  const descriptor = openPrivateFile(file);
  if (descriptor === undefined) return undefined;
  try {
    // Stats the open descriptor, not the path (TOCTOU).
    const found = fstatSync(descriptor);
    if (!found.isFile()) throw new UsageError(`${file} is not a regular file`);
    if (uid !== undefined) {
      rejectForeignOwner(file, found, uid);
      if (isSecret) rejectAccess(file, found);
      rejectWritable(file, found);
    }
    rejectSharedDirectory(dirname(file), uid, CONFIG_VARIABLE);
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

function openPrivateFile(file: string): number | undefined {
  try {
    // Opening a named pipe would otherwise wait for a writer.
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code !== 'ELOOP') throw fileError(file, 'read', error);
    throw new UsageError(
      `${file} is a symbolic link`,
      `Replace it with the file itself, or set ${CONFIG_VARIABLE} to the directory of the file.`,
    );
  }
}

/**
 * Replaces a file of the configuration directory, or creates it, with mode 0600. A reader finds the old text or the new
 * one, also after a power failure.
 *
 * @throws OrgadmError (exit 2) if it cannot be written; the old text is then still there
 */
export function writePrivateFile(file: string, text: string): void {
  try {
    replaceFile(file, text, { durable: true });
  } catch (error) {
    throw fileError(file, 'write', error);
  }
}

/**
 * Creates the directory of a private file (0700) if it is missing.
 *
 * @throws UsageError, with the command that fixes it, if other users can write to the directory
 */
export async function ensurePrivateDirectory(directory: string, uid: number | undefined): Promise<void> {
  try {
    await makePrivateDirectory(directory);
  } catch (error) {
    throw fileError(directory, 'create', error);
  }
  rejectSharedDirectory(directory, uid, CONFIG_VARIABLE);
}

/** The mode of a directory in which only the owner of a file may remove it. */
const STICKY = 0o1000;

/**
 * Rejects a directory in which other users could replace a file. Ignores what is not a directory, or cannot be examined.
 *
 * @param variable names another directory
 */
export function rejectSharedDirectory(directory: string, uid: number | undefined, variable: string): void {
  const found = uid === undefined ? undefined : statDirectory(directory);
  if (uid === undefined || found === undefined) return;
  rejectForeignOwner(directory, found, uid);
  // Others need it: the system's directory for temporary files, or one of a group.
  if ((found.mode & WRITABLE) !== 0 && (found.uid !== uid || (found.mode & STICKY) !== 0)) {
    throw new UsageError(
      `other users can write to the directory ${directory}`,
      `Use a directory that only you can write to, such as a new one inside it: ${variable}=${quoteForShell(join(directory, 'orgadm'))}`,
    );
  }
  rejectWritable(directory, found);
}

function statDirectory(path: string): Stats | undefined {
  try {
    const found = statSync(path);
    return found.isDirectory() ? found : undefined;
  } catch {
    return undefined;
  }
}

function rejectAccess(file: string, { mode }: Stats): void {
  if ((mode & ACCESSIBLE) === 0) return;
  throw new UsageError(
    `other users can access ${file} (mode ${(mode & 0o777).toString(8).padStart(3, '0')})`,
    `Remove their access: chmod 600 ${quoteForShell(file)}. If they may have read the key, replace it.`,
  );
}

function rejectWritable(path: string, found: Stats): void {
  if ((found.mode & WRITABLE) === 0) return;
  const contents = found.isDirectory() ? 'the files in it before you use them' : 'its contents before you use it';
  throw new UsageError(
    `other users can write to ${describePath(path, found)}`,
    `Remove their access: chmod go-w ${quoteForShell(path)}. Check ${contents}.`,
  );
}

/** The bits of a mode by which others than the owner may read. */
const READABLE = 0o044;

function rejectForeignOwner(path: string, found: Stats, uid: number): void {
  // Root in a container often meets files of the user outside.
  if (found.uid === uid || uid === 0) return;
  // Everybody trusts root's own files, but cannot read those that a command with sudo has left.
  if (found.uid === 0 && (found.mode & READABLE) !== 0) return;
  const chown = found.isDirectory() ? 'chown -R' : 'chown';
  throw new UsageError(
    `${describePath(path, found)} belongs to another user`,
    `Make it yours if you trust its contents: sudo ${chown} "$(id -u)" ${quoteForShell(path)}`,
  );
}

function describePath(path: string, found: Stats): string {
  return found.isDirectory() ? `the directory ${path}` : path;
}

/** Describes an error of the file system, with the name of the file. */
function fileError(file: string, verb: string, error: unknown): OrgadmError {
  return new OrgadmError('file', EXIT.usage, `cannot ${verb} ${file}: ${describeFsError(error)}`, { cause: error });
}
