import { chmod, link, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkErrorsPath, type RejectedRow, writeErrorsFile } from '../../src/import/errors-file.ts';
import type { MemberList } from '../../src/import/list/open-list.ts';
import { listOptions, openFile, readOpenList, temporaryFolder } from './list/read-list.ts';

describe('writeErrorsFile', () => {
  const LAYOUT = {
    format: 'csv',
    hasBom: false,
    delimiter: ',',
    columns: {
      header: ['userId', 'role'],
      fields: [
        { field: 'userId', column: 0 },
        { field: 'role', column: 1 },
      ],
      ignored: [],
      unnamed: [],
      errorColumn: undefined,
    },
    options: listOptions({}),
  } as const;
  const ROW = { line: 2, entry: 1, userId: 'a', value: undefined, issues: [], raw: { cells: ['a', 'm'] } };

  async function* rows(...ids: string[]): AsyncGenerator<RejectedRow> {
    for (const id of ids) yield { row: { ...ROW, raw: { cells: [id, 'm'] } }, error: 'no' };
  }

  it('creates the errors file only when it is complete, readable by its owner only', async () => {
    const folder = await temporaryFolder();
    const file = path.join(folder, 'errors.csv');
    await writeFile(file, 'old');
    await chmod(file, 0o644);
    async function* watched(): AsyncGenerator<RejectedRow> {
      yield* rows('a');
      expect(await readFile(file, 'utf8')).toBe('old');
    }
    expect(await writeErrorsFile(file, LAYOUT, watched())).toBe(1);
    expect(await readFile(file, 'utf8')).toBe('userId,role,error\na,m,no\n');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['errors.csv']);
  });

  it('keeps the previous errors file if the list cannot be read to its end', async () => {
    const folder = await temporaryFolder();
    const file = path.join(folder, 'errors.csv');
    await writeFile(file, 'old');
    async function* broken(): AsyncGenerator<RejectedRow> {
      yield* rows('a');
      throw new Error('the list is gone');
    }
    await expect(writeErrorsFile(file, LAYOUT, broken())).rejects.toThrow('the list is gone');
    expect([await readFile(file, 'utf8'), await readdir(folder)]).toEqual(['old', ['errors.csv']]);
  });

  it('creates no errors file without rejected rows, but empties an old one', async () => {
    const folder = await temporaryFolder();
    const file = path.join(folder, 'errors.csv');
    expect(await writeErrorsFile(file, LAYOUT, rows())).toBe(0);
    expect(await readdir(folder)).toEqual([]);
    await writeFile(file, 'old');
    expect(await writeErrorsFile(file, LAYOUT, rows())).toBe(0);
    expect(await readFile(file, 'utf8')).toBe('userId,role,error\n');
  });

  it('replaces an old JSON errors file by an empty array', async () => {
    const file = path.join(await temporaryFolder(), 'errors.json');
    await writeFile(file, 'old');
    await writeErrorsFile(file, { format: 'json', hasBom: false, options: listOptions({}) }, rows());
    expect(await readFile(file, 'utf8')).toBe('[]\n');
  });

  it('writes an errors file to the target of a link', async () => {
    const folder = await temporaryFolder();
    await mkdir(path.join(folder, 'real'));
    await writeFile(path.join(folder, 'real', 'errors.csv'), '');
    await symlink(path.join(folder, 'real', 'errors.csv'), path.join(folder, 'link.csv'));
    await writeErrorsFile(path.join(folder, 'link.csv'), LAYOUT, rows('a'));
    expect(await readFile(path.join(folder, 'real', 'errors.csv'), 'utf8')).toContain('a,m,no');
  });

  it('writes many rejected rows in their order', async () => {
    const file = path.join(await temporaryFolder(), 'errors.csv');
    const ids = Array.from({ length: 20_000 }, (_, index) => `user-${index}`);
    expect(await writeErrorsFile(file, LAYOUT, rows(...ids))).toBe(20_000);
    expect((await readOpenList(await openFile(file))).rows.map((row) => row.userId)).toEqual(ids);
  });
});

describe('the check of the path of an errors file', () => {
  async function list(name: string): Promise<{ folder: string; file: string; list: MemberList }> {
    const folder = await temporaryFolder();
    const file = path.join(folder, name);
    await writeFile(file, name.endsWith('json') ? '[]' : 'userId,role\n');
    return { folder, file, list: await openFile(file) };
  }

  it('rejects the list itself as its errors file, under any of its names', async () => {
    const { folder, file, list: members } = await list('list.csv');
    await symlink(file, path.join(folder, 'soft.csv'));
    await link(file, path.join(folder, 'hard.csv'));
    for (const name of ['list.csv', 'soft.csv', 'hard.csv']) {
      const target = path.join(folder, name);
      await expect(checkErrorsPath(target, members)).rejects.toMatchObject({
        name: 'UsageError',
        message: `--errors-file ${target}: that is the list itself`,
      });
    }
  });

  it('rejects an errors file in a missing folder', async () => {
    const { folder, list: members } = await list('list.csv');
    const file = path.join(folder, 'no', 'errors.csv');
    await expect(checkErrorsPath(file, members)).rejects.toMatchObject({ code: 'errors-file-failed', exitCode: 2 });
  });

  it('leaves nothing behind, and keeps an existing errors file', async () => {
    const { folder, list: members } = await list('list.csv');
    await checkErrorsPath(path.join(folder, 'errors.csv'), members);
    expect(await readdir(folder)).toEqual(['list.csv']);
  });

  it('rejects a folder as errors file', async () => {
    const { folder, list: members } = await list('list.csv');
    await expect(checkErrorsPath(folder, members)).rejects.toMatchObject({
      message: `--errors-file ${folder}: that is not a file`,
    });
  });

  it.each([
    ['list.csv', 'errors.json'],
    ['list.csv', 'errors.tsv'],
    ['list.json', 'errors.csv'],
    ['list.ndjson', 'errors.json'],
  ])('rejects for the list %s an errors file named %s', async (name, errorsName) => {
    const { folder, list: members } = await list(name);
    await expect(checkErrorsPath(path.join(folder, errorsName), members)).rejects.toMatchObject({
      hint: `Name a file that ends in .${path.extname(name).slice(1)}, so that it can be read again.`,
    });
  });

  it.each([
    ['list.csv', 'errors.csv'],
    ['list.csv', 'errors.txt'],
    ['list.tsv', 'errors.csv'],
    ['list.ndjson', 'errors.jsonl'],
    ['list.json', 'errors'],
  ])('accepts for the list %s an errors file named %s', async (name, errorsName) => {
    const { folder, list: members } = await list(name);
    await expect(checkErrorsPath(path.join(folder, errorsName), members)).resolves.toBeUndefined();
  });
});
