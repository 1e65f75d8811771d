import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PENDING_DOMAIN } from '../fixtures/contract/domain.ts';
import { FINDINGS } from '../fixtures/contract/findings.ts';
import { createCommandRunner } from '../helpers/service-run.ts';

const cli = createCommandRunner();
const LIST = ['findings', 'list', '--task', 'tsk_1'];

describe('--jq', () => {
  it.each([
    { argv: ['--jq', '.[].id'], stdout: '"fnd_1"\n"fnd_2"\n' },
    { argv: ['--jq', '.[].id', '-r'], stdout: 'fnd_1\nfnd_2\n' },
    { argv: ['--jq=map(.severity)'], stdout: '[\n  "low",\n  "critical"\n]\n' },
    { argv: ['--jq', 'length', '--json'], stdout: '2\n' },
    { argv: ['--jq', 'select(.severity == "low") | {id}', '-o', 'ndjson'], stdout: '{"id":"fnd_1"}\n' },
    { argv: ['--jq', 'empty'], stdout: '' },
  ])('prints what the filter makes of findings with $argv', async ({ argv, stdout }) => {
    const { run } = await cli.scripted([{ body: FINDINGS }]);
    expect(await run([...LIST, ...argv])).toMatchObject({ code: 0, stdout, stderr: '' });
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
    const { code, stdout, stderr } = await run(['findings', 'list', '--all', '-o', 'ndjson', '--jq', '.n + 1']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '2\n4\n' });
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'jq-failed', message: '--jq: string ("two") and number (1) cannot be added' },
    });
  });

  it('filters each of 5,000 lines separately, in batches', async () => {
    const body = Array.from({ length: 5000 }, (_, n) => ({ id: `fnd_${n}`, content: 'x'.repeat(200) }));
    const { run } = await cli.scripted([{ body }]);
    const { stdout } = await run(['findings', 'list', '--all', '-o', 'ndjson', '--jq', '.id', '-r']);
    expect(stdout.split('\n')).toEqual([...body.map(({ id }) => id), '']);
  });

  it('overrides ORGADM_OUTPUT, whatever its format', async () => {
    for (const format of ['table', 'csv', 'ndjson']) {
      const { run } = await cli.scripted([{ body: PENDING_DOMAIN }]);
      const env = { ORGADM_OUTPUT: format };
      expect((await run(['domain', 'status', 'trust.acme.test', '--jq', '.[0].cnameTarget'], { env })).stdout).toBe(
        '"cname.hosting.test"\n',
      );
    }
  });

  it('prints an error of the service as one line of JSON, and leaves standard output empty', async () => {
    const { run } = await cli.scripted([{ status: 404, body: { message: 'Task not found', statusCode: 404 } }]);
    const { code, stdout, stderr } = await run([...LIST, '--jq', '.[].id']);
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({ error: { status: 404 } });
  });
});

describe('--jq and --raw-output', () => {
  it('rejects an invalid filter before anything is sent, as JSON', async () => {
    const { service, run } = await cli.scripted([]);
    const { code, stdout, stderr } = await run([...LIST, '--jq', '.[']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: 'usage',
        message: '--jq: syntax error, unexpected end of file at <top-level>, line 1, column 2',
        hint: 'The syntax is that of jq 1.8; put single quotes around the filter.',
      },
    });
    expect(service.requests).toEqual([]);
  });
});
