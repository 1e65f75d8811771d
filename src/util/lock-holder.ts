import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile, readlink, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** A process, described so that another process can check whether it still exists. */
export interface ProcessIdentity {
  pid: number;
  /** Start time in kernel ticks, to distinguish a later process with the same id. Empty without /proc. */
  start: string;
  /** Boot id of the kernel; empty if the system has none. */
  boot: string;
  /** PID namespace, in which `pid` is valid; empty if the system has none. */
  ns: string;
  /** Hash of host name and machine id. */
  machine: string;
  host: string;
}

/** One acquisition of a lock by a process. */
export interface LockHolder extends ProcessIdentity {
  /** Unique to the acquisition. */
  token: string;
  /** Device of the lock's directory; empty without a socket. */
  dev: string;
  /** Whether the holder listens on a socket in the lock's directory while it exists. */
  hasSocket: boolean;
  /** What the holder does, for messages. */
  note: string;
}

/** `unknown`: the process cannot be checked from here. */
export type HolderState = 'alive' | 'dead' | 'unknown';

export const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const TOKEN = new RegExp(`^${UUID}$`);

let ownIdentity: Promise<ProcessIdentity> | undefined;

/** Describes this process. */
export function describeSelf(): Promise<ProcessIdentity> {
  ownIdentity ??= readOwnIdentity();
  return ownIdentity;
}

async function readOwnIdentity(): Promise<ProcessIdentity> {
  // The machine id is confidential (machine-id(5)): only a hash of it is written.
  const id = (await firstLine('/etc/machine-id')) || (await firstLine('/var/lib/dbus/machine-id'));
  const { createHash } = process.getBuiltinModule('node:crypto');
  const machine = createHash('sha256').update(`orgadm\n${hostname()}\n${id}`).digest('hex').slice(0, 32);
  return {
    pid: process.pid,
    start: (await readProcess('self'))?.start ?? '',
    boot: await firstLine('/proc/sys/kernel/random/boot_id'),
    ns: await readlink('/proc/self/ns/pid').catch(() => ''),
    machine,
    host: hostname(),
  };
}

const NO_DETAILS = { start: '', boot: '', ns: '', machine: '', host: '', dev: '', note: '' };

/** Parses the target of a lock. Returns undefined for anything that does not describe a process. */
export function parseHolder(text: string): LockHolder | undefined {
  let fields: Partial<Record<keyof LockHolder, unknown>>;
  try {
    fields = Object(JSON.parse(text));
  } catch {
    return undefined;
  }
  const { token, pid, hasSocket } = fields;
  if (typeof token !== 'string' || !TOKEN.test(token) || !Number.isSafeInteger(pid) || Number(pid) < 1)
    return undefined;
  const details = Object.fromEntries(Object.entries(fields).filter(([, value]) => typeof value === 'string'));
  return { ...NO_DETAILS, ...details, token, pid: Number(pid), hasSocket: hasSocket === true };
}

/** Checks whether the holder of a lock in this directory still exists. */
export async function checkHolder(holder: LockHolder, directory: string): Promise<HolderState> {
  const { boot, ns, machine } = await describeSelf();
  const isSameMachine = holder.machine === machine;
  if (holder.boot !== boot) {
    // A process does not survive a reboot. Another boot id proves that only on the same machine.
    return isSameMachine && holder.boot !== '' && boot !== '' ? 'dead' : 'unknown';
  }
  if (boot === '' && !isSameMachine) return 'unknown';
  if (holder.ns === ns) {
    const state = await checkProcess(holder);
    if (state !== 'unknown') return state;
  }
  // The kernel is the same. Over another mount of the directory it would not find the holder's socket.
  if (!holder.hasSocket || holder.dev !== (await deviceOf(directory))) return 'unknown';
  return canConnect(directory, holder.token);
}

/** Checks a process of this PID namespace. */
async function checkProcess({ pid, start }: LockHolder): Promise<HolderState> {
  if (!isRunning(pid)) return 'dead';
  // In a new PID namespace /proc may still be that of the old one, with other ids.
  const isOurProc = (await readlink('/proc/self').catch(() => '')) === String(process.pid);
  const found = isOurProc ? await readProcess(String(pid)) : undefined;
  if (found === undefined || found.start === '' || start === '') return isRunning(pid) ? 'unknown' : 'dead';
  return found.start === start && !found.hasEnded ? 'alive' : 'dead';
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Reads state and start time (fields 3 and 22) of /proc/<pid>/stat, counted after the name, which may contain anything. */
async function readProcess(pid: string): Promise<{ start: string; hasEnded: boolean } | undefined> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    // A zombie is still in the process table, but has ended.
    return { start: fields[19] ?? '', hasEnded: fields[0] === 'Z' || fields[0] === 'X' };
  } catch {
    return undefined;
  }
}

async function firstLine(path: string): Promise<string> {
  return (await readFile(path, 'utf8').catch(() => '')).trim();
}

/** Returns the device of a directory, as text. */
export async function deviceOf(directory: string): Promise<string> {
  return String((await stat(directory, { bigint: true })).dev);
}

function socketName(token: string): string {
  return `.lock-${token}.sock`;
}

/**
 * Opens a socket in a lock's directory that accepts connections as long as this process exists, also while it is stopped
 * or busy, because the kernel accepts them. When the process has ended, the kernel rejects them.
 *
 * @returns a function that closes the socket; undefined if the file system or the platform has no such sockets
 */
export async function openLockSocket(directory: string, token: string): Promise<(() => Promise<void>) | undefined> {
  // Loaded on use: short locks need no socket, and commands that use them should start fast.
  const { createServer } = await import('node:net');
  const access = openDirectory(directory);
  const server = createServer((connection) => connection.destroy()).unref();
  try {
    await once(server.listen(join(access.path, socketName(token))), 'listening');
  } catch {
    access.close();
    return undefined;
  }
  server.on('error', () => {});
  return async () => {
    await new Promise((resolve) => server.close(resolve));
    access.close();
  };
}

async function canConnect(directory: string, token: string): Promise<HolderState> {
  const { connect } = await import('node:net');
  const access = openDirectory(directory);
  try {
    const connection = connect(join(access.path, socketName(token)));
    await once(connection, 'connect');
    connection.destroy();
    return 'alive';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Only a process that exists can have a full queue of connections.
    return code === 'ECONNREFUSED' ? 'dead' : code === 'EAGAIN' ? 'alive' : 'unknown';
  } finally {
    access.close();
  }
}

/** Removes the socket of a holder that is gone. */
export async function removeSocket(directory: string, { token, hasSocket }: LockHolder): Promise<void> {
  if (hasSocket) await rm(join(directory, socketName(token)), { force: true }).catch(() => {});
}

/** Returns a short path of a directory: the path of a socket has at most 107 bytes. */
function openDirectory(directory: string): { path: string; close(): void } {
  if (process.platform !== 'linux') return { path: directory, close: () => {} };
  const descriptor = openSync(directory, 'r');
  return { path: `/proc/self/fd/${descriptor}`, close: () => closeSync(descriptor) };
}
