import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** dnsmasq cannot be asked for a free port: each has an address of this machine's loopback network of its own. */
const PORT = 10_053;

export interface NameServer {
  /** `<IPv4 address on loopback>:<port>`. */
  address: string;
  close(): Promise<void>;
}

/**
 * A real name server on loopback: dnsmasq, for the zones acme.test and host.test. Queries for other names are rejected.
 *
 * @param records lines of dnsmasq's configuration, such as `txt-record=_v.acme.test,"a b"`
 */
export async function startNameServer(records: readonly string[]): Promise<NameServer> {
  const host = ['127', ...Array.from({ length: 3 }, () => randomInt(1, 255))].join('.');
  const settings = [
    ...['keep-in-foreground', 'no-resolv', 'no-hosts', 'bind-interfaces', `listen-address=${host}`, 'pid-file='],
    ...[`port=${PORT}`, `user=${userInfo().username}`, 'log-facility=-', 'local=/acme.test/', 'local=/host.test/'],
  ];
  // A file, not arguments: quotes mean something there only.
  const folder = mkdtempSync(join(tmpdir(), 'orgadm-dns-'));
  const file = join(folder, 'dnsmasq.conf');
  writeFileSync(file, `${[...settings, ...records].join('\n')}\n`);
  const child = spawn('dnsmasq', [`--conf-file=${file}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
    // Where Debian has it; the paths of ordinary users leave it out.
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.once('close', () => resolve());
    child.once('error', () => reject(new Error('dnsmasq is missing: install the Debian package dnsmasq-base')));
  }).finally(() => rmSync(folder, { recursive: true }));
  const output: string[] = [];
  const started = (async () => {
    for await (const line of createInterface({ input: child.stderr })) {
      output.push(line);
      if (line.includes('started')) return true;
    }
    return false;
  })();
  if (await Promise.race([started, ended.then(() => false)])) {
    return {
      address: `${host}:${PORT}`,
      async close() {
        child.kill();
        await ended;
      },
    };
  }
  throw new Error(`dnsmasq ended: ${output.join('; ')}`);
}

/** Response codes of the DNS (RFC 1035, 4.1.1). */
export const SERVFAIL = 2;

/** Starts a name server that responds to each query with an error code, or not at all. */
export async function startFailingNameServer(
  code: number | undefined,
): Promise<NameServer & { queried: Promise<void> }> {
  const socket = createSocket('udp4');
  const queried = new Promise<void>((resolve) => {
    socket.on('message', (query, { port, address }) => {
      resolve();
      if (code === undefined) return;
      const response = Buffer.from(query);
      response[2] = (response[2] ?? 0) | 0x80;
      response[3] = ((response[3] ?? 0) & 0xf0) | code;
      socket.send(response, port, address);
    });
  });
  await once(socket.bind(0, '127.0.0.1'), 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    queried,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}
