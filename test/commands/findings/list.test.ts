import { describe, expect, it } from 'vitest';
import { FINDINGS } from '../../fixtures/contract/findings.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';
import { CANARY_KEY } from '../../helpers/test-client.ts';

const cli = createCommandRunner();
const OF_TASK = ['findings', 'list', '--task', 'tsk_1'];

describe('the request of findings list', () => {
  it.each([
    { argv: ['--task', 'tsk 1&scope=x'], path: '/v1/findings?taskId=tsk%201%26scope%3Dx' },
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

  it.each([
    'board-meeting',
    'it-leadership-meeting',
    'risk-committee-meeting',
    'meeting',
    'access-request',
    'whistleblower-report',
    'penetration-test',
    'rbac-matrix',
    'infrastructure-inventory',
    'employee-performance-evaluation',
    'network-diagram',
    'tabletop-exercise',
  ])('accepts the form type %s, for which the sandbox has findings', async (type) => {
    const result = await cli.sandbox(['findings', 'list', '--evidence-form-type', type, '--json']);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.json()).toEqual([expect.objectContaining({ evidenceFormType: type })]);
  });

  it.each(['people', 'people_tasks', 'people_devices', 'people_chart'])(
    'accepts the scope %s, for which the sandbox has findings',
    async (scope) => {
      const result = await cli.sandbox(['findings', 'list', '--scope', scope, '--json']);
      expect(result).toMatchObject({ code: 0, stderr: '' });
      expect(result.json()).toEqual(Array(3).fill(expect.objectContaining({ scope })));
    },
  );
});

describe('what findings list prints', () => {
  it.each([
    {
      format: 'table',
      stdout: `id     severity  status          type      content                            created
fnd_1  low       open            soc2      The list of leavers has no dates.  2026-01-05T09:00:00.000Z
fnd_2  critical  needs_revision  iso27001  Line one, line "two"               2026-01-06T09:00:00.000Z
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
      stdout: `id,severity,status,type,content,createdAt,taskId,createdBy.id,createdBy.user.email
fnd_1,low,open,soc2,The list of leavers has no dates.,2026-01-05T09:00:00.000Z,tsk_1,mem_1,ada@acme.test
fnd_2,critical,needs_revision,iso27001,"Line one,
line ""two""",2026-01-06T09:00:00.000Z,tsk_1,mem_2,grace@acme.test
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

  it.each(['table', 'csv', 'json'])(
    'includes a note as %s about the fields that an empty list leaves unchecked',
    async (format) => {
      const { run } = await cli.scripted(() => ({ body: [] }));
      const sorted = await run([...OF_TASK, '--sort', '-nosuch', '-o', format]);
      const note = 'because there are no findings\n';
      expect(sorted.code).toBe(0);
      expect(sorted.stderr).toContain(`--sort: "nosuch" not checked, ${note}`);
      expect((await run([...OF_TASK, '--sort', 'severity', '-o', format])).stderr).not.toContain('not checked');
      if (format === 'json') return;
      const columns = await run([...OF_TASK, '--columns', 'id,one,task.title', '-o', format]);
      expect(columns.stderr).toContain(`--columns: "one", "task.title" not checked, ${note}`);
      expect(columns.stdout).toBe(format === 'csv' ? 'id,one,task.title\n' : '');
    },
  );

  it('includes a note under --columns help that an empty list has no fields', async () => {
    const { run } = await cli.scripted(() => ({ body: [] }));
    expect(await run([...OF_TASK, '--columns', 'help'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'no findings, so there are no fields to list\n',
    });
    expect((await run([...OF_TASK, '--columns', 'help', '--json'])).stdout).toBe('[]\n');
  });

  it('is only a note if there are no findings, and an empty array as json', async () => {
    const { run } = await cli.scripted(() => ({ body: [] }));
    expect(await run(OF_TASK)).toMatchObject({ code: 0, stdout: '', stderr: 'no findings\n' });
    expect(await run([...OF_TASK, '--json'])).toMatchObject({ code: 0, stdout: '[]\n', stderr: '' });
    expect(await run([...OF_TASK, '-o', 'ndjson'])).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(await run([...OF_TASK, '-o', 'csv'])).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  it('suggests csv instead of a table of more than 100,000 findings', async () => {
    const few = Array.from({ length: 100_000 }, (_, id) => ({ id, taskId: 'few' }));
    const many = [...few.map(({ id }) => ({ id, taskId: 'many' })), { id: 'last', taskId: 'many' }];
    const { run } = await cli.scripted(({ path }) => ({ body: path.endsWith('many') ? many : few }));
    const table = ['findings', 'list', '--columns', 'id', '--task'];
    const { stdout, stderr } = await run([...table, 'many']);
    expect(stdout.split('\n')).toHaveLength(100_003);
    expect(stderr).toBe('a table holds all its rows in memory; with -o csv they are written as they arrive\n');
    expect((await run([...table, 'few'])).stderr).toBe('');
  }, 120_000);

  it('is sorted by a field that the table does not show', async () => {
    const { run } = await cli.scripted(() => ({
      body: [
        { id: 'b', due: '2' },
        { id: 'a', due: '1' },
      ],
    }));
    expect((await run([...OF_TASK, '--sort', 'due'])).stdout).toBe('id\na\nb\n');
  });

  it.each(['table', 'json', 'ndjson', 'csv', 'markdown'])('is a number with --count, as %s', async (format) => {
    const { run } = await cli.scripted([{ body: { data: FINDINGS } }]);
    expect(await run([...OF_TASK, '--count', '-o', format])).toMatchObject({ code: 0, stdout: '2\n', stderr: '' });
  });

  it('contains no control character of the service, in any format', async () => {
    const { run } = await cli.scripted(() => ({ body: [{ id: 'a\u001b]0;x\u0007', content: '\u202eevil\u009b1m' }] }));
    for (const format of ['table', 'json', 'ndjson', 'csv']) {
      const { stdout } = await run([...OF_TASK, '-o', format]);
      expect(stdout, format).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    }
  });

  it('has escaped formulas in csv unless --raw-csv is set', async () => {
    const { run } = await cli.scripted(() => ({ body: [{ id: '=1+1', content: '-5' }] }));
    expect((await run([...OF_TASK, '-o', 'csv'])).stdout).toBe("id,content\n'=1+1,-5\n");
    expect((await run([...OF_TASK, '-o', 'csv', '--raw-csv'])).stdout).toBe('id,content\n=1+1,-5\n');
  });
});

describe('a response that ignores the selector', () => {
  it('is printed with a warning that names the setting to correct', async () => {
    const body = [{ id: 'a', scope: 'people' }, { id: 'b', scope: null, taskId: 'tsk_1' }, { id: 'c' }];
    const { run } = await cli.scripted([{ body }]);
    const result = await run(['findings', 'list', '--scope', 'people', '--json']);
    expect(result.code).toBe(0);
    expect(result.json()).toEqual(body);
    expect(result.stderr).toBe(
      'warning: 1 of 2 findings do not belong to people: the service seems to ignore the selector. ' +
        'It may use another name for the parameter (setting wire.findings.scope).\n',
    );
  });

  it('causes a warning if no finding has the field of the selector', async () => {
    const { run } = await cli.scripted(() => ({ body: [{ id: 'a' }, { id: 'b', title: 'x' }] }));
    const result = await run(['findings', 'list', '--scope', 'people', '--count']);
    expect(result).toMatchObject({ code: 0, stdout: '2\n' });
    expect(result.stderr).toBe(
      'warning: no finding has a field scope, so whether they belong to people cannot be checked; a service that does ' +
        'not know the selector may return everything. It may use another name for the parameter (setting wire.findings.scope).\n',
    );
    expect((await run(['findings', 'list', '--task', 'tsk_1', '--json'])).stderr).toMatch(
      /^warning: no finding has a field taskId or task\.id, so /,
    );
  });

  it.each([
    [{ taskId: 'tsk_2' }, 'taskId'],
    [{ task: { id: 7 } }, 'task.id'],
    [{ evidenceSubmissionId: 'sub_1', taskId: null }, 'evidenceSubmissionId'],
    [{ evidenceFormType: 'meeting' }, 'evidenceFormType'],
  ])('causes a warning if findings have the field of another selector instead: %j', async (finding, field) => {
    const { run } = await cli.scripted([{ body: [{ id: 'a', ...finding }, { id: 'b', ...finding }, { id: 'c' }] }]);
    expect((await run(['findings', 'list', '--scope', 'people', '-o', 'ndjson'])).stderr).toBe(
      `warning: 2 of 3 findings have no scope, but ${field}: the service seems to ignore the selector. ` +
        'It may use another name for the parameter (setting wire.findings.scope).\n',
    );
  });

  it('is detected in the sandbox, too', async () => {
    const argv = ['findings', 'list', '--scope', 'people', '--count', '--variant', 'ignore-scope=yes,no-selector=all'];
    const { stdout, stderr } = await cli.sandbox(argv);
    expect(stdout).toBe('58\n');
    expect(stderr).toContain('55 of 58 findings do not belong to people');
  });

  it('causes no warning if one finding has the field, the list is empty, or nothing was selected', async () => {
    const bodies = [
      [{ id: 'a', scope: 'people', taskId: 'tsk_1' }, { id: 'b' }],
      [{ id: 'a', taskId: null, task: { id: 'tsk_1' } }],
      [],
      [{ id: 'a' }, { id: 'b', taskId: 'tsk_2' }],
    ];
    const { run } = await cli.scripted(bodies.map((body) => ({ body })));
    expect((await run(['findings', 'list', '--scope', 'people', '--json'])).stderr).toBe('');
    expect((await run(['findings', 'list', '--task', 'tsk_1', '--json'])).stderr).toBe('');
    expect((await run(['findings', 'list', '--scope', 'people', '--json'])).stderr).toBe('');
    expect((await run(['findings', 'list', '--all', '--json'])).stderr).toBe('');
  });
});

describe('a response of extreme shape', () => {
  it('causes a warning that names five of many lists', async () => {
    const others = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`other${at}`, []]));
    const { run } = await cli.scripted(() => ({ body: { data: [], ...others } }));
    const { stderr } = await run(['findings', 'list', '--all']);
    expect(stderr).toContain('there is a list under other0, other1, other2, other3, other4 and 45 more too\n');
  });

  it('is read in time proportional to the escapes in one string', async () => {
    const { run } = await cli.scripted(() => ({ body: [{ id: 'a', content: '\u001b]'.repeat(250_000) }] }));
    const { code, stdout } = await run(['findings', 'list', '--all', '--output', 'csv', '--columns', 'id']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'id\na\n' });
  }, 20_000);
});

describe('findings list in the sandbox', () => {
  it('prints the findings of a task in the order of their ids', async () => {
    const { code, stdout } = await cli.sandbox(['findings', 'list', '--task', 'tsk_0001', '-o', 'csv', '--columns=id']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'id\nfnd_0001\nfnd_0002\nfnd_0003\nfnd_0004\nfnd_0005\n' });
  });
});
