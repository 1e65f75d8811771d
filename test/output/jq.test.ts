import { describe, expect, it } from 'vitest';
import { compileFilter } from '../../src/output/jq.ts';

const PIPE = { compact: false, terminal: false };
const LINES = { compact: true, terminal: false };

async function filtered(filter: string, json: string, { raw = false, target = PIPE } = {}) {
  return (await compileFilter(filter, { raw }))(json, target);
}

describe('a filter', () => {
  it.each([
    ['.', '{"b":1,"a":[true,null]}', '{\n  "b": 1,\n  "a": [\n    true,\n    null\n  ]\n}\n'],
    ['.[]', '[1,"two",{}]', '1\n"two"\n{}\n'],
    ['map(select(. > 1)) | length', '[1,2,3]', '2\n'],
    ['-.a', '{"a":5}', '-5\n'],
    ['empty', '[1]', ''],
    ['.id', '{"id":12345678901234567890}', '12345678901234567890\n'],
  ])('returns its results: %s', async (filter, json, text) => {
    expect(await filtered(filter, json)).toEqual({ text, messages: '', failure: undefined });
  });

  it('returns separate results for each of several documents, one per line if compact', async () => {
    expect(await filtered('{a}', '{"a":1}\n{"a":2}\n', { target: LINES })).toMatchObject({
      text: '{"a":1}\n{"a":2}\n',
    });
  });

  it.each([
    ['error("no such thing")', '--jq: no such thing'],
    ['"stopped\\n" | halt_error(3)', '--jq: stopped'],
  ])('fails with its own message if it ends itself by %s', async (filter, message) => {
    expect((await filtered(filter, '{}')).failure).toMatchObject({ exitCode: 1, message });
  });

  it('reports why its input is not JSON', async () => {
    expect((await filtered('.', '<html>')).failure?.message).toMatch(/^--jq: the output is not JSON: Invalid /);
  });

  it('returns debug messages apart from the results', async () => {
    expect(await filtered('debug | .a', '{"a":1}')).toEqual({
      text: '1\n',
      messages: '["DEBUG:",{"a":1}]',
      failure: undefined,
    });
  });
});

describe('raw output', () => {
  it('prints texts as they are, blanks and line breaks included, and the rest as JSON', async () => {
    const json = JSON.stringify(['  two blanks ', '', 'line\nbreak', ['in "a" list'], 1]);
    expect(await filtered('.[]', json, { raw: true })).toMatchObject({
      text: '  two blanks \n\nline\nbreak\n[\n  "in \\"a\\" list"\n]\n1\n',
    });
  });

  it('prints text on a terminal without its control characters', async () => {
    const json = '"a\\u001b[31mb\\u202ec"';
    const terminal = { compact: false, terminal: true };
    expect((await filtered('.', json, { raw: true, target: terminal })).text).toBe('a\\u001b[31mb\\u202ec\n');
    expect((await filtered('.', json, { raw: true })).text).toBe('a\u001b[31mb\u202ec\n');
  });
});

describe('results that are JSON', () => {
  it('contain control and bidirectional characters only as escapes', async () => {
    expect((await filtered('.', '"\\u009b\\u202e\\ufeff\\u001b"')).text).toBe('"\\u009b\\u202e\\ufeff\\u001b"\n');
  });
});

describe('an invalid filter', () => {
  it.each([
    ['.a |', '--jq: syntax error, unexpected end of file at <top-level>, line 1, column 4'],
    ['foo(1)', '--jq: foo/1 is not defined at <top-level>, line 1, column 1'],
    ['', '--jq: Top-level program not given (try ".")'],
  ])('is rejected with the message of jq: %j', async (filter, message) => {
    await expect(compileFilter(filter, { raw: false })).rejects.toMatchObject({ exitCode: 2, message });
  });

  it('is detected without a run, so that a filter that would never end on null compiles', async () => {
    const filter = await compileFilter('until(.done; .)', { raw: false });
    expect(filter('{"done":true}', PIPE).text).toBe('{\n  "done": true\n}\n');
  });
});
