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
  ...['--map', 'userId=Employee ID', '--map', 'isActive=!Suspended', '--map', 'department=Team'],
  ...['--map-value', 'department:Information Technology=it', '--default', 'role=employee', '--ignore-extra-columns'],
];
const SAMPLE = [
  { userId: '0042', role: 'employee', department: 'it', isActive: true },
  { userId: '0043', role: 'employee', isActive: false },
  { userId: '0044', role: 'employee', department: 'hr', isActive: true },
  { userId: '0045', role: 'employee', department: 'hr', isActive: true },
];

describe('--dry-run', () => {
  it('prints the mapping, the ignored columns and the first entries', async () => {
    const result = await cli.plain(['people', 'bulk-add', '-', '--dry-run', ...OPTIONS], { stdin: EXPORT });
    expect(result).toMatchObject({
      code: 0,
      stdout: `columns: userId ← "Employee ID", role ← "employee" (default), department ← "Team" (Information Technology → it), isActive ← not "Suspended"
ignored: "Name", "License status"
totals: 3 active, 1 inactive; employee 4

entries that orgadm would send:

userId  role      department  isActive
0042    employee  it          true
0043    employee  -           false
0044    employee  hr          true
0045    employee  hr          true

✓ 4 valid
`,
      stderr: 'dry run: the list is valid and nothing was sent. The service may still reject rows.\n',
    });
  });

  it('shows the first two and the last two people of a longer list, because footers are at its end', async () => {
    const rows = Array.from({ length: 9 }, (_, at) => `usr_${at + 1},employee\n`).join('');
    const { code, stdout } = await cli.plain(['people', 'bulk-add', '-', '--dry-run'], {
      stdin: `userId,role\n${rows}TOTAL9,employee\n`,
    });
    expect(code).toBe(0);
    expect(stdout).toContain(`first 2 and last 2 of 10 entries that orgadm would send:

userId  role
usr_1   employee
usr_2   employee
usr_9   employee
TOTAL9  employee
`);
  });

  it('prints the same under "mapping" in JSON', async () => {
    const result = await cli.plain(['people', 'bulk-add', '-', '--dry-run', '--json', ...OPTIONS], { stdin: EXPORT });
    const field = { inverted: false, lookup: null, values: {}, default: null };
    expect(result.json()).toEqual({
      summary: {
        ...{ total: 4, created: 0, existing: 0, recovered: 0, failed: 0, invalid: 0, unknown: 0, unsent: 0, valid: 4 },
        stopped: null,
      },
      run: null,
      rows: [],
      mapping: {
        fields: [
          { ...field, field: 'userId', source: 'Employee ID' },
          { ...field, field: 'role', source: null, default: 'employee' },
          { ...field, field: 'department', source: 'Team', values: { 'Information Technology': 'it' } },
          { ...field, field: 'isActive', source: 'Suspended', inverted: true },
        ],
        ignored: ['Name', 'License status'],
        totals: { active: 3, inactive: 1, unset: 0, roles: { employee: 4 } },
        sample: SAMPLE,
      },
      possibleDuplicates: [],
      mismatches: [],
      existingInactive: [],
      authType: null,
      authenticatedUser: null,
    });
  });

  it('shows exactly what is sent without it, with the label under the name that the service gives it', async () => {
    const { service, run } = await cli.scripted(addsMembers());
    await run(['config', 'set', 'wire.member.deviceMgmtLabelId', 'labelId']);
    const stdin = 'userId,role,deviceMgmtLabelId\nusr_1,member,7\n';
    const report = (await run(['people', 'bulk-add', '-', '--dry-run', '--json'], { stdin })).json();
    expect(report).toMatchObject({ mapping: { sample: [{ userId: 'usr_1', role: 'member', labelId: 7 }] } });
    expect((await run(['people', 'bulk-add', '-'], { stdin })).code).toBe(0);
    expect(service.requests.flatMap(membersOf)).toEqual([{ userId: 'usr_1', role: 'member', labelId: 7 }]);
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

  it('has its rows named by their lines if they have lines of their own', async () => {
    const result = await cli.sandbox(['people', 'bulk-add', '-'], { stdin: JSON.stringify(entries, null, 1) });
    expect(result.stdout).toMatch(partLike('line  userId  state    message\n  17  e       invalid  … line 14)\n'));
  });
});

describe('the error of a list with columns that are not fields', () => {
  it('shows the columns, and ends with the command and the options that are missing', async () => {
    const list = cli.file('export.csv');
    writeFileSync(
      list,
      'Account,Full name,role,Status\nusr_0101,Anna Castillo,employee,ACTIVE\nusr_0102,Ben Jansen,admin,SUSPENDED\nusr_0103,Chloe Okafor,employee,ACTIVE\n',
    );
    const { code, stdout, stderr } = await cli.sandbox(['people', 'bulk-add', list]);
    expect({ code, stdout, stderr: stderr.replaceAll(list, 'export.csv').replace(' --sandbox', '') }).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: export.csv has columns that orgadm does not know. Say what they mean:
  Account    usr_0101, usr_0102, usr_0103
  Full name  Anna Castillo, Ben Jansen, Chloe Okafor
  role       employee, admin
  Status     ACTIVE, SUSPENDED
hint: Say which column has the user IDs and who is active, then check the result:
  orgadm people bulk-add export.csv --map 'userId=<column>' --map 'department=<column>' --map 'isActive=<column>' --ignore-extra-columns --dry-run
  If no column has departments, use --omit department instead. If the column says who is not active, put ! before its name. If everyone is active, use --default isActive=true instead.
`,
    });
  });

  it('is the same for a JSON list, whose columns are the keys of all entries', async () => {
    const stdin = '[{"id":"u1","profile":{"department":"it"}},{"id":"u2","left":null}]';
    const argv = ['people', 'bulk-add', '-', '--dry-run', '--default', 'role=m'];
    expect((await cli.plain(argv, { stdin })).stderr).toMatch(
      partLike(`error: … has keys …:
  id                  u1, u2
  profile.department  it
  left
hint: …:
  orgadm people bulk-add - --default role=m --map 'userId=<column>' --map 'department=<column>' --map 'isActive=<column>' --ignore-extra-columns --dry-run
`),
    );
  });

  it('asks what a blank status means', async () => {
    const stdin = 'userId,role,Is Active,Team\nu1,m,yes,x\nu2,m,,x\n';
    const argv = ['people', 'bulk-add', '-', '--ignore-extra-columns'];
    const { service, run } = await cli.scripted(addsMembers());
    const { code, stderr } = await run(argv, { stdin });
    expect({ code, requests: service.requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toMatch(/^error: .* does not say whether 1 person is active, because isActive is blank for them:\n/);
    expect(stderr).toMatch(
      partLike(
        `hint: Say what a blank status means, then check the result:\n  orgadm people bulk-add - --ignore-extra-columns --default 'isActive=<…>' --dry-run\n`,
      ),
    );
    expect((await run([...argv, '--default', 'isActive=false'], { stdin })).code).toBe(0);
    expect(service.requests.flatMap(membersOf)).toEqual([
      { userId: 'u1', role: 'm', isActive: true },
      { userId: 'u2', role: 'm', isActive: false },
    ]);
  });

  it('asks for a decision about a status that --omit leaves out', async () => {
    const stdin = 'userId,role,isActive\nu1,m,no\n';
    const { stderr } = await cli.sandbox(['people', 'bulk-add', '-', '--omit', 'isActive'], { stdin });
    expect(stderr).toMatch(partLike(`--omit isActive --sandbox --default 'isActive=<…>' --dry-run\n`));
  });

  it('counts a person with a blank status and a column that is not known as two decisions', async () => {
    const stdin = 'userId,role,isActive,team\nu1,m,,x\nu2,m,no,y\n';
    const { code, stderr } = await cli.sandbox(['people', 'bulk-add', '-'], { stdin });
    expect(code).toBe(2);
    expect(stderr).toMatch(partLike(` --default 'isActive=<…>' --ignore-extra-columns --dry-run\n`));
  });

  it.each([
    ['it has one', 'mail,role,team,dept\nx,m,y,it\n', []],
    ['there is a default', 'mail,role,team\nx,m,y\n', ['--default', 'department=it']],
    ['it is left out', 'mail,role,team\nx,m,y\n', ['--omit', 'department']],
    ['no column is left', 'mail,role\nx,m\n', []],
  ])('suggests no column for the department if %s', async (_, stdin, options) => {
    const { stderr } = await cli.sandbox(['people', 'bulk-add', '-', ...options], { stdin });
    expect(stderr).toContain(`--map 'userId=<column>'`);
    expect(stderr).not.toContain('department=<column>');
  });

  it('names a column that misspells the label', async () => {
    const stdin = 'userId,role,deviceMgmtLableId\nu1,m,7\n';
    const { stderr } = await cli.sandbox(['people', 'bulk-add', '-'], { stdin });
    expect(stderr).toContain('"deviceMgmtLableId" may be a misspelling of deviceMgmtLabelId');
  });

  it('suggests a status for everyone only if no other column is left', async () => {
    const suggested = async (...argv: string[]) =>
      (await cli.sandbox(['people', 'bulk-add', '-', ...argv], { stdin: 'mail,role\nx,m\n' })).stderr;
    expect(await suggested()).toMatch(
      partLike(`--map 'userId=<column>' --default 'isActive=<…>' --ignore-extra-columns --dry-run\n`),
    );
    expect(await suggested('--map', 'userId=role', '--default', 'role=m', '--ignore-extra-columns')).toContain(
      ` --map 'isActive=<column>' --dry-run\n`,
    );
  });

  it('repeats the words of the user, quoted for the shell, as a dry run', async () => {
    const list = cli.file('of okta.csv');
    writeFileSync(list, 'id,role\n');
    const argv = ['people', 'bulk-add', list, '--concurrency', '2', '--invalid', 'skip'];
    const { stderr } = await cli.sandbox([...argv, '--fault', 'latency=10ms']);
    expect(stderr).toMatch(
      partLike(
        `  orgadm people bulk-add '${list}' --concurrency 2 --invalid skip --fault latency=10ms --sandbox --map 'userId=<column>' --default 'isActive=<…>' --ignore-extra-columns --dry-run\n`,
      ),
    );
  });

  it('adds options before the "--" that ends them', async () => {
    const list = cli.file('-list.csv');
    writeFileSync(list, 'id,role,state\n');
    const { stderr } = await cli.plain(['people', 'bulk-add', '--dry-run', '--', list]);
    expect(stderr).toContain(
      `  orgadm people bulk-add --map 'userId=<column>' --map 'department=<column>' --map 'isActive=<column>' --ignore-extra-columns --dry-run -- ${list}\n`,
    );
  });

  it('does not take a first row without fields for a header', async () => {
    const { stderr } = await cli.plain(['people', 'bulk-add', '-', '--dry-run'], { stdin: 'usr_1,x\nusr_2,x\n' });
    expect(stderr).toMatch(
      partLike(`hint: If the first row is a person, name the columns with --columns. If it is a title, name the line of the header with --header-row.
  Otherwise, …:
`),
    );
  });

  it.each([
    ['columns that are not fields', 'userId,role,State\nu1,m,x\n', []],
    ['a first row without a field', 'u1,m,x\nu2,m,y\n', []],
    ['numbered columns', 'u1,m\nu2,m\n', ['--map', 'userId=#1', '--map', 'role=#2']],
  ])('has the code bad-columns: %s', async (_name, stdin, options) => {
    const result = await cli.plain(['people', 'bulk-add', '-', '--dry-run', '--json', ...options], { stdin });
    expect({ code: result.code, error: errorOf(result).code }).toEqual({ code: 2, error: 'bad-columns' });
  });

  it('names a similar column instead of a command that would fail again', async () => {
    const argv = ['people', 'bulk-add', '-', '--map', 'userId=Acount'];
    const { code, stderr } = await cli.sandbox(argv, { stdin: 'Account,Full name\n' });
    expect(code).toBe(2);
    expect(stderr).toMatch(
      textLike(`error: …: --map userId=Acount: no column has this name (… "Account"?)
  columns: "Account", "Full name"
`),
    );
  });
});
