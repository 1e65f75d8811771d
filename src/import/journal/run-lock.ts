import { randomUUID } from 'node:crypto';
import { link, readdir, readFile, rm, truncate, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkHolder, describeSelf, type Holder, type Processes, parseHolder } from './lock-holder.ts';
import { openLockSocket, removeSocket } from './lock-socket.ts';

export type { Holder, Processes } from './lock-holder.ts';

const LOCK_NAME = /^lock\.(\d{1,15})$/;

export interface RunLock {
  /** Never throws: a lock that cannot be released is taken over once this process is gone. */
  release(): Promise<void>;
}

/** The lock is held by a process that exists, or by one that cannot be checked from here. */
export class LockHeldError extends Error {
  readonly holder: Holder;
  readonly path: string;
  readonly isVerified: boolean;

  constructor(holder: Holder, path: string, isVerified: boolean) {
    super(`${path} is held by process ${holder.pid}`);
    this.holder = holder;
    this.path = path;
    this.isVerified = isVerified;
  }
}

/**
 * Takes the lock of a directory. A lock whose holder is proven to be gone is taken over; a lock whose holder cannot be
 * checked never is.
 *
 * Locks are files `lock.<n>`; the highest one counts, and only the holder of a higher one removes the lower ones. So two
 * processes that find the same stale lock compete for the same next name, which the file system gives to one of them.
 *
 * @param note what this process does, for the messages of others
 * @throws LockHeldError
 */
export async function acquireRunLock(directory: string, processes: Processes, note = ''): Promise<RunLock> {
  const temporary = join(directory, `.lock-${randomUUID()}`);
  const socket = await openLockSocket(directory);
  try {
    const self: Holder = { ...(await describeSelf(directory, processes)), socket: socket.name, note };
    await writeFile(temporary, JSON.stringify(self), { mode: 0o600 });
    const lockPath = await takeNext(directory, temporary, processes);
    // Emptied, not removed: the highest number must never fall.
    return { release: () => truncate(lockPath).then(socket.close, socket.close) };
  } catch (error) {
    await socket.close();
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** The lock of a directory, as it was when it was read. */
export interface InspectedLock {
  path: string;
  holder: Holder;
  /** Whether the process that holds it still exists; `unknown` if that cannot be checked from here. */
  state: 'alive' | 'dead' | 'unknown';
}

/** Reads the lock of a directory without taking it. Returns undefined if nobody holds it. */
export async function inspectRunLock(directory: string, processes: Processes): Promise<InspectedLock | undefined> {
  const highest = await highestLock(directory);
  const path = join(directory, `lock.${highest}`);
  const holder = highest > 0 ? await readHolder(path) : undefined;
  return holder && { path, holder, state: await checkHolder(holder, directory, processes) };
}

/** Links the file `own` to the next free name. Returns its path. */
async function takeNext(directory: string, temporary: string, processes: Processes): Promise<string> {
  for (;;) {
    const highest = await highestLock(directory);
    const last = join(directory, `lock.${highest}`);
    const holder = highest > 0 ? await readHolder(last) : undefined;
    if (holder !== undefined) {
      const state = await checkHolder(holder, directory, processes);
      if (state !== 'dead') throw new LockHeldError(holder, last, state === 'alive');
    }
    const next = join(directory, `lock.${highest + 1}`);
    if (!(await tryLink(temporary, next))) continue;
    // The holder of a higher one may have removed ours in the meantime.
    if ((await highestLock(directory)) !== highest + 1) {
      await rm(next, { force: true });
      continue;
    }
    for (let lower = highest; lower > 0 && (await removed(join(directory, `lock.${lower}`))); lower--);
    if (holder !== undefined) await removeSocket(directory, holder.socket);
    return next;
  }
}

async function highestLock(directory: string): Promise<number> {
  const names = await readdir(directory);
  return Math.max(0, ...names.map((name) => Number(LOCK_NAME.exec(name)?.[1] ?? 0)));
}

/** Returns the holder that a lock names, or undefined for a released lock and for one that has just been removed. */
async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    return parseHolder(await readFile(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A hard link appears with its content, at once, and only if the name is free. */
async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function removed(path: string): Promise<boolean> {
  try {
    await unlink(path);
    return true;
  } catch {
    return false;
  }
}
