import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { acquireLock, type HeldLock, isLocked, LockHeldError } from '../../../src/import/journal/lock.ts';
import { bundled } from '../../helpers/bundled.ts';
import { NEW_PID_NAMESPACE } from '../../helpers/needed-programs.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

const folder = temporaryFolder();
const newDirectory = () => mkdtempSync(join(folder.path, 'd-'));
const isLinux = process.platform === 'linux';

const acquire = (directory: string, note = '') => acquireLock(join(directory, 'lock'), note);

async function kill(child: ChildProcess): Promise<void> {
  const closed = once(child, 'exit');
  child.kill('SIGKILL');
  await closed;
}

describe('acquireLock', () => {
  it('names the process that holds the lock, its host, and what it does', async () => {
    const directory = newDirectory();
    const lock = await acquire(directory, 'members.csv');
    const failure = await acquire(directory).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(LockHeldError);
    expect(failure).toMatchObject({
      code: 'in-use',
      exitCode: 2,
      hint: 'Wait until it ends, or stop it.',
      holder: { pid: process.pid, host: hostname(), note: 'members.csv' },
      message: `process ${process.pid} holds ${join(directory, 'lock')}`,
    });
    await lock.release();
  });

  it('lets only this user connect to the lock', async () => {
    const directory = newDirectory();
    const lock = await acquire(directory);
    expect(statSync(join(directory, 'lock.1')).mode & 0o777).toBe(0o700);
    await lock.release();
  });

  it('leaves nothing behind when it is released, and can be acquired again', async () => {
    const directory = newDirectory();
    for (let round = 0; round < 3; round++) {
      const lock = await acquire(directory);
      expect(await isLocked(join(directory, 'lock'))).toBe(true);
      await lock.release();
      expect(await isLocked(join(directory, 'lock'))).toBe(false);
      expect(readdirSync(directory)).toEqual([]);
    }
  });

  it('works in a directory whose path is too long for a socket, and leaves no temporary files', async () => {
    const directory = join(newDirectory(), 'd'.repeat(200));
    mkdirSync(directory);
    const temporary = newDirectory();
    vi.stubEnv('TMPDIR', temporary);
    onTestFinished(() => void vi.unstubAllEnvs());
    const lock = await acquire(directory, 'members.csv');
    await expect(acquire(directory)).rejects.toMatchObject({ holder: { note: 'members.csv' } });
    await lock.release();
    await (await acquire(directory)).release();
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('does not take a lock for free because TMPDIR, which a long path requires, is missing', async () => {
    const directory = join(newDirectory(), 'd'.repeat(200));
    mkdirSync(directory);
    const lock = await acquire(directory);
    const missing = folder.file('missing');
    vi.stubEnv('TMPDIR', missing);
    onTestFinished(() => void vi.unstubAllEnvs());
    const problem = { exitCode: 2, message: expect.stringContaining(`temporary directory in ${missing}`) };
    await expect(isLocked(join(directory, 'lock'))).rejects.toMatchObject(problem);
    await expect(acquire(directory)).rejects.toMatchObject(problem);
    await lock.release();
  });

  it('takes over the lock of a killed process, and removes what it left', async () => {
    const directory = newDirectory();
    const holder = await startHolder(directory);
    await expect(acquire(directory)).rejects.toBeInstanceOf(LockHeldError);
    await kill(holder);
    expect(await isLocked(join(directory, 'lock'))).toBe(false);
    const lock = await acquire(directory);
    expect(readdirSync(directory)).toEqual(['lock.2']);
    await lock.release();
  });

  it('takes over a lock that was restored from a copy, in which no process listens', async () => {
    const directory = newDirectory();
    const original = newDirectory();
    const lock = await acquire(original);
    cpSync(original, directory, { recursive: true, filter: (path) => !path.endsWith('/s') });
    await (await acquire(directory)).release();
    writeFileSync(join(mkdirp(directory, 'lock.4'), 's'), '');
    await (await acquire(directory)).release();
    expect(readdirSync(directory)).toEqual([]);
    await lock.release();
  });

  it('removes the drafts that crashed processes left an hour ago, and nothing else', async () => {
    const directory = newDirectory();
    const anHourAgo = new Date(Date.now() - 3_600_000);
    for (const name of ['lock.new-0123abcd', 'lock.old-0123abcd', 'lock.new-mine', 'other.new-0123abcd'])
      utimesSync(mkdirp(directory, name), anHourAgo, anHourAgo);
    mkdirp(directory, 'lock.new-4567cdef');
    const lock = await acquire(directory);
    expect(readdirSync(directory).sort()).toEqual([
      'lock.1',
      'lock.new-4567cdef',
      'lock.new-mine',
      'other.new-0123abcd',
    ]);
    await lock.release();
  });

  it('is released without an error if its directory was removed', async () => {
    const directory = newDirectory();
    const lock = await acquire(directory);
    rmSync(directory, { recursive: true });
    await expect(lock.release()).resolves.toBeUndefined();
  });

  it('names a holder that is suspended', async () => {
    const directory = newDirectory();
    const holder = await startHolder(directory);
    holder.kill('SIGSTOP');
    await expect(acquire(directory)).rejects.toMatchObject({
      holder: { pid: holder.pid },
      message: `process ${holder.pid} holds ${join(directory, 'lock')}`,
    });
  });
});

function mkdirp(...parts: [string, ...string[]]): string {
  const path = join(...parts);
  mkdirSync(path, { recursive: true });
  return path;
}

/** Each of them is a race that may end in another way. */
const ROUNDS = 20;

describe('processes that compete for a lock', () => {
  it('acquire it exactly once per round within one process', async () => {
    const directory = newDirectory();
    for (let round = 1; round <= ROUNDS; round++) {
      const results = await Promise.allSettled(Array.from({ length: 12 }, () => acquire(directory)));
      const winners = results.filter(
        (result): result is PromiseFulfilledResult<HeldLock> => result.status === 'fulfilled',
      );
      expect(winners.length, `round ${round}`).toBe(1);
      await winners[0]?.value.release();
    }
  });

  it('acquire it exactly once across processes, also if a killed process has left it', async () => {
    const program = await bundled('test/helpers/lock-racer.js', folder.path);
    const racers = Array.from({ length: 4 }, () => startRacer(program));
    await Promise.all(racers.map((racer) => once(racer, 'message')));
    for (let round = 0; round < ROUNDS; round++) {
      const directory = newDirectory();
      // The directories of two processes that were killed, the higher one after the lower one.
      if (round % 2 === 1)
        for (const number of [3, 4]) writeFileSync(join(mkdirp(directory, `lock.${number}`), 's'), '');
      const results = await Promise.all(racers.map((racer) => take(racer, directory)));
      expect(results.sort(), `round ${round}`).toEqual(['held', 'held', 'held', 'won']);
      expect(readdirSync(directory)).toHaveLength(1);
    }
  }, 60_000);
});

describe.runIf(isLinux)('a lock in a directory that two containers share', () => {
  it('stays with a process of the other container, although its id does not exist here', async () => {
    const directory = newDirectory();
    expect(await take(await startContained(), directory)).toBe('won');
    await expect(acquire(directory)).rejects.toMatchObject({ holder: { pid: 1 } });
    expect(await take(await startContained(), directory)).toBe('held');
  });

  it('is taken over from a killed process of the other container', async () => {
    const directory = newDirectory();
    const contained = await startContained();
    expect(await take(contained, directory)).toBe('won');
    await kill(contained);
    // The process inside ends right after the one that was killed.
    for (;;) {
      const taken = await acquire(directory).catch((error: unknown) => error);
      if (!(taken instanceof LockHeldError)) break;
    }
    expect(readdirSync(directory)).toEqual(['lock.2']);
  });
});

/** Starts a process that holds the lock of a directory. */
async function startHolder(directory: string): Promise<ChildProcess> {
  const holder = startRacer(await bundled('test/helpers/lock-racer.js', folder.path));
  await once(holder, 'message');
  expect(await take(holder, directory)).toBe('won');
  return holder;
}

function startRacer(program: string): ChildProcess {
  const racer = fork(program, { execArgv: [] });
  onTestFinished(() => void racer.kill('SIGKILL'));
  return racer;
}

/** A process in a PID namespace of its own, as one in a container is: it acquires the lock of each directory it receives. */
async function startContained(): Promise<ChildProcess> {
  const program = await bundled('test/helpers/lock-racer.js', folder.path);
  const [command, ...args] = NEW_PID_NAMESPACE;
  const child = spawn(command, [...args, process.execPath, program], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  return child;
}

/** Returns `won` if the process has the lock of a directory now, and `held` if another one has it. */
async function take(racer: ChildProcess, directory: string): Promise<string> {
  const response = once(racer, 'message');
  racer.send(directory);
  return (await response)[0] as string;
}
