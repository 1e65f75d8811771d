import { chmod, link, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkErrorsPath, createErrorsFile } from '../../src/members/errors-file.ts';
import { type MemberList, openList } from '../../src/members/list.ts';
import { type Given, listOptions, readOpened, temporaryFolder } from './list/read-list.ts';

async function openFile(file: string, given: Given = {}): Promise<MemberList> {
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
    bom: false,
    delimiter: ',',
    header: ['userId', 'role'],
    errorColumn: undefined,
  } as const;
  const ROW = { line: 2, entry: 1, userId: 'a', value: undefined, problems: [], raw: { cells: ['a', 'm'] } };

  test('stands in its place only when it is complete, for its owner only', async () => {
    const folder = await temporaryFolder();
    const file = path.join(folder, 'errors.csv');
    await writeFile(file, 'old');
    await chmod(file, 0o644);
    const errors = await createErrorsFile(file, LAYOUT);
    await errors.add(ROW, 'no');
    expect(await readFile(file, 'utf8')).toBe('old');
    await errors.close();
    await errors.discard();
    expect(await readFile(file, 'utf8')).toBe('userId,role,error\na,m,no\n');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['errors.csv']);
  });

  test('leaves what was there when it is given up', async () => {
    const folder = await temporaryFolder();
    const file = path.join(folder, 'errors.csv');
    await writeFile(file, 'old');
    const errors = await createErrorsFile(file, LAYOUT);
    await errors.add(ROW, 'no');
    await errors.discard();
    expect([await readFile(file, 'utf8'), await readdir(folder)]).toEqual(['old', ['errors.csv']]);
  });

  test('is not made for no rows, but an old one is emptied', async () => {
    const folder = await temporaryFolder();
    const file = path.join(folder, 'errors.csv');
    expect(await (await createErrorsFile(file, LAYOUT)).close()).toBe(0);
    expect(await readdir(folder)).toEqual([]);
    await writeFile(file, 'old');
    expect(await (await createErrorsFile(file, LAYOUT)).close()).toBe(0);
    expect(await readFile(file, 'utf8')).toBe('userId,role,error\n');
  });

  test('an old JSON one becomes an empty array', async () => {
    const file = path.join(await temporaryFolder(), 'errors.json');
    await writeFile(file, 'old');
    await (await createErrorsFile(file, { format: 'json', bom: false })).close();
    expect(await readFile(file, 'utf8')).toBe('[]\n');
  });

  test('goes where a link points', async () => {
    const folder = await temporaryFolder();
    await mkdir(path.join(folder, 'real'));
    await writeFile(path.join(folder, 'real', 'errors.csv'), '');
    await symlink(path.join(folder, 'real', 'errors.csv'), path.join(folder, 'link.csv'));
    const errors = await createErrorsFile(path.join(folder, 'link.csv'), LAYOUT);
    await errors.add(ROW, 'no');
    await errors.close();
    expect(await readFile(path.join(folder, 'real', 'errors.csv'), 'utf8')).toContain('a,m,no');
  });

  test('holds many rows in order', async () => {
    const file = path.join(await temporaryFolder(), 'errors.csv');
    const errors = await createErrorsFile(file, LAYOUT);
    const ids = Array.from({ length: 20_000 }, (_, index) => `user-${index}`);
    for (const id of ids) await errors.add({ ...ROW, raw: { cells: [id, 'm'] } }, 'no');
    expect(await errors.close()).toBe(20_000);
    expect((await readOpened(await openFile(file))).rows.map((row) => row.userId)).toEqual(ids);
  });

  test('in a folder that is not there is told at once', async () => {
    const file = path.join(await temporaryFolder(), 'no', 'errors.csv');
    await expect(createErrorsFile(file, LAYOUT)).rejects.toMatchObject({ code: 'errors-file-failed', exitCode: 2 });
  });
});

describe('its path is checked before anything is sent', () => {
  async function list(name: string): Promise<{ folder: string; file: string; list: MemberList }> {
    const folder = await temporaryFolder();
    const file = path.join(folder, name);
    await writeFile(file, name.endsWith('json') ? '[]' : 'userId,role\n');
    return { folder, file, list: await openFile(file) };
  }

  test('the list itself is refused, under any of its names', async () => {
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

  test('a folder is refused', async () => {
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
  ])('for %s the name %s is refused', async (name, errorsName) => {
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
