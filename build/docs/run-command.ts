import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { main } from '../../src/main.ts';
import { systemClock } from '../../src/util/host.ts';

/**
 * Runs a command in this process, without the settings of the user who builds the program.
 *
 * @returns what it prints on standard output
 * @throws Error if the exit code is not 0
 */
export async function runCommand(argv: readonly string[]): Promise<string> {
  const stdout = new MemoryOutput();
  const stderr = new MemoryOutput();
  const code = await main(argv, {
    stdin: Readable.from([]),
    stdout,
    stderr,
    env: {},
    home: join(tmpdir(), 'orgadm-docs-no-home'),
    platform: 'linux',
    uid: process.getuid?.(),
    clock: systemClock,
    random: Math.random,
    onSignal: () => () => {},
    onCrash() {},
    jobControl: { canStop: () => false, stop() {}, onContinue: () => () => {} },
    onIdle: () => () => {},
    exitNow: (code) => process.exit(code),
  });
  if (code !== 0) throw new Error(`orgadm ${argv.join(' ')} exits ${code}: ${stderr.text}`);
  return stdout.text;
}

class MemoryOutput extends Writable {
  readonly isTTY = false;
  readonly columns = 80;
  text = '';

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
