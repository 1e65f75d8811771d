import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addsMembers, membersOf } from '../../helpers/people-service.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();

const LIST = 'Login,Team,Job,Status,Note\nu1,Platform,Boss,ACTIVE,x\nu2,NULL,,LEFT,y\n';
const MAPPING = {
  columns: { userId: 'Login', role: 'Job', department: 'Team', deviceMgmtLabelId: null },
  active: { Status: ['ACTIVE'] },
  inactive: { Status: ['LEFT'] },
  values: { role: { boss: 'admin' }, department: { Platform: 'it', NULL: '' } },
  default: { role: 'employee' },
  ignored: ['Note'],
};
const SENT = [
  { userId: 'u1', role: 'admin', department: 'it', isActive: true },
  { userId: 'u2', role: 'employee', isActive: false },
];

function write(content: unknown, name = 'hr.json'): string {
  const path = cli.file(name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

/** Imports a list with a mapping file. */
async function importList(mapping: unknown, stdin: string, ...options: string[]) {
  const { service, run } = await cli.scripted(addsMembers());
  const result = await run(['people', 'bulk-add', '-', '--mapping', write(mapping), ...options], { stdin });
  const stderr = result.stderr.replaceAll(cli.file('hr.json'), 'hr.json');
  return { code: result.code, stderr, sent: service.requests.flatMap(membersOf) };
}

describe('a mapping file', () => {
  it('says how the list becomes members', async () => {
    expect(await importList(MAPPING, LIST)).toMatchObject({ code: 0, sent: SENT });
  });

  it('is what a dry run prints under "mapping"', async () => {
    const options = [
      '--map',
      'userId=Login',
      '--map',
      'department=Team',
      '--default',
      'role=m',
      '--active',
      'Status=ACTIVE',
    ];
    const argv = ['people', 'bulk-add', '-', '--dry-run', '--ignore-extra-columns', '--json', '--jq', '.mapping'];
    const dryRun = await cli.plain([...argv, ...options], { stdin: LIST });
    const { code, sent } = await importList(JSON.parse(dryRun.stdout), LIST);
    expect({ code, sent }).toEqual({
      code: 0,
      sent: [
        { userId: 'u1', role: 'm', department: 'Platform', isActive: true },
        { userId: 'u2', role: 'm', department: 'NULL', isActive: false },
      ],
    });
  });

  it('names all columns that are read, also those with the names of fields', async () => {
    const mapping = { columns: { userId: 'userId' }, default: { role: 'm' } };
    const list = 'userId,role\nu1,x\n';
    expect(await importList(mapping, list)).toMatchObject({ code: 2, sent: [] });
    const { sent } = await importList({ ...mapping, ignored: ['role'], active: 'all' }, list);
    expect(sent).toEqual([{ userId: 'u1', role: 'm', isActive: true }]);
  });

  it('ignores in JSON, and only there, what is in something that it ignores', async () => {
    const mapping = { columns: { userId: 'id' }, default: { role: 'm' }, active: 'all', ignored: ['groups'] };
    expect(await importList(mapping, '[{"id":"u1","groups":["a",{"b":1}]}]')).toMatchObject({ code: 0 });
    expect(await importList(mapping, 'id,groups.0\nu1,a\n')).toMatchObject({ code: 2, sent: [] });
  });

  it('has entries that an option of their name replaces', async () => {
    const { sent } = await importList(
      MAPPING,
      LIST,
      ...['--map', 'role=', '--map-value', 'department:NULL=none', '--active', 'all', '--ignore-extra-columns'],
    );
    expect(sent).toEqual([
      { userId: 'u1', role: 'employee', department: 'Platform', isActive: true },
      { userId: 'u2', role: 'employee', department: 'none', isActive: true },
    ]);
  });

  it.each([
    ['relative to itself', () => 'ids.csv'],
    ['by its absolute path, as a dry run prints it', () => join(cli.file('mappings'), 'ids.csv')],
  ])('names a second list %s', async (_, file) => {
    mkdirSync(cli.file('mappings'), { recursive: true });
    writeFileSync(join(cli.file('mappings'), 'ids.csv'), 'login,id\nU1,usr_1\nu2,usr_2\n');
    const mapping = { ...MAPPING, lookup: { file: file(), from: 'login', to: 'id' } };
    const path = write(mapping, 'mappings/hr.json');
    const { service, run } = await cli.scripted(addsMembers());
    expect((await run(['people', 'bulk-add', '-', '--mapping', path], { stdin: LIST })).code).toBe(0);
    expect(service.requests.flatMap(membersOf).map(({ userId }) => userId)).toEqual(['usr_1', 'usr_2']);
  });

  it.each<[content: unknown, message: string]>([
    ['{', 'is not JSON'],
    ['[]', '--mapping hr.json: the file is not an object'],
    [{ column: {} }, 'column is not known\nhint: Known: columns, active, '],
    [{ columns: { userID: 'a' } }, 'columns.userID is not known\nhint: Known: userId, role, '],
    [{ columns: { userId: '' } }, 'columns.userId is blank'],
    [{ columns: { userId: null } }, 'hr.json: userId cannot be left out'],
    [{ active: 'everyone' }, 'active is not an object'],
    [{ active: { Status: 'ACTIVE' } }, 'active.Status is not an array of texts'],
    [{ active: { Status: ['x'], STATUS: ['y'] } }, 'hr.json: active has "status" twice'],
    [{ inactive: { Status: ['x'] } }, 'hr.json: inactive.Status: "active" does not have this column'],
    [{ active: { a: ['x'] }, inactive: { A: ['X'] } }, 'hr.json: active.A and inactive.A both have "X"'],
    [{ values: { role: { a: 1 } } }, 'values.role.a is not a text'],
    [{ values: { role: { a: 'b', 'A ': 'c' } } }, 'hr.json: values.role has "a" twice'],
    [{ default: { role: '#N/A' } }, 'hr.json: role: "#N/A" '],
    [{ lookup: { file: 'a', from: 'b' } }, 'lookup.to is not a text'],
    [{ lookup: { file: 'a', from: 'b', to: 'c', by: 'd' } }, 'lookup.by is not known\nhint: Known: file, from, to.'],
    [{ values: { role: { '': 'a' } } }, 'values.role has a blank name\n'],
  ])('is rejected with the path of the entry that is wrong: %j', async (mapping, message) => {
    const { code, stderr, sent } = await importList(mapping, LIST);
    expect({ code, sent }).toEqual({ code: 2, sent: [] });
    expect(stderr).toContain(message);
  });
});

describe('a later list with a mapping file', () => {
  it('is rejected if it has another column, with what to add to the file', async () => {
    const list = LIST.replace('Note', 'Note,Location').replaceAll(/,([xy])\n/g, ',$1,Portland\n');
    expect(await importList(MAPPING, list)).toEqual({
      code: 2,
      sent: [],
      stderr: `error: hr.json does not name this column of standard input:
  Location  Portland
hint: Add to hr.json: {"ignored": ["Location"]}.
`,
    });
  });

  it('is rejected if it has another status, with what to add to the file', async () => {
    expect(await importList(MAPPING, `${LIST}u3,it,,On leave,z\nu4,it,,On leave,z\nu5,it,,,z\n`)).toEqual({
      code: 2,
      sent: [],
      stderr: `error: hr.json does not say whether people with these values are active: "Status": "On leave" (2), blank (1)
hint: Add them to "active" or "inactive" of hr.json: {"inactive": {"Status": ["On leave", ""]}}
`,
    });
  });

  it('sends a new status as inactive if the file has no inactive ones', async () => {
    const { inactive: _, ...mapping } = MAPPING;
    const { sent, stderr } = await importList(mapping, `${LIST}u3,it,,On leave,z\n`);
    expect(sent.map(({ isActive }) => isActive)).toEqual([true, false, false]);
    expect(stderr).toContain('Status: ACTIVE 1, LEFT 1 (inactive), On leave 1 (inactive)');
  });

  it('is rejected if it lacks a column', async () => {
    const { code, stderr } = await importList(MAPPING, LIST.replace('Team', 'Unit'));
    expect(code).toBe(2);
    expect(stderr).toContain('standard input has no column "Team", which the mapping names for department');
  });
});
