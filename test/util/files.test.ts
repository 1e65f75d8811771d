import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makePrivateDirectory, readInputFile, replaceFile } from '../../src/util/files.ts';

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

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'orgadm-files-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

describe('makePrivateDirectory', () => {
  it('creates missing directories with mode 0700 and leaves existing ones unchanged', async () => {
    const root = await temporaryDirectory();
    const before = await stat(root);
    await makePrivateDirectory(join(root, 'a', 'b', 'c'));
    await makePrivateDirectory(join(root, 'a', 'b', 'c'));
    for (const name of ['a', 'a/b', 'a/b/c']) expect((await stat(join(root, name))).mode & 0o777, name).toBe(0o700);
    expect((await stat(root)).mode).toBe(before.mode);
  });

  it('can be called for the same directory many times at once', async () => {
    const path = join(await temporaryDirectory(), 'a', 'b', 'c', 'd');
    await Promise.all(Array.from({ length: 20 }, () => makePrivateDirectory(path)));
    expect((await stat(path)).isDirectory()).toBe(true);
  });

  it('throws below a file, and if no directory can be created', async () => {
    const file = join(await temporaryDirectory(), 'file');
    await writeFile(file, '');
    await expect(makePrivateDirectory(join(file, 'a', 'b'))).rejects.toMatchObject({ code: 'ENOTDIR' });
    await expect(makePrivateDirectory('/proc/self/a/b')).rejects.toMatchObject({ syscall: 'mkdir' });
  });
});

describe('replaceFile', () => {
  it('replaces the content, sets mode 0600 and leaves no draft', async () => {
    const directory = await temporaryDirectory();
    const file = join(directory, 'file');
    await writeFile(file, 'old', { mode: 0o644 });
    replaceFile(file, 'new', { durable: true });
    expect(await readFile(file, 'utf8')).toBe('new');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(directory)).toEqual(['file']);
  });

  it('keeps the existing file, and leaves no draft, when it fails', async () => {
    const directory = await temporaryDirectory();
    const file = join(directory, 'file');
    await makePrivateDirectory(join(file, 'full'));
    expect(() => replaceFile(file, 'new', { durable: true })).toThrow(expect.objectContaining({ syscall: 'rename' }));
    expect(await readdir(directory)).toEqual(['file']);
    expect(await readdir(file)).toEqual(['full']);
  });
});
