import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { makePrivateDirectory, readInputFile, replaceFile } from '../../src/util/files.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const OPTIONS = { option: '--from', maxBytes: 10, terminalHint: 'Pipe it in.' };

describe('readInputFile', () => {
  it('does not wait for input from a terminal', async () => {
    const terminal = Object.assign(Readable.from([]), { isTTY: true });
    await expect(readInputFile('-', terminal, OPTIONS)).rejects.toMatchObject({
      message: '--from -: standard input is a terminal',
      hint: 'Pipe it in.',
    });
  });
});

describe('makePrivateDirectory', () => {
  it('creates missing directories with mode 0700 and leaves existing ones unchanged', async () => {
    const root = temporaryFolder().path;
    const before = await stat(root);
    await makePrivateDirectory(join(root, 'a', 'b', 'c'));
    await makePrivateDirectory(join(root, 'a', 'b', 'c'));
    for (const name of ['a', 'a/b', 'a/b/c']) expect((await stat(join(root, name))).mode & 0o777, name).toBe(0o700);
    expect((await stat(root)).mode).toBe(before.mode);
  });
});

describe('replaceFile', () => {
  it('replaces the content, sets mode 0600 and leaves no draft', async () => {
    const directory = temporaryFolder().path;
    const file = join(directory, 'file');
    await writeFile(file, 'old', { mode: 0o644 });
    replaceFile(file, 'new', { durable: true });
    expect(await readFile(file, 'utf8')).toBe('new');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(directory)).toEqual(['file']);
  });

  it('keeps the existing file, and leaves no draft, when it fails', async () => {
    const directory = temporaryFolder().path;
    const file = join(directory, 'file');
    await makePrivateDirectory(join(file, 'full'));
    expect(() => replaceFile(file, 'new', { durable: true })).toThrow(expect.objectContaining({ syscall: 'rename' }));
    expect(await readdir(directory)).toEqual(['file']);
    expect(await readdir(file)).toEqual(['full']);
  });
});
