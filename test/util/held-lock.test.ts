import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { link, mkdir, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { acquireLock, type HeldLock, LockHeldError } from '../../src/util/file-lock.ts';
import type { LockHolder } from '../../src/util/lock-holder.ts';
import { bundled } from '../helpers/bundled.ts';
import { journalDirectory } from '../import/journal/journal-directory.ts';

const TOKEN = '00000000-0000-4000-8000-000000000000';

const acquire = (directory: string, note = '') => acquireLock(join(directory, 'lock'), note);

/** Fields of /proc/<pid>/stat from the third on; none of the processes here has a blank in its name. */
async function statOf(pid: number): Promise<string[]> {
  return (await readFile(`/proc/${pid}/stat`, 'utf8')).split(' ').slice(2);
}

async function holderIn(directory: string): Promise<LockHolder> {
  return JSON.parse(await readlink(join(directory, 'lock'))) as LockHolder;
}

/** This process, as another lock that it holds describes it. */
async function ourselves(): Promise<LockHolder> {
  const directory = await journalDirectory();
  const lock = await acquire(directory);
  const holder = await holderIn(directory);
  await lock.release();
  return { ...holder, token: TOKEN };
}

/** The locks in a directory, without the holder's socket. */
async function locksIn(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => !name.endsWith('.sock'));
}

/** Leaves a socket on which no process listens, as a process does that is killed. */
async function abandonSocket(directory: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(directory, 'socket'), resolve));
  await link(join(directory, 'socket'), join(directory, `.lock-${TOKEN}.sock`));
  await new Promise((resolve) => server.close(resolve));
}

async function directoryWith(target: unknown): Promise<string> {
  const directory = await journalDirectory();
  await symlink(typeof target === 'string' ? target : JSON.stringify(target), join(directory, 'lock'));
  return directory;
}

describe('acquireLock', () => {
  it('describes its holder, and makes its directory private', async () => {
    const directory = await journalDirectory();
    await acquire(directory, 'members.csv');
    expect(await locksIn(directory)).toEqual(['lock']);
    const holder = await holderIn(directory);
    expect(holder).toEqual({
      token: expect.stringMatching(/^[0-9a-f-]{36}$/),
      pid: process.pid,
      start: (await statOf(process.pid))[19],
      boot: (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim(),
      ns: await readlink('/proc/self/ns/pid'),
      machine: expect.stringMatching(/^[0-9a-f]{32}$/),
      host: hostname(),
      dev: String((await stat(directory, { bigint: true })).dev),
      hasSocket: true,
      note: 'members.csv',
    });
    expect((await stat(join(directory, `.lock-${holder.token}.sock`))).isSocket()).toBe(true);
  });

  it('shortens a long note, so that the lock fits into a link', async () => {
    const directory = await journalDirectory();
    await acquire(directory, '😀'.repeat(5_000));
    expect((await holderIn(directory)).note).toBe('😀'.repeat(120));
  });

  it('rejects a lock that is held, and names its holder', async () => {
    const directory = await journalDirectory();
    await acquire(directory, 'members.csv');
    const failure = await acquire(directory).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(LockHeldError);
    expect(failure).toMatchObject({
      holder: { pid: process.pid, note: 'members.csv' },
      path: join(directory, 'lock'),
      isVerified: true,
    });
    expect((await readdir(directory)).length).toBe(2);
  });

  it('leaves nothing behind when it is released, and can be acquired again', async () => {
    const directory = await journalDirectory();
    for (let round = 0; round < 3; round++) {
      const lock = await acquire(directory);
      await lock.release();
      expect(await readdir(directory)).toEqual([]);
    }
  });

  it('works in a directory whose path is too long for a socket', async () => {
    const directory = join(await journalDirectory(), 'd'.repeat(200));
    await mkdir(directory);
    await acquire(directory);
    expect((await readdir(directory)).filter((name) => name.endsWith('.sock')).length).toBe(1);
  });

  it.each<[string, (us: LockHolder) => unknown]>([
    ['of a process that is gone', (us) => ({ ...us, pid: 4_194_305 })],
    ['of another process that had our process id', (us) => ({ ...us, start: '1' })],
    ['of an earlier boot of the machine', (us) => ({ ...us, boot: 'another' })],
    ['of a process in another PID namespace on whose socket no process listens', (us) => ({ ...us, ns: 'pid:[1]' })],
    [
      'of a process whose start time is not known, and on whose socket no process listens',
      (us) => ({ ...us, start: '' }),
    ],
  ])('takes over a lock %s', async (_, holder) => {
    const directory = await directoryWith(holder(await ourselves()));
    await abandonSocket(directory);
    await acquire(directory);
    expect((await holderIn(directory)).token).not.toBe(TOKEN);
    expect(await readdir(directory), 'the socket is removed').not.toContain(`.lock-${TOKEN}.sock`);
  });

  it.each<[string, (us: LockHolder) => unknown]>([
    ['of another machine', (us) => ({ ...us, boot: 'another', machine: 'another' })],
    ['of another machine that has no boot id', (us) => ({ ...us, boot: '', machine: 'another' })],
    ['of a process in another PID namespace without a socket', (us) => ({ ...us, ns: 'pid:[1]', hasSocket: false })],
    [
      'of a process in another PID namespace whose socket is gone',
      (us) => ({ ...us, ns: 'pid:[1]', token: TOKEN.replace('0', '1') }),
    ],
    [
      'of a process in another PID namespace that has mounted the directory otherwise',
      (us) => ({ ...us, ns: 'pid:[1]', dev: '1' }),
    ],
    ['whose token is not one', (us) => ({ ...us, token: `../${TOKEN}` })],
    ['that contains null', () => 'null'],
    ['that contains text', () => 'somewhere'],
    ['of process 0', (us) => ({ ...us, pid: 0 })],
    ['of process -1', (us) => ({ ...us, pid: -1 })],
    ['of process 1.5', (us) => ({ ...us, pid: 1.5 })],
    ['whose process id is text', (us) => ({ ...us, pid: String(us.pid) })],
  ])('never takes over a lock %s', async (_, holder) => {
    const directory = await directoryWith(holder(await ourselves()));
    await abandonSocket(directory);
    await expect(acquire(directory)).rejects.toMatchObject({ path: join(directory, 'lock'), isVerified: false });
    expect(await locksIn(directory)).toEqual(['lock']);
  });

  it('never takes over a file that is not a lock', async () => {
    const directory = await journalDirectory();
    await writeFile(join(directory, 'lock'), '{}');
    await expect(acquire(directory)).rejects.toMatchObject({ isVerified: false, holder: undefined });
  });

  it('acquires a lock again whose file was removed by hand', async () => {
    const directory = await directoryWith({ ...(await ourselves()), boot: 'another', machine: 'another' });
    await expect(acquire(directory)).rejects.toBeInstanceOf(LockHeldError);
    await rm(join(directory, 'lock'));
    await acquire(directory);
    expect(await locksIn(directory)).toEqual(['lock']);
  });

  it('takes over the lock of a process that has ended and whose parent has not waited for it', async () => {
    // The shell becomes a program that waits for no child, before its child ends.
    const script = 'exec 3<&0; (echo $BASHPID; read <&3) & exec sleep 600';
    const parent = spawn('/bin/bash', ['-c', script], { stdio: ['pipe', 'pipe', 'ignore'] });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const [line] = (await once(createInterface(parent.stdout), 'line')) as [string];
    const pid = Number(line);
    while ((await readFile(`/proc/${parent.pid}/comm`, 'utf8')) !== 'sleep\n') await turn();
    parent.stdin.end();
    while ((await statOf(pid))[0] !== 'Z') await turn();
    const directory = await directoryWith({ ...(await ourselves()), pid, start: (await statOf(pid))[19] });
    await acquire(directory);
    expect((await holderIn(directory)).pid).toBe(process.pid);
  });

  it.each<[string, (us: LockHolder) => LockHolder]>([
    ['was killed while it removed a stale lock', (us) => ({ ...us, start: '1' })],
    ['did so in another container', (us) => ({ ...us, ns: 'pid:[1]' })],
  ])('takes over a stale lock if a process %s', async (_, dead) => {
    const us = await ourselves();
    const directory = await directoryWith({ ...us, start: '1' });
    await abandonSocket(directory);
    const guard = dead({ ...us, token: TOKEN.replaceAll('0', '1') });
    await symlink(JSON.stringify(guard), join(directory, `lock.${TOKEN}`));
    await link(join(directory, `.lock-${TOKEN}.sock`), join(directory, `.lock-${guard.token}.sock`));
    await acquire(directory);
    expect(await locksIn(directory)).toEqual(['lock']);
  });

  it('is released without an error if the directory is gone', async () => {
    const directory = join(await journalDirectory(), 'run');
    await mkdir(directory);
    const lock = await acquire(directory);
    await rm(directory, { recursive: true });
    await expect(lock.release()).resolves.toBeUndefined();
  });
});

describe('many processes that compete for a lock', () => {
  it('acquire it exactly once per round within one process', async () => {
    const directory = await journalDirectory();
    for (let round = 1; round <= 40; round++) {
      const results = await Promise.allSettled(Array.from({ length: 12 }, () => acquire(directory)));
      const winners = results.filter(
        (result): result is PromiseFulfilledResult<HeldLock> => result.status === 'fulfilled',
      );
      expect(winners.length, `round ${round}`).toBe(1);
      await winners[0]?.value.release();
    }
  });

  it('acquire it exactly once across processes, whatever was left there', async () => {
    const program = await bundled('test/helpers/lock-racer.js', await journalDirectory());
    const racers = Array.from({ length: 4 }, () => startRacer(program));
    await Promise.all(racers.map((racer) => once(racer, 'message')));
    const stale = { ...(await ourselves()), start: '1' };
    for (let round = 0; round < 100; round++) {
      const directory = round % 3 === 0 ? await journalDirectory() : await directoryWith(stale);
      if (round % 3 === 2) {
        const guard = JSON.stringify({ ...stale, token: TOKEN.replaceAll('0', '1') });
        await symlink(guard, join(directory, `lock.${TOKEN}`));
      }
      const results = await Promise.all(
        racers.map(async (racer) => {
          const response = once(racer, 'message');
          racer.send(directory);
          return (await response)[0] as string;
        }),
      );
      expect(results.sort(), `round ${round}`).toEqual(['held', 'held', 'held', 'won']);
      expect(await locksIn(directory)).toEqual(['lock']);
    }
  }, 60_000);
});

function startRacer(program: string): ChildProcess {
  const racer = fork(program, { execArgv: [] });
  onTestFinished(() => void racer.kill('SIGKILL'));
  return racer;
}
