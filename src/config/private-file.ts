import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { quoteForShell } from '../output/sanitize.ts';
import { describeFsError, EXIT, OrgadmError, UsageError } from '../util/errors.ts';
import { withFileLock } from '../util/file-lock.ts';
import { MAX_CONFIG_BYTES, makePrivateDirectory, readFileUpTo, replaceFile } from '../util/files.ts';
import type { Host } from '../util/host.ts';

/** Whether other users can read, write or execute a file. */
export function isOpenToOthers({ mode }: Pick<Stats, 'mode'>): boolean {
  return (mode & 0o077) !== 0;
}

/** Whether other users can change a file, or the names in a directory. */
export function isWritableByOthers({ mode }: Pick<Stats, 'mode'>): boolean {
  return (mode & 0o022) !== 0;
}

/**
 * Reads a file that holds secrets.
 *
 * @param uid the user's number; undefined on systems without owners and modes
 * @returns the text, or undefined if there is no such file
 * @throws UsageError, with the command that fixes it, for a symbolic link, another owner, or a mode that grants access to others
 */
export function readPrivateFile(file: string, uid: number | undefined): string | undefined {
  const descriptor = openPrivateFile(file);
  if (descriptor === undefined) return undefined;
  try {
    // Stats the open descriptor, not the path (TOCTOU).
    if (uid !== undefined) rejectAccessByOthers(file, fstatSync(descriptor), uid);
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

function openPrivateFile(file: string): number | undefined {
  try {
    // Opening a named pipe would otherwise wait for a writer.
    return openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw codeOf(error) === 'ELOOP'
      ? new UsageError(
          `${file} is a symbolic link`,
          `Replace it with the file itself: cp --remove-destination "$(readlink -f ${quoteForShell(file)})" ${quoteForShell(file)}`,
        )
      : configFileError(file, 'read', error);
  }
}

/**
 * Reads a file that other users must not be able to change; they may read it, and it may be a symbolic link.
 *
 * @returns the text, or undefined if there is no such file
 * @throws UsageError, with the command that fixes it, if other users can write to the file or to its directory
 */
export async function readOwnFile(file: string, uid: number | undefined): Promise<string | undefined> {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    if (found.isFIFO()) throw notRegular(file);
    if (uid !== undefined) rejectShared(file, found, uid);
    rejectSharedDirectory(dirname(file), uid);
    return (await readFileUpTo(file, MAX_CONFIG_BYTES)).toString('utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error instanceof OrgadmError ? error : configFileError(file, 'read', error);
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
  rejectSharedDirectory(directory, uid);
}

/**
 * Rejects a directory in which other users could replace a file.
 *
 * @param uid the user's number; undefined on systems without modes
 * @throws UsageError with the command that fixes it
 */
export function rejectSharedDirectory(directory: string, uid: number | undefined): void {
  if (uid !== undefined) rejectShared(directory, statSync(directory), uid);
}

/**
 * Runs a read-modify-write of a file while no other process runs one (see `withFileLock`).
 *
 * @throws OrgadmError (exit 2) if the lock cannot be created, in addition to what `section` throws
 */
export async function changeFile<T>(file: string, section: () => Promise<T>): Promise<T> {
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
export function configFileError(file: string, verb: string, error: unknown): OrgadmError {
  return new OrgadmError('file', EXIT.usage, `cannot ${verb} ${file}: ${describeFsError(error)}`, {
    cause: error,
  });
}

function rejectAccessByOthers(file: string, found: Stats, uid: number): void {
  if (!found.isFile()) throw notRegular(file);
  if (found.uid !== uid) throw foreignOwner(file);
  if (isOpenToOthers(found)) {
    const mode = (found.mode & 0o777).toString(8).padStart(3, '0');
    throw new UsageError(
      `other users can access ${file} (mode ${mode})`,
      `Remove their access: chmod 600 ${quoteForShell(file)}. If they may have read the key, replace it.`,
    );
  }
}

function rejectShared(path: string, found: Stats, uid: number): void {
  const name = found.isDirectory() ? `the directory ${path}` : path;
  // Root's own files are trusted by everybody; root in a container often meets files of the user outside.
  if (uid !== 0 && found.uid !== uid && found.uid !== 0) throw foreignOwner(path, name);
  if (isWritableByOthers(found)) {
    const contents = found.isDirectory() ? 'the files in it before you use them' : 'its contents before you use it';
    throw new UsageError(
      `other users can write to ${name}`,
      `Remove their access: chmod go-w ${quoteForShell(path)}. Check ${contents}.`,
    );
  }
}

function notRegular(file: string): UsageError {
  return new UsageError(`${file} is not a regular file`);
}

function foreignOwner(path: string, name = path): UsageError {
  return new UsageError(
    `${name} belongs to another user`,
    `Make it yours if you trust its contents: sudo chown "$(id -u)" ${quoteForShell(path)}`,
  );
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** Returns the directory of profiles and keys: `ORGADM_CONFIG_DIR`, else the XDG config directory. Never created here. */
export function configDirectory(host: Pick<Host, 'env' | 'home'>): string {
  return resolveDirectory(host, 'ORGADM_CONFIG_DIR', 'XDG_CONFIG_HOME', '.config');
}

/** Returns the directory of journals and the sandbox's state: `ORGADM_STATE_DIR`, else the XDG state directory. */
export function stateDirectory(host: Pick<Host, 'env' | 'home'>): string {
  return resolveDirectory(host, 'ORGADM_STATE_DIR', 'XDG_STATE_HOME', join('.local', 'state'));
}

function resolveDirectory(
  { env, home }: Pick<Host, 'env' | 'home'>,
  variable: string,
  xdg: string,
  fallback: string,
): string {
  if (env[variable]) return env[variable];
  // The XDG specification: a relative path in these variables is invalid and must be ignored.
  if (isAbsolute(env[xdg] ?? '')) return join(env[xdg] ?? '', 'orgadm');
  // Otherwise, files in the current directory would be read without being named by the user.
  if (!isAbsolute(home)) {
    throw new UsageError('HOME is not an absolute path', `Set HOME, or ${variable} to a directory that you own.`);
  }
  return join(home, fallback, 'orgadm');
}
