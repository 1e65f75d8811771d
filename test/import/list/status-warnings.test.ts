import { describe, expect, it } from 'vitest';
import { readListText } from './read-list.ts';

/** The warnings about a list with these columns next to userId and role, and rows with these cells. */
async function warningsOf(header: string, cells: readonly string[], given = {}): Promise<readonly string[]> {
  const rows = cells.map((cell, at) => `u${at},m,${cell}\n`).join('');
  const { check } = await readListText(`userId,role,${header}\n${rows}`, { ignoreExtraColumns: true, ...given });
  return check.warnings;
}

describe('a column that says who is active, and is ignored', () => {
  it.each([
    ['status', ['Active', 'Suspended']],
    ['Account Status', ['ACTIVE', 'LOCKED_OUT']],
    ['employment_status', ['Active', 'Terminated']],
    ['Worker Status', ['Active', 'On Leave']],
    ['state', ['ACTIVATED', 'STAGED']],
    ['suspended', ['false', 'true']],
    ['account.suspended', ['no', 'yes']],
    ['is-archived', ['0', '1']],
    ['billing-active', ['1', '0']],
    ['userAccountControl', ['66048', '66050']],
    ['Termination date', ['', '2024-06-30']],
    ['Last Day of Work', ['', '6/30/2024']],
    ['suspended_at', ['', '2024-06-30T09:00:00Z']],
    ['Kind', ['Active', 'Terminated']],
    ['isActve', ['yes', 'no']],
    ['Aktiv', ['WAHR', 'FALSCH']],
    ['Désactivé', ['non', 'oui']],
    ['Status', ['aktiv', 'gesperrt']],
    ['Leaver', ['No', 'Yes']],
    ['Valid to', ['31.12.9999', '31.12.2020']],
    ['AccountExpirationDate', ['', '1/1/2020 12:00:00 AM']],
    ['Austrittsdatum', ['', '31.12.2020']],
  ])('causes a warning with the people who count as active all the same: %s', async (name, cells) => {
    expect(await warningsOf(name, cells)).toEqual([
      expect.stringContaining(
        `orgadm treats 1 person as active, although column ${JSON.stringify(name)} says otherwise (line 3); to read it, add --map `,
      ),
    ]);
  });

  it.each([
    ['status', ['1', '2'], ' and --map-value for its values'],
    ['Status', ['Active', 'Active'], ''],
    ['Termination date', ['', '43831'], ' and --map-value for its values'],
    ['Termination date', ['', '30 Jun 2024'], ' and --map-value for its values'],
    ['deletedAt', ['', '1577836800000'], ' and --map-value for its values'],
  ])('causes a warning if its values may mean anything, or everyone is active: %s %j', async (name, cells, values) => {
    const option = name.includes(' ') ? `'isActive=${name}'` : `isActive=${name}`;
    expect(await warningsOf(name, cells)).toEqual([
      `orgadm ignores column ${JSON.stringify(name)}, which may say who is active; to read it, add --map ${option}${values}, or --default isActive=true if everyone is active`,
    ]);
  });

  it.each([
    ['state', ['Bavaria', 'Ohio']],
    ['Activated', ['2024-01-08', '2024-02-01']],
    ['Last active', ['2026-11-20 08:01:12 UTC', '']],
    ['statusChanged', ['2024-01-08T09:15:00.000Z', '2024-02-01T12:00:00.000Z']],
    ['Active', ['2024-01-08', '2024-02-01']],
    ['mfaEnabled', ['True', 'False']],
    ['License status', ['ok', 'x']],
    ['End Date', ['', '2099-01-01']],
    ['Phone', ['1', '0']],
    ['Plan', ['Active', 'Disabled']],
    ['New Status', ['', '']],
  ])('is not what this is: %s %j', async (name, cells) => {
    expect((await warningsOf(name, cells, { omit: name === 'Active' ? ['isActive'] : [] })).join()).toBe('');
  });

  it('causes a warning with the options that read it', async () => {
    expect(await warningsOf('Status', ['Active', 'Suspended', 'suspended', 'Locked'])).toEqual([
      'orgadm treats 3 people as active, although column "Status" says otherwise (lines 3, 4, 5); to read it, add --map isActive=Status --map-value isActive:suspended=false --map-value isActive:Locked=false, or --default isActive=true if everyone is active',
    ]);
    expect(await warningsOf('is suspended', ['no', 'yes'])).toEqual([
      expect.stringContaining("; to read it, add --map 'isActive=!is suspended', or"),
    ]);
    expect(await warningsOf('Termination date', ['', '2024-06-30'])).toEqual([
      expect.stringContaining("; to read it, add --map 'isActive=Termination date' --map-value 'isActive:*=false', or"),
    ]);
    expect(await warningsOf('Termination date', ['2099-01-01', '2024-06-30'])).toEqual([
      expect.stringContaining("; to read it, add --map 'isActive=Termination date' and --map-value for its values, or"),
    ]);
  });

  it('causes a warning if isActive is read from another column that contradicts it, and in which rows', async () => {
    expect(await warningsOf('isActive,suspended', ['true,false', 'true,true', 'false,true', 'true,true'])).toEqual([
      'orgadm treats 2 people as active, although column "suspended" says otherwise (lines 3, 5)',
    ]);
    expect(await warningsOf('suspended', ['yes', 'no'], { defaults: { isActive: 'true' } })).toEqual([
      'orgadm treats 1 person as active, although column "suspended" says otherwise (line 2)',
    ]);
  });

  it('causes one warning with all others that do not contradict isActive', async () => {
    const rows = ['true,false,1', 'false,true,2'];
    expect(await warningsOf('isActive,suspended,status', rows)).toEqual([
      'orgadm ignores "suspended", "status", which may also say who is active',
    ]);
    expect(await warningsOf('isActive,suspended', ['false,true'])).toEqual([
      'orgadm ignores "suspended", which may also say who is active',
    ]);
  });

  it('causes a warning if --omit leaves it out, or --columns does not read it', async () => {
    expect(await warningsOf('isActive', ['yes', 'no'], { omit: ['isActive'] })).toEqual([
      expect.stringContaining('orgadm treats 1 person as active, although column "isActive" says otherwise (line 3)'),
    ]);
    const { check } = await readListText('u1,m,Active\nu2,m,Suspended\n', { columns: ['userId', 'role', '-'] });
    expect(check.warnings).toEqual([expect.stringContaining('orgadm treats 1 person as active, although column "#3"')]);
  });

  it('causes a warning if role is read from it', async () => {
    const warning = 'orgadm treats 1 person as active, although column "status" says otherwise';
    const given = { map: { role: 'status' }, omit: ['isActive'] } as const;
    const { check } = await readListText('userId,status\nu1,Member\nu2,Deactivated\n', given);
    expect(check.warnings).toEqual([expect.stringContaining(`${warning} (line 3)`)]);
    const json = '[{"userId":"u1","status":"Member"},{"userId":"u2","status":"Deactivated"}]';
    const entries = await readListText(json, given);
    expect(entries.check.warnings).toEqual([expect.stringContaining(`${warning} (entry 2)`)]);
    expect(entries.check.mapping.ignored).toEqual([]);
    const both = { map: { role: 'status', isActive: 'status' } };
    const translated = { ...both, valueMap: { isActive: { member: 'true', deactivated: 'false' } } };
    expect((await readListText('userId,status\nu1,Member\nu2,Deactivated\n', translated)).check.warnings).toEqual([]);
  });

  it('causes a warning if it has no name', async () => {
    expect(await warningsOf('', ['Active', 'Terminated'])).toEqual([
      expect.stringContaining('orgadm treats 1 person as active, although column "#3" says otherwise (line 3)'),
    ]);
  });

  it('causes a warning with the numbers of entries in JSON, also within an object', async () => {
    const entry = (id: string, suspended: boolean) =>
      `{"userId":"${id}","role":"m","account":{"suspended":${suspended}}}`;
    const content = `[${[entry('a', true), entry('b', false), entry('c', true)].join(',')}]`;
    expect((await readListText(content, { ignoreExtraColumns: true })).check.warnings).toEqual([
      expect.stringContaining(
        'orgadm treats 2 people as active, although column "account.suspended" says otherwise (entries 1, 3)',
      ),
    ]);
  });

  it('causes a warning if isActive is blank for some people, and true for all others', async () => {
    expect(await warningsOf('isActive', ['true', '', ''])).toEqual([
      'orgadm treats 2 people as active, because isActive is blank for them and never false; if a blank means inactive, add --default isActive=false',
    ]);
    expect(await warningsOf('isActive', ['true', 'false', ''])).toEqual([]);
    expect(await warningsOf('isActive', ['true', ''], { defaults: { isActive: 'false' } })).toEqual([]);
  });

  it('causes no warning in an errors file, whose list had one', async () => {
    expect(await warningsOf('Status,error', ['Suspended,no'])).toEqual([]);
    const json = '[{"userId":"u1","role":"m","status":"Suspended","error":"no"}]';
    expect((await readListText(json)).check.warnings).toEqual([]);
  });
});
