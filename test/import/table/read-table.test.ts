import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readTable } from '../../../src/import/table/read-table.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { workbook } from '../../helpers/workbook.ts';
import { errorOf } from './tables.ts';

const stdin = Readable.from([]);
const BOOK = workbook([{ name: 'T', data: '<row><c t="inlineStr"><is><t>userId</t></is></c></row>' }]);

describe('the format of a list', () => {
  it.each([
    ['members.csv', '[userId]\n', 'csv'],
    ['members.TXT', 'userId\n', 'csv'],
    ['members.json', '{"userId":"u1"}\n{"userId":"u2"}', 'json'],
    ['members.jsonl', '{"userId":"u1"}', 'ndjson'],
    ['members.xlsx', BOOK, 'xlsx'],
    ['members', BOOK, 'xlsx'],
    ['members', ' [{"userId":"u1"}]', 'json'],
    ['members', 'userId\n', 'csv'],
  ])('is told by its name, or else by its first character: %s %j', async (name, content, format) => {
    const path = join(temporaryFolder().path, name);
    writeFileSync(path, content);
    const table = await readTable({ path, stdin }, {});
    expect([table.format, table.name, table.path]).toEqual([format, path, path]);
  });
});

it.each([
  ['[]', { sheet: 'Team' }, '--sheet has no effect: the list is JSON\nRemove --sheet.'],
  ['{"a":1}', { headerRow: 2, format: 'ndjson' }, '--header-row has no effect: the list is NDJSON'],
  [BOOK, { encoding: 'utf-8' }, '--encoding has no effect: the list is an Excel workbook'],
] as const)('rejects an option that has no effect on the format: %j %j', async (content, options, message) => {
  expect(await errorOf(content, options)).toContain(message);
});

it('says why it cannot read a file', async () => {
  const folder = temporaryFolder().path;
  mkdirSync(join(folder, 'some.csv'));
  const read = (path: string) => readTable({ path, stdin }, {});
  await expect(read(join(folder, 'none.csv'))).rejects.toThrow(/^no such file: .*none\.csv$/);
  await expect(read(join(folder, 'some.csv'))).rejects.toThrow('some.csv is a directory');
  const terminal = Object.assign(Readable.from([]), { isTTY: true });
  await expect(readTable({ path: '-', stdin: terminal }, {})).rejects.toThrow('standard input is a terminal');
  const failing = new Readable({ read: () => failing.destroy(new Error('EIO')) });
  await expect(readTable({ path: '-', stdin: failing }, {})).rejects.toThrow('cannot read standard input: EIO');
});

it('rejects a list of more than 256 MiB', async () => {
  const chunk = Buffer.alloc(1024 ** 2, 'a');
  const stream = Readable.from(
    (function* () {
      for (let at = 0; at < 300; at++) yield chunk;
    })(),
  );
  await expect(readTable({ path: '-', stdin: stream }, {})).rejects.toThrow('standard input is larger than 256 MiB');
});
