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

describe('a file of another kind', () => {
  it.each([
    '<!DOCTYPE html>\n<html><body>Sign in</body></html>',
    '\n<html lang="en">',
    '<!-- People -->\n<table class="people">',
    '<svg xmlns="http://www.w3.org/2000/svg"/>',
    '<?xml version="1.0"?>\n<people/>',
  ])('is called an HTML or XML file: %j', async (content) => {
    const file = 'l.csv';
    await expect(openListText(content, { name: file })).rejects.toMatchObject({
      message: expect.stringMatching(/\/l\.csv is an HTML or XML file, not a list$/),
      hint: 'The download may have been a login page. Export the list as CSV, JSON, or an Excel workbook, and open the file to check it.',
      code: 'bad-list',
    });
  });

  it('is not a text file if it has control characters', async () => {
    await expect(openListText('%PDF-1.7\n%\u0000\u0001', { name: 'l.csv' })).rejects.toMatchObject({
      message: expect.stringMatching(/\/l\.csv is not a text file$/),
      hint: 'Export the list as CSV, JSON, or an Excel workbook. Convert UTF-32 to UTF-8.',
    });
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
    const layout = await list.validate().then((check) => check.layout);
    expect(layout).toMatchObject({ delimiter });
  });
});
