import { describe, expect, it } from 'vitest';
import { FINDINGS } from '../../fixtures/contract/findings.ts';
import { API_KEY } from '../../helpers/api-key.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';
import { partLike, textLike } from '../../helpers/text-like.ts';

const cli = createCommandRunner();
const LIST = ['findings', 'list'];
const OF_TASK = [...LIST, '--task', 'tsk_1'];

/** Prints these findings on a terminal of this width; without it, in a pipe. */
async function print(body: object, argv: readonly string[] = [], columns?: number): Promise<string> {
  const { run } = await cli.scripted([{ body }]);
  const options = columns === undefined ? {} : { columns, env: { NO_COLOR: '1' } };
  return (await run([...LIST, '--all', ...argv], options)).stdout;
}

describe('the request of findings list', () => {
  it.each([
    { argv: ['--task', 'tsk+1|scope=x'], query: '?taskId=tsk%2B1%7Cscope%3Dx' },
    { argv: ['--evidence-submission', 'sub_1'], query: '?evidenceSubmissionId=sub_1' },
    { argv: ['--evidence-form-type', 'rbac-matrix'], query: '?evidenceFormType=rbac-matrix' },
    { argv: ['--scope', 'people_chart'], query: '?scope=people_chart' },
    { argv: ['--all'], query: '' },
  ])('has the query "$query" with $argv', async ({ argv, query }) => {
    const { service, run } = await cli.scripted([{ body: [] }]);
    expect((await run([...LIST, ...argv])).code).toBe(0);
    expect(service.requests).toMatchObject([
      { method: 'GET', path: `/v1/findings${query}`, body: '', headers: { 'x-api-key': API_KEY } },
    ]);
  });

  it('has a form type that orgadm does not know, because newer services have more of them, and a note says so', async () => {
    const { service, run } = await cli.scripted([{ body: [] }]);
    const { code, stderr } = await run([...LIST, '--evidence-form-type', 'account-types']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('"account-types"') });
    expect(service.requests[0]?.path).toBe('/v1/findings?evidenceFormType=account-types');
  });

  it.each([
    ['wire.findings.scope', 'area', '--scope', 'facilities'],
    ['wire.findings.evidenceFormType', 'form', '--evidence-form-type', 'Board-Meeting'],
  ])('has any value where %s renames the parameter', async (setting, parameter, flag, value) => {
    const { service, run } = await cli.scripted([{ body: [{ id: 'a', [parameter]: value }] }]);
    await cli.plain(['config', 'set', setting, parameter]);
    expect(await run([...LIST, flag, value])).toMatchObject({ code: 0, stderr: '' });
    expect(service.requests[0]?.path).toBe(`/v1/findings?${parameter}=${value}`);
  });

  it.each<[argv: string[], message: string]>([
    [[], 'specify which findings to list\nhint: Pass one of --task, … or --all.'],
    [['--task', 'a', '--scope', 'people'], '2 selectors, but only one is allowed'],
    [['--task', ' '], '--task must not contain U+0020'],
    [
      ['--scope', 'everyone'],
      '--scope: "everyone" …\nhint: Allowed: people, people_tasks, people_devices, people_chart.',
    ],
    [
      ['--evidence-form-type', 'account-types', '--exit-status'],
      '--evidence-form-type: orgadm does not know "account-types", …\nhint: Known: board-meeting, it-leadership-meeting, …',
    ],
  ])('is not sent with the invalid selector %j', async (argv, message) => {
    const { service, run } = await cli.scripted([]);
    const { code, stderr } = await run([...LIST, ...argv]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(partLike(`error: ${message}`)) });
    expect(service.requests).toEqual([]);
  });
});

describe('what findings list prints', () => {
  it.each([
    {
      format: 'table',
      stdout: `id     severity  status          type      createdAt                 content
fnd_2  critical  needs_revision  iso27001  2026-01-06T09:00:00.000Z  Line one, line "two"
fnd_1  low       open            soc2      2026-01-05T09:00:00.000Z  The list of leavers has no dates.
`,
    },
    {
      format: 'csv',
      stdout: `id,severity,status,type,createdAt,content,taskId,createdBy.id,createdBy.user.email,a.b
fnd_1,low,open,soc2,2026-01-05T09:00:00.000Z,The list of leavers has no dates.,tsk_1,mem_1,ada@acme.test,
fnd_2,critical,needs_revision,iso27001,2026-01-06T09:00:00.000Z,"Line one,
line ""two""",tsk_1,mem_2,grace@acme.test,
fnd_3,,,,,,,,,key with a dot
`,
    },
  ])('is printed as $format', async ({ format, stdout }) => {
    const body = format === 'csv' ? [...FINDINGS, { id: 'fnd_3', 'a.b': 'key with a dot' }] : FINDINGS;
    expect(await print(body, ['-o', format])).toBe(stdout);
  });

  it.each([
    ['a bare array', FINDINGS],
    ['an envelope', { data: FINDINGS, count: 2 }],
    ['an envelope of another name', { page: { number: 1 }, findings: FINDINGS }],
  ])('is only the array as json, also from %s', async (_, body) => {
    expect(JSON.parse(await print(body, ['--json']))).toEqual(FINDINGS);
  });

  it('is only a note if there are no findings, and an empty array as json', async () => {
    const { run } = await cli.scripted(() => ({ body: [] }));
    const stderr = 'the service has no findings for the task tsk_1, or no such task\n';
    expect(await run(OF_TASK)).toMatchObject({ code: 0, stdout: '', stderr: `no findings\n${stderr}` });
    expect(await run([...OF_TASK, '--json'])).toMatchObject({ code: 0, stdout: '[]\n', stderr });
    for (const format of ['ndjson', 'csv'])
      expect(await run([...OF_TASK, '-o', format])).toMatchObject({ code: 0, stdout: '', stderr });
  });

  it('is on a terminal the day alone, and records where the content does not fit', async () => {
    const [finding = {}] = FINDINGS;
    const [header = '', , row = ''] = (await print([finding], [], 76)).split('\n');
    expect(header.split(/ {2,}/)).toEqual(['id', 'severity', 'status', 'type', 'createdAt', 'content']);
    expect(row).toContain(' 2026-01-05 ');
    expect(await print([finding], [], 50)).toMatch(/^id: fnd_1\n/);
  });

  it('has the first fields in a table if none is known', async () => {
    const table = await print([{ key: 'K-1', owner: { name: 'Ann' }, points: 3 }]);
    expect(table).toBe('key  owner.name  points\nK-1  Ann         3\n');
  });

  it('is in a table the most severe first, then the newest; others keep their order, as in every other format', async () => {
    const findings = [
      { id: 'fnd_low', severity: 'Low', createdAt: '2026-01-09T09:00:00Z' },
      { id: 'fnd_unknown', severity: 'P1', createdAt: '2026-01-09T09:00:00Z' },
      { id: 'fnd_undated', severity: 'critical' },
      { id: 'fnd_old', severity: 'critical', createdAt: '2026-01-05T09:00:00+02:00' },
      { id: 'fnd_new', severity: 'CRITICAL', createdAt: '2026-01-05T08:00:00Z' },
      { id: 'fnd_none', createdAt: '2026-01-09T09:00:00Z' },
      { id: 'fnd_high', severity: 'high', createdAt: '2026-01-01T09:00:00Z' },
    ];
    const order = async (format: string) => (await print(findings, ['-o', format])).match(/(?<=fnd_)\w+/g);
    expect(await order('table')).toEqual(['new', 'old', 'undated', 'high', 'low', 'unknown', 'none']);
    for (const format of ['json', 'ndjson', 'csv'])
      expect(await order(format)).toEqual(['low', 'unknown', 'undated', 'old', 'new', 'none', 'high']);
  });
});

describe('findings that may not belong to the selector', () => {
  const SCOPE = [...LIST, '--scope', 'people'];

  it('are printed with a warning if they have another value', async () => {
    const body = [{ scope: 'people' }, { scope: 'x' }, {}];
    const { run } = await cli.scripted([{ body }]);
    const result = await run([...SCOPE, '--json']);
    expect(result.code).toBe(0);
    expect(result.json()).toEqual(body);
    expect(result.stderr).toMatch(
      textLike(
        'warning: …: 1 of 3 findings has another scope than people. ' +
          'If the service uses a different name for the parameter, run: orgadm config set wire.findings.scope <name>\n',
      ),
    );
  });

  it.each([
    ['all have its value', [{ scope: 'people', taskId: 't1' }], SCOPE],
    ['all have its value in an inner object', [{ taskId: null, task: { id: 'tsk_1' } }], OF_TASK],
    ['none has the field', [{ scope: null, taskId: 't1' }, { id: 'b' }], SCOPE],
    ['nothing was selected', [{ id: 'a' }, { taskId: 't2' }], [...LIST, '--all']],
  ])('cause no warning if %s', async (_, body, argv) => {
    const { run } = await cli.scripted([{ body }]);
    expect((await run([...argv, '--json'])).stderr).toBe('');
  });
});

describe('a rejected selector', () => {
  it.each([
    ['may be a wrong value if the service repeats it', 'tsk_1 is not a task', 'Check the value of --task.\n'],
    ['may have another name', 'Bad Request', 'orgadm config set wire.findings.task <name>\n'],
  ])('%s', async (_, message, hint) => {
    const { run } = await cli.scripted([{ status: 400, body: { message } }]);
    const { code, stderr } = await run(OF_TASK);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(hint) });
  });
});
