import { describe, expect, it } from 'vitest';
import { ROLE } from '../../fixtures/contract/role.ts';
import { commandRuns } from '../service-run.ts';

const cli = commandRuns();

const REPLACES =
  'warning: a service may replace the whole permission map: resources that were not named may be dropped\n';
const WHOLE_CHANGE = [
  ...['role', 'update', 'rol_custom_1', '--name', 'Lead Auditor'],
  ...['--permission', 'control=read,update', '--permission', 'policy=read', '--obligation', 'compliance=true'],
];

describe('what role update prints', () => {
  it.each([
    { permissions: {}, grid: 'no permissions\n' },
    { permissions: { control: [], risk: [] }, grid: 'resource  actions\ncontrol   none\nrisk      none\n' },
  ])('is no header without rows or columns for the permissions $permissions', async ({ permissions, grid }) => {
    const { run } = await cli.scripted([{ body: { id: 'rol_1', permissions } }, { body: { permissions } }]);
    const argv = ['role', 'update', 'rol_1', '--name', 'Auditor'];
    expect((await run(argv)).stdout).toBe(`field  value\nrole   rol_1\n\n${grid}`);
    expect((await run(argv)).stdout).toBe(grid);
  });

  it.each([
    {
      format: 'table',
      stdout: `field     value
role      rol_custom_1
name      Lead Auditor
built-in  no
created   2026-01-05T09:00:00.000Z
updated   2026-02-01T10:30:00.000Z

resource  read  update
control   yes   yes
policy    yes   -
`,
    },
    {
      format: 'json',
      stdout: `{
  "id": "rol_custom_1",
  "name": "Lead Auditor",
  "permissions": {
    "control": [
      "read",
      "update"
    ],
    "policy": [
      "read"
    ]
  },
  "isBuiltIn": false,
  "createdAt": "2026-01-05T09:00:00.000Z",
  "updatedAt": "2026-02-01T10:30:00.000Z"
}
`,
    },
    {
      format: 'ndjson',
      stdout:
        '{"id":"rol_custom_1","name":"Lead Auditor","permissions":{"control":["read","update"],"policy":["read"]},' +
        '"isBuiltIn":false,"createdAt":"2026-01-05T09:00:00.000Z","updatedAt":"2026-02-01T10:30:00.000Z"}\n',
    },
    { format: 'csv', stdout: 'resource,actions\ncontrol,"read,update"\npolicy,read\n' },
  ])('is the role as $format, and the obligations that the answer does not show', async ({ format, stdout }) => {
    const { run } = await cli.scripted([{ body: ROLE }]);
    const result = await run([...WHOLE_CHANGE, '-o', format]);
    expect(result.stdout).toBe(stdout);
    expect(result.stderr).toBe(`${REPLACES}obligations sent, which the answer does not show: compliance=true\n`);
  });

  it('keeps fields that nobody documented', async () => {
    const { run } = await cli.scripted([{ body: { ...ROLE, tier: { level: 3 } } }]);
    expect((await run([...WHOLE_CHANGE, '--json'])).json()).toEqual({ ...ROLE, tier: { level: 3 } });
  });

  it('says where the role differs from what was sent', async () => {
    const stored = { ...ROLE, name: 'Auditor', permissions: { control: ['read', 'delete'], policy: ['read'] } };
    const { run } = await cli.scripted([{ body: { ...stored, obligations: { compliance: false } } }]);
    const { code, stderr } = await run(WHOLE_CHANGE);
    expect(code).toBe(0);
    expect(stderr).toBe(
      `${REPLACES}warning: the role's name is "Auditor", but "Lead Auditor" was sent
warning: the role does not hold control=update, which was sent
warning: the role holds control=delete, which was not sent
warning: the role's obligations are {"compliance":false}, but {"compliance":true} was sent
`,
    );
  });

  it('is quiet about an echo that differs in order only', async () => {
    const stored = { ...ROLE, permissions: { policy: ['read'], control: ['update', 'read'] } };
    const { run } = await cli.scripted([{ body: { ...stored, obligations: { compliance: true } } }]);
    expect((await run([...WHOLE_CHANGE, '--quiet'])).stderr).toBe(REPLACES);
  });

  it('is null, or a note, where a success has no body', async () => {
    const { run } = await cli.scripted([{ status: 204 }, { status: 200 }]);
    expect((await run(['role', 'update', 'rol_1', '--name', 'QA', '--json'])).stdout).toBe('null\n');
    const table = await run(['role', 'update', 'rol_1', '--name', 'QA']);
    expect(table).toMatchObject({ code: 0, stdout: '' });
    expect(table.stderr).toBe('updated; the service answered without showing the role\n');
  });

  it('holds no control character of the service', async () => {
    const { run } = await cli.scripted([{ body: { ...ROLE, name: 'a\u001b[2Jb\u202e\u0007' } }]);
    const { stdout, stderr } = await run(WHOLE_CHANGE);
    expect(`${stdout}${stderr}`).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });
});
