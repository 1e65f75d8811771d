import { readdir, readlink, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EXIT, OrgadmError } from './errors.ts';
import {
  checkHolder,
  describeSelf,
  deviceOf,
  type HolderState,
  type LockHolder,
  openLockSocket,
  parseHolder,
  removeSocket,
  UUID,
} from './lock-holder.ts';

/*
 * Node offers neither flock nor fcntl, so a lock is a symbolic link whose target describes its holder: `symlink` creates
 * name and content in one atomic step and fails if the name exists, on Linux and macOS alike.
 *
 * A lock whose holder is gone is removed by the next process that wants it. That removal is itself guarded by a lock, whose
 * name has the token of the stale one, so that no process removes the lock of a successor.
 */

/** Upper bound of the random pause between attempts, in milliseconds. Randomness keeps one process from starving others. */
const POLL_MS = 8;

/** Maximum length of a note in characters: on macOS a link has at most 1,023 bytes. */
const MAX_NOTE = 120;

interface LockOptions {
  /** How long to wait for a holder that exists, in milliseconds. */
  giveUpMs: number;
  /** After how long the lock of a holder that cannot be checked is removed, in milliseconds. */
  unknownMs: number;
  /** Whether to listen on a socket, by which processes of other containers can check this one. */
  hasSocket: boolean;
  note: string;
}

/** For sections that take milliseconds. The limits are much longer, because a holder may be suspended. */
const SHORT: LockOptions = { giveUpMs: 30_000, unknownMs: 5_000, hasSocket: false, note: '' };

/** For locks that are held for hours: never removed while their holder may exist. */
const LONG: LockOptions = { giveUpMs: 0, unknownMs: Number.POSITIVE_INFINITY, hasSocket: true, note: '' };

export interface HeldLock {
  /** Never throws: a lock that cannot be removed is stale once this process is gone. */
  release(): Promise<void>;
}

/** The lock is held by another process. Exit code 2. */
export class LockHeldError extends OrgadmError {
  /** Undefined for a lock that does not describe a process. */
  readonly holder: LockHolder | undefined;
  readonly path: string;
  /** Whether the holder is known to exist; else it cannot be checked from here. */
  readonly isVerified: boolean;

  constructor(holder: LockHolder | undefined, path: string, isVerified: boolean) {
    super('in-use', EXIT.usage, `another process${holder === undefined ? '' : ` (${holder.pid})`} holds ${path}`, {
      hint: 'Wait until it ends, or stop it.',
    });
    this.holder = holder;
    this.path = path;
    this.isVerified = isVerified;
  }
}

/**
 * Runs a short read-modify-write of `file` exclusively across processes. The lock is `<file>.lock`.
 *
 * A lock that a crash left behind is removed at once if the holder is proven to be gone, and after 5 seconds if it
 * cannot be checked (another container or machine, or a system without /proc whose process id may have been reused). The
 * latter is sound unless that process is suspended within a section, and continues more than 5 seconds later. Drafts of
 * crashed processes, `<file>.<uuid>.tmp`, are removed by the next holder.
 *
 * @param file an existing directory's entry; it need not exist itself
 * @param describeError converts an error of the lock, but none of `section`, into the one that is thrown
 * @throws LockHeldError if a process keeps the lock for more than 30 seconds; the error of the file system if no
 *   lock can be created
 */
export async function withFileLock<T>(
  file: string,
  section: () => Promise<T> | T,
  describeError: (error: unknown) => unknown = (error) => error,
): Promise<T> {
  const rethrow = (error: unknown) => {
    throw describeError(error);
  };
  const lock = await acquire(`${file}.lock`, SHORT).catch(rethrow);
  try {
    await removeLeftovers(file, new RegExp(`^\\.${UUID}\\.tmp$`)).catch(rethrow);
    return await section();
  } finally {
    await lock.release();
  }
}

/**
 * Acquires the lock `path` until it is released or this process ends. A lock whose holder is proven to be gone is
 * replaced, also one in another PID namespace. A lock whose holder cannot be checked never is.
 *
 * @param note what this process does, for the messages of others
 * @throws LockHeldError
 */
export function acquireLock(path: string, note: string): Promise<HeldLock> {
  return acquire(path, { ...LONG, note: Array.from(note).slice(0, MAX_NOTE).join('') });
}

/** A lock as it was when it was read. */
export interface InspectedLock {
  path: string;
  /** Target of the link. */
  target: string;
  /** Undefined for a lock that does not describe a process. */
  holder: LockHolder | undefined;
  /** Whether the process that holds it still exists; `unknown` if that cannot be checked from here. */
  state: HolderState;
}

/** Reads a lock without acquiring it. Returns undefined if it is not held. */
export async function inspectLock(path: string): Promise<InspectedLock | undefined> {
  const target = await readLink(path);
  if (target === undefined) return undefined;
  const holder = parseHolder(target);
  return { path, target, holder, state: holder === undefined ? 'unknown' : await checkHolder(holder, dirname(path)) };
}

async function acquire(path: string, options: LockOptions): Promise<HeldLock> {
  const directory = dirname(path);
  const token = crypto.randomUUID();
  const closeSocket = options.hasSocket ? await openLockSocket(directory, token) : undefined;
  try {
    const holder: LockHolder = {
      token,
      ...(await describeSelf()),
      dev: closeSocket === undefined ? '' : await deviceOf(directory),
      hasSocket: closeSocket !== undefined,
      note: options.note,
    };
    const target = JSON.stringify(holder);
    await createLink(path, target, options);
    await removeGuards(path, token);
    return {
      release: async () => {
        await removeLink(path, target).catch(() => {});
        await closeSocket?.();
      },
    };
  } catch (error) {
    await closeSocket?.();
    throw error;
  }
}

/** Creates the link as soon as no other process holds the lock. */
async function createLink(path: string, target: string, options: LockOptions): Promise<void> {
  let seen: string | undefined;
  let waited = 0;
  for (;;) {
    if (await tryCreate(path, target)) return;
    const found = await inspectLock(path);
    if (found === undefined) continue;
    const { target: foundTarget, holder, state } = found;
    if (foundTarget !== seen) waited = 0;
    seen = foundTarget;
    if (state === 'dead' || (state === 'unknown' && waited >= options.unknownMs)) {
      await removeStale(found, options);
    } else if (waited >= options.giveUpMs) {
      // It may have been released while its holder was checked.
      if ((await readLink(path)) === foundTarget) throw new LockHeldError(holder, path, state === 'alive');
    } else {
      const pause = Math.ceil(Math.random() * POLL_MS);
      // Counted, not measured: time during which this process itself was suspended does not count.
      waited += pause;
      await delay(pause);
    }
  }
}

async function removeStale({ path, target, holder }: InspectedLock, options: LockOptions): Promise<void> {
  const guard = await acquire(`${path}.${holder?.token ?? 'unreadable'}`, { ...options, giveUpMs: SHORT.giveUpMs });
  try {
    // Only a holder of the guard may remove this lock, so it cannot be replaced in between.
    await removeLink(path, target);
    if (holder !== undefined) await removeSocket(dirname(path), holder);
  } finally {
    await guard.release();
  }
}

/**
 * Removes the guards that crashed processes left. The holder of the lock may do so: a process that still waits for a guard
 * of an earlier lock finds that lock replaced, and leaves it alone.
 */
async function removeGuards(path: string, token: string): Promise<void> {
  await removeLeftovers(path, new RegExp(`^\\.(?!${token})(${UUID}|unreadable)`));
}

/** Removes the files next to `path` whose names are its own and such a suffix. */
async function removeLeftovers(path: string, suffix: RegExp): Promise<void> {
  const [directory, prefix] = [dirname(path), basename(path)];
  const names = (await readdir(directory)).filter((name) => name.startsWith(prefix));
  for (const name of names) {
    if (suffix.test(name.slice(prefix.length))) await rm(join(directory, name), { force: true });
  }
}

async function tryCreate(path: string, target: string): Promise<boolean> {
  try {
    await symlink(target, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes a link if it still has this target. */
async function removeLink(path: string, target: string): Promise<void> {
  if ((await readLink(path)) === target) await rm(path, { force: true });
}

/** Returns the target of a link; undefined if there is none, '' for a file that is not a symbolic link. */
async function readLink(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'EINVAL') return '';
    throw error;
  }
}
