import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addsMembers, membersOf } from '../../helpers/people-service.ts';
import { errorOf } from '../../helpers/report.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';
import { partLike, textLike } from '../../helpers/text-like.ts';

const cli = createCommandRunner();

const EXPORT = `Employee ID,Name,Suspended,Team,License status
0042,Ada,no,Information Technology,x
0043,Bo,yes,,x
0044,Cy,no,hr,x
0045,Di,no,hr,x
`;
const OPTIONS = [
  ...['--map', 'userId=Employee ID', '--active', 'Suspended=no', '--map', 'department=Team'],
  ...['--map-value', 'department:Information Technology=it', '--default', 'role=employee', '--ignore-extra-columns'],
];

describe('--dry-run', () => {
  it('prints how the list was read, and what orgadm would send', async () => {
    const result = await cli.plain(['people', 'bulk-add', '-', '--dry-run', ...OPTIONS], { stdin: EXPORT });
    expect(result).toMatchObject({
      code: 0,
      stdout: `userId      Employee ID                         0042
role        "employee" for everyone             employee
department  Team (Information Technology → it)  it
isActive    Suspended                           true
ignored: "Name", "License status"
Suspended: no 3, yes 1 (inactive)
totals: 3 active, 1 inactive
roles: employee 4
departments: hr 2, it 1, blank 1
people: 0042 (employee, it, active), 0043 (employee, inactive) … 0044 (employee, hr, active), 0045 (employee, hr, active)

✓ 4 valid
`,
      stderr: 'dry run: the list is valid and nothing was sent. The service may still reject rows.\n',
    });
  });

  it('prints the mapping as a file for --mapping in JSON, and the totals', async () => {
    const result = await cli.plain(['people', 'bulk-add', '-', '--dry-run', '--json', ...OPTIONS], { stdin: EXPORT });
    expect(result.json()).toEqual({
      summary: {
        ...{ total: 4, created: 0, existing: 0, recovered: 0, failed: 0, invalid: 0, unknown: 0, unsent: 0, valid: 4 },
        stopped: null,
      },
      run: null,
      rows: [],
      mapping: {
        columns: { userId: 'Employee ID', department: 'Team' },
        active: { Suspended: ['no'] },
        values: { department: { 'Information Technology': 'it' } },
        default: { role: 'employee' },
        ignored: ['Name', 'License status'],
      },
      totals: {
        ...{ active: 3, inactive: 1, unspecified: 0, roles: { employee: 4 }, departments: { hr: 2, it: 1, '': 1 } },
        statuses: {
          Suspended: [
            { value: 'no', count: 3, active: true },
            { value: 'yes', count: 1, active: false },
          ],
        },
        people: [
          { userId: '0042', role: 'employee', department: 'it', isActive: true },
          { userId: '0043', role: 'employee', isActive: false },
          { userId: '0044', role: 'employee', department: 'hr', isActive: true },
          { userId: '0045', role: 'employee', department: 'hr', isActive: true },
        ],
        shortestId: '0042',
        longestId: '0042',
      },
      possibleDuplicates: [],
      mismatches: [],
      existingInactive: [],
      authType: null,
      authenticatedUser: null,
    });
  });

  it('shows the rare values of a column that has many', async () => {
    const rows = Array.from({ length: 100 }, (_, at) => `usr_${at},role${Math.floor(Math.sqrt(at))}\n`).join('');
    const { stdout } = await cli.plain(['people', 'bulk-add', '-', '--dry-run'], { stdin: `userId,role\n${rows}` });
    expect(stdout).toContain(
      'roles: role9 19, role8 17, role7 15, role6 13, role5 11, 2 more, role2 5, role1 3, role0 1\n',
    );
    expect(stdout).toContain('totals: 100 unspecified\n');
    expect(stdout).toContain('IDs: usr_0 (shortest), usr_10 (longest)\n');
  });

  it('says which row it counts as a label under the name that the service gives it', async () => {
    const { service, run } = await cli.scripted(addsMembers());
    await run(['config', 'set', 'wire.member.deviceMgmtLabelId', 'labelId']);
    const stdin = 'userId,role,deviceMgmtLabelId\nusr_1,member,7\n';
    expect((await run(['people', 'bulk-add', '-'], { stdin })).code).toBe(0);
    expect(service.requests.flatMap(membersOf)).toEqual([{ userId: 'usr_1', role: 'member', labelId: 7 }]);
  });

  it('prints how the list was read on standard error with -o csv, next to the invalid rows', async () => {
    const argv = ['people', 'bulk-add', '-', '--dry-run', '--ignore-extra-columns', '--active', 'all', '-o', 'csv'];
    const { code, stdout, stderr } = await cli.plain(argv, { stdin: 'userId,role,acct\nusr_1,member,a1\n,member,\n' });
    expect({ code, stdout }).toEqual({
      code: 2,
      stdout: 'line,entry,userId,state,message\n3,2,,invalid,userId is missing\n',
    });
    expect(stderr).toContain('isActive  everyone  true\nignored: "acct"\n');
  });
});

describe('an issue that many rows have', () => {
  const stdin = `userId,role,isActive\n${['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((id) => `${id},,yes\n`).join('')}h,m,maybe\n`;

  it('is printed once, with its count and first lines', async () => {
    const result = await cli.plain(['people', 'bulk-add', '-', '--dry-run'], { stdin });
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining('error: 8 rows ') });
    expect(result.stdout).toMatch(
      partLike(`line  userId  state    message
   9  h       invalid  isActive: "maybe" …

7 invalid: role … (lines 2, 3, 4, 5, 6, …)

8 invalid
`),
    );
  });

  it('is on each of its rows in JSON', async () => {
    const result = await cli.plain(['people', 'bulk-add', '-', '--dry-run', '--json'], { stdin });
    const report = result.json() as { rows: { state: string; error: string }[] };
    expect(report.rows).toHaveLength(8);
    expect(report.rows[0]).toMatchObject({ state: 'invalid', error: expect.stringContaining('role ') });
  });
});

describe('a JSON list on one line', () => {
  const entries = [...['a', 'b', 'c', 'd', 'e'].map((userId) => ({ userId })), { userId: 'e', role: 'member' }];

  it('has its rows named by their numbers, which tell them apart', async () => {
    const result = await cli.sandbox(['people', 'bulk-add', '-'], { stdin: `${JSON.stringify(entries)}\n` });
    expect(result.stdout).toMatch(
      textLike(`row  userId  state    message
  6  e       invalid  duplicate userId (first in row 5)

5 invalid: role … (rows 1, 2, 3, 4, 5)

6 invalid (the list is invalid)
`),
    );
  });

  it('has the number of each row as its line in JSON', async () => {
    const argv = ['people', 'bulk-add', '-', '--json'];
    const report = (await cli.sandbox(argv, { stdin: JSON.stringify(entries) })).json() as { rows: object[] };
    expect(report.rows[0]).toMatchObject({ line: 1, entry: 1 });
    expect(report.rows[5]).toMatchObject({ line: 6, entry: 6 });
  });
});

describe('the error of a list with columns that are not fields', () => {
  it('shows the columns with samples, and the options that decide about them', async () => {
    const list = cli.file('export.csv');
    writeFileSync(
      list,
      'Account,Full name,role,Status\nusr_0101,Anna Castillo,employee,ACTIVE\nusr_0102,Ben Jansen,admin,SUSPENDED\nusr_0103,Chloe Okafor,employee,ACTIVE\nusr_0104,Dan Li,employee,ACTIVE\n',
    );
    const { code, stdout, stderr } = await cli.sandbox(['people', 'bulk-add', list]);
    expect({ code, stdout, stderr: stderr.replaceAll(list, 'export.csv') }).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: orgadm does not recognize these columns of export.csv:
  Account    usr_0101, usr_0102, usr_0103, …
  Full name  Anna Castillo, Ben Jansen, Chloe Okafor, …
  Status     ACTIVE, SUSPENDED
hint: Say which column has the user IDs (--map userId=<column>) and who is active (--active <column>=<value>, or --active all). Map the other columns to fields (--map department=<column>), or ignore them (--ignore-extra-columns).
`,
    });
  });

  it('is the same for a JSON list, whose columns are the names of all values', async () => {
    const stdin = '[{"id":"u1","profile":{"department":"it"}},{"id":"u2","left":null}]';
    const { stderr } = await cli.plain(['people', 'bulk-add', '-', '--dry-run'], { stdin });
    expect(stderr).toMatch(
      partLike(`error: orgadm does not recognize these columns of standard input:
  id                  u1, u2
  profile.department  it
hint: Say which column has the user IDs (--map userId=<column>), which role people have (--map role=<column>, or --default role=<role> for everyone), and who is active`),
    );
  });

  it('asks who is active if the others are ignored', async () => {
    const argv = ['people', 'bulk-add', '-', '--dry-run', '--ignore-extra-columns', '--json'];
    const result = await cli.plain(argv, { stdin: 'userId,role,Team\nu1,m,x\n' });
    expect(result.code).toBe(2);
    expect(errorOf(result)).toMatchObject({
      code: 'bad-columns',
      message:
        'orgadm cannot tell who is active, because it does not recognize this column of standard input:\nTeam  x',
      hint: 'Say who is active (--active <column>=<value>, or --active all).',
    });
    const own = await cli.plain(argv, { stdin: 'userId,role,isActive,Team\nu1,m,yes,x\n' });
    expect(errorOf(own).message).not.toContain('isActive');
    expect(errorOf(own).hint).toContain('--active isActive=true');
    const named = await cli.plain([...argv, '--active', 'isActive=true'], {
      stdin: 'userId,role,isActive,Team\nu1,m,yes,x\n',
    });
    expect(named.code).toBe(0);
  });

  it('asks whether the delimiter is right if there is one column', async () => {
    const { stderr } = await cli.plain(['people', 'bulk-add', '-', '--dry-run'], { stdin: 'userId^role\nu1^m\n' });
    expect(stderr).toContain('If the list should have more than one column, name its delimiter with --delimiter.');
  });

  it('names the columns that the list has instead of one that it lacks', async () => {
    const argv = ['people', 'bulk-add', '-', '--map', 'userId=Acount', '--dry-run'];
    const { code, stderr } = await cli.plain(argv, { stdin: 'Account,Full name\nu1,Ada\n' });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `error: standard input has no column "Acount", which the mapping names for userId
hint: Its columns are "Account", "Full name".
`,
    });
  });
});
