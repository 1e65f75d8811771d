import { randomUUID } from 'node:crypto';
import { link, readdir, readFile, rm, truncate, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../../errors.ts';

const LOCK_NAME = /^lock\.(\d+)$/;

/** A process, told apart from another of the same number that comes after it. */
interface Holder {
  pid: number;
  /** When the process started, in the kernel's ticks; empty where the system does not tell. */
  start: string;
  /** This run of the machine; empty where the system does not tell. */
  boot: string;
}

export interface Lock {
  /** Never throws: a lock that cannot be given back is taken over once this process is gone. */
  release(): Promise<void>;
}

/** What the lock must know of the machine's processes. */
export interface Processes {
  /** Of this process. */
  readonly pid: number;
  /** Whether a process of this number is there. */
  isRunning(pid: number): boolean;
}

/**
 * Takes the lock of a journal's folder. A lock whose holder is gone is taken over: it never needs a person.
 *
 * Locks are files `lock.<n>`; the highest one counts, and only who holds a higher one removes the lower ones. So two
 * processes that find the same stale lock compete for the same next name, which the file system gives to one of them.
 *
 * @throws UsageError naming the process that holds it
 */
export async function takeLock(folder: string, processes: Processes): Promise<Lock> {
  const own = join(folder, `.lock-${randomUUID()}`);
  try {
    await writeFile(own, JSON.stringify(await describe(processes.pid)), { mode: 0o600 });
    for (;;) {
      const highest = await highestLock(folder);
      if (highest > 0) {
        const holder = await readHolder(join(folder, `lock.${highest}`));
        if (holder !== undefined && (await isAlive(holder, processes))) throw inUse(holder.pid);
      }
      const taken = join(folder, `lock.${highest + 1}`);
      if (!(await tryLink(own, taken))) continue;
      // Somebody who holds a higher one may have removed ours while we were looking.
      if ((await highestLock(folder)) !== highest + 1) {
        await rm(taken, { force: true });
        continue;
      }
      for (let lower = highest; lower > 0 && (await removed(join(folder, `lock.${lower}`))); lower--);
      // Emptied, not removed: the highest number must never fall.
      return { release: () => truncate(taken).catch(() => undefined) };
    }
  } finally {
    await rm(own, { force: true });
  }
}

function inUse(pid: number): UsageError {
  return new UsageError(
    `another process (${pid}) is at work on this list`,
    'Wait until it has ended, or stop it; nothing was sent by this one.',
    'in-use',
  );
}

async function highestLock(folder: string): Promise<number> {
  const names = await readdir(folder);
  return Math.max(0, ...names.map((name) => Number(LOCK_NAME.exec(name)?.[1] ?? 0)));
}

/** The holder that a lock names; undefined for a released one and for one that is gone meanwhile. */
async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}

/** A hard link appears with its content, at once, and only where the name is free. */
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

async function describe(pid: number): Promise<Holder> {
  return { pid, start: (await lifeOf(pid)).start, boot: await bootId() };
}

async function isAlive(holder: Holder, processes: Processes): Promise<boolean> {
  if (holder.boot !== (await bootId()) || !processes.isRunning(holder.pid)) return false;
  const { start, ended } = await lifeOf(holder.pid);
  return start === holder.start && !ended;
}

/** State and start (fields 3 and 22) in /proc/<pid>/stat, counted after the name, which may hold anything. */
async function lifeOf(pid: number): Promise<{ start: string; ended: boolean }> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A process that nobody has collected yet is still in the table, but does nothing any more.
    return { start: fields[19] ?? '', ended: fields[0] === 'Z' || fields[0] === 'X' };
  } catch {
    return { start: '', ended: false };
  }
}

async function bootId(): Promise<string> {
  try {
    return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  } catch {
    return '';
  }
}
