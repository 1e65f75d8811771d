import { describe, expect, it } from 'vitest';
import { openListText } from './read-list.ts';

describe('the detected format', () => {
  it.each([
    ['members.csv', '[]', 'csv'],
    ['members.tsv', '[]', 'tsv'],
    ['members.TAB', '', 'tsv'],
    ['members.json', 'userId', 'json'],
    ['members.ndjson', '[]', 'ndjson'],
    ['members.jsonl', '', 'ndjson'],
    ['members', 'userId,role', 'csv'],
    ['members.txt', 'userId\trole', 'csv'],
    ['members', ' \n [', 'json'],
    ['members', '\ufeff[', 'json'],
    ['members', '{"members":[]}', 'json'],
    ['members', '{"members":[{"userId":"a"}]}\n', 'json'],
    ['members', '{\n"members":[]}', 'json'],
    ['members', '{"userId":"a"}', 'ndjson'],
    ['members', '\n{"userId":"a"}\r\n{"userId":"b"}', 'ndjson'],
    ['members', '{"userId":"a"}\r{"userId":"b"}', 'ndjson'],
    ['members', '"{""a"":1}",b', 'csv'],
  ])('is correct for a file %s with the content %j: %s', async (name, content, format) => {
    expect((await openListText(content, { name })).format).toBe(format);
  });

  it('is overridden by --format', async () => {
    expect((await openListText('[]', { name: 'members.csv', format: 'ndjson' })).format).toBe('ndjson');
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
    const list = await openListText(content, { ignoreExtraColumns: true, defaults: { role: 'm' }, map: {} });
    const layout = await list.validate().then((check) => check.layout);
    expect(layout).toMatchObject({ delimiter });
  });
});
