import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readTable } from '../../../src/import/table/read-table.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { workbook } from '../../helpers/workbook.ts';
import { errorOf, tableOf } from './tables.ts';

const stdin = Readable.from([]);
const BOOK = workbook([{ name: 'T', data: '<row><c t="inlineStr"><is><t>userId</t></is></c></row>' }]);

describe('the format of a list', () => {
  it.each([
    ['members.csv', '[userId]\n', 'csv'],
    ['members.TXT', 'userId\n', 'csv'],
    ['members.json', '[{"userId":"u1"}]', 'json'],
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

it('rejects an option that has no effect on the format', async () => {
  expect(await errorOf('[]', { sheet: 'Team' })).toContain('--sheet has no effect: the list is JSON\nRemove --sheet.');
  expect(await errorOf('a,b\n', { records: 'data' })).toContain('--records has no effect: the list is CSV');
  expect(await errorOf('{"a":1}', { headerRow: 2, format: 'ndjson' })).toContain('--header-row has no effect');
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

it('reads a list as often as it is asked for', async () => {
  const table = await tableOf('a\n1\n2\n');
  for (const _ of [1, 2]) {
    let rows = 0;
    for await (const chunk of table.chunks()) rows += chunk.length;
    expect(rows).toBe(2);
  }
});
