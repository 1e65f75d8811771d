import { chmod, link, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkErrorsPath, type RejectedRow, writeErrorsFile } from '../../src/import/errors-file.ts';
import { createFieldRules } from '../../src/import/list/field-rules.ts';
import type { MemberList } from '../../src/import/list/open-list.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { type ListText, listOptions, openFile, readOpenList } from './list/read-list.ts';

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
    rules: createFieldRules(listOptions({}), new Map()),
  } as const;
  const ROW = { line: 2, entry: 1, userId: 'a', value: undefined, issues: [], raw: { cells: ['a', 'm'] } };

  async function* rows(...ids: string[]): AsyncGenerator<RejectedRow> {
    for (const id of ids) yield { row: { ...ROW, raw: { cells: [id, 'm'] } }, error: 'no' };
  }

  it('creates the errors file only when it is complete, readable by its owner only', async () => {
    const folder = temporaryFolder();
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
    const folder = temporaryFolder();
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
    const folder = temporaryFolder();
    const file = path.join(folder, 'errors.csv');
    expect(await writeErrorsFile(file, LAYOUT, rows())).toBe(0);
    expect(await readdir(folder)).toEqual([]);
    await writeFile(file, 'old');
    expect(await writeErrorsFile(file, LAYOUT, rows())).toBe(0);
    expect(await readFile(file, 'utf8')).toBe('userId,role,error\n');
  });

  it('writes an errors file to the target of a link', async () => {
    const folder = temporaryFolder();
    await mkdir(path.join(folder, 'real'));
    await writeFile(path.join(folder, 'real', 'errors.csv'), '');
    await symlink(path.join(folder, 'real', 'errors.csv'), path.join(folder, 'link.csv'));
    await writeErrorsFile(path.join(folder, 'link.csv'), LAYOUT, rows('a'));
    expect(await readFile(path.join(folder, 'real', 'errors.csv'), 'utf8')).toContain('a,m,no');
  });
});

describe('the check of the path of an errors file', () => {
  async function list(name: string): Promise<{ folder: string; file: string; list: MemberList }> {
    const folder = temporaryFolder();
    const file = path.join(folder, name);
    await writeFile(
      file,
      name.endsWith('.json') ? '[]' : name.endsWith('.ndjson') ? '{"userId":"u1","role":"m"}\n' : 'userId,role\n',
    );
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
    ['list.json', 'errors.csv'],
  ])('rejects for the list %s an errors file named %s', async (name, errorsName) => {
    const { folder, list: members } = await list(name);
    await expect(checkErrorsPath(path.join(folder, errorsName), members)).rejects.toMatchObject({
      hint: `Name a file that ends in .${path.extname(name).slice(1)}, so that orgadm can read it again.`,
    });
  });

  it.each([
    ['list.csv', 'errors.csv'],
    ['list.tsv', 'errors.csv'],
    ['list.ndjson', 'errors.jsonl'],
    ['list.json', 'errors'],
  ])('accepts for the list %s an errors file named %s', async (name, errorsName) => {
    const { folder, list: members } = await list(name);
    await expect(checkErrorsPath(path.join(folder, errorsName), members)).resolves.toBeUndefined();
  });
});

async function* each(rows: readonly RejectedRow[]): AsyncGenerator<RejectedRow> {
  yield* rows;
}

/** Writes all rows of `content` to an errors file, and returns its text and what it contains if it is read again without options. */
async function written(
  name: string,
  content: string | Uint8Array,
  given: ListText = {},
): Promise<{ text: string; again: unknown[]; problems: string[] }> {
  const folder = temporaryFolder();
  const file = path.join(folder, name);
  await writeFile(file, content);
  const { check, rows } = await readOpenList(await openFile(file, given));
  const target = path.join(folder, `errors-${name}`);
  const rejectedRows = rows.map((row) => ({ row, error: row.issues[0]?.message ?? 'rejected' }));
  expect(await writeErrorsFile(target, check.layout, each(rejectedRows))).toBe(rows.length);
  const again = await readOpenList(await openFile(target));
  return {
    text: await readFile(target, 'utf8'),
    again: again.rows.map((row) => row.value),
    problems: again.rows.flatMap((row) => row.issues.map((problem) => problem.message)),
  };
}

describe('a rejected CSV row', () => {
  it.each([
    ['a plain row', 'userId,role\nu1,m\n', 'userId,role,error\nu1,m,rejected\n'],
    ['semicolons, another order and spelling', 'Role;User ID\n m ;"0012"\n', 'Role;User ID;error\nm;0012;rejected\n'],
    ['tabs', 'userId\trole\nu1\ta,b\n', 'userId\trole\terror\nu1\t"a,b"\trejected\n'],
    ['quotes and delimiters', 'userId,role\n"a""b","c;d, e"\n', 'userId,role,error\n"a""b","c;d, e",rejected\n'],
    ['an earlier error', 'userId,role,Error\nu1,m,old\nu2,m\n', 'userId,role,error\nu1,m,rejected\nu2,m,rejected\n'],
    ['a byte order mark', '\ufeffuserId,role\nu1,m\n', '\ufeffuserId,role,error\nu1,m,rejected\n'],
    [
      'text that a spreadsheet would evaluate, which is escaped',
      'userId,-role,note,error\n=1+1,-5+m,"x;@y",old\n',
      `userId,'-role,note,error\n'=1+1,'-5+m,"x;'@y",rejected\n`,
    ],
  ])('keeps its cells and gains an error column: %s', async (_name, content, text) => {
    const read = await written('list.csv', content);
    expect(read.text).toBe(text);
    expect(read.problems).toEqual([]);
    expect(read.again.every((value) => value !== undefined)).toBe(true);
  });

  it('is written as UTF-8 with a byte order mark if the list has another encoding', async () => {
    const read = await written('list.csv', Buffer.from('\ufeffuserId\trole\n監\tm\n', 'utf16le'));
    expect(read.text).toBe('\ufeffuserId\trole\terror\n監\tm\trejected\n');
    expect(read.again).toEqual([{ userId: '監', role: 'm' }]);
    const other = await written('list.csv', Buffer.from('userId,role\né,m\n', 'latin1'), { encoding: 'windows-1252' });
    expect(other.text).toBe('\ufeffuserId,role,error\né,m,rejected\n');
  });

  it('stays invalid until it is fixed', async () => {
    const read = await written('list.csv', 'userId,role,isActive\nu1,m,maybe\nu2,m,yes,x,y\n');
    expect(read.text).toBe(
      'userId,role,isActive,error\n' +
        'u1,m,maybe,"isActive: ""maybe"" is not a boolean (use true/false, yes/no or 1/0)"\n' +
        'u2,m,true,x,y,"5 cells, but the header has 3: ""x"" is too many (quote a cell that contains the delimiter)"\n',
    );
    expect(read.again).toEqual([undefined, undefined]);
  });

  it.each([
    [
      'columns that --map named',
      { map: { userId: 'login' } },
      'login,Role\nu1,m\n',
      'userId,Role,error\nu1,m,rejected\n',
    ],
    [
      'a column whose place --map gave to another',
      { map: { userId: 'login' }, ignoreExtraColumns: true },
      'User ID,login,role\n7,u1,m\n',
      '(User ID),userId,role,error\n7,u1,m,rejected\n',
    ],
    ['a field that --default gave', { defaults: { role: 'm' } }, 'userId\nu1\n', 'userId,role,error\nu1,m,rejected\n'],
    [
      'blanks that --default filled',
      { defaults: { role: 'm', department: 'it' } },
      'userId,role,department,error\nu1, ,\n',
      'userId,role,department,error\nu1,m,it,rejected\n',
    ],
    [
      'columns that were left unread',
      { ignoreExtraColumns: true },
      'userId,,role,shoe\nu1,x,m,44\n',
      'userId,,role,shoe,error\nu1,x,m,44,rejected\n',
    ],
  ] as const)('can be imported again without options: %s', async (_name, given, content, text) => {
    const read = await written('list.csv', content, given);
    expect(read.text).toBe(text);
    expect(read.problems).toEqual([]);
    expect(read.again).toEqual([expect.objectContaining({ userId: 'u1', role: 'm' })]);
  });
});

describe('a rejected JSON element', () => {
  it.each([
    [
      'list.json',
      '[{"role":"m", "userId":"a","deviceMgmtLabelId":1.0}]',
      '[\n{"role":"m","userId":"a","deviceMgmtLabelId":1,"error":"rejected"}\n]\n',
    ],
    [
      'list.json',
      '{"members":[{"userId":"a","role":"m"},{"userId":"b","role":"m"}]}',
      '[\n{"userId":"a","role":"m","error":"rejected"},\n{"userId":"b","role":"m","error":"rejected"}\n]\n',
    ],
    ['list.json', '[{\n  "userId": "a",\n  "role": "m"\n}]', '[\n{"userId":"a","role":"m","error":"rejected"}\n]\n'],
    [
      'list.ndjson',
      '{"userId":"a","role":"m"}\n\n {"userId":"b","error":"","role":"m"}\n',
      '{"userId":"a","role":"m","error":"rejected"}\n{"userId":"b","role":"m","error":"rejected"}\n',
    ],
  ])('keeps its values and gains an error key in %s: %s', async (name, content, text) => {
    const read = await written(name, content);
    expect(read.text).toBe(text);
    expect(read.problems).toEqual([]);
  });

  it.each([
    [
      'a key that --map named',
      { map: { userId: 'login' } },
      '{"login" : "u1","role":"m"}',
      '{"userId":"u1","role":"m","error":"rejected"}',
    ],
    [
      'a field that --default gave',
      { defaults: { role: 'm' } },
      '{"userId":"u1"}',
      '{"userId":"u1","role":"m","error":"rejected"}',
    ],
    [
      'blanks that --default filled',
      { defaults: { role: 'm', department: 'it' } },
      '{"role":null,"error":"no","userId":"u1","department":" "}',
      '{"role":"m","userId":"u1","department":"it","error":"rejected"}',
    ],
    [
      'keys that were left unread',
      { ignoreExtraColumns: true },
      '{"userId":"u1","shoe":44.0,"role":"m"}',
      '{"userId":"u1","shoe":44,"role":"m","error":"rejected"}',
    ],
  ] as const)('can be imported again without options: %s', async (_name, given, content, text) => {
    const read = await written('list.ndjson', `${content}\n`, given);
    expect(read.text).toBe(`${text}\n`);
    expect(read.problems).toEqual([]);
    expect(read.again).toEqual([expect.objectContaining({ userId: 'u1', role: 'm' })]);
  });

  it('keeps the digits of numbers that JavaScript would change', async () => {
    const { text, again } = await written('list.json', '[{"userId":12345678901234567890,"role":"m"}]');
    expect(text).toBe('[\n{"userId":"12345678901234567890","role":"m","error":"rejected"}\n]\n');
    expect(again).toEqual([{ userId: '12345678901234567890', role: 'm' }]);
  });

  it.each([
    ['a field', '[{"userId":"a","role":"m","role":"admin"}]', ['role: an array is not a string']],
    ['a special key', '[{"userId":"a","role":"m","__proto__":1}]', ['orgadm cannot use the key "__proto__"']],
  ])('stays invalid until it is fixed if the problem is %s', async (_name, content, problems) => {
    const read = await written('list.json', content, { ignoreExtraColumns: true });
    expect(read.problems).toEqual(problems);
  });
});

describe('a malicious message in an errors file', () => {
  async function writtenErrors(name: string, content: string, message: string): Promise<string> {
    const folder = temporaryFolder();
    const file = path.join(folder, name);
    await writeFile(file, content);
    const { check, rows } = await readOpenList(await openFile(file));
    const rejectedRows = rows.map((row) => ({ row, error: message }));
    await writeErrorsFile(path.join(folder, 'errors'), check.layout, each(rejectedRows));
    return readFile(path.join(folder, 'errors'), 'utf8');
  }

  it('is escaped in CSV', async () => {
    const text = await writtenErrors('list.csv', 'userId,role\nu1,m\n', '=HYPERLINK("x")\n\u001b]0;t\u0007\u202e');
    expect(text).toBe('userId,role,error\nu1,m,"\'=HYPERLINK(""x"") \\u202e"\n');
  });

  it('is escaped in JSON', async () => {
    expect(await writtenErrors('list.ndjson', '{"userId":"a","role":"m"}', 'x"\n\u001b\u202e')).toBe(
      '{"userId":"a","role":"m","error":"x\\"\\n\\u001b\\u202e"}\n',
    );
  });
});
