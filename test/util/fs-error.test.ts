import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fileTrouble } from '../../src/util/fs-error.ts';

test('says what the system means, and keeps its code', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'orgadm-trouble-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'file'), '');
  const troubleWith = (path: string) => readFile(path).then(() => 'none', fileTrouble);
  expect(await troubleWith(join(folder, 'none'))).toBe('no such file or folder (ENOENT)');
  expect(await troubleWith(folder)).toBe('it is a folder (EISDIR)');
  expect(await troubleWith(join(folder, 'file', 'x'))).toBe('a part of its path is no folder (ENOTDIR)');
});

test('keeps the words of what it does not know', () => {
  expect(fileTrouble(Object.assign(new Error('odd'), { code: 'EODD' }))).toBe('odd');
  expect(fileTrouble('odd')).toBe('odd');
});
