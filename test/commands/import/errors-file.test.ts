import { chmod, link, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkErrorsPath } from '../../../src/commands/import/report/errors-file.ts';
import type { MemberList } from '../../../src/import/list/open-list.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { textLike } from '../../helpers/text-like.ts';
import { workbook } from '../../helpers/workbook.ts';
import { type ListText, openFile, readOpenList } from '../../import/list/read-list.ts';
import { type RejectedRow, writeErrorsFile } from './write-errors-file.ts';

describe('an errors file', () => {
  const LAYOUT = {
    format: 'csv',
    hasBom: false,
    delimiter: ',',
    header: ['userId', 'role'],
    errorColumn: undefined,
  } as const;
  const ROW = {
    line: 2,
    number: 1,
    isHidden: false,
    userId: 'a',
    member: undefined,
    issues: [],
    raw: { cells: ['a', 'm'] },
  };

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
    expect(await writeErrorsFile(file, LAYOUT, watched())).toEqual({ rows: 1, backup: `${file}.bak` });
    expect(await readFile(file, 'utf8')).toBe('userId,role,error\na,m,no\n');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['errors.csv', 'errors.csv.bak']);
  });

  it('keeps each earlier file with other content, which someone may have edited', async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'errors.csv');
    const write = async (...ids: string[]) => (await writeErrorsFile(file, LAYOUT, rows(...ids))).backup;
    expect(await write('a')).toBeUndefined();
    await writeFile(file, 'corrected');
    expect(await write('a')).toBe(`${file}.bak`);
    expect(await write('a')).toBeUndefined();
    await writeFile(file, 'corrected again');
    expect(await write('a', 'b')).toBe(`${file}.bak2`);
    expect(await readdir(folder)).toEqual(['errors.csv', 'errors.csv.bak', 'errors.csv.bak2']);
    expect(await readFile(`${file}.bak`, 'utf8')).toBe('corrected');
    expect(await readFile(`${file}.bak2`, 'utf8')).toBe('corrected again');
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

  it('creates no errors file without rejected rows, and moves an old one away', async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'errors.csv');
    expect(await writeErrorsFile(file, LAYOUT, rows())).toEqual({ rows: 0, backup: undefined });
    expect(await readdir(folder)).toEqual([]);
    await writeFile(file, 'old');
    expect(await writeErrorsFile(file, LAYOUT, rows())).toEqual({ rows: 0, backup: `${file}.bak` });
    expect(await readdir(folder)).toEqual(['errors.csv.bak']);
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

/**
 * Writes all rows of `content` to an errors file. Returns its text, and what it contains if it is read again with the options
 * about its columns.
 */
async function written(
  name: string,
  content: string | Uint8Array,
  { columns, delimiter, encoding, headerRow, ...fields }: ListText = {},
): Promise<{ text: string; values: unknown[]; again: unknown[]; problems: string[] }> {
  const folder = temporaryFolder();
  const file = path.join(folder, name);
  await writeFile(file, content);
  const { check, rows } = await readOpenList(
    await openFile(file, { columns, delimiter, encoding, headerRow, ...fields }),
  );
  const target = path.join(folder, `errors-${name.replace(/xlsx$/, 'csv')}`);
  const rejectedRows = rows.map((row) => ({ row, error: row.issues[0]?.message ?? 'rejected' }));
  expect((await writeErrorsFile(target, check.layout, each(rejectedRows))).rows).toBe(rows.length);
  const again = await readOpenList(await openFile(target, { ...fields, ignoreExtraColumns: true }));
  return {
    text: await readFile(target, 'utf8'),
    values: rows.map((row) => row.member),
    again: again.rows.map((row) => row.member),
    problems: again.rows.flatMap((row) => row.issues.map((problem) => problem.message)),
  };
}

describe('a rejected CSV row', () => {
  it.each([
    ['a plain row', 'userId,role\nu1,m\n', 'userId,role,error\nu1,m,rejected\n'],
    ['semicolons, another order and spelling', 'Role;User ID\n m ;"0012"\n', 'Role;User ID;error\n m ;0012;rejected\n'],
    ['tabs', 'userId\trole\nu1\ta,b\n', 'userId\trole\terror\nu1\t"a,b"\trejected\n'],
    ['quotes and delimiters', 'userId,role\n"a""b","c;d, e"\n', 'userId,role,error\n"a""b","c;d, e",rejected\n'],
    ['an earlier error', 'userId,role,Error\nu1,m,old\nu2,m\n', 'userId,role,error\nu1,m,rejected\nu2,m,rejected\n'],
    ['a byte order mark', '\ufeffuserId,role\nu1,m\n', '\ufeffuserId,role,error\nu1,m,rejected\n'],
    ['text that a spreadsheet would evaluate', "userId,role\n=1+1,'-5+m\n", "userId,role,error\n=1+1,'-5+m,rejected\n"],
  ])('keeps its cells and gains an error column: %s', async (_name, content, text) => {
    const read = await written('list.csv', content);
    expect(read.text).toBe(text);
    expect(read.problems).toEqual([]);
    expect(read.again).toEqual(read.values);
  });

  it('is written as UTF-8 with a byte order mark if the list has another encoding', async () => {
    const read = await written('list.csv', Buffer.from('\ufeffuserId\trole\n監\tm\n', 'utf16le'));
    expect(read.text).toBe('\ufeffuserId\trole\terror\n監\tm\trejected\n');
    expect(read.again).toEqual([{ userId: '監', role: 'm' }]);
    const other = await written('list.csv', Buffer.from('userId,role\né,m\n', 'latin1'), { encoding: 'windows-1252' });
    expect(other.text).toBe('\ufeffuserId,role,error\né,m,rejected\n');
  });

  it('is written below a header if the list has none, or title lines', async () => {
    const named = await written('list.csv', 'u1^x^m\n', {
      columns: ['userId', '-', 'rank'],
      delimiter: '^',
      ...RANKED,
    });
    expect(named.text).toBe('userId,-,rank,error\nu1,x,m,rejected\n');
    expect(named.again).toEqual([{ userId: 'u1', role: 'm', isActive: true }]);
    const titled = await written('list.csv', 'Staff\n\nuserId,rank\nu1,m\n', { headerRow: 3, ...RANKED });
    expect(titled.text).toBe('userId,rank,error\nu1,m,rejected\n');
    expect(titled.again).toEqual([{ userId: 'u1', role: 'm', isActive: true }]);
  });

  it('is written as CSV if the list is a workbook', async () => {
    const cells = (...texts: string[]) =>
      `<row>${texts.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join('')}</row>`;
    const book = workbook([{ name: 'Staff', data: cells('userId', 'rank') + cells('0012', 'a,b') }]);
    const read = await written('list.xlsx', book, RANKED);
    expect(read.text).toBe('\ufeffuserId,rank,error\n0012,"a,b",rejected\n');
    expect(read.again).toEqual([{ userId: '0012', role: 'a,b', isActive: true }]);
  });

  it('stays invalid until it is fixed', async () => {
    const read = await written('list.csv', 'userId,role,isActive\nu1,m,maybe\nu2,m,yes,x,y\n');
    expect(read.text).toMatch(
      textLike('userId,role,isActive,error\nu1,m,maybe,"isActive: ""maybe"" …"\nu2,m,yes,x,y,"5 cells, …"\n'),
    );
    expect(read.again).toEqual([undefined, undefined]);
  });
});

/** Options about columns, which also apply to an errors file. */
const RANKED = { map: { role: 'rank' }, defaults: { isActive: 'true' } } as const;

describe('a rejected JSON element', () => {
  it.each([
    [
      'list.json',
      '[{"role":"m", "userId":"a","deviceMgmtLabelId":1.0}]',
      '[\n{"role":"m", "userId":"a","deviceMgmtLabelId":1.0,"error":"rejected"}\n]\n',
    ],
    [
      'list.json',
      '{"members":[{"userId":"a","role":"m"},{"userId":"b","role":"m"}]}',
      '[\n{"userId":"a","role":"m","error":"rejected"},\n{"userId":"b","role":"m","error":"rejected"}\n]\n',
    ],
    [
      'list.json',
      '[{\n  "userId": "a",\n  "role": "m"\n}]',
      '[\n{\n  "userId": "a",\n  "role": "m","error":"rejected"}\n]\n',
    ],
    [
      'list.ndjson',
      '{"userId":"a","role":"m"}\n\n {"userId":"b","error":"","role":"m"}\n',
      '{"userId":"a","role":"m","error":"rejected"}\n{"userId":"b","role":"m","error":"rejected"}\n',
    ],
    [
      'list.json',
      '[{"userId":12345678901234567890,"role":"m"}]',
      '[\n{"userId":12345678901234567890,"role":"m","error":"rejected"}\n]\n',
    ],
  ])('is written as it is, and gains an error key in %s: %s', async (name, content, text) => {
    const read = await written(name, content);
    expect(read.text).toBe(text);
    expect(read.problems).toEqual([]);
    expect(read.again).toEqual(read.values);
  });

  it.each([
    ['{"userId":1.0,"role":"m","error":"old"}', '{"userId":1.0,"role":"m","error":"userId: 1.0 …"}'],
    ['{"Error":null,"userId":1e3,"role":"m"}', '{"userId":1e3,"role":"m","error":"userId: 1e3 …"}'],
    [
      '{"userId":"a","userId":"b","role":"m","error":"x"}',
      '{"userId":"a","userId":"b","role":"m","error":"the key …"}',
    ],
    [
      '{"error":{"a":"}, ,:"},"role":"m","error":[","],"deviceMgmtLabelId":1.5,"userId":"\\"a\\" "}',
      '{"role":"m","deviceMgmtLabelId":1.5,"userId":"\\"a\\" ","error":"…"}',
    ],
  ])('stays invalid if an earlier errors file has it, and nobody has fixed it: %s', async (element, text) => {
    for (const [name, list, start, end] of [
      ['list.ndjson', `${element}\n`, '', '\n'],
      ['list.json', `[${element}]`, '[\n', '\n]\n'],
    ] as const) {
      const read = await written(name, list);
      expect(read.text).toMatch(textLike(start + text + end));
      expect(read.again).toEqual([undefined]);
    }
  });

  it('gains the key if it is empty', async () => {
    const { text } = await written('list.json', '[{}, {"userId":"u1","role":"m"}]');
    expect(text).toMatch(textLike('[\n{"error":"userId …"},\n{"userId":"u1","role":"m","error":"rejected"}\n]\n'));
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
