import { randomUUID } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { platform } from 'node:os';
import { join } from 'node:path';

const SOCKET_NAME = /^\.lock-[0-9a-f-]{36}\.sock$/;

/**
 * A socket in a lock's directory that accepts connections as long as this process exists, also while it is stopped or
 * busy, for the kernel accepts them. When the process ends, the kernel refuses them.
 */
export interface LockSocket {
  /** Empty where the file system or the platform has no such sockets. */
  readonly name: string;
  close(): Promise<void>;
}

export async function openLockSocket(directory: string): Promise<LockSocket> {
  const name = `.lock-${randomUUID()}.sock`;
  const access = openDirectory(directory);
  const server = createServer((connection) => connection.destroy()).unref();
  try {
    await listen(server, join(access.path, name));
  } catch {
    access.close();
    return { name: '', close: async () => {} };
  }
  return {
    name,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          access.close();
          resolve();
        });
      }),
  };
}

/** Checks whether the process that listens on this socket exists. Both must run under the same kernel. */
export async function canConnect(directory: string, name: string): Promise<'alive' | 'dead' | 'unknown'> {
  if (!SOCKET_NAME.test(name)) return 'unknown';
  const access = openDirectory(directory);
  try {
    return await new Promise((resolve) => {
      const connection = connect(join(access.path, name));
      connection.on('connect', () => {
        resolve('alive');
        connection.destroy();
      });
      connection.on('error', ({ code }: NodeJS.ErrnoException) => {
        // A full queue of connections is one that a living process has.
        resolve(code === 'ECONNREFUSED' ? 'dead' : code === 'EAGAIN' ? 'alive' : 'unknown');
      });
    });
  } finally {
    access.close();
  }
}

/** Removes what a dead holder left. */
export async function removeSocket(directory: string, name: string): Promise<void> {
  if (SOCKET_NAME.test(name)) await rm(join(directory, name), { force: true }).catch(() => {});
}

/** The path of a socket has at most 107 bytes: on Linux, that of an open directory is short. */
function openDirectory(directory: string): { path: string; close(): void } {
  if (platform() !== 'linux') return { path: directory, close: () => {} };
  const descriptor = openSync(directory, 'r');
  return { path: `/proc/self/fd/${descriptor}`, close: () => closeSync(descriptor) };
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      server.on('error', () => {});
      resolve();
    });
  });
}
