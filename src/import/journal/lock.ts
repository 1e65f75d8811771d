import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describeFsError, EXIT, OrgadmError, systemErrorCode, UsageError } from '../../util/errors.ts';

/*
 * A lock is a Unix socket on which its holder listens. The kernel accepts connections for as long as the holder exists, even
 * while it is suspended, and refuses them once it is gone. That holds across containers that share the directory, and after a
 * crash or a restart nobody has to remove anything.
 *
 * The lock `lock` is a directory `lock.<n>` with the socket in it, and a file that describes the holder. A process that finds the socket of the highest number dead
 * moves a directory of its own, which already has a socket, to the next number: a rename fails if that directory exists.
 * Afterwards it looks again: a process that finds a higher number, or a lower one that is alive, was too late and starts over.
 */

const SOCKET = 's';
const DESCRIPTION = 'holder.json';

/** The path of a socket has at most 103 bytes on macOS, and 107 on Linux. */
const MAX_SOCKET_PATH = 100;

/** A draft of a lock is in use for a few milliseconds. One of this age, in milliseconds, was left by a crash. */
const MAX_DRAFT_AGE_MS = 60_000;

/** Upper bound of the random pause before another attempt, in milliseconds. */
const RETRY_MS = 10;

/** Maximum length of a note, in characters. */
const MAX_NOTE = 200;

/** The description that the holder of a lock gives of itself. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** The list that it imports, for example. */
  readonly note: string;
}

export interface HeldLock {
  /** Never throws: the lock of a process that has ended is free. */
  release(): Promise<void>;
}

/** Another process holds the lock. Exit code 2. */
export class LockHeldError extends OrgadmError {
  /** Undefined if the holder has released the lock in the meantime. */
  readonly holder: LockHolder | undefined;

  constructor(path: string, holder: LockHolder | undefined) {
    const name = holder === undefined ? 'another process' : `process ${holder.pid}`;
    super('in-use', EXIT.usage, `${name} holds ${path}`, { hint: 'Wait until it ends, or stop it.' });
    this.holder = holder;
  }
}

/**
 * Acquires the lock `path` until it is released or this process ends.
 *
 * @param note what this process does, for the errors of others
 * @throws LockHeldError if another process holds it; the error of the file system if it cannot hold sockets
 */
export async function acquireLock(path: string, note: string): Promise<HeldLock> {
  const acquired = await tryAcquire(path, note);
  if (typeof acquired !== 'string') return acquired;
  throw new LockHeldError(path, await readDescription(acquired));
}

/**
 * Returns whether a process holds the lock `path`.
 *
 * @throws UsageError if the path is too long for a socket, and there is no temporary directory; the error of the file system
 */
export async function isLocked(path: string): Promise<boolean> {
  for (const number of await numbersOf(path)) if (await isListening(`${path}.${number}`)) return true;
  return false;
}

/** Returns the lock, or the directory of the lock of another process. */
async function tryAcquire(path: string, note: string): Promise<HeldLock | string> {
  for (;;) {
    const occupied = await findHolder(path);
    if (occupied !== undefined) return occupied;
    const draft = `${path}.new-${crypto.randomUUID().slice(0, 8)}`;
    await mkdir(draft, { mode: 0o700 });
    let close = async () => {};
    try {
      await writeDescription(draft, note);
      close = await listen(join(draft, SOCKET));
      const acquired = await takeNextNumber(path, draft);
      if (typeof acquired === 'number')
        return {
          async release() {
            await removeNumber(path, acquired);
            await close();
          },
        };
      await close();
      await rm(draft, { recursive: true, force: true });
      if (acquired !== undefined) return acquired;
    } catch (error) {
      await close();
      await rm(draft, { recursive: true, force: true }).catch(() => {});
      throw error;
    }
    // Two processes that were both too late must not meet again and again.
    await delay(Math.random() * RETRY_MS);
  }
}

/**
 * Moves the draft of a lock to the next number.
 *
 * @returns the number; the directory of the lock of another process; undefined if another process was faster
 */
async function takeNextNumber(path: string, draft: string): Promise<number | string | undefined> {
  const occupied = await findHolder(path);
  if (occupied !== undefined) return occupied;
  const ownNumber = Math.max(0, ...(await numbersOf(path))) + 1;
  if (!(await tryRename(draft, `${path}.${ownNumber}`))) return undefined;
  // What was read above may be old by now.
  if (await hasRival(path, ownNumber)) {
    await removeNumber(path, ownNumber);
    return undefined;
  }
  await removeLeftovers(path, ownNumber);
  return ownNumber;
}

/** Returns the directory of the process that holds the lock; undefined if there is none. */
async function findHolder(path: string): Promise<string | undefined> {
  const highest = Math.max(0, ...(await numbersOf(path)));
  const directory = `${path}.${highest}`;
  return highest > 0 && (await isListening(directory)) ? directory : undefined;
}

/** Whether another process has, or may have, the lock too: one with a higher number, or a lower one that is alive. */
async function hasRival(path: string, ownNumber: number): Promise<boolean> {
  for (const number of await numbersOf(path)) {
    if (number > ownNumber) return true;
    if (number < ownNumber && (await isListening(`${path}.${number}`))) return true;
  }
  return false;
}

/** Returns the numbers of the directories `<path>.<n>`. */
async function numbersOf(path: string): Promise<number[]> {
  const prefix = `${basename(path)}.`;
  return (await readdir(dirname(path)))
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length))
    .filter((rest) => /^[1-9]\d{0,14}$/.test(rest))
    .map(Number);
}

/** Moves a directory to a path where nothing is. Returns false if something is there. */
async function tryRename(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST'].includes(systemErrorCode(error) ?? '')) return false;
    throw error;
  }
}

/** Removes what crashed processes left: locks, and drafts of locks that are too old to be in use. Only the holder does so. */
async function removeLeftovers(path: string, ownNumber: number): Promise<void> {
  for (const number of await numbersOf(path)) if (number < ownNumber) await removeNumber(path, number);
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(`${basename(path)}.`) || !/\.(?:new|old)-[0-9a-f]{8}$/.test(name)) continue;
    const leftover = join(dirname(path), name);
    const { mtimeMs } = await stat(leftover).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (Date.now() - mtimeMs > MAX_DRAFT_AGE_MS) await rm(leftover, { recursive: true, force: true });
  }
}

/** Removes a directory in one step: another process must not move its own there while this one is being emptied. */
async function removeNumber(path: string, number: number): Promise<void> {
  const removed = `${path}.old-${crypto.randomUUID().slice(0, 8)}`;
  await rename(`${path}.${number}`, removed).catch(() => {});
  await rm(removed, { recursive: true, force: true }).catch(() => {});
}

/** Listens on a socket, which does not keep the process alive. Returns a function that closes it and its connections. */
async function listen(path: string): Promise<() => Promise<void>> {
  const connections = new Set<Socket>();
  const server = createServer((connection) => {
    connections.add(connection.unref());
    connection.on('close', () => connections.delete(connection));
    connection.on('error', () => {});
  }).unref();
  await withShortPath(path, (short) => once(server.listen(short), 'listening'));
  server.on('error', () => {});
  return async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const connection of connections) connection.destroy();
    await closed;
  };
}

/** Whether a process listens on the socket of a lock. */
async function isListening(directory: string): Promise<boolean> {
  try {
    return await withShortPath(join(directory, SOCKET), async (short) => {
      const connection = connect(short);
      await once(connection, 'connect');
      connection.on('error', () => {}).destroy();
      return true;
    });
  } catch (error) {
    // Only a process that exists has a queue of connections, which may be full.
    if (systemErrorCode(error) === 'EAGAIN') return true;
    if (['ECONNREFUSED', 'ENOENT', 'ENOTDIR', 'ENOTSOCK', 'ECONNRESET'].includes(systemErrorCode(error) ?? ''))
      return false;
    throw error;
  }
}

async function writeDescription(directory: string, note: string): Promise<void> {
  const holder: LockHolder = { pid: process.pid, host: hostname(), note: note.slice(0, MAX_NOTE) };
  // On a full disk, the lock has no description.
  await writeFile(join(directory, DESCRIPTION), JSON.stringify(holder), { mode: 0o600 }).catch(() => {});
}

async function readDescription(directory: string): Promise<LockHolder | undefined> {
  try {
    const text = await readFile(join(directory, DESCRIPTION), 'utf8');
    const { pid, host, note } = JSON.parse(text) as Partial<Record<keyof LockHolder, unknown>>;
    return { pid: Number(pid), host: String(host), note: String(note) };
  } catch {
    return undefined;
  }
}

/** Calls `use` with a path that is short enough for a socket: through a symbolic link if necessary. */
async function withShortPath<T>(path: string, use: (path: string) => Promise<T>): Promise<T> {
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH) return use(path);
  const folder = await linkTo(dirname(path));
  try {
    return await use(join(folder, 'd', basename(path)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Creates a temporary directory with a link `d` to `directory`.
 *
 * @throws UsageError if it cannot: a caller must not take a missing TMPDIR for a missing socket
 */
async function linkTo(directory: string): Promise<string> {
  try {
    const folder = await mkdtemp(join(tmpdir(), 'orgadm-'));
    await symlink(directory, join(folder, 'd'));
    return folder;
  } catch (error) {
    throw new UsageError(
      `cannot create a temporary directory in ${tmpdir()}, which the long path of ${directory} requires: ${describeFsError(error)}`,
      'Set TMPDIR to a directory that you can write to.',
    );
  }
}
