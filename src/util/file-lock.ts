import { randomUUID } from 'node:crypto';
import { readdir, readFile, readlink, rm, symlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EXIT, OrgadmError } from './errors.ts';

/** Waits are random up to this: of several waiting processes, each gets its turn. */
const POLL_MS = 8;

/** How long a lock may be held by a process about which the system says nothing; many times as long as a section takes. */
const UNKNOWN_HOLDER_MS = 5_000;

/** How long to wait for a process that is known to be running. It may be suspended. */
const GIVE_UP_MS = 30_000;

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

/** One acquisition of a lock, as the lock names it: `<token> <pid> <start time> <system>`. */
interface Holder {
  /** Unique to the acquisition. */
  token: string;
  pid: number;
  /** Start time of the process in the kernel's ticks; `-` where the system has no /proc. */
  started: string;
  /** Boot id and PID namespace of the process, else the name of the machine. */
  system: string;
}

let ownSystem: Promise<string> | undefined;

/**
 * Runs a short read-modify-write of `file` while no other process runs one.
 *
 * Node offers neither flock nor fcntl, so the lock is a symbolic link `<file>.lock` whose target names the holder:
 * `symlink` creates name and content in one atomic step and fails where the name exists, on Linux and macOS alike.
 *
 * A lock left behind by a crash is removed without anybody's help:
 * - On Linux, within one PID namespace, process id and start time prove whether the holder is gone. A lock is never
 *   taken from a holder that runs, not even from a suspended one. This is sound.
 * - A holder that cannot be checked (another container or machine, an earlier boot, or a system without /proc whose
 *   process id may have been reused) keeps its lock for 5 seconds. This is sound unless that process is suspended
 *   within a section, which takes milliseconds, and continues more than 5 seconds later.
 *
 * Removing a stale lock is itself guarded by a lock that bears the token of the stale one, so that no process removes
 * the lock of a successor. What crashed processes left next to the file, `<file>.<uuid>.tmp` and such guards, is
 * removed by the next holder.
 *
 * @param file an existing directory's entry; it need not exist itself
 * @throws OrgadmError (exit 2) where a running process keeps the lock for more than 30 seconds; the error of the file
 *   system where no lock can be created
 */
export async function withFileLock<T>(file: string, section: () => Promise<T> | T): Promise<T> {
  const lock = `${file}.lock`;
  const token = await acquire(lock);
  try {
    await removeLeftovers(file, token);
    return await section();
  } finally {
    await release(lock, token);
  }
}

/** Creates the lock, waiting for its holder. Returns the token of the acquisition. */
async function acquire(lock: string): Promise<string> {
  const token = randomUUID();
  const own = `${token} ${process.pid} ${(await processState(process.pid)).started} ${await systemId()}`;
  let seen: string | undefined;
  let waited = 0;
  for (;;) {
    if (await created(lock, own)) return token;
    const target = await readLock(lock);
    if (target === undefined) continue;
    if (target !== seen) waited = 0;
    seen = target;
    const holder = parseHolder(target);
    const state = holder === undefined ? 'unknown' : await stateOf(holder);
    if (state === 'gone' || (state === 'unknown' && waited >= UNKNOWN_HOLDER_MS)) await removeStale(lock, target);
    else if (waited >= GIVE_UP_MS) throw busy(lock, holder?.pid);
    else {
      const pause = Math.ceil(Math.random() * POLL_MS);
      // Counted, not measured: time during which this process itself was suspended does not count.
      waited += pause;
      await delay(pause);
    }
  }
}

async function removeStale(lock: string, target: string): Promise<void> {
  const guard = guardOf(lock, parseHolder(target)?.token ?? 'unreadable');
  const token = await acquire(guard);
  try {
    // Only a holder of the guard may remove this lock, so it cannot be replaced between these two steps.
    if ((await readLock(lock)) === target) await rm(lock, { force: true });
  } finally {
    await release(guard, token);
  }
}

function guardOf(lock: string, token: string): string {
  return `${lock}.${token}`;
}

/** Never throws: a lock that cannot be removed is stale once this process is gone. */
async function release(lock: string, token: string): Promise<void> {
  try {
    if ((await readLock(lock))?.startsWith(`${token} `)) await rm(lock, { force: true });
  } catch {}
}

/**
 * Removes drafts and guards of processes that are gone. The holder of the lock may do so: drafts are written by holders
 * only, and whoever still waits for a guard of an earlier lock finds that lock replaced and leaves it alone.
 */
async function removeLeftovers(file: string, token: string): Promise<void> {
  const name = basename(file);
  const draft = new RegExp(`^\\.${UUID}\\.tmp$`);
  const own = basename(guardOf(`${file}.lock`, token));
  for (const entry of await readdir(dirname(file))) {
    if (!entry.startsWith(name)) continue;
    const isGuard = entry.startsWith(`${name}.lock.`) && !entry.startsWith(own);
    if (isGuard || draft.test(entry.slice(name.length))) await rm(join(dirname(file), entry), { force: true });
  }
}

async function created(lock: string, target: string): Promise<boolean> {
  try {
    await symlink(target, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** The target of a lock; undefined where there is none, '' for a file that is not a symbolic link. */
async function readLock(lock: string): Promise<string | undefined> {
  try {
    return await readlink(lock);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'EINVAL') return '';
    throw error;
  }
}

function parseHolder(target: string): Holder | undefined {
  const [, token, pid, started, system] = new RegExp(`^(${UUID}) ([1-9]\\d{0,9}) (\\S+) (\\S+)$`).exec(target) ?? [];
  if (token === undefined || started === undefined || system === undefined) return undefined;
  return { token, pid: Number(pid), started, system };
}

async function stateOf(holder: Holder): Promise<'running' | 'gone' | 'unknown'> {
  if (holder.system !== (await systemId())) return 'unknown';
  if (!isRunning(holder.pid)) return 'gone';
  const { started, ended } = await processState(holder.pid);
  if (ended) return 'gone';
  if (started === '-' || holder.started === '-') return 'unknown';
  return started === holder.started ? 'running' : 'gone';
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** State and start time (fields 3 and 22) in /proc/<pid>/stat, counted after the name, which may contain anything. */
async function processState(pid: number): Promise<{ started: string; ended: boolean }> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { started: fields[19] ?? '-', ended: fields[0] === 'Z' || fields[0] === 'X' };
  } catch {
    return { started: '-', ended: false };
  }
}

/** Identifies the set of processes among which a process id is unique. */
function systemId(): Promise<string> {
  ownSystem ??= readSystemId();
  return ownSystem;
}

async function readSystemId(): Promise<string> {
  try {
    const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
    return `${boot}/${await readlink('/proc/self/ns/pid')}`;
  } catch {
    return `host:${hostname()}`;
  }
}

function busy(lock: string, pid: number | undefined): OrgadmError {
  return new OrgadmError('in-use', EXIT.usage, `another process${pid === undefined ? '' : ` (${pid})`} holds ${lock}`, {
    hint: 'Wait until it has ended, or stop it.',
  });
}
