import { createHash } from 'node:crypto';
import { readFile, readlink, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { canConnect } from './lock-socket.ts';

/** What the lock must know of the machine's processes. */
export interface Processes {
  /** Of this process. */
  readonly pid: number;
  /** Whether a process with this id exists in our PID namespace. */
  isRunning(pid: number): boolean;
}

/** The process that holds a lock, described so that another process can check whether it still exists. */
export interface Holder {
  pid: number;
  /** When the process started, in the kernel's ticks: tells it from a later process with the same id. */
  start: string;
  /** Boot id of the kernel; empty where the system has none. */
  boot: string;
  /** PID namespace, in which `pid` is valid; empty where the system has none. */
  ns: string;
  /** Hash of host name and machine id. */
  machine: string;
  host: string;
  /** Device of the lock's directory. */
  dev: string;
  /** Socket in the lock's directory on which the holder listens as long as it exists; empty without one. */
  socket: string;
  /** What it does, for messages. */
  note: string;
}

/** Describes this process, without its socket and note. */
export async function describeSelf(directory: string, { pid }: Processes): Promise<Omit<Holder, 'socket' | 'note'>> {
  const life = (await procShowsOurNamespace(pid)) ? await processLife(String(pid)) : await processLife('self');
  return {
    pid,
    start: life?.start ?? '',
    boot: await firstLine('/proc/sys/kernel/random/boot_id'),
    ns: await readlink('/proc/self/ns/pid').catch(() => ''),
    machine: await machineHash(),
    host: hostname(),
    dev: String((await stat(directory, { bigint: true })).dev),
  };
}

/** Parses the content of a lock. Returns undefined for a released lock and for content that names no process. */
export function parseHolder(text: string): Holder | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const fields: Partial<Record<string, unknown>> = { ...value };
  const { pid } = fields;
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid < 1) return undefined;
  if (typeof fields.start !== 'string' || typeof fields.boot !== 'string') return undefined;
  const string = (name: string) => {
    const field = fields[name];
    return typeof field === 'string' ? field : '';
  };
  return {
    pid,
    start: fields.start,
    boot: fields.boot,
    ns: string('ns'),
    machine: string('machine'),
    host: string('host'),
    dev: string('dev'),
    socket: string('socket'),
    note: string('note'),
  };
}

/**
 * Checks whether the holder of a lock still exists.
 *
 * @returns `unknown` for a process that cannot be checked from here: on another machine, or in another PID namespace
 *   without a socket that both can reach
 */
export async function checkHolder(
  holder: Holder,
  directory: string,
  processes: Processes,
): Promise<'alive' | 'dead' | 'unknown'> {
  const self = await describeSelf(directory, processes);
  const isSameMachine = holder.machine === self.machine;
  if (holder.boot !== self.boot) {
    // A process does not outlive the boot that it was started in. Whether it was this machine's boot has to be proven.
    return isSameMachine && holder.boot !== '' && self.boot !== '' ? 'dead' : 'unknown';
  }
  if (self.boot === '' && !isSameMachine) return 'unknown';
  if (holder.ns === self.ns) return (await isAlive(holder, processes)) ? 'alive' : 'dead';
  // The kernel is the same. Over another mount of the directory the kernel would not find the holder's socket.
  if (holder.socket === '' || holder.dev !== self.dev) return 'unknown';
  return canConnect(directory, holder.socket);
}

async function isAlive(holder: Holder, processes: Processes): Promise<boolean> {
  if (!processes.isRunning(holder.pid)) return false;
  if (!(await procShowsOurNamespace(processes.pid))) return true;
  const life = await processLife(String(holder.pid));
  // Hidden from us, it may be the holder.
  if (life === undefined) return processes.isRunning(holder.pid);
  return life.start === holder.start && !life.ended;
}

/** In a new PID namespace /proc may still be that of the old one, with other ids. */
async function procShowsOurNamespace(pid: number): Promise<boolean> {
  return (await readlink('/proc/self').catch(() => '')) === String(pid);
}

/** Reads state and start time (fields 3 and 22) of /proc/<pid>/stat, counted after the name, which may contain anything. */
async function processLife(pid: string): Promise<{ start: string; ended: boolean } | undefined> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    // A zombie is still in the table of processes, but does nothing any more.
    return { start: fields[19] ?? '', ended: fields[0] === 'Z' || fields[0] === 'X' };
  } catch {
    return undefined;
  }
}

/** The machine id is confidential (machine-id(5)): only a hash of it is written. */
async function machineHash(): Promise<string> {
  const id = (await firstLine('/etc/machine-id')) || (await firstLine('/var/lib/dbus/machine-id'));
  return createHash('sha256').update(`orgadm\n${hostname()}\n${id}`).digest('hex').slice(0, 32);
}

async function firstLine(path: string): Promise<string> {
  return readFile(path, 'utf8').then(
    (text) => text.trim(),
    () => '',
  );
}
