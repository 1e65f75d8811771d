import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { link, mkdir, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  acquireRunLock,
  type Holder,
  LockHeldError,
  type Processes,
  type RunLock,
} from '../../../src/import/journal/run-lock.ts';
import { bundled } from '../../helpers/bundled.ts';
import { journalDirectory } from './journal-directory.ts';

const DEAD_SOCKET = '.lock-00000000-0000-4000-8000-000000000000.sock';

const US: Processes = { pid: process.pid, isRunning: (pid) => pid === process.pid };

/** Fields of /proc/<pid>/stat from the third on; none of the processes here has a blank in its name. */
async function statOf(pid: number): Promise<string[]> {
  return (await readFile(`/proc/${pid}/stat`, 'utf8')).split(' ').slice(2);
}

/** This process, as a lock that it holds describes it. */
async function ourselves(): Promise<Holder> {
  const directory = await journalDirectory();
  const lock = await acquireRunLock(directory, US);
  const holder = JSON.parse(await readFile(join(directory, 'lock.1'), 'utf8')) as Holder;
  await lock.release();
  return { ...holder, dev: String((await stat(directory, { bigint: true })).dev) };
}

/** The locks in a directory, without the holder's socket. */
async function locksIn(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => !name.endsWith('.sock'));
}

/** Leaves a socket that nobody listens on, as a process does that is killed. */
async function abandonSocket(directory: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(directory, 'socket'), resolve));
  await link(join(directory, 'socket'), join(directory, DEAD_SOCKET));
  await new Promise((resolve) => server.close(resolve));
}

async function held(name: string, content: unknown): Promise<string> {
  const folder = await journalDirectory();
  await writeFile(
    join(folder, name),
    typeof content === 'string' || content instanceof Buffer ? content : JSON.stringify(content),
  );
  return folder;
}

describe('acquireRunLock', () => {
  it('writes down who holds it, for its owner alone', async () => {
    const folder = await journalDirectory();
    await acquireRunLock(folder, US, 'members.csv');
    expect(await locksIn(folder)).toEqual(['lock.1']);
    const holder = JSON.parse(await readFile(join(folder, 'lock.1'), 'utf8')) as Holder;
    expect(holder).toEqual({
      pid: process.pid,
      start: (await statOf(process.pid))[19],
      boot: (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim(),
      ns: await readlink('/proc/self/ns/pid'),
      machine: expect.stringMatching(/^[0-9a-f]{32}$/),
      host: hostname(),
      dev: String((await stat(folder, { bigint: true })).dev),
      socket: expect.stringMatching(/^\.lock-[0-9a-f-]{36}\.sock$/),
      note: 'members.csv',
    });
    expect((await stat(join(folder, holder.socket))).isSocket()).toBe(true);
    expect((await stat(join(folder, 'lock.1'))).mode & 0o777).toBe(0o600);
  });

  it('rejects a lock that is held, and names its holder', async () => {
    const folder = await journalDirectory();
    await acquireRunLock(folder, US, 'members.csv');
    const failure = await acquireRunLock(folder, US).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(LockHeldError);
    expect(failure).toMatchObject({
      holder: { pid: process.pid, note: 'members.csv' },
      path: join(folder, 'lock.1'),
      isVerified: true,
    });
    expect(await locksIn(folder)).toEqual(['lock.1']);
  });

  it('leaves its lock released and nothing else', async () => {
    const folder = await journalDirectory();
    const lock = await acquireRunLock(folder, US);
    await lock.release();
    expect(await readdir(folder)).toEqual(['lock.1']);
    expect(await readFile(join(folder, 'lock.1'), 'utf8')).toBe('');
  });

  it('works in a directory whose path is longer than that of a socket may be', async () => {
    const folder = join(await journalDirectory(), 'd'.repeat(200));
    await mkdir(folder);
    await acquireRunLock(folder, US);
    expect((await readdir(folder)).filter((name) => name.endsWith('.sock')).length).toBe(1);
  });

  it('takes a lock that was given back, and leaves one file', async () => {
    const folder = await journalDirectory();
    for (const name of ['lock.1', 'lock.2', 'lock.3']) {
      const lock = await acquireRunLock(folder, US);
      expect(await locksIn(folder)).toEqual([name]);
      await lock.release();
    }
  });

  it.each<[string, (us: Holder) => unknown]>([
    ['of a process that is gone', (us) => ({ ...us, pid: 4_194_305 })],
    ['of another process that had our number', (us) => ({ ...us, start: '1' })],
    ['of an earlier boot of the machine', (us) => ({ ...us, boot: 'another' })],
    [
      'of a process in another PID namespace whose socket nobody listens on',
      (us) => ({ ...us, ns: 'pid:[1]', socket: DEAD_SOCKET }),
    ],
    ['that is empty', () => ''],
    ['that is torn', () => '{"pid":1'],
    ['that contains null', () => 'null'],
    ['that contains a number', () => '4'],
    ['that contains a list', () => '[1]'],
    ['of process 0', (us) => ({ ...us, pid: 0 })],
    ['of process -1', (us) => ({ ...us, pid: -1 })],
    ['of process 1.5', (us) => ({ ...us, pid: 1.5 })],
    ['whose process id is text', (us) => ({ ...us, pid: String(us.pid) })],
    ['that contains a process id alone', (us) => ({ pid: us.pid })],
    ['of bytes that are no text', () => Buffer.from([0, 0xff, 0xfe, 0x80])],
  ])('takes over a lock %s', async (_, holder) => {
    const folder = await held('lock.7', holder(await ourselves()));
    await abandonSocket(folder);
    await acquireRunLock(folder, US);
    expect(await locksIn(folder)).toEqual(['lock.8']);
  });

  it.each<[string, (us: Holder) => unknown]>([
    ['of another machine', (us) => ({ ...us, boot: 'another', machine: 'another' })],
    ['of another machine that has no boot id', (us) => ({ ...us, boot: '', machine: 'another' })],
    ['of a process in another PID namespace without a socket', (us) => ({ ...us, ns: 'pid:[1]', socket: '' })],
    [
      'of a process in another PID namespace whose socket is gone',
      (us) => ({ ...us, ns: 'pid:[1]', socket: DEAD_SOCKET.replace('0', '1') }),
    ],
    [
      'of a process in another PID namespace that has mounted the directory otherwise',
      (us) => ({ ...us, ns: 'pid:[1]', socket: DEAD_SOCKET, dev: '1' }),
    ],
    [
      'of a process in another PID namespace whose socket is somewhere else',
      (us) => ({ ...us, ns: 'pid:[1]', socket: `../${DEAD_SOCKET}` }),
    ],
    ['of version 0.1, which knew no namespaces', ({ pid, start, boot }) => ({ pid, start, boot })],
  ])('never takes over a lock %s', async (_, holder) => {
    const folder = await held('lock.7', holder(await ourselves()));
    await abandonSocket(folder);
    await expect(acquireRunLock(folder, US)).rejects.toMatchObject({
      path: join(folder, 'lock.7'),
      isVerified: false,
      holder: { pid: process.pid },
    });
    expect(await locksIn(folder)).toEqual(['lock.7']);
  });

  it('ignores a file whose number is larger than any lock has', async () => {
    const folder = await held('lock.99999999999999999999', '');
    await acquireRunLock(folder, US);
    expect(await locksIn(folder)).toContain('lock.1');
  });

  it('takes a lock again whose file was removed by hand', async () => {
    const folder = await held('lock.7', { ...(await ourselves()), boot: 'another', machine: 'another' });
    await expect(acquireRunLock(folder, US)).rejects.toBeInstanceOf(LockHeldError);
    await rm(join(folder, 'lock.7'));
    await acquireRunLock(folder, US);
    expect(await locksIn(folder)).toEqual(['lock.1']);
  });

  it('takes over the lock of a process that has ended and was not collected', async () => {
    // The shell becomes a program that collects nobody, before its child ends.
    const script = 'exec 3<&0; (echo $BASHPID; read <&3) & exec sleep 600';
    const parent = spawn('/bin/bash', ['-c', script], { stdio: ['pipe', 'pipe', 'ignore'] });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const [line] = (await once(createInterface(parent.stdout), 'line')) as [string];
    const pid = Number(line);
    while ((await readFile(`/proc/${parent.pid}/comm`, 'utf8')) !== 'sleep\n') await turn();
    parent.stdin.end();
    while ((await statOf(pid))[0] !== 'Z') await turn();
    const folder = await held('lock.1', { ...(await ourselves()), pid, start: (await statOf(pid))[19] });
    await acquireRunLock(folder, { pid: process.pid, isRunning: (other) => process.kill(other, 0) });
    expect(await locksIn(folder)).toEqual(['lock.2']);
  });

  it('holds its own against a lower lock that a slower process made', async () => {
    const folder = await held('lock.4', '');
    await acquireRunLock(folder, US);
    await writeFile(join(folder, 'lock.4'), '');
    await expect(acquireRunLock(folder, US)).rejects.toBeInstanceOf(LockHeldError);
  });

  it('is given back without a word where the folder is gone', async () => {
    const folder = join(await journalDirectory(), 'run');
    await mkdir(folder);
    const lock = await acquireRunLock(folder, US);
    await rm(folder, { recursive: true });
    await expect(lock.release()).resolves.toBeUndefined();
  });
});

describe('of many that run for a lock', () => {
  it('in one process, exactly one gets it, round after round', async () => {
    const folder = await journalDirectory();
    for (let round = 1; round <= 40; round++) {
      const results = await Promise.allSettled(Array.from({ length: 12 }, () => acquireRunLock(folder, US)));
      const winners = results.filter(
        (result): result is PromiseFulfilledResult<RunLock> => result.status === 'fulfilled',
      );
      expect(winners.length, `round ${round}`).toBe(1);
      await winners[0]?.value.release();
    }
  });

  it('each in its own process, exactly one gets it, whatever was left there', async () => {
    const program = await bundled('test/import/journal/lock-racer.js', await journalDirectory());
    const racers = Array.from({ length: 4 }, () => startRacer(program));
    await Promise.all(racers.map((racer) => once(racer, 'message')));
    const stale = JSON.stringify({ ...(await ourselves()), start: '1' });
    const folders = await Promise.all(
      [{}, { 'lock.3': '' }, { 'lock.3': stale }, { 'lock.1': '', 'lock.2': stale, 'lock.9': stale }].map(
        async (files) => {
          const folder = await journalDirectory();
          for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
          return folder;
        },
      ),
    );
    for (let round = 0; round < 100; round++) {
      const folder = folders[round % folders.length];
      const answers = await Promise.all(
        racers.map(async (racer) => {
          const response = once(racer, 'message');
          racer.send(folder ?? '');
          return (await response)[0] as string;
        }),
      );
      expect(answers.sort(), `round ${round}`).toEqual(['held', 'held', 'held', 'won']);
    }
    for (const folder of folders) {
      expect((await readdir(folder)).filter((name) => !/^lock\.\d+$|\.sock$/.test(name))).toEqual([]);
    }
  }, 60_000);
});

function startRacer(program: string): ChildProcess {
  const racer = fork(program, { execArgv: [] });
  onTestFinished(() => void racer.kill('SIGKILL'));
  return racer;
}
