import { describe, expect, it } from 'vitest';
import { createOutput, OUTPUT_FORMATS, type OutputFormat } from '../../src/output/output.ts';
import { listOf, printNotice, printRecords, type RecordViews, recordOf } from '../../src/output/print-records.ts';
import { style, text } from '../../src/output/text.ts';
import { MemoryStream } from './memory-terminal.ts';

/** Returns the output in a format. */
async function printed(
  format: OutputFormat,
  print: (output: Awaited<ReturnType<typeof createOutput>>) => Promise<void>,
) {
  const [stdout, stderr] = [new MemoryStream(), new MemoryStream()];
  const output = await createOutput({ streams: { stdout, stderr }, env: {}, format, quiet: false, rawCsv: false });
  await print(output);
  await output.flush();
  return { stdout: stdout.text, stderr: stderr.text };
}

async function inAllFormats(views: RecordViews): Promise<Record<string, string>> {
  const entries = OUTPUT_FORMATS.map(async (format) => {
    const { stdout } = await printed(format, (output) => printRecords(views, output));
    return [format, stdout] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

const RECORDS = [
  { id: 'a', count: 1, tags: ['x', 'y'] },
  { id: 'b', count: null, tags: [] },
];

describe('a list', () => {
  it('is printed in every format', async () => {
    expect(await inAllFormats(listOf(RECORDS, ['id', 'count', 'tags']))).toEqual({
      table: 'id  count  tags\na   1      x, y\nb   -      -\n',
      json: `${JSON.stringify(RECORDS, null, 2)}\n`,
      ndjson: '{"id":"a","count":1,"tags":["x","y"]}\n{"id":"b","count":null,"tags":[]}\n',
      csv: 'id,count,tags\na,1,"x, y"\nb,,\n',
      markdown: '| id | count | tags |\n| --- | --- | --- |\n| a | 1 | x, y |\n| b | - | - |\n',
    });
  });

  it('may have columns that are computed, and cells of their own', async () => {
    const views = listOf(RECORDS, [
      { name: 'id', header: 'ID', align: 'right', cell: ({ id }) => style.ok(`<${id}>`) },
      { name: 'double', value: ({ count }) => (count ?? 0) * 2 },
    ]);
    const { table, csv } = await inAllFormats(views);
    expect(table).toBe(' ID  double\n<a>  2\n<b>  0\n');
    expect(csv).toBe('id,double\na,2\nb,0\n');
  });

  it('is a notice for people if it is empty, and only a header in csv', async () => {
    const views = listOf([] as { id: string }[], ['id'], text`there are none`);
    expect(await inAllFormats(views)).toEqual({
      table: '',
      json: '[]\n',
      ndjson: '',
      csv: 'id\n',
      markdown: 'there are none\n',
    });
    expect(await printed('table', (output) => printRecords(views, output))).toEqual({
      stdout: '',
      stderr: 'there are none\n',
    });
    expect((await inAllFormats(listOf([] as { id: string }[], ['id']))).table).toBe('id\n');
    expect((await inAllFormats(listOf([], []))).csv).toBe('');
  });

  it('has its views replaced by others', async () => {
    const views = { ...listOf(RECORDS, ['id']), people: () => [text`two`, { items: ['a', 'b'] }] };
    const { table, markdown, csv } = await inAllFormats(views);
    expect({ table, markdown, csv }).toEqual({
      table: 'two\n\na\nb\n',
      markdown: 'two\n\n- a\n- b\n',
      csv: 'id\na\nb\n',
    });
  });
});

describe('a record', () => {
  it('is an object in JSON and a row in csv', async () => {
    expect(await inAllFormats(recordOf({ id: 'a', count: 1 }, () => [text`one`]))).toEqual({
      table: 'one\n',
      json: '{\n  "id": "a",\n  "count": 1\n}\n',
      ndjson: '{"id":"a","count":1}\n',
      csv: 'id,count\na,1\n',
      markdown: 'one\n',
    });
  });

  it('comes with its notice: in Markdown as text, else on standard error', async () => {
    const print = (format: OutputFormat) =>
      printed(format, (output) => printNotice(recordOf({ id: 'a' }), text`removed ${'a'}`, output));
    expect(await print('table')).toEqual({ stdout: '', stderr: 'removed a\n' });
    expect(await print('markdown')).toEqual({ stdout: 'removed a\n', stderr: '' });
    expect(await print('json')).toEqual({ stdout: '{\n  "id": "a"\n}\n', stderr: 'removed a\n' });
    expect(await print('ndjson')).toEqual({ stdout: '{"id":"a"}\n', stderr: 'removed a\n' });
    expect(await print('csv')).toEqual({ stdout: 'id\na\n', stderr: 'removed a\n' });
  });
});

describe('views that arrive in groups', () => {
  it('are printed as they arrive', async () => {
    async function* groups<T>(...values: T[]) {
      for (const value of values) yield [value];
    }
    const views: RecordViews = {
      json: () => ({ rows: groups(1, 2), end: true }),
      ndjson: () => groups<unknown>({ a: 1 }, Buffer.from('{"b" : 2}\n')),
      csv: () => groups(['a'], [1]),
      people: () => groups(text`one`, text`two`),
    };
    expect(await inAllFormats(views)).toEqual({
      table: 'one\n\ntwo\n',
      json: '{\n  "rows": [\n    1,\n    2\n  ],\n  "end": true\n}\n',
      ndjson: '{"a":1}\n{"b" : 2}\n',
      csv: 'a\n1\n',
      markdown: 'one\n\ntwo\n',
    });
  });

  it.each(['ndjson', 'csv', 'table', 'json'] as const)('end when the reader of %s exits', async (format) => {
    let groups = 0;
    const stdout = new MemoryStream();
    const output = await createOutput({
      streams: { stdout, stderr: new MemoryStream() },
      env: {},
      format,
      quiet: false,
      rawCsv: false,
    });
    async function* endless<T>(value: T) {
      for (;;) {
        if (++groups === 3) await new Promise((resolve) => stdout.destroy().once('close', resolve));
        if (groups > 50) throw new Error('it does not end');
        yield [value];
      }
    }
    await printRecords(
      { json: () => endless(1), ndjson: () => endless(1), csv: () => endless([1]), people: () => endless(text`1`) },
      output,
    );
    expect(groups).toBeLessThanOrEqual(4);
  });
});
