import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mkdirPrivate } from '../../../src/import/journal/journal-file.ts';
import { journalDirectory } from './journal-directory.ts';

describe('mkdirPrivate', () => {
  it('makes what is missing, private, and leaves what is there as it is', async () => {
    const root = await journalDirectory();
    const before = await stat(root);
    await mkdirPrivate(join(root, 'a', 'b', 'c'));
    await mkdirPrivate(join(root, 'a', 'b', 'c'));
    for (const name of ['a', 'a/b', 'a/b/c']) expect((await stat(join(root, name))).mode & 0o777, name).toBe(0o700);
    expect((await stat(root)).mode).toBe(before.mode);
  });

  it('may be called by many at the same time', async () => {
    const path = join(await journalDirectory(), 'a', 'b', 'c', 'd');
    await Promise.all(Array.from({ length: 20 }, () => mkdirPrivate(path)));
    expect((await stat(path)).isDirectory()).toBe(true);
  });

  it('throws below a file, and where no folder can be made', async () => {
    const file = join(await journalDirectory(), 'file');
    await writeFile(file, '');
    await expect(mkdirPrivate(join(file, 'a', 'b'))).rejects.toMatchObject({ code: 'ENOTDIR' });
    await expect(mkdirPrivate('/proc/self/a/b')).rejects.toMatchObject({ syscall: 'mkdir' });
  });
});
