import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readInputFile } from '../../src/util/files.ts';

const OPTIONS = { option: '--from', maxBytes: 10, terminalHint: 'Pipe it in.' };

describe('readInputFile', () => {
  it('reads a file, and standard input for -', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'orgadm-files-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    await writeFile(join(directory, 'file'), 'a file');
    const stdin = Readable.from(['a ', 'pipe']);
    expect((await readInputFile(join(directory, 'file'), stdin, OPTIONS)).toString()).toBe('a file');
    expect((await readInputFile('-', stdin, OPTIONS)).toString()).toBe('a pipe');
  });

  it('names the option and the reason when it cannot read', async () => {
    await expect(readInputFile('/none/there', Readable.from([]), OPTIONS)).rejects.toMatchObject({
      exitCode: 2,
      message: '--from: cannot read /none/there: no such file or directory (ENOENT)',
    });
  });

  it('rejects more bytes than allowed, also from an endless device', async () => {
    await expect(readInputFile('/dev/zero', Readable.from([]), OPTIONS)).rejects.toThrow(
      '--from: cannot read /dev/zero: the file is too large (EFBIG)',
    );
    await expect(readInputFile('-', Readable.from(['12345678901']), OPTIONS)).rejects.toThrow(
      '--from: cannot read standard input: the file is too large (EFBIG)',
    );
  });

  it('does not wait for input from a terminal', async () => {
    const terminal = Object.assign(Readable.from([]), { isTTY: true });
    await expect(readInputFile('-', terminal, OPTIONS)).rejects.toMatchObject({
      message: '--from -: standard input is a terminal',
      hint: 'Pipe it in.',
    });
  });
});
