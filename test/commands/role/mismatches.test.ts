import { describe, expect, it } from 'vitest';
import { ROLE } from '../../fixtures/contract/role.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';
import { textLike } from '../../helpers/text-like.ts';

const cli = createCommandRunner();

const UPDATE = ['role', 'update', 'rol_custom_1'];
const COMPLETE_CHANGE = [
  ...[...UPDATE, '--name', 'Lead Auditor', '--obligation', 'compliance=true'],
  ...['--permission', 'control=read,update', '--permission', 'policy=read'],
];
const OBLIGED = { ...ROLE, obligations: { compliance: true } };
const CHANGED = {
  ...ROLE,
  name: 'Auditor',
  permissions: { control: ['read'] },
  obligations: { compliance: false },
};

/** Runs an update to which the service responds with this role. */
async function update(role: unknown, argv: readonly string[] = COMPLETE_CHANGE) {
  const { run } = await cli.scripted([{ body: role }]);
  return run(argv);
}

describe('a role that is stored differently from what was sent', () => {
  const granting = (permissions: object) => ({ ...OBLIGED, permissions });
  // biome-ignore format: a table
  it.each<[string, role: object, path: string, sent: unknown, stored: unknown]>([
    ['another name', { ...OBLIGED, name: 'lead auditor' }, 'name', 'Lead Auditor', 'lead auditor'],
    ['another role', { ...OBLIGED, id: 'rol_custom_2' }, 'id', 'rol_custom_1', 'rol_custom_2'],
    ['an obligation that is false', { ...ROLE, obligations: { compliance: false } }, 'obligations.compliance', true, false],
    ['an obligation that is dropped', { ...ROLE, obligations: {} }, 'obligations.compliance', true, null],
    ['an obligation in words', { ...ROLE, obligations: { compliance: 'true' } }, 'obligations.compliance', true, 'true'],
    ['an added obligation', { ...ROLE, obligations: { compliance: true, terms: true } }, 'obligations.terms', null, true],
    ['other actions', granting({ control: ['read', 'delete'], policy: ['read'] }), 'permissions.control', ['read', 'update'], ['read', 'delete']],
    ['a resource that is dropped', granting({ control: ['read', 'update'] }), 'permissions.policy', ['read'], null],
    ['an added resource', granting({ ...ROLE.permissions, constructor: ['read'] }), 'permissions.constructor', null, ['read']],
  ])('exits 3 and lists the mismatch: %s', async (_, role, path, sent, stored) => {
    const result = await update(role, [...COMPLETE_CHANGE, '--json']);
    expect(result.code).toBe(3);
    expect(result.json()).toEqual({ ...role, mismatches: [{ path, sent, stored }] });
    expect(result.stderr).toMatch(new RegExp(`^warning: .*: ${path}$`, 'm'));
  });

  it('says how to send what the service adds by itself, and never suggests to send less', async () => {
    const added = { ...OBLIGED, permissions: { ...ROLE.permissions, portal: ['read', 'update'] } };
    expect((await update(added)).stderr).toMatch(/^hint: .*: --permission portal=read,update$/m);
    expect((await update(CHANGED)).stderr).not.toContain('hint:');
  });
});

describe('a role that is stored as it was sent', () => {
  it.each([
    ['in another order', { ...OBLIGED, permissions: { policy: ['read'], control: ['update', 'read'] } }],
    ['with an action twice', { ...OBLIGED, permissions: { ...ROLE.permissions, policy: ['read', 'read'] } }],
    ['with a resource that grants nothing', { ...OBLIGED, permissions: { ...ROLE.permissions, risk: [] } }],
    ['with obligations that are not set', { ...ROLE, obligations: { compliance: true, training: false, terms: null } }],
    ['without an identifier', { ...OBLIGED, id: null }],
    ['with a space after its name', { ...OBLIGED, name: 'Lead Auditor ' }],
  ])('has no mismatch if it is returned %s', async (_, role) => {
    const result = await update(role, [...COMPLETE_CHANGE, '--json']);
    expect(result.code).toBe(0);
    expect(result.json()).toEqual({ ...role, mismatches: [] });
  });

  it('has no mismatch in fields that were not sent, and none if its identifier is a number', async () => {
    const renamed = { ...OBLIGED, name: 'Auditor', permissions: { risk: ['read'] } };
    expect((await update(renamed, [...UPDATE, '--obligation', 'compliance=true'])).code).toBe(0);
    expect((await update({ id: 42, name: 'QA' }, ['role', 'update', '42', '--name', 'QA'])).code).toBe(0);
  });

  it('has no mismatch if its name has its accents in another form', async () => {
    expect((await update({ name: 'Pr\u00fcfer' }, [...UPDATE, '--name', 'Pru\u0308fer'])).code).toBe(0);
  });

  it('has a note about the fields that the response does not have', async () => {
    const { code, stderr } = await update({ ...ROLE, name: null });
    expect(code).toBe(0);
    expect(stderr).toMatch(/ does not include: name, obligations$/m);
  });

  it('is an empty list of mismatches and a note if a success has no body', async () => {
    const { run } = await cli.scripted([{ status: 204 }, { status: 200 }, { body: 'null' }]);
    const json = await run([...COMPLETE_CHANGE, '--json']);
    expect(json).toMatchObject({ code: 0, stderr: expect.stringMatching(/^✓ .*\breturned no role\b/m) });
    expect(json.json()).toEqual({ mismatches: [] });
    expect(await run(COMPLETE_CHANGE)).toMatchObject({ code: 0, stdout: '' });
    expect(await run([...COMPLETE_CHANGE, '-o', 'csv'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^id,.*\n$/),
    });
  });
});

describe('what role update prints', () => {
  it('is in a table everything that is stored, and what differs from what was sent', async () => {
    expect((await update({ ...CHANGED, message: 'waits for approval' })).stdout).toBe(`field     value
role      rol_custom_1
name      Auditor
built-in  no
created   2026-01-05T09:00:00.000Z
updated   2026-02-01T10:30:00.000Z
message   waits for approval

resource  read
control   yes

obligation  value
compliance  false

mismatch                sent          stored
name                    Lead Auditor  Auditor
permissions.control     read,update   read
permissions.policy      read          nothing
obligations.compliance  true          false
`);
  });

  it.each<[string, role: object, shown: string]>([
    ['no permissions', { permissions: { control: [], risk: [] } }, '\nno permissions\n'],
    [
      'a grid of permissions',
      { permissions: { control: ['update', 'read'], risk: [] } },
      '\nresource  update  read\ncontrol   yes     yes\nrisk      -       -\n',
    ],
    ['no obligations', { obligations: {} }, '\nobligations  none\n'],
  ])('is in a table %s', async (_, fields, shown) => {
    expect((await update({ id: 'rol_custom_1', ...fields }, [...UPDATE, '--name', 'QA'])).stdout).toContain(shown);
  });

  it('is in csv a row for each permission and obligation', async () => {
    const { stdout } = await update(OBLIGED, [...COMPLETE_CHANGE, '-o', 'csv']);
    expect(stdout).toBe(`id,name,resource,actions,obligation,value
rol_custom_1,Lead Auditor,control,"read,update",,
rol_custom_1,Lead Auditor,policy,read,,
rol_custom_1,Lead Auditor,,,compliance,true
`);
    const bare = await update({ id: 'rol_custom_1', name: 'QA' }, [...UPDATE, '--name', 'QA', '-o', 'csv']);
    expect(bare.stdout).toBe('id,name,resource,actions,obligation,value\nrol_custom_1,QA,,,,\n');
  });
});

describe('before it sends anything, role update warns of what the service may take away', () => {
  it.each<[argv: string[], warnings: string, stdin?: string]>([
    [['--name', 'QA'], 'warning: … this takes rol_custom_1 away from everybody who has it\n'],
    [
      ['--permission', 'control=read,update', '--permission', 'policy=read'],
      'warning: this replaces all permissions of rol_custom_1: control (read, update), policy (read)\nwarning: …\n',
    ],
    [['--obligation', 'terms=true'], 'warning: this replaces all obligations of rol_custom_1: terms (true)\n'],
    [
      ['--from', '-'],
      'warning: this removes all permissions of rol_custom_1\nwarning: your API key may not be able to restore …\n',
      '{"permissions":{}}',
    ],
  ])('%j', async (argv, warnings, stdin = '') => {
    const { service, run } = await cli.scripted([{ status: 403, body: {} }]);
    const { stderr } = await run([...UPDATE, ...argv], { stdin });
    expect(stderr.slice(0, stderr.indexOf('error:'))).toMatch(
      textLike(`… rol_custom_1 at ${service.url}\n${warnings}`),
    );
  });
});
