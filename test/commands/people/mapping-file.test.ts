import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addsMembers, membersOf } from '../../helpers/people-service.ts';
import { MemoryTerminal } from '../../helpers/run-cli.ts';
import { createCommandRunner, expectUsageError } from '../../helpers/service-run.ts';

const cli = createCommandRunner();

const EXPORT = `Staff report

Employee ID;Name;Suspended;Team;Title
0042;Ada;no;Information Technology;Engineer
0043;Bo;yes;HR;
`;
const JSON_OPTIONS = [
  ...['--map', 'userId=Employee ID', '--map', 'isActive=!Suspended', '--map', 'department=Team'],
  ...['--map-value', 'department:Information Technology=it', '--map-value', 'department:*=other'],
  ...['--default', 'role=employee', '--ignore-extra-columns'],
];
const OPTIONS = ['--header-row', '3', ...JSON_OPTIONS];
const MAPPING = {
  columns: { userId: 'Employee ID', isActive: '!Suspended', department: 'Team' },
  values: { department: { 'Information Technology': 'it', '*': 'other' } },
  defaults: { role: 'employee' },
  ignored: ['Name', 'Title'],
  options: { headerRow: 3 },
};
const SENT = [
  { userId: '0042', role: 'employee', department: 'it', isActive: true },
  { userId: '0043', role: 'employee', department: 'other', isActive: false },
];

describe('a mapping file', () => {
  it('is saved by a dry run, and reads the list in the same way', async () => {
    const mapping = cli.file('mapping.json');
    const { service, run } = await cli.scripted(addsMembers());
    const argv = ['people', 'bulk-add', '-'];
    const saved = await run([...argv, '--dry-run', '--save-mapping', mapping, ...OPTIONS], { stdin: EXPORT });
    expect(saved).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(
        `saved the mapping; next time, use --mapping ${mapping} instead of the options for columns\n`,
      ),
    });
    const written: unknown = JSON.parse(readFileSync(mapping, 'utf8'));
    expect(written).toEqual(MAPPING);
    expect((await run([...argv, '--mapping', mapping], { stdin: EXPORT })).code).toBe(0);
    expect(service.requests.flatMap(membersOf)).toEqual(SENT);
    // The mapping is part of what makes a run the same, wherever it comes from.
    expect((await run([...argv, ...OPTIONS], { stdin: EXPORT })).stderr).toContain('--restart');
    writeFileSync(mapping, JSON.stringify({ ...MAPPING, defaults: { role: 'admin' } }));
    expect((await run([...argv, '--mapping', mapping], { stdin: EXPORT })).code).toBe(0);
    expect(service.requests.flatMap(membersOf)).toHaveLength(4);
  });

  it('names the columns that the options number, so that a later list may have another order', async () => {
    const mapping = cli.file('mapping.json');
    const { service, run } = await cli.scripted(addsMembers());
    const numbered = ['--map', 'userId=#1', '--map', 'role=#2', '--map', 'isActive=!#3', '--map', 'department=#4'];
    const options = [...numbered, '--header-row', '1', '--dry-run', '--save-mapping', mapping];
    const saving = await run(['people', 'bulk-add', '-', ...options], {
      stdin: 'Account,Rank,Gone,!Team\nu1,employee,no,it\n',
    });
    expect(saving.stderr).toContain('the columns of department have no names of their own: the mapping file fits only');
    const written: unknown = JSON.parse(readFileSync(mapping, 'utf8'));
    // A name that would invert another one stays a number.
    const columns = { userId: 'Account', role: 'Rank', isActive: '!Gone', department: '#4' };
    expect(written).toEqual({ columns, options: { headerRow: 1 } });
    await run(['people', 'bulk-add', '-', '--mapping', mapping], {
      stdin: 'Gone,Rank,Account,!Team\nyes,employee,u2,it\n',
    });
    expect(service.requests.flatMap(membersOf)).toEqual([
      { userId: 'u2', role: 'employee', department: 'it', isActive: false },
    ]);
  });

  it('names the columns of a second list that the options number, so that a later one may have another order', async () => {
    const [mapping, ids] = [cli.file('mapping.json'), cli.file('ids.csv')];
    const { service, run } = await cli.scripted(addsMembers());
    writeFileSync(ids, 'Mail,Id\nmei@example.com,u1\n');
    const options = ['--lookup', `userId=${ids}:#1=#2`, '--dry-run', '--save-mapping', mapping];
    await run(['people', 'bulk-add', '-', ...options], { stdin: 'userId,role\nmei@example.com,employee\n' });
    writeFileSync(ids, 'Mail,Manager,Id\nleo@example.com,u1,u2\n');
    await run(['people', 'bulk-add', '-', '--mapping', mapping], { stdin: 'userId,role\nleo@example.com,employee\n' });
    expect(service.requests.flatMap(membersOf)).toEqual([{ userId: 'u2', role: 'employee' }]);
  });

  const PHONE = 'userId,role,Phone,#2\nu1,employee,55,it\n';
  const GONE = 'userId,role,Gone,State,State,Works\nu1,employee,yes,no,,yes\n';
  const [AS_DEPARTMENT, AS_STATUS] = [
    ['--map', 'department=#4'],
    ['--map', 'isActive=!#4', '--map', 'isActive=Works'],
  ];

  it.each<[string, object, string, string, string[], object]>([
    ['a department', { department: '#3' }, PHONE, '"Phone"', AS_DEPARTMENT, { department: 'it', isActive: true }],
    ['a status', { isActive: ['!#3', 'Works'] }, GONE, '"Gone"', AS_STATUS, { isActive: true }],
  ])(
    'numbers a column without a name, so that a later list with a named one in its place is an error: %s',
    async (_, columns, stdin, name, renumbered, entry) => {
      const mapping = cli.file('mapping.json');
      const defaults = 'department' in columns ? { isActive: 'true' } : {};
      writeFileSync(mapping, JSON.stringify({ columns, defaults, ignored: ['#4', '#5'] }));
      const { service, run } = await cli.scripted(addsMembers());
      const argv = ['people', 'bulk-add', '-', '--mapping', mapping];
      const { code, stderr } = await run(argv, { stdin });
      expect({ code, requests: service.requests }, stderr).toEqual({ code: 2, requests: [] });
      expect(stderr).toContain(`that is ${name}`);
      await run([...argv, ...renumbered, '--ignore-extra-columns'], { stdin });
      expect(service.requests.flatMap(membersOf)).toEqual([{ userId: 'u1', role: 'employee', ...entry }]);
    },
  );

  it.each([
    ['a named one', 'Account,State,State,Name\nu2,no,it,x\n'],
    ['none', 'Account,State,State\nu2,no,it\n'],
  ])('numbers a column that it ignores, so that a later list with %s in its place is an error', async (_, stdin) => {
    const mapping = cli.file('mapping.json');
    const columns = { userId: 'Account', role: '#3' };
    const defaults = { isActive: 'true' };
    writeFileSync(mapping, JSON.stringify({ columns, defaults, omit: ['department'], ignored: ['#2', '#4', 'Name'] }));
    const read = (list: string) =>
      cli.plain(['people', 'bulk-add', '-', '--mapping', mapping, '--dry-run'], { stdin: list });
    expect((await read('Account,,State,State,Name\nu1,a,employee,no,x\n')).code).toBe(0);
    const { code, stdout, stderr } = await read(stdin);
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('no longer has a column #4 without a name of its own');
  });

  it.each([
    ['department', 'Account,role,isActive\nu2,employee,no\n'],
    ['isActive', 'Account,role,department\nu2,employee,it\n'],
  ])('names the columns that it reads, so that a later list without one is an error: %s', async (field, later) => {
    const mapping = cli.file('mapping.json');
    const list = 'Account,role,department,isActive\nu1,employee,it,yes\n';
    const options = ['--map', 'userId=Account', '--dry-run', '--save-mapping', mapping];
    await cli.plain(['people', 'bulk-add', '-', ...options], { stdin: list });
    const read = (stdin: string) =>
      cli.plain(['people', 'bulk-add', '-', '--mapping', mapping, '--dry-run'], { stdin });
    expect((await read('Account,Role,Department,Is Active\nu2,employee,it,no\n')).code).toBe(0);
    const { code, stderr } = await read(later);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(`--map ${field}=${field}: no column has this name`),
    });
  });

  it.each([
    ['a CSV list', 'userId,role\nusr_1,member\n'],
    ['a JSON list', '[{"userId":"usr_1","role":"member"}]'],
    ['an object of JSON that is no mapping', '{"members":[]}'],
    ['notes', 'Call Ada'],
  ])('does not replace a file that has something else, and may be the list itself: %s', async (_, text) => {
    const file = cli.file('list.csv');
    writeFileSync(file, text);
    const argv = ['people', 'bulk-add', file, '--dry-run', '--save-mapping', file];
    const how = 'Name another file. orgadm replaces only mapping files.';
    expectUsageError(await cli.plain(argv), `--save-mapping: ${file} exists and is not a mapping file`, how);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it.each([
    ['another mapping', '{"omit":["department"]}'],
    ['nothing, as mktemp creates it', ''],
  ])('replaces a file that has %s', async (_, text) => {
    const file = cli.file('mapping.json');
    writeFileSync(file, text);
    const argv = ['people', 'bulk-add', '-', '--dry-run', '--save-mapping', file, ...OPTIONS];
    expect((await cli.plain(argv, { stdin: EXPORT })).code).toBe(0);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(MAPPING);
  });

  it('that cannot be saved is an error before any question', async () => {
    const list = cli.file('list.csv');
    writeFileSync(list, 'Account,role,Name\nusr_1,member,Ada\n');
    const argv = ['people', 'bulk-add', list, '--dry-run', '--save-mapping', '/proc/mapping.json'];
    const { code, stderr } = await cli.plain(argv, { terminal: new MemoryTerminal([]) });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^\S+ --save-mapping: cannot write \/proc\/mapping\.json: /),
    });
  });

  it('does not replace a device', async () => {
    const argv = ['people', 'bulk-add', '-', '--dry-run', '--save-mapping', '/dev/null', ...OPTIONS];
    expectUsageError(await cli.plain(argv, { stdin: EXPORT }), '--save-mapping: /dev/null …', 'Name another file. …');
  });

  it('is overridden by options, field by field', async () => {
    const mapping = cli.file('mapping.json');
    writeFileSync(mapping, JSON.stringify(MAPPING));
    const { service, run } = await cli.scripted(addsMembers());
    const argv = ['--mapping', mapping, '--default', 'role=guest', '--map-value', 'department:hr=people'];
    expect((await run(['people', 'bulk-add', '-', ...argv], { stdin: EXPORT })).code).toBe(0);
    expect(service.requests.flatMap(membersOf)).toEqual([
      { ...SENT[0], role: 'guest' },
      { ...SENT[1], role: 'guest', department: 'people' },
    ]);
  });

  it.each([
    ['a translation of all other values', { values: { isActive: { left: 'false', '*': 'true' } } }, 'isActive=Active'],
    ['what a blank means', { defaults: { isActive: 'true' } }, 'isActive=Active'],
    ['what a blank means, in a column that it inverts', { defaults: { isActive: 'true' } }, 'isActive=!Gone'],
    ['a second list', { lookups: { userId: { file: 'ids.csv', from: 'nr', to: 'id' } } }, 'userId=Id'],
  ])('is not used for another column than its own, unless the options repeat it: %s', async (_, parts, map) => {
    const mapping = cli.file('mapping.json');
    writeFileSync(cli.file('ids.csv'), 'nr,id\n7,8\n8,9\n');
    const columns = { userId: 'Nr', role: 'Rank', isActive: 'Status' };
    writeFileSync(mapping, JSON.stringify({ columns, omit: ['department'], ...parts }));
    const list = 'Nr,Id,Rank,Status,Active,Gone\n7,8,m,yes,no,\n';
    const argv = ['people', 'bulk-add', '-', '--dry-run', '--mapping', mapping, '--map', map, '--ignore-extra-columns'];
    const { code, stdout, stderr } = await cli.plain(argv, { stdin: list });
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('the mapping file says what the values of another column mean: "');
    const repeated = /, add (.+)\. Otherwise/.exec(stderr)?.[1] ?? '';
    const options = repeated.replaceAll("'", '').split(' ');
    expect((await cli.plain([...argv, ...options], { stdin: list })).code, repeated).toBe(0);
  });

  it.each([
    ['translated', ['--map-value', 'isActive:A=true', '--map-value', 'isActive:*=false']],
    ['looked up', ['--lookup', 'isActive=<folder>/codes.csv:code=active']],
  ])('names a column of a field whose values are %s, so that a list without it is an error', async (_, options) => {
    const mapping = cli.file('saved.json');
    writeFileSync(cli.file('codes.csv'), 'code,active\nA,true\n');
    const argv = ['people', 'bulk-add', '-', '--dry-run'];
    const given = options.map((option) => option.replace('<folder>/codes.csv', cli.file('codes.csv')));
    const saved = await cli.plain([...argv, ...given, '--save-mapping', mapping], {
      stdin: 'userId,role,isActive\nu1,m,A\n',
    });
    expect(saved.code, saved.stderr).toBe(0);
    expect(JSON.parse(readFileSync(mapping, 'utf8'))).toMatchObject({ columns: { isActive: 'isActive' } });
    const { code, stderr } = await cli.plain([...argv, '--mapping', mapping], { stdin: 'userId,role\nu2,m\n' });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('isActive: no column has this name') });
  });

  it('may name the same column in another way, and is used', async () => {
    const mapping = cli.file('mapping.json');
    const columns = { userId: 'Nr', role: 'Rank', isActive: 'Status' };
    writeFileSync(mapping, JSON.stringify({ columns, values: { isActive: { A: 'true' } }, omit: ['department'] }));
    const { service, run } = await cli.scripted(addsMembers());
    const argv = ['people', 'bulk-add', '-', '--mapping', mapping, '--map', 'isActive= STATUS'];
    await run(argv, { stdin: 'Nr,Rank,Status\nu1,m,A\n' });
    expect(service.requests.flatMap(membersOf)).toEqual([{ userId: 'u1', role: 'm', isActive: true }]);
  });

  it.each([
    ['{', /--mapping: \S+ .*: line 1, column 2: /],
    ['{"column":{}}', /--mapping \S+: unknown key "column"/],
    ['{"options":{"headerRow":"3"}}', /--mapping \S+: options.headerRow: is not a valid/],
  ])('is rejected if it is not valid: %s', async (text, message) => {
    const mapping = cli.file('mapping.json');
    writeFileSync(mapping, text);
    const result = await cli.plain(['people', 'bulk-add', '-', '--dry-run', '--mapping', mapping], { stdin: EXPORT });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(message);
    expect(result.stderr).toContain('hint: To write a mapping file, use --dry-run --save-mapping <file>.');
  });

  it('may have "=", ":" and commas in every name and value, and is saved with them', async () => {
    const mapping = cli.file('mapping.json');
    const content = {
      columns: { userId: 'id=1,2', department: 'a:b' },
      values: { department: { 'OU=hr,DC=x': 'hr=1', 'x:y=z': 'it,is' } },
      defaults: { role: 'a=b,c', isActive: 'true' },
      options: { columns: ['id=1,2', 'a:b', '-'] },
    };
    writeFileSync(mapping, JSON.stringify(content));
    const saved = cli.file('saved.json');
    const { service, run } = await cli.scripted(addsMembers());
    const stdin = 'usr_1;"OU=hr,DC=x";7\nusr_2;x:y=z;8\n';
    const argv = ['people', 'bulk-add', '-', '--mapping', mapping];
    expect((await run([...argv, '--dry-run', '--save-mapping', saved], { stdin })).code).toBe(0);
    expect(JSON.parse(readFileSync(saved, 'utf8'))).toEqual(content);
    expect((await run(argv, { stdin })).code).toBe(0);
    expect(service.requests.flatMap(membersOf)).toEqual([
      { userId: 'usr_1', role: 'a=b,c', department: 'hr=1', isActive: true },
      { userId: 'usr_2', role: 'a=b,c', department: 'it,is', isActive: true },
    ]);
  });
});

describe('a later list with a mapping file', () => {
  it('is rejected if it has a column for which the file has one value for everyone, until an option says what it is', async () => {
    const mapping = cli.file('mapping.json');
    const defaults = { role: 'member', isActive: 'true' };
    writeFileSync(mapping, JSON.stringify({ columns: { userId: 'Login' }, defaults }));
    const { service, run } = await cli.scripted(addsMembers());
    const argv = ['people', 'bulk-add', '-', '--mapping', mapping];
    const stdin = 'Login,Role,Active\nu1,owner,no\n';
    const message = 'standard input has the column "Role", but the mapping file has the same role for everyone';
    const hint = 'Read the column with --map role=Role, or ignore it with --omit role.';
    expectUsageError(await run(argv, { stdin }), message, hint);
    const active = 'standard input has the column "Active", but the mapping file has the same isActive for everyone';
    expectUsageError(await run([...argv, '--omit', 'role'], { stdin }), active, '… --map isActive=Active, …');
    expect(service.requests).toEqual([]);
    const options = ['--omit', 'role', '--map', 'isActive=Active'];
    expect((await run([...argv, ...options], { stdin })).code).toBe(0);
    expect(service.requests.flatMap(membersOf)).toEqual([{ userId: 'u1', role: 'member', isActive: false }]);
  });

  it('fills the blanks of the column that the saved list had, and belongs to the same run', async () => {
    const mapping = cli.file('mapping.json');
    const { service, run } = await cli.scripted(addsMembers());
    const options = ['--default', 'isActive=false', '--ignore-extra-columns'];
    const argv = ['people', 'bulk-add', '-'];
    const stdin = 'userId,role,Is Active,Note\nu1,m,yes,x\nu2,m,,y\n';
    expect((await run([...argv, ...options, '--dry-run', '--save-mapping', mapping], { stdin })).code).toBe(0);
    expect((await run([...argv, '--mapping', mapping], { stdin })).code).toBe(0);
    expect(service.requests.flatMap(membersOf).map(({ isActive }) => isActive)).toEqual([true, false]);
    expect((await run([...argv, ...options], { stdin })).stderr).toContain('--restart');
  });

  it('is rejected if it has a column that the file neither maps nor ignores', async () => {
    const mapping = cli.file('mapping.json');
    writeFileSync(mapping, JSON.stringify(MAPPING));
    const { service, run } = await cli.scripted(addsMembers());
    const argv = ['people', 'bulk-add', '-', '--mapping', mapping];
    const later = EXPORT.replace('Title', 'Title;Status').replace('Engineer', 'Engineer;Leaver').replace('HR;', 'HR;;');
    const { code, stderr } = await run(argv, { stdin: later });
    expect({ code, requests: service.requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toMatch(/^error: .* columns .*:\n/);
    expect((await run([...argv, '--ignore-extra-columns'], { stdin: later })).code).toBe(0);
  });

  it('cannot be told by the file to ignore whatever it has', async () => {
    const mapping = cli.file('mapping.json');
    writeFileSync(mapping, JSON.stringify({ ignoreExtraColumns: true }));
    const { code, stderr } = await cli.plain(['people', 'bulk-add', '-', '--dry-run', '--mapping', mapping], {
      stdin: EXPORT,
    });
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('unknown key "ignoreExtraColumns"'),
    });
  });
});

describe('the errors file of a mapped list', () => {
  it('has the values as the service gets them, and is imported without options', async () => {
    const errors = cli.file('errors.csv');
    const rejecting = addsMembers({ rejected: { '0042': 'no', '0043': 'no' } });
    const accepting = addsMembers();
    const { service, run } = await cli.scripted((request, response) =>
      (service.requests.length === 1 ? rejecting : accepting)(request, response),
    );
    const argv = ['people', 'bulk-add', '-', ...OPTIONS, '--errors-file', errors];
    expect((await run(argv, { stdin: EXPORT })).code).toBe(3);
    expect(await run(['people', 'bulk-add', errors])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^✓ 2 /),
    });
    expect(service.requests.map(membersOf)).toEqual([SENT, SENT]);
  });

  it('is CSV for a workbook', async () => {
    const errors = cli.file('errors.csv');
    const rejecting = addsMembers({ rejected: { '00042': 'no' } });
    const accepting = addsMembers();
    const { service, run } = await cli.scripted((request, response) =>
      (service.requests.length === 1 ? rejecting : accepting)(request, response),
    );
    const list = 'test/fixtures/exports/excel.xlsx';
    const options = ['--map', 'isActive=Active', '--ignore-extra-columns'];
    const argv = ['people', 'bulk-add', list, ...options, '--errors-file'];
    expectUsageError(
      await run([...argv, cli.file('errors.xlsx')]),
      `--errors-file ${cli.file('errors.xlsx')}: orgadm writes the rows as CSV`,
      'Name a file that ends in .csv.',
    );
    expect((await run([...argv, errors])).code).toBe(3);
    expect((await run(['people', 'bulk-add', errors])).code).toBe(0);
    expect(service.requests.flatMap(membersOf).at(-1)).toEqual({
      userId: '00042',
      role: 'admin',
      department: 'Büro',
      isActive: true,
    });
  });
});
