import fs, { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { acquireLock, type HeldLock, isLocked, LockHeldError } from '../../../src/import/journal/lock.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

/* Who holds a lock, and what it leaves. The end-to-end tests of the journal have holders that are suspended, killed, or in a container. */

const folder = temporaryFolder();
const newDirectory = () => mkdtempSync(join(folder.path, 'd-'));

const acquire = (directory: string, note = '') => acquireLock(join(directory, 'lock'), note);

/** Leaves what a process leaves that was killed while it held the lock. */
function leaveLock(directory: string, name: string): string {
  const path = join(directory, name);
  mkdirSync(path);
  writeFileSync(join(path, 's'), '');
  return path;
}

describe('a lock', () => {
  it('has one holder, whom the error names', async () => {
    const directory = newDirectory();
    const lock = await acquire(directory, 'members.csv');
    const failure = await acquire(directory).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(LockHeldError);
    expect(failure).toMatchObject({ holder: { pid: process.pid, host: hostname(), note: 'members.csv' } });
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

  it('has one holder in a directory whose path is too long for a socket, and leaves no temporary files', async () => {
    const directory = join(newDirectory(), 'd'.repeat(200));
    mkdirSync(directory);
    const temporary = newDirectory();
    vi.stubEnv('TMPDIR', temporary);
    onTestFinished(() => void vi.unstubAllEnvs());
    const lock = await acquire(directory, 'members.csv');
    await expect(acquire(directory)).rejects.toMatchObject({ holder: { note: 'members.csv' } });
    expect(readdirSync(temporary)).toEqual([]);

    vi.stubEnv('TMPDIR', folder.file('missing'));
    const problem = { exitCode: 2, message: expect.stringContaining(folder.file('missing')) };
    await expect(isLocked(join(directory, 'lock'))).rejects.toMatchObject(problem);
    await expect(acquire(directory)).rejects.toMatchObject(problem);
    await lock.release();
  });

  it('is free if it was restored from a copy, in which no process listens', async () => {
    const original = newDirectory();
    const lock = await acquire(original);
    const directory = newDirectory();
    cpSync(original, directory, { recursive: true, filter: (path) => !path.endsWith('/s') });
    await (await acquire(directory)).release();
    leaveLock(directory, 'lock.4');
    await (await acquire(directory)).release();
    expect(readdirSync(directory)).toEqual([]);
    await lock.release();
  });

  it('is released without an error if its directory was removed', async () => {
    const directory = newDirectory();
    const lock = await acquire(directory);
    rmSync(directory, { recursive: true });
    await expect(lock.release()).resolves.toBeUndefined();
  });

  it('removes what crashed processes left an hour ago, and nothing that may be in use', async () => {
    const directory = newDirectory();
    const anHourAgo = new Date(Date.now() - 3_600_000);
    for (const name of ['lock.new-0123abcd', 'lock.old-0123abcd', 'lock.new-mine', 'other.new-0123abcd'])
      utimesSync(leaveLock(directory, name), anHourAgo, anHourAgo);
    leaveLock(directory, 'lock.new-4567cdef');
    const lock = await acquire(directory);
    const left = ['lock.1', 'lock.new-4567cdef', 'lock.new-mine', 'other.new-0123abcd'];
    expect(readdirSync(directory).sort()).toEqual(left);
    await lock.release();
  });

  it('has one holder of many that compete for it, also after two that were killed', async () => {
    // Each round is a race that may end in another way.
    for (let round = 0; round < 40; round++) {
      const directory = newDirectory();
      if (round % 2 === 1) for (const number of [3, 4]) leaveLock(directory, `lock.${number}`);
      const results = await Promise.allSettled(Array.from({ length: 12 }, () => acquire(directory)));
      const isHeld = (result: PromiseSettledResult<HeldLock>) => result.status === 'fulfilled';
      const winners = results.filter(isHeld);
      expect(winners.length, `round ${round}`).toBe(1);
      const losers = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason);
      for (const error of losers) expect(error).toBeInstanceOf(LockHeldError);
      expect(readdirSync(directory)).toHaveLength(1);
      await winners[0]?.value.release();
    }
  });

  it('is not taken by a process so slow that another one was killed with it meanwhile, and a third one has it', async () => {
    const directory = newDirectory();
    const { rename } = fs.promises;
    const setRename = (replacement: typeof rename) => {
      fs.promises.rename = replacement;
      syncBuiltinESMExports();
    };
    onTestFinished(() => setRename(rename));
    let third: HeldLock | undefined;
    setRename(async (from, to) => {
      setRename(rename);
      leaveLock(directory, 'lock.1');
      third = await acquire(directory);
      await rename(from, to);
    });
    await expect(acquire(directory)).rejects.toBeInstanceOf(LockHeldError);
    expect(readdirSync(directory)).toEqual(['lock.2']);
    await third?.release();
  });
});
