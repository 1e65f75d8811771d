import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { acquireLock, LockHeldError } from '../../src/util/file-lock.ts';
import { bundled } from '../helpers/bundled.ts';
import { NEW_PID_NAMESPACE } from '../helpers/needed-programs.ts';
import { journalDirectory } from '../import/journal/journal-directory.ts';

/** A process in a PID namespace of its own, as one in a container is: it acquires the lock of each directory it receives. */
async function startContained(): Promise<ChildProcess> {
  const program = await bundled('test/helpers/lock-racer.js', await journalDirectory());
  const [command, ...args] = NEW_PID_NAMESPACE;
  const child = spawn(command, [...args, process.execPath, program], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  return child;
}

async function take(contained: ChildProcess, directory: string): Promise<string> {
  const response = once(contained, 'message');
  contained.send(directory);
  return (await response)[0] as string;
}

describe('a lock that is shared by PID namespaces', () => {
  it('stays with a process that exists in another one, although its id does not exist here', async () => {
    const directory = await journalDirectory();
    expect(await take(await startContained(), directory)).toBe('won');
    const failure = await acquireLock(join(directory, 'lock'), '').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(LockHeldError);
    expect(failure).toMatchObject({ isVerified: true, holder: { pid: 1 } });
    expect(await take(await startContained(), directory)).toBe('held');
  });

  it('is not taken from this process by one that has the same id in another namespace', async () => {
    const directory = await journalDirectory();
    const [first, second] = await Promise.all([startContained(), startContained()]);
    expect(await take(first, directory)).toBe('won');
    expect(await take(second, directory)).toBe('held');
  });

  it('is taken over from a killed process in another one, because the kernel rejects connections to its socket', async () => {
    const directory = await journalDirectory();
    const contained = await startContained();
    expect(await take(contained, directory)).toBe('won');
    contained.kill('SIGKILL');
    await once(contained, 'exit');
    // The process inside ends right after the one that was killed.
    for (;;) {
      const taken = await acquireLock(join(directory, 'lock'), '').catch((error: unknown) => error);
      if (!(taken instanceof LockHeldError)) break;
    }
    expect((await readdir(directory)).filter((name) => !name.endsWith('.sock'))).toEqual(['lock']);
  });
});
