import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Lock, type Processes, takeLock } from '../../../src/members/journal/lock.ts';
import { bundled } from '../../helpers/bundled.ts';
import { journalFolder } from './journal-folder.ts';

const US: Processes = { pid: process.pid, isRunning: (pid) => pid === process.pid };

interface Holder {
  pid: number;
  start: string;
  boot: string;
}

async function bootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
}

/** Fields of /proc/<pid>/stat from the third on; none of the processes here has a blank in its name. */
async function statOf(pid: number): Promise<string[]> {
  return (await readFile(`/proc/${pid}/stat`, 'utf8')).split(' ').slice(2);
}

async function ourselves(): Promise<Holder> {
  return { pid: process.pid, start: (await statOf(process.pid))[19] ?? '', boot: await bootId() };
}

async function held(name: string, content: unknown): Promise<string> {
  const folder = await journalFolder();
  await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  return folder;
}

describe('takeLock', () => {
  it('writes down who holds it, for its owner alone', async () => {
    const folder = await journalFolder();
    await takeLock(folder, US);
    expect(await readdir(folder)).toEqual(['lock.1']);
    expect(JSON.parse(await readFile(join(folder, 'lock.1'), 'utf8'))).toEqual(await ourselves());
    expect((await stat(join(folder, 'lock.1'))).mode & 0o777).toBe(0o600);
  });

  it('refuses a lock that is held, and names the process', async () => {
    const folder = await journalFolder();
    await takeLock(folder, US);
    await expect(takeLock(folder, US)).rejects.toMatchObject({
      code: 'in-use',
      exitCode: 2,
      message: `another process (${process.pid}) is at work on this list`,
    });
    expect(await readdir(folder)).toEqual(['lock.1']);
  });

  it('takes a lock that was given back, and leaves one file', async () => {
    const folder = await journalFolder();
    for (const name of ['lock.1', 'lock.2', 'lock.3']) {
      const lock = await takeLock(folder, US);
      expect(await readdir(folder)).toEqual([name]);
      await lock.release();
    }
  });

  it.each<[string, (us: Holder) => unknown]>([
    ['of a process that is gone', (us) => ({ ...us, pid: 4_194_305 })],
    ['of another process that had our number', (us) => ({ ...us, start: '1' })],
    ['of an earlier run of the machine', (us) => ({ ...us, boot: 'another' })],
    ['that is empty', () => ''],
    ['that is torn', () => '{"pid":1'],
  ])('takes over a lock %s', async (_, holder) => {
    const folder = await held('lock.7', holder(await ourselves()));
    await takeLock(folder, US);
    expect(await readdir(folder)).toEqual(['lock.8']);
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
    const folder = await held('lock.1', { pid, start: (await statOf(pid))[19], boot: await bootId() });
    await takeLock(folder, { pid: process.pid, isRunning: (other) => process.kill(other, 0) });
    expect(await readdir(folder)).toEqual(['lock.2']);
  });

  it('holds its own against a lower lock that a slower process made', async () => {
    const folder = await held('lock.4', '');
    await takeLock(folder, US);
    await writeFile(join(folder, 'lock.4'), '');
    await expect(takeLock(folder, US)).rejects.toMatchObject({ code: 'in-use' });
  });

  it('is given back without a word where the folder is gone', async () => {
    const folder = join(await journalFolder(), 'run');
    await mkdir(folder);
    const lock = await takeLock(folder, US);
    await rm(folder, { recursive: true });
    await expect(lock.release()).resolves.toBeUndefined();
  });
});

describe('of many that run for a lock', () => {
  it('in one process, exactly one gets it, round after round', async () => {
    const folder = await journalFolder();
    for (let round = 1; round <= 40; round++) {
      const results = await Promise.allSettled(Array.from({ length: 12 }, () => takeLock(folder, US)));
      const winners = results.filter((result): result is PromiseFulfilledResult<Lock> => result.status === 'fulfilled');
      expect(winners.length, `round ${round}`).toBe(1);
      await winners[0]?.value.release();
    }
  });

  it('each in its own process, exactly one gets it, whatever was left there', async () => {
    const program = await bundled('test/members/journal/lock-racer.js', await journalFolder());
    const racers = Array.from({ length: 4 }, () => startRacer(program));
    await Promise.all(racers.map((racer) => once(racer, 'message')));
    const stale = JSON.stringify({ ...(await ourselves()), start: '1' });
    const folders = await Promise.all(
      [{}, { 'lock.3': '' }, { 'lock.3': stale }, { 'lock.1': '', 'lock.2': stale, 'lock.9': stale }].map(
        async (files) => {
          const folder = await journalFolder();
          for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
          return folder;
        },
      ),
    );
    for (let round = 0; round < 100; round++) {
      const folder = folders[round % folders.length];
      const answers = await Promise.all(
        racers.map(async (racer) => {
          const answer = once(racer, 'message');
          racer.send(folder ?? '');
          return (await answer)[0] as string;
        }),
      );
      expect(answers.sort(), `round ${round}`).toEqual(['refused', 'refused', 'refused', 'won']);
    }
    for (const folder of folders) {
      expect((await readdir(folder)).filter((name) => !/^lock\.\d+$/.test(name))).toEqual([]);
    }
  }, 60_000);
});

function startRacer(program: string): ChildProcess {
  const racer = fork(program, { execArgv: [] });
  onTestFinished(() => void racer.kill('SIGKILL'));
  return racer;
}
