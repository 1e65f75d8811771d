import { describe, expect, it } from 'vitest';
import { FINDINGS } from '../../fixtures/contract/findings.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';
import { CANARY_KEY } from '../../helpers/test-client.ts';
import { textLike } from '../../helpers/text-like.ts';

const cli = createCommandRunner();
const OF_TASK = ['findings', 'list', '--task', 'tsk_1'];

describe('the request of findings list', () => {
  it.each([
    { argv: ['--task', 'tsk+1|scope=x'], path: '/v1/findings?taskId=tsk%2B1%7Cscope%3Dx' },
    { argv: ['--evidence-submission', 'sub_1'], path: '/v1/findings?evidenceSubmissionId=sub_1' },
    { argv: ['--evidence-form-type', 'rbac-matrix'], path: '/v1/findings?evidenceFormType=rbac-matrix' },
    { argv: ['--scope', 'people_chart'], path: '/v1/findings?scope=people_chart' },
    { argv: ['--all'], path: '/v1/findings' },
  ])('has the path $path with $argv', async ({ argv, path }) => {
    const { service, run } = await cli.scripted([{ body: [] }]);
    expect((await run(['findings', 'list', ...argv])).code).toBe(0);
    const [request] = service.requests;
    expect(request).toMatchObject({ method: 'GET', path, body: '' });
    expect(request?.headers).toMatchObject({ 'x-api-key': CANARY_KEY, accept: 'application/json' });
    expect(request?.headers).not.toHaveProperty('content-type');
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
      format: 'ndjson',
      stdout:
        '{"id":"fnd_1","type":"soc2","status":"open","severity":"low","content":"The list of leavers has no dates.",' +
        '"createdAt":"2026-01-05T09:00:00.000Z","taskId":"tsk_1","createdBy":{"id":"mem_1","user":{"email":"ada@acme.test"}}}\n' +
        '{"id":"fnd_2","type":"iso27001","status":"needs_revision","severity":"critical","content":"Line one,\\nline \\"two\\"",' +
        '"createdAt":"2026-01-06T09:00:00.000Z","taskId":"tsk_1","createdBy":{"id":"mem_2","user":{"email":"grace@acme.test"}}}\n',
    },
    {
      format: 'csv',
      stdout: `id,severity,status,type,createdAt,content,taskId,createdBy.id,createdBy.user.email
fnd_1,low,open,soc2,2026-01-05T09:00:00.000Z,The list of leavers has no dates.,tsk_1,mem_1,ada@acme.test
fnd_2,critical,needs_revision,iso27001,2026-01-06T09:00:00.000Z,"Line one,
line ""two""",tsk_1,mem_2,grace@acme.test
`,
    },
  ])('is printed as $format', async ({ format, stdout }) => {
    const { run } = await cli.scripted([{ body: FINDINGS }]);
    expect(await run([...OF_TASK, '-o', format])).toMatchObject({ code: 0, stdout, stderr: '' });
  });

  it.each([
    ['a bare array', FINDINGS],
    ['an envelope', { data: FINDINGS, count: 2 }],
    ['an envelope of another name', { page: { number: 1 }, findings: FINDINGS }],
  ])('is only the array as json, also from %s', async (_, body) => {
    const { run } = await cli.scripted([{ body }]);
    expect((await run([...OF_TASK, '--json'])).json()).toEqual(FINDINGS);
  });

  it('is only a note if there are no findings, and an empty array as json', async () => {
    const { run } = await cli.scripted(() => ({ body: [] }));
    const stderr = 'the service has no findings for the task tsk_1, or no such task\n';
    expect(await run(OF_TASK)).toMatchObject({ code: 0, stdout: '', stderr: `no findings\n${stderr}` });
    expect(await run([...OF_TASK, '--json'])).toMatchObject({ code: 0, stdout: '[]\n', stderr });
    expect(await run([...OF_TASK, '-o', 'ndjson'])).toMatchObject({ code: 0, stdout: '', stderr });
    expect(await run([...OF_TASK, '-o', 'csv'])).toMatchObject({ code: 0, stdout: '', stderr });
  });
});

describe('findings that may not belong to the selector', () => {
  const HINT =
    'If the service uses a different name for the parameter, run: orgadm config set wire.findings.scope <name>\n';
  const SCOPE = ['findings', 'list', '--scope', 'people'];

  it.each([
    ['have another value', [{ scope: 'people' }, { scope: 'x' }], '1 of 2 findings has another scope than people'],
    [
      'have another value or none',
      [{ scope: 'people' }, { scope: 'x' }, {}],
      '1 of 3 findings has another scope than people',
    ],
  ])('are printed with a warning if they %s', async (_name, body, facts) => {
    const { run } = await cli.scripted([{ body }]);
    const result = await run([...SCOPE, '--json']);
    expect(result.code).toBe(0);
    expect(result.json()).toEqual(body);
    expect(result.stderr).toMatch(textLike(`warning: …: ${facts}. ${HINT}`));
  });

  it.each([
    ['all have its value', [{ scope: 'people', taskId: 't1' }], SCOPE],
    ['all have its value in an inner object', [{ taskId: null, task: { id: 't1' } }], OF_TASK],
    ['none has the field', [{ scope: null, taskId: 't1' }, { id: 'b' }], SCOPE],
    ['there are none', [], SCOPE],
    ['nothing was selected', [{ id: 'a' }, { taskId: 't2' }], ['findings', 'list', '--all']],
  ])('cause no warning if %s', async (_name, body, argv) => {
    const { run } = await cli.scripted([{ body }]);
    expect((await run([...argv.map((word) => word.replace('tsk_1', 't1')), '--json'])).stderr).toBe('');
  });
});
