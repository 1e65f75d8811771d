import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FINDINGS } from '../fixtures/contract/findings.ts';
import { errorOf } from '../helpers/report.ts';
import { createCommandRunner } from '../helpers/service-run.ts';

const cli = createCommandRunner();
const LIST = ['findings', 'list', '--task', 'tsk_1'];

describe('--jq', () => {
  it.each<{ argv: string[]; stdout: string; env?: Record<string, string> }>([
    { argv: ['--jq', '.[].id'], stdout: '"fnd_1"\n"fnd_2"\n' },
    { argv: ['--jq', '.[].id', '-r'], stdout: 'fnd_1\nfnd_2\n' },
    { argv: ['--jq=map(.severity)'], stdout: '[\n  "low",\n  "critical"\n]\n' },
    { argv: ['--jq', 'length', '--json'], stdout: '2\n' },
    { argv: ['--jq', 'length'], stdout: '2\n', env: { ORGADM_OUTPUT: 'csv' } },
    { argv: ['--jq', 'select(.severity == "low") | {id}', '-o', 'ndjson'], stdout: '{"id":"fnd_1"}\n' },
  ])('prints what the filter makes of findings with $argv', async ({ argv, stdout, env = {} }) => {
    const { run } = await cli.scripted([{ body: FINDINGS }]);
    expect(await run([...LIST, ...argv], { env })).toMatchObject({ code: 0, stdout, stderr: '' });
  });

  it('reads a report that is written in pieces as one document, and keeps its exit code', async () => {
    const file = cli.file('members.csv');
    writeFileSync(file, 'userId,role\nusr_0101,employee\nusr_9001,employee\nusr_0003,auditor\n');
    const report = ['people', 'bulk-add', file, '--jq'];
    expect(await cli.sandbox([...report, '.summary.created, (.rows[] | [.line, .state])'])).toMatchObject({
      code: 3,
      stdout: '1\n[\n  3,\n  "failed"\n]\n[\n  4,\n  "existing"\n]\n',
    });
  });

  it('fails without losing other lines when it fails for one line of ndjson', async () => {
    const { run } = await cli.scripted([{ body: [{ n: 1 }, { n: 'two' }, { n: 3 }] }]);
    const result = await run(['findings', 'list', '--all', '-o', 'ndjson', '--jq', '.n + 1']);
    expect(result).toMatchObject({ code: 1, stdout: '2\n4\n' });
    expect(errorOf(result).code).toBe('jq-failed');
  });

  it('filters each of 5,000 lines separately, in batches', async () => {
    const body = Array.from({ length: 5000 }, (_, n) => ({ id: `fnd_${n}`, content: 'x'.repeat(200) }));
    const { run } = await cli.scripted([{ body }]);
    const { stdout } = await run(['findings', 'list', '--all', '-o', 'ndjson', '--jq', '.id', '-r']);
    expect(stdout.split('\n')).toEqual([...body.map(({ id }) => id), '']);
  });

  it('leaves the error of a service as it is', async () => {
    const { run } = await cli.scripted([{ status: 404, body: { message: 'Task not found', statusCode: 404 } }]);
    const result = await run([...LIST, '--jq', '.[].id']);
    expect(result).toMatchObject({ code: 5, stdout: '' });
    expect(errorOf(result).status).toBe(404);
  });

  it('is rejected as JSON, before anything is sent, if the filter is invalid', async () => {
    const { run } = await cli.scripted([]);
    const result = await run([...LIST, '--jq', '.[']);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(errorOf(result)).toMatchObject({ code: 'usage', message: expect.stringContaining('line 1, column 2') });
  });
});

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
});
