import { describe, expect, it } from 'vitest';
import { errorOf } from '../helpers/report.ts';
import { createCommandRunner } from '../helpers/service-run.ts';

const cli = createCommandRunner();

/** Runs a filter on a response. */
async function filtered(filter: string, body: string, more: { flags?: string[]; columns?: number } = {}) {
  const { run } = await cli.scripted([{ headers: { 'content-type': 'application/json' }, body }]);
  const { flags = [], ...options } = more;
  return run(['api', 'GET', 'v1/x', '--jq', filter, ...flags], options);
}

describe('a filter', () => {
  it.each([
    ['.', '{"b":1,"a":[true,null]}', '{\n  "b": 1,\n  "a": [\n    true,\n    null\n  ]\n}\n'],
    ['-.a', '{"a":5}', '-5\n'],
    ['.id', '{"id":12345678901234567890}', '12345678901234567890\n'],
    ['.', '"\\u009b\\u202e\\ufeff\\u001b"', '"\\u009b\\u202e\\ufeff\\u001b"\n'],
    // It would never end on null, so it is not tried before there is a response.
    ['until(.done; .) | .done', '{"done":true}', 'true\n'],
  ])('prints its results as JSON without losing a digit, and no hidden character: %s', async (filter, json, stdout) => {
    expect(await filtered(filter, json)).toMatchObject({ code: 0, stdout, stderr: '' });
  });

  it('prints texts as they are with -r, and on a terminal without control characters', async () => {
    const json = JSON.stringify(['  two blanks ', '', 'line\nbreak', ['in "a" list'], 1]);
    const stdout = '  two blanks \n\nline\nbreak\n[\n  "in \\"a\\" list"\n]\n1\n';
    expect(await filtered('.[]', json, { flags: ['-r'] })).toMatchObject({ stdout });
    const hostile = '"a\\u001b[31mb\\u202ec"';
    expect(await filtered('.', hostile, { flags: ['-r'] })).toMatchObject({ stdout: 'a\u001b[31mb\u202ec\n' });
    const shown = await filtered('.', hostile, { flags: ['-r'], columns: 80 });
    expect(shown.stdout).toBe('a\\u001b[31mb\\u202ec\n');
  });

  it('prints what it debugs on standard error', async () => {
    expect(await filtered('debug | .a', '{"a":1}')).toMatchObject({ stdout: '1\n', stderr: '["DEBUG:",{"a":1}]\n' });
  });

  it.each([
    ['error("no such thing")', 1, '--jq: no such thing'],
    ['"stopped\\n" | halt_error(3)', 1, '--jq: stopped'],
  ])('fails with its own message if it ends itself by %s', async (filter, code, message) => {
    const result = await filtered(filter, '{}');
    expect({ code: result.code, message: errorOf(result).message }).toEqual({ code, message });
  });

  it.each([
    ['.a |', '--jq: syntax error, unexpected end of file at <top-level>, line 1, column 4'],
    ['foo(1)', '--jq: foo/1 is not defined at <top-level>, line 1, column 1'],
  ])('that is invalid is rejected with the message of jq: %j', async (filter, message) => {
    const result = await cli.plain(['people', 'template', '--jq', filter]);
    expect({ code: result.code, message: errorOf(result).message }).toEqual({ code: 2, message });
  });
});
