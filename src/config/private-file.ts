import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { quoteForShell } from '../output/sanitize.ts';
import { describeFsError, EXIT, OrgadmError, systemErrorCode, UsageError } from '../util/errors.ts';
import { makePrivateDirectory, replaceFile } from '../util/files.ts';

/** Whether other users can read, write or execute a file. */
function isOpenToOthers({ mode }: Pick<Stats, 'mode'>): boolean {
  return (mode & 0o077) !== 0;
}

/** Whether other users can change a file, or the names in a directory. */
function isWritableByOthers({ mode }: Pick<Stats, 'mode'>): boolean {
  return (mode & 0o022) !== 0;
}

/**
 * Reads a file of the configuration directory. Other users must not be able to change it, and a file that holds secrets must
 * be closed to them.
 *
 * @param uid the user's number; undefined on systems without owners and modes
 * @returns the text, or undefined if there is no such file
 * @throws UsageError, with the command that fixes it, for a file or directory that is open to others, and for a symbolic link
 *   to secrets
 */
export function readConfigFile(
  file: string,
  uid: number | undefined,
  { isSecret }: { isSecret: boolean },
): string | undefined {
  const descriptor = openConfigFile(file, isSecret);
  if (descriptor === undefined) return undefined;
  try {
    // Stats the open descriptor, not the path (TOCTOU).
    const found = fstatSync(descriptor);
    if (!found.isFile()) throw new UsageError(`${file} is not a regular file`);
    if (uid !== undefined) {
      rejectForeignOwner(file, found, uid);
      if (isSecret) rejectOpenFile(file, found);
      else rejectWritable(file, found);
    }
    rejectSharedDirectory(dirname(file), uid, CONFIG_VARIABLE);
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

function openConfigFile(file: string, isSecret: boolean): number | undefined {
  try {
    // Opening a named pipe would otherwise wait for a writer.
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | (isSecret ? constants.O_NOFOLLOW : 0));
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw code === 'ELOOP'
      ? new UsageError(
          `${file} is a symbolic link`,
          `Replace it with the file itself: cp --remove-destination "$(readlink -f ${quoteForShell(file)})" ${quoteForShell(file)}`,
        )
      : configFileError(file, 'read', error);
  }
}

/**
 * Creates the directory of a file that holds secrets (0700) if it is missing.
 *
 * @throws UsageError, with the command that fixes it, if other users can write to the directory
 */
export async function ensurePrivateDirectory(directory: string, uid: number | undefined): Promise<void> {
  try {
    await makePrivateDirectory(directory);
  } catch (error) {
    throw configFileError(directory, 'create', error);
  }
  rejectSharedDirectory(directory, uid, CONFIG_VARIABLE);
}

/** Names the directory of profiles and keys. */
export const CONFIG_VARIABLE = 'ORGADM_CONFIG_DIR';

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
  if (isWritableByOthers(found) && (found.uid !== uid || (found.mode & STICKY) !== 0)) {
    throw new UsageError(
      `other users can write to the directory ${directory}`,
      `Use a directory that only you can write to, such as one in it that you create: ${variable}=${quoteForShell(join(directory, 'orgadm'))}`,
    );
  }
  rejectWritable(directory, found);
}

/** The mode of a directory in which only the owner of a file may remove it. */
const STICKY = 0o1000;

function statDirectory(path: string): Stats | undefined {
  try {
    const found = statSync(path);
    return found.isDirectory() ? found : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Runs a read-modify-write of a file while no other process runs one (see `withFileLock`).
 *
 * @throws OrgadmError (exit 2) if the lock cannot be created, in addition to what `section` throws
 */
export async function changeFile<T>(file: string, section: () => Promise<T>): Promise<T> {
  // Most commands change no file, and loading sockets takes 3% of the time of `orgadm --version`.
  const { withFileLock } = await import('../util/file-lock.ts');
  return withFileLock(file, section, (error) =>
    error instanceof OrgadmError ? error : configFileError(file, 'lock', error),
  );
}

/**
 * Replaces a file of the configuration directory, or creates it, with mode 0600. A reader finds the old text or the new
 * one, also after a power failure.
 *
 * @throws OrgadmError (exit 2) if it cannot be written; the old text is then still there
 */
export function writeConfigDocument(file: string, profiles: ReadonlyMap<string, unknown>): void {
  const text = JSON.stringify({ profiles: Object.fromEntries(profiles) }, null, 2);
  try {
    replaceFile(file, `${text}\n`, { durable: true });
  } catch (error) {
    throw configFileError(file, 'write', error);
  }
}

/** Describes an error of the file system, with the name of the file. */
function configFileError(file: string, verb: string, error: unknown): OrgadmError {
  return new OrgadmError('file', EXIT.usage, `cannot ${verb} ${file}: ${describeFsError(error)}`, {
    cause: error,
  });
}

function rejectOpenFile(file: string, found: Stats): void {
  if (!isOpenToOthers(found)) return;
  const mode = (found.mode & 0o777).toString(8).padStart(3, '0');
  throw new UsageError(
    `other users can access ${file} (mode ${mode})`,
    `Remove their access: chmod 600 ${quoteForShell(file)}. If they may have read the key, replace it.`,
  );
}

function rejectWritable(path: string, found: Stats): void {
  if (!isWritableByOthers(found)) return;
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
