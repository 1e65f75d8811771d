import { describe, expect, it } from 'vitest';
import { openListText } from './read-list.ts';

describe('the detected format', () => {
  it.each([
    ['members.csv', 'userId,role', 'csv'],
    ['members.csv', '[{"userId":"a"}]', 'json'],
    ['members.csv', '[id],role', 'csv'],
    ['members.csv', '{"userId":"a"}\n{"userId":"b"}', 'ndjson'],
    ['members.tsv', 'userId', 'tsv'],
    ['members.json', 'userId,role', 'csv'],
    ['members.json', '{"userId":"a"}\n{"userId":"b"}', 'json'],
    ['members.ndjson', '{"userId":"a"}', 'ndjson'],
    ['members.ndjson', '[{"userId":"a"}]', 'json'],
    ['members.jsonl', '{"userId":"a"}\n{"userId":"b"}', 'ndjson'],
    ['members.txt', '[{"userId":"a"}]', 'json'],
    ['members.txt', '{"login":"a"}\n{"login":"b"}', 'ndjson'],
    ['members', 'userId,role', 'csv'],
    ['members.txt', 'userId\trole', 'csv'],
    ['members', ' \n [', 'json'],
    ['members', '{"members":[]}', 'json'],
    ['members', '{"members":[{"userId":"a"}]}\n', 'json'],
    ['members', '{"userId":"a"}', 'ndjson'],
    ['members', '"{""a"":1}",b', 'csv'],
  ])('is correct for a file %s with the content %j: %s', async (name, content, format) => {
    expect((await openListText(content, { name })).format).toBe(format);
  });

  it('is overridden by --format', async () => {
    expect((await openListText('[]', { name: 'members.csv', format: 'ndjson' })).format).toBe('ndjson');
    expect((await openListText('[{"a":1}]', { name: 'members.json', format: 'csv' })).format).toBe('csv');
  });
});

describe('the detected delimiter', () => {
  it.each([
    ['userId,role;\n', ','],
    ['userId;role\n', ';'],
    ['userId\trole\n', '\t'],
    ['userId\n', ','],
    ['"a;b;c;d",userId,role\n', ','],
    ['"a\n,,,,";userId;role\n', ';'],
    ['\n\nuserId;role\nu1,,,,,,m', ';'],
  ])('is correct for the header %j', async (content, delimiter) => {
    const list = await openListText(content, { ignoreExtraColumns: true, defaults: { role: 'm', isActive: 'true' } });
    const { header } = await list.validate(() => {});
    const line = content.split('\n').findLast((text) => text.includes('userId')) ?? '';
    expect(header?.at(-1)).toBe(line.split(delimiter).at(-1));
  });
});
