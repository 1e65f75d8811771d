import { describe, expect, it } from 'vitest';
import { ROLE } from '../../fixtures/contract/role.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';
import { partLike } from '../../helpers/text-like.ts';

const cli = createCommandRunner();

const UPDATE = ['role', 'update', 'rol_custom_1'];
const COMPLETE_CHANGE = [
  ...[...UPDATE, '--name', 'Lead Auditor', '--obligation', 'compliance=true'],
  ...['--permission', 'control=read,update', '--permission', 'policy=read'],
];
const OBLIGED = { ...ROLE, obligations: { compliance: true } };

describe('a role that is stored differently from what was sent', () => {
  it.each([
    {
      what: 'another name',
      role: { ...OBLIGED, name: 'Auditor' },
      mismatches: [{ path: 'name', sent: 'Lead Auditor', stored: 'Auditor' }],
    },
    {
      what: 'an obligation that is false',
      role: { ...ROLE, obligations: { compliance: false } },
      mismatches: [{ path: 'obligations.compliance', sent: true, stored: false }],
    },
    {
      what: 'an obligation that is dropped',
      role: { ...ROLE, obligations: {} },
      mismatches: [{ path: 'obligations.compliance', sent: true, stored: null }],
    },
    {
      what: 'an obligation that is kept although it was not sent',
      role: { ...ROLE, obligations: { compliance: true, training: true } },
      mismatches: [{ path: 'obligations.training', sent: null, stored: true }],
    },
    {
      what: 'another role',
      role: { ...OBLIGED, id: 'rol_custom_2' },
      mismatches: [{ path: 'id', sent: 'rol_custom_1', stored: 'rol_custom_2' }],
    },
    {
      what: 'other actions',
      role: { ...OBLIGED, permissions: { control: ['read', 'delete'], policy: ['read'] } },
      mismatches: [{ path: 'permissions.control', sent: ['read', 'update'], stored: ['read', 'delete'] }],
    },
    {
      what: 'a resource that is dropped',
      role: { ...OBLIGED, permissions: { control: ['read', 'update'] } },
      mismatches: [{ path: 'permissions.policy', sent: ['read'], stored: null }],
    },
    {
      what: 'a resource that is kept although it was not sent',
      role: { ...OBLIGED, permissions: { ...ROLE.permissions, constructor: ['read'] } },
      mismatches: [{ path: 'permissions.constructor', sent: null, stored: ['read'] }],
    },
  ])('exits with 3 and lists the mismatch: $what', async ({ role, mismatches }) => {
    const { run } = await cli.scripted([{ body: role }]);
    const result = await run([...COMPLETE_CHANGE, '--json']);
    expect(result.code).toBe(3);
    expect(result.json()).toEqual({ ...role, mismatches });
    expect(result.stderr).toMatch(partLike(`warning: … 1 value …: ${mismatches[0]?.path}\n`));
  });

  it('has its mismatches in a table of sent and stored values', async () => {
    const { run } = await cli.scripted([
      { body: { ...ROLE, name: 'Auditor', permissions: { control: ['read'] }, obligations: { compliance: false } } },
    ]);
    const { code, stdout, stderr } = await run(COMPLETE_CHANGE);
    expect(code).toBe(3);
    expect(stdout).toBe(`field     value
role      rol_custom_1
name      Auditor
built-in  no
created   2026-01-05T09:00:00.000Z
updated   2026-02-01T10:30:00.000Z

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
    expect(
      stderr,
    ).toContain(`warning: the service stored 4 values differently from what orgadm sent: name, permissions.control, permissions.policy, obligations.compliance
`);
  });
});

describe('a role that is stored as it was sent', () => {
  it.each([
    ['in another order', { ...OBLIGED, permissions: { policy: ['read'], control: ['update', 'read'] } }],
    ['with an action twice', { ...OBLIGED, permissions: { ...ROLE.permissions, policy: ['read', 'read'] } }],
    ['with a resource that grants nothing', { ...OBLIGED, permissions: { ...ROLE.permissions, risk: [] } }],
    ['with obligations that are not set', { ...ROLE, obligations: { compliance: true, training: false, terms: null } }],
    ['without an identifier', { ...OBLIGED, id: null }],
    ['without obligations', ROLE],
  ])('has no mismatch if it is returned %s', async (_, role) => {
    const { run } = await cli.scripted([{ body: role }]);
    const result = await run([...COMPLETE_CHANGE, '--json']);
    expect(result.code).toBe(0);
    expect(result.json()).toEqual({ ...role, mismatches: [] });
  });

  it('has no mismatch in fields that were not sent', async () => {
    const { run } = await cli.scripted([{ body: { ...OBLIGED, name: 'Auditor', permissions: { risk: ['read'] } } }]);
    const result = await run([...UPDATE, '--obligation', 'compliance=true', '--json']);
    expect(result.code).toBe(0);
    expect(result.json()).toMatchObject({ mismatches: [] });
  });

  it('has no mismatch if its identifier is a number', async () => {
    const { run } = await cli.scripted([{ body: { id: 42, name: 'QA' } }]);
    expect((await run(['role', 'update', '42', '--name', 'QA'])).code).toBe(0);
  });
});
