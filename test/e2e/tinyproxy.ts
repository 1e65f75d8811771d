import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { OWN_PORT, ownLoopbackAddress } from '../helpers/loopback-address.ts';

export interface ForwardProxy {
  /** `<IPv4 address on loopback>:<port>`. */
  address: string;
  /** The lines of its log: requests, and the connections for them. */
  log: readonly string[];
  /** Resolves with the first line of its log that matches. */
  logged(line: RegExp): Promise<string>;
  close(): Promise<void>;
}

/**
 * Starts tinyproxy, a forward proxy, on loopback.
 *
 * @param settings lines of its configuration, such as `BasicAuth user password`
 */
export async function startForwardProxy(settings: readonly string[] = []): Promise<ForwardProxy> {
  const host = ownLoopbackAddress();
  const folder = mkdtempSync(join(tmpdir(), 'orgadm-proxy-'));
  const file = join(folder, 'tinyproxy.conf');
  const own = [`Port ${OWN_PORT}`, `Listen ${host}`, 'Allow 127.0.0.1', 'LogLevel Info', 'MaxClients 20', 'Timeout 20'];
  writeFileSync(file, `${[...own, ...settings].join('\n')}\n`);
  const child = spawn('tinyproxy', ['-d', '-c', file], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close').finally(() => rmSync(folder, { recursive: true }));

  const log: string[] = [];
  const waiting = new Set<() => void>();
  const add = (line: string) => {
    log.push(line);
    for (const poll of [...waiting]) poll();
  };
  createInterface({ input: child.stdout }).on('line', add);
  createInterface({ input: child.stderr }).on('line', add);
  const logged = (line: RegExp) =>
    new Promise<string>((resolve) => {
      const poll = () => {
        const found = log.find((text) => line.test(text));
        if (found === undefined) return;
        waiting.delete(poll);
        resolve(found);
      };
      waiting.add(poll);
      poll();
    });

  const isUp = await Promise.race([logged(/Starting main loop/).then(() => true), ended.then(() => false)]);
  if (isUp) {
    return {
      address: `${host}:${OWN_PORT}`,
      log,
      logged,
      async close() {
        child.kill();
        await ended;
      },
    };
  }
  throw new Error(`tinyproxy ended: ${log.join('; ')}`);
}
