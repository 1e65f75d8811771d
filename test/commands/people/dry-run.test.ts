import { describe, expect, it } from 'vitest';
import { addsMembers, membersOf } from '../../helpers/people-service.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();
const ADD = ['people', 'bulk-add', '-'];
const CHECK = [...ADD, '--dry-run'];

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
    expect(await cli.plain([...CHECK, ...OPTIONS], { stdin: EXPORT })).toMatchObject({
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

  it('prints exactly the people whom the import then sends, and sends nothing', async () => {
    const { service, run } = await cli.scripted(addsMembers());
    const people = await run([...CHECK, ...OPTIONS, '--json', '--jq', '.totals.people'], { stdin: EXPORT });
    expect(service.requests).toEqual([]);
    expect((await run([...ADD, ...OPTIONS], { stdin: EXPORT })).code).toBe(0);
    expect(people.json()).toEqual(service.requests.flatMap(membersOf));
  });

  it.each([1, 2, 3, 4, 6])('shows the first two and the last two people of %i, and nobody twice', async (count) => {
    const people = Array.from({ length: count }, (_, at) => ({ userId: `u${at}`, role: 'm' }));
    const argv = [...CHECK, '--json', '--jq', '.totals.people'];
    const shown = (await cli.plain(argv, { stdin: JSON.stringify(people) })).json();
    expect(shown).toEqual(people.filter((_, at) => at < 2 || at >= count - 2));
  });

  it('prints the mapping as a file for --mapping in JSON, and the totals', async () => {
    const result = await cli.plain([...CHECK, '--json', ...OPTIONS], { stdin: EXPORT });
    expect(result.json()).toMatchObject({
      summary: { total: 4, valid: 4 },
      run: null,
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
      },
    });
  });

  it('shows the rare values of a column that has many, and the shortest and the longest ID', async () => {
    const rows = Array.from({ length: 100 }, (_, at) => `usr_${at},role${Math.floor(Math.sqrt(at))}\n`).join('');
    const { stdout } = await cli.plain(CHECK, { stdin: `userId,role\n${rows}` });
    expect(stdout).toContain(
      'roles: role9 19, role8 17, role7 15, role6 13, role5 11, 2 more, role2 5, role1 3, role0 1\n',
    );
    expect(stdout).toContain('totals: 100 unspecified\n');
    expect(stdout).toContain('IDs: usr_0 (shortest), usr_10 (longest)\n');
  });

  it('prints how the list was read on standard error with -o csv, next to the invalid rows', async () => {
    const argv = [...CHECK, '--ignore-extra-columns', '--active', 'all', '-o', 'csv'];
    expect(await cli.plain(argv, { stdin: 'userId,role,acct\nusr_1,member,a1\n,member,\n' })).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(/^line,entry,userId,state,message\n3,2,,invalid,userId .*\n$/),
      stderr: expect.stringContaining('isActive  everyone  true\nignored: "acct"\n'),
    });
  });

  it('tells with --limit and --invalid skip what it would send, and exits as the import would', async () => {
    const stdin = 'userId,role\nusr_0031,admin\n,member\nusr_0032,member\n';
    const options = ['--invalid', 'skip', '--limit', '1'];
    const { code, stderr } = await cli.sandbox([...CHECK, ...options], { stdin });
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringMatching(/ skip 1 invalid row[\s\S]* import 1 of 2 people into the sandbox\n$/),
    });
    expect((await cli.sandbox([...ADD, ...options], { stdin })).code).toBe(3);
  });
});
