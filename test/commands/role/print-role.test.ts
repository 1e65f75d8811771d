import { describe, expect, it } from 'vitest';
import { ROLE } from '../../fixtures/contract/role.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';
import { textLike } from '../../helpers/text-like.ts';

const cli = createCommandRunner();

const RENAMED =
  'warning: if the service stores the name of the role with each member, this takes rol_custom_1 away from everybody who has it\n';
const REPLACED = `${RENAMED}warning: this replaces all permissions of rol_custom_1: control (read, update), policy (read)
warning: your API key may not be able to restore permissions that this removes
warning: this replaces all obligations of rol_custom_1: compliance (true)
`;
const COMPLETE_CHANGE = [
  ...['role', 'update', 'rol_custom_1', '--name', 'Lead Auditor'],
  ...['--permission', 'control=read,update', '--permission', 'policy=read', '--obligation', 'compliance=true'],
];

describe('what role update prints', () => {
  it.each([
    { permissions: {}, grid: 'no permissions\n' },
    { permissions: { control: [], risk: [] }, grid: 'no permissions\n' },
    {
      permissions: { control: ['update', 'read'], risk: [] },
      grid: 'resource  update  read\ncontrol   yes     yes\nrisk      -       -\n',
    },
  ])('has the actions of each resource for the permissions $permissions', async ({ permissions, grid }) => {
    const { run } = await cli.scripted([{ body: { id: 'rol_1', name: 'Auditor', permissions } }]);
    const argv = ['role', 'update', 'rol_1', '--name', 'Auditor'];
    expect((await run(argv)).stdout).toBe(`field  value\nrole   rol_1\nname   Auditor\n\n${grid}`);
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

obligation  value
compliance  true
training    false
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
  "obligations": {
    "compliance": true,
    "training": false
  },
  "isBuiltIn": false,
  "createdAt": "2026-01-05T09:00:00.000Z",
  "updatedAt": "2026-02-01T10:30:00.000Z",
  "mismatches": []
}
`,
    },
    {
      format: 'ndjson',
      stdout:
        '{"id":"rol_custom_1","name":"Lead Auditor","permissions":{"control":["read","update"],"policy":["read"]},' +
        '"obligations":{"compliance":true,"training":false},"isBuiltIn":false,"createdAt":"2026-01-05T09:00:00.000Z",' +
        '"updatedAt":"2026-02-01T10:30:00.000Z","mismatches":[]}\n',
    },
    {
      format: 'csv',
      stdout: `id,name,resource,actions,obligation,value
rol_custom_1,Lead Auditor,control,"read,update",,
rol_custom_1,Lead Auditor,policy,read,,
rol_custom_1,Lead Auditor,,,compliance,true
rol_custom_1,Lead Auditor,,,training,false
`,
    },
  ])('is the role with its permissions and obligations, as $format', async ({ format, stdout }) => {
    const { service, run } = await cli.scripted([
      { body: { ...ROLE, obligations: { compliance: true, training: false } } },
    ]);
    expect(await run([...COMPLETE_CHANGE, '-o', format])).toMatchObject({
      code: 0,
      stdout,
      stderr: expect.stringMatching(
        textLike(
          format.endsWith('json') ? REPLACED : `… rol_custom_1 at ${service.url}\n${REPLACED}✓ … rol_custom_1\n`,
        ),
      ),
    });
  });

  it('names the fields that the service does not return, which are not mismatches', async () => {
    const { service, run } = await cli.scripted(() => ({ body: { ...ROLE, name: null } }));
    const table = await run(COMPLETE_CHANGE);
    expect(table.code).toBe(0);
    expect(table.stdout).toBe(`field     value
role      rol_custom_1
built-in  no
created   2026-01-05T09:00:00.000Z
updated   2026-02-01T10:30:00.000Z

resource  read  update
control   yes   yes
policy    yes   -
`);
    const messages = `${REPLACED}orgadm cannot confirm what the response does not include: name, obligations\n`;
    expect(table.stderr).toMatch(textLike(`… rol_custom_1 at ${service.url}\n${messages}✓ … rol_custom_1\n`));
    const json = await run([...COMPLETE_CHANGE, '--json']);
    expect(json).toMatchObject({ code: 0, stderr: messages });
    expect(json.json()).toEqual({ ...ROLE, name: null, mismatches: [] });
  });

  it('is a csv row with id and name even without permissions and obligations', async () => {
    const { run } = await cli.scripted([{ body: { id: 'rol_1', name: 'QA' } }]);
    expect((await run(['role', 'update', 'rol_1', '--name', 'QA', '-o', 'csv'])).stdout).toBe(
      'id,name,resource,actions,obligation,value\nrol_1,QA,,,,\n',
    );
  });

  it('is "none" for obligations if the service returns an empty map', async () => {
    const { run } = await cli.scripted([{ body: { id: 'rol_1', name: 'QA', obligations: {} } }]);
    expect((await run(['role', 'update', 'rol_1', '--name', 'QA'])).stdout).toBe(
      'field        value\nrole         rol_1\nname         QA\nobligations  none\n',
    );
  });

  it('is an empty list of mismatches without a role if a success has no body', async () => {
    const { service, run } = await cli.scripted([{ status: 204 }, { status: 200 }, { body: 'null' }]);
    const update = ['role', 'update', 'rol_1', '--name', 'QA'];
    const json = await run([...update, '--json']);
    expect(json.json()).toEqual({ mismatches: [] });
    expect(json).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/\n✓ updated role rol_1; the service returned no role to compare\n$/),
    });
    expect(await run(update)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(textLike(`… rol_1 at ${service.url}\n${json.stderr}`)),
    });
    expect((await run([...update, '-o', 'csv'])).stdout).toBe('id,name,resource,actions,obligation,value\n');
  });
});

describe('the warning about what an update may take away', () => {
  it('is about the name alone when only the name is sent', async () => {
    const { service, run } = await cli.scripted([{ body: { ...ROLE, obligations: { compliance: true } } }]);
    expect((await run(['role', 'update', 'rol_custom_1', '--name', 'Lead Auditor'])).stderr).toBe(
      `Updating role rol_custom_1 at ${service.url}\n${RENAMED}✓ updated role rol_custom_1\n`,
    );
  });

  it('is about obligations alone when only obligations are sent', async () => {
    const { service, run } = await cli.scripted([{ body: { ...ROLE, obligations: { compliance: true } } }]);
    expect((await run(['role', 'update', 'rol_custom_1', '--obligation', 'compliance=true'])).stderr).toMatch(
      textLike(`… at ${service.url}\nwarning: … obligations of rol_custom_1: compliance (true)\n✓ …\n`),
    );
  });

  it('says that an empty map removes everything', async () => {
    const { service, run } = await cli.scripted([{ body: { ...ROLE, permissions: {} } }]);
    const result = await run(['role', 'update', 'rol_custom_1', '--from', '-'], { stdin: '{"permissions":{}}' });
    expect(result.stderr).toMatch(
      textLike(`… at ${service.url}\nwarning: this removes all permissions of rol_custom_1\nwarning: …\n✓ …\n`),
    );
  });
});
