import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { withFileLock } from '../../src/util/file-lock.ts';
import { bundled } from '../helpers/bundled.ts';
import { temporaryCliDirectory } from '../helpers/run-cli.ts';

const folder = temporaryCliDirectory();
const file = () => folder.file('data.json');
const isLinux = process.platform === 'linux';

async function start(...argv: string[]): Promise<ChildProcessByStdio<null, Readable, null>> {
  const script = await bundled('test/util/lock-user.js', folder.path);
  return spawn(process.execPath, [script, ...argv], { stdio: ['ignore', 'pipe', 'inherit'] });
}

describe('withFileLock', () => {
  it('loses no change of six processes', async () => {
    writeFileSync(file(), '0');
    const script = await bundled('test/util/lock-user.js', folder.path);
    const ends = [1, 2, 3, 4, 5, 6].map(() =>
      once(spawn(process.execPath, [script, 'count', file(), '25'], { stdio: 'inherit' }), 'close'),
    );
    expect(await Promise.all(ends)).toEqual(Array.from({ length: 6 }, () => [0, null]));
    expect(readFileSync(file(), 'utf8')).toBe('150');
    expect(readdirSync(folder.path).sort()).toEqual(['data.json', 'lock-user.js.mjs']);
  });

  it('runs sections of one process one after another, and the next one after a failure', async () => {
    const events: string[] = [];
    const section = (name: string) => async () => {
      events.push(`${name} begins`);
      await new Promise(setImmediate);
      events.push(`${name} ends`);
      if (name === 'a') throw new Error('failed');
      return name;
    };
    const [first, second] = await Promise.allSettled([
      withFileLock(file(), section('a')),
      withFileLock(file(), section('b')),
    ]);
    expect(first).toMatchObject({ status: 'rejected', reason: new Error('failed') });
    expect(second).toEqual({ status: 'fulfilled', value: 'b' });
    expect(events.filter((_, at) => at % 2 === 0).map((text) => text.replace('begins', 'ends'))).toEqual(
      events.filter((_, at) => at % 2 === 1),
    );
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it.runIf(isLinux)('replaces the lock of a killed process at once, and removes its draft', async () => {
    const holder = await start('hold', file());
    await once(holder.stdout, 'data');
    expect(readlinkSync(`${file()}.lock`)).toContain(`"pid":${holder.pid},`);
    const closed = once(holder, 'close');
    holder.kill('SIGKILL');
    await closed;
    expect(readdirSync(folder.path)).toHaveLength(3);
    const began = performance.now();
    await Promise.all([1, 2, 3].map(() => withFileLock(file(), () => {})));
    expect(performance.now() - began).toBeLessThan(2_000);
    expect(readdirSync(folder.path)).toEqual(['lock-user.js.mjs']);
  });

  it.runIf(isLinux)(
    'never takes the lock of a suspended process',
    async () => {
      const holder = await start('hold', file());
      await once(holder.stdout, 'data');
      holder.kill('SIGSTOP');
      let entered = false;
      const next = withFileLock(file(), () => {
        entered = true;
      });
      // Longer than a holder about which nothing is known keeps its lock.
      await new Promise((resolve) => setTimeout(resolve, 6_000));
      expect(entered).toBe(false);
      holder.kill('SIGKILL');
      await next;
    },
    20_000,
  );

  it('takes locks that no process can hold after 5 seconds', async () => {
    const began = performance.now();
    const targets = [
      '11111111-2222-4333-8444-555555555555 1 17 other-boot/pid:[4026531836]',
      'null',
      '11111111-2222-4333-8444-555555555555 0 - x',
    ];
    const waits = targets.map(async (target, at) => {
      symlinkSync(target, `${file()}-${at}.lock`);
      await withFileLock(`${file()}-${at}`, () => {});
      return performance.now() - began;
    });
    expect(Math.min(...(await Promise.all(waits)))).toBeGreaterThan(4_000);
    expect(readdirSync(folder.path)).toEqual([]);
  }, 40_000);
});
