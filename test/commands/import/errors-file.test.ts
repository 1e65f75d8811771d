import { chmod, link, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkErrorsPath, ErrorsFile, type WrittenErrors } from '../../../src/commands/import/report/errors-file.ts';
import type { CheckedRow } from '../../../src/import/checked-row.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { textLike } from '../../helpers/text-like.ts';
import { checkList, type Given } from '../../import/check/lists.ts';

const HEADER = 'userId,role,department,isActive,deviceMgmtLabelId,line,error\n';

function rowOf(userId: string): CheckedRow {
  return { line: 2, number: 1, member: undefined, fields: { userId, role: 'm' }, issues: [] };
}

/** Writes an errors file with these rows, as a report does. */
async function write(file: string, rows: readonly CheckedRow[], error = 'no'): Promise<WrittenErrors> {
  const errorsFile = new ErrorsFile(file);
  for (const row of rows) await errorsFile.add(row, error);
  return errorsFile.finish();
}

describe('an errors file', () => {
  it('appears only when it is complete, readable by its owner only', async () => {
    const folder = temporaryFolder().path;
    const file = path.join(folder, 'errors.csv');
    await writeFile(file, 'old');
    await chmod(file, 0o644);
    const errorsFile = new ErrorsFile(file);
    await errorsFile.add(rowOf('a'), 'no');
    expect(await readFile(file, 'utf8')).toBe('old');
    expect(await errorsFile.finish()).toEqual({ rows: 1, backup: `${file}.bak` });
    expect(await readFile(file, 'utf8')).toBe(`${HEADER}a,m,,,,2,no\n`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['errors.csv', 'errors.csv.bak']);
  });

  it('keeps each earlier file with other content, which someone may have edited', async () => {
    const folder = temporaryFolder().path;
    const file = path.join(folder, 'errors.csv');
    const backupOf = async (...ids: string[]) => (await write(file, ids.map(rowOf))).backup;
    expect(await backupOf('a')).toBeUndefined();
    await writeFile(file, 'corrected');
    expect(await backupOf('a')).toBe(`${file}.bak`);
    expect(await backupOf('a')).toBeUndefined();
    await writeFile(file, 'corrected again');
    expect(await backupOf('a', 'b')).toBe(`${file}.bak2`);
    expect(await readdir(folder)).toEqual(['errors.csv', 'errors.csv.bak', 'errors.csv.bak2']);
    expect(await readFile(`${file}.bak`, 'utf8')).toBe('corrected');
    expect(await readFile(`${file}.bak2`, 'utf8')).toBe('corrected again');
  });

  it('does not appear if it is discarded, and the earlier one stays', async () => {
    const folder = temporaryFolder().path;
    const file = path.join(folder, 'errors.csv');
    await writeFile(file, 'old');
    const errorsFile = new ErrorsFile(file);
    await errorsFile.add(rowOf('a'), 'no'.repeat(50_000));
    await errorsFile.discard();
    expect([await readFile(file, 'utf8'), await readdir(folder)]).toEqual(['old', ['errors.csv']]);
  });

  it('is not created without rejected rows, and an old one is moved away', async () => {
    const folder = temporaryFolder().path;
    const file = path.join(folder, 'errors.csv');
    expect(await write(file, [])).toEqual({ rows: 0, backup: undefined });
    expect(await readdir(folder)).toEqual([]);
    await writeFile(file, 'old');
    expect(await write(file, [])).toEqual({ rows: 0, backup: `${file}.bak` });
    expect(await readdir(folder)).toEqual(['errors.csv.bak']);
  });

  it('is written to the target of a link', async () => {
    const folder = temporaryFolder().path;
    await mkdir(path.join(folder, 'real'));
    await writeFile(path.join(folder, 'real', 'errors.csv'), '');
    await symlink(path.join(folder, 'real', 'errors.csv'), path.join(folder, 'link.csv'));
    await write(path.join(folder, 'link.csv'), [rowOf('a')]);
    expect(await readFile(path.join(folder, 'real', 'errors.csv'), 'utf8')).toContain('a,m,');
  });
});

describe('the check of the path of an errors file', () => {
  async function list(): Promise<{ folder: string; inUse: [string, string][] }> {
    const folder = temporaryFolder().path;
    const file = path.join(folder, 'list.csv');
    await writeFile(file, 'userId,role\n');
    return { folder, inUse: [[file, 'the list itself']] };
  }

  it('rejects a file in use, under any of its names', async () => {
    const { folder, inUse } = await list();
    const file = path.join(folder, 'list.csv');
    await symlink(file, path.join(folder, 'soft.csv'));
    await link(file, path.join(folder, 'hard.csv'));
    for (const name of ['list.csv', 'soft.csv', 'hard.csv']) {
      const target = path.join(folder, name);
      await expect(checkErrorsPath(target, inUse)).rejects.toMatchObject({
        name: 'UsageError',
        message: expect.stringContaining(`--errors-file ${target}`),
      });
    }
  });

  it('leaves nothing behind', async () => {
    const { folder, inUse } = await list();
    await checkErrorsPath(path.join(folder, 'errors.csv'), inUse);
    expect(await readdir(folder)).toEqual(['list.csv']);
  });

  it('rejects a folder', async () => {
    const { folder, inUse } = await list();
    await expect(checkErrorsPath(folder, inUse)).rejects.toMatchObject({
      message: expect.stringContaining(`--errors-file ${folder}`),
    });
  });

  it.each(['errors.json', 'errors.ndjson', 'errors.xlsx', 'errors.csv.gz'])(
    'rejects the name %s, under which orgadm would not read it as CSV',
    async (name) => {
      const { folder, inUse } = await list();
      await expect(checkErrorsPath(path.join(folder, name), inUse)).rejects.toMatchObject({
        hint: expect.stringContaining('.csv'),
      });
    },
  );

  it.each(['errors.csv', 'errors', 'errors.txt'])('accepts the name %s', async (name) => {
    const { folder, inUse } = await list();
    await expect(checkErrorsPath(path.join(folder, name), inUse)).resolves.toBeUndefined();
  });
});

describe('a row of an errors file', () => {
  /** Writes all rows of a list to an errors file. Returns its text without the header, and its members as orgadm reads them. */
  async function written(content: string, given: Given = {}, error?: string) {
    const { rows } = await checkList(content, given);
    const file = path.join(temporaryFolder().path, 'errors.csv');
    const errorsFile = new ErrorsFile(file);
    for (const row of rows) await errorsFile.add(row, error ?? row.issues[0]?.message ?? 'rejected');
    await errorsFile.finish();
    const text = await readFile(file, 'utf8');
    const again = await checkList(text);
    expect(text.startsWith(HEADER)).toBe(true);
    return {
      text: text.slice(HEADER.length),
      members: rows.map(({ member }) => member),
      again: again.rows.map(({ member }) => member),
    };
  }

  it.each([
    ['CSV', 'userId,role\nu1,m\n', {}, 'u1,m,,,,2,rejected\n'],
    ['other columns and a default', 'Id;dept\n"0012";it\n', MAPPED, '0012,employee,it,true,,2,rejected\n'],
    ['a blank line', 'userId,role\n\nu1,m\n', {}, 'u1,m,,,,3,rejected\n'],
    ['quotes and delimiters', 'userId,role\n"a""b","c;d, e"\n', {}, '"a""b","c;d, e",,,,2,rejected\n'],
    ['formulas', 'userId,role\n=1+1,m\n', {}, '=1+1,m,,,,2,rejected\n'],
    ['JSON', '[{"userId":"a","role":"m","deviceMgmtLabelId":7,"isActive":false}]', {}, 'a,m,,false,7,1,rejected\n'],
    [
      'NDJSON',
      '{"userId":"a","role":"m"}\n\n{"userId":"b","role":"m"}\n',
      {},
      'a,m,,,,1,rejected\nb,m,,,,3,rejected\n',
    ],
  ])('has the fields as orgadm would send them, and needs no options: %s', async (_, content, given, text) => {
    const read = await written(content, given);
    expect(read.text).toBe(text);
    expect(read.again).toEqual(read.members);
  });

  it.each([
    ['a value that is wrong', 'userId,role,isActive\nu1,m,maybe\n', {}, 'u1,m,,maybe,,2,"isActive: …\n'],
    ['no role', 'userId,role\nu1,\n', {}, 'u1,,,,,2,role …\n'],
    ['too many cells', 'userId,role\nu1,m,x,y\n', {}, ',m,,,,2,"the row has 4 cells, …\n'],
    ['a number that is not exact', '[{"userId":9007199254740993,"role":"m"}]', {}, ',m,,,,1,"userId: …"\n'],
  ])('has a value that cannot be read as it was, and stays invalid: %s', async (_, content, given, text) => {
    const read = await written(content, given);
    expect(read.text).toMatch(textLike(text));
    expect(read.again).toEqual([undefined]);
  });

  it('stays invalid if a value is wrong, and its text does not show it', async () => {
    const file = path.join(temporaryFolder().path, 'errors.csv');
    const issues = [{ field: 'department', message: 'department: C3 has a line through it' }];
    await write(file, [{ ...rowOf('a'), issues }]);
    expect(await readFile(file, 'utf8')).toBe(`${HEADER}a,m,#N/A,,,2,no\n`);
  });

  it('has an error that a spreadsheet does not evaluate, and a terminal does not obey', async () => {
    const { text } = await written('userId,role\nu1,m\n', {}, '=HYPERLINK("x")\n\u001b]0;t\u0007\u202e');
    expect(text).toBe('u1,m,,,,2,"\'=HYPERLINK(""x"") \\u001b]0;t\\u0007\\u202e"\n');
  });
});

/** How a list with other columns is read. */
const MAPPED: Given = {
  mapping: { columns: { userId: 'Id', department: 'dept' }, default: { role: 'employee' }, active: 'all' },
};
