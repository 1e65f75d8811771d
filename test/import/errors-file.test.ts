import { chmod, link, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkErrorsPath, type RejectedRow, writeErrorsFile } from '../../src/import/errors-file.ts';
import { type MemberList, openList } from '../../src/import/list/open-list.ts';
import { type ListText, listOptions, readOpenList, temporaryFolder } from './list/read-list.ts';

async function openFile(file: string, given: ListText = {}): Promise<MemberList> {
  const list = await openList(
    { path: file, stdin: Readable.from([]), spoolDir: path.dirname(file) },
    listOptions(given),
  );
  onTestFinished(() => list.close());
  return list;
}

describe('the file', () => {
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

  test('appears only when it is complete, readable by its owner only', async () => {
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

  test('leaves what was there when its rows cannot be read to their end', async () => {
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

  test('is not made for no rows, but an old one is emptied', async () => {
    const folder = await temporaryFolder();
    const file = path.join(folder, 'errors.csv');
    expect(await writeErrorsFile(file, LAYOUT, rows())).toBe(0);
    expect(await readdir(folder)).toEqual([]);
    await writeFile(file, 'old');
    expect(await writeErrorsFile(file, LAYOUT, rows())).toBe(0);
    expect(await readFile(file, 'utf8')).toBe('userId,role,error\n');
  });

  test('an old JSON one becomes an empty array', async () => {
    const file = path.join(await temporaryFolder(), 'errors.json');
    await writeFile(file, 'old');
    await writeErrorsFile(file, { format: 'json', hasBom: false, options: listOptions({}) }, rows());
    expect(await readFile(file, 'utf8')).toBe('[]\n');
  });

  test('goes where a link points', async () => {
    const folder = await temporaryFolder();
    await mkdir(path.join(folder, 'real'));
    await writeFile(path.join(folder, 'real', 'errors.csv'), '');
    await symlink(path.join(folder, 'real', 'errors.csv'), path.join(folder, 'link.csv'));
    await writeErrorsFile(path.join(folder, 'link.csv'), LAYOUT, rows('a'));
    expect(await readFile(path.join(folder, 'real', 'errors.csv'), 'utf8')).toContain('a,m,no');
  });

  test('holds many rows in order', async () => {
    const file = path.join(await temporaryFolder(), 'errors.csv');
    const ids = Array.from({ length: 20_000 }, (_, index) => `user-${index}`);
    expect(await writeErrorsFile(file, LAYOUT, rows(...ids))).toBe(20_000);
    expect((await readOpenList(await openFile(file))).rows.map((row) => row.userId)).toEqual(ids);
  });
});

describe('its path is checked before anything is sent', () => {
  async function list(name: string): Promise<{ folder: string; file: string; list: MemberList }> {
    const folder = await temporaryFolder();
    const file = path.join(folder, name);
    await writeFile(file, name.endsWith('json') ? '[]' : 'userId,role\n');
    return { folder, file, list: await openFile(file) };
  }

  test('rejects the list itself, under any of its names', async () => {
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

  test('reports a missing folder at once', async () => {
    const { folder, list: members } = await list('list.csv');
    const file = path.join(folder, 'no', 'errors.csv');
    await expect(checkErrorsPath(file, members)).rejects.toMatchObject({ code: 'errors-file-failed', exitCode: 2 });
  });

  test('leaves nothing behind, and what is there as it is', async () => {
    const { folder, list: members } = await list('list.csv');
    await checkErrorsPath(path.join(folder, 'errors.csv'), members);
    expect(await readdir(folder)).toEqual(['list.csv']);
  });

  test('rejects a folder', async () => {
    const { folder, list: members } = await list('list.csv');
    await expect(checkErrorsPath(folder, members)).rejects.toMatchObject({
      message: `--errors-file ${folder}: that is not a file`,
    });
  });

  test.each([
    ['list.csv', 'errors.json'],
    ['list.csv', 'errors.tsv'],
    ['list.json', 'errors.csv'],
    ['list.ndjson', 'errors.json'],
  ])('for %s rejects the name %s', async (name, errorsName) => {
    const { folder, list: members } = await list(name);
    await expect(checkErrorsPath(path.join(folder, errorsName), members)).rejects.toMatchObject({
      hint: `Name a file that ends in .${path.extname(name).slice(1)}, so that it can be read again.`,
    });
  });

  test.each([
    ['list.csv', 'errors.csv'],
    ['list.csv', 'errors.txt'],
    ['list.tsv', 'errors.csv'],
    ['list.ndjson', 'errors.jsonl'],
    ['list.json', 'errors'],
  ])('for %s the name %s is fine', async (name, errorsName) => {
    const { folder, list: members } = await list(name);
    await expect(checkErrorsPath(path.join(folder, errorsName), members)).resolves.toBeUndefined();
  });
});
