import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addsMembers, membersOf } from '../../helpers/people-service.ts';
import { errorOf, reportOf } from '../../helpers/report.ts';
import type { CliResult } from '../../helpers/run-cli.ts';
import { createCommandRunner, expectUsageError } from '../../helpers/service-run.ts';
import { partLike } from '../../helpers/text-like.ts';
import { workbook } from '../../helpers/workbook.ts';

const cli = createCommandRunner();

const EXPORT = `Email,Team
 Ada@Example.com ,Information Technology
bo@example.com,it
`;
const DIRECTORY = `id,email,name
usr_0042,ada@example.com,Ada
usr_0043,BO@example.com,Bo
`;
const FIELDS = ['--default', 'isActive=true', '--ignore-extra-columns'];
const OPTIONS = ['--map', 'userId=Email', '--default', 'role=member', ...FIELDS];

function file(name: string, content: string | Buffer): string {
  writeFileSync(cli.file(name), content);
  return cli.file(name);
}

function lookup(path: string, columns = 'email=id'): string[] {
  return ['--lookup', `userId=${path}:${columns}`];
}

function dryRun(stdin: string, ...options: string[]): Promise<CliResult> {
  return cli.plain(['people', 'bulk-add', '-', '--dry-run', ...OPTIONS, ...options], { stdin });
}

const row = (line: number, ...cells: string[]) =>
  `<row r="${line}">${cells.map((cell) => `<c t="inlineStr"><is><t>${cell}</t></is></c>`).join('')}</row>`;

describe('--lookup', () => {
  it.each<[string, string, string | Buffer]>([
    ['CSV', 'directory.csv', DIRECTORY],
    [
      'JSON',
      'directory.json',
      '[{"id":"usr_0042","email":"ada@example.com"},{"id":"usr_0043","Email":"BO@example.com"}]',
    ],
    [
      'JSON lines in which each person has a list',
      'directory.txt',
      '{"id":"usr_0042","email":"ada@example.com","groups":["it"]}\n{"id":"usr_0043","email":"BO@example.com","groups":[]}',
    ],
    [
      'a workbook',
      'directory.xlsx',
      workbook([
        {
          name: 'People',
          data: row(1, 'email', 'id') + row(2, 'ada@example.com', 'usr_0042') + row(3, 'bo@example.com', 'usr_0043'),
        },
      ]),
    ],
  ])('sends the ids of a second list instead of addresses, in any case: %s', async (_name, name, content) => {
    const { service, run } = await cli.scripted(addsMembers());
    const argv = ['people', 'bulk-add', '-', ...OPTIONS, ...lookup(file(name, content))];
    expect((await run(argv, { stdin: EXPORT })).code).toBe(0);
    expect(service.requests.flatMap(membersOf)).toEqual([
      { userId: 'usr_0042', role: 'member', isActive: true },
      { userId: 'usr_0043', role: 'member', isActive: true },
    ]);
  });

  it('reads columns in any spelling or by number, and dotted paths of JSON', async () => {
    const json =
      '{"users":[{"id":7,"profile":{"email":"ada@example.com"}},{"id":8,"profile":{"email":"bo@example.com"}}]}';
    const { service, run } = await cli.scripted(addsMembers());
    const add = async (path: string, columns: string) =>
      (await run(['people', 'bulk-add', '-', ...OPTIONS, ...lookup(path, columns), '--restart'], { stdin: EXPORT }))
        .code;
    expect(await add(file('users.json', json), 'profile.email=id')).toBe(0);
    expect(await add(file('users.csv', 'User ID,E-mail\n7,ada@example.com\n8,bo@example.com\n'), 'e_mail=#1')).toBe(0);
    expect(service.requests.flatMap(membersOf).map(({ userId }) => userId)).toEqual(['7', '8', '7', '8']);
  });

  it('makes a row invalid whose value the second list does not have, or has with several ids or none', async () => {
    const directory = file(
      'directory.csv',
      `${DIRECTORY}usr_1,twice@example.com,
usr_2,Twice@example.com,
,none@example.com,
usr_3,same@example.com,x
usr_3,same@example.com,y
usr_4,both@example.com,
usr_5,both@example.com,
,own@example.com,
usr_6,OWN@example.com,
,other@example.com,
,Other@example.com,
`,
    );
    const emails = ['ada', 'unknown', 'TWICE', 'NONE', 'same', 'both', 'own', 'OTHER'];
    const stdin = `Email\n${emails.map((name) => `${name}@example.com\n`).join('')}`;
    const { code, stdout } = await dryRun(stdin, ...lookup(directory));
    expect(code).toBe(2);
    expect(stdout).toContain('userId ← "Email" ("email" → "id" in "directory.csv": 3 of 8 values found), ');
    expect(stdout.replaceAll(/ {2,}/g, '  ')).toContain(`line  userId  state  message
  3  unknown@example.com  invalid  userId (column "Email"): "unknown@example.com" is not in directory.csv
  4  TWICE@example.com  invalid  userId (column "Email"): "TWICE@example.com" has several values of "id" in directory.csv ("twice@example.com", "Twice@example.com")
  5  NONE@example.com  invalid  userId (column "Email"): "NONE@example.com" has no "id" in directory.csv
  7  both@example.com  invalid  userId (column "Email"): "both@example.com" has several values of "id" in directory.csv
  9  OTHER@example.com  invalid  userId (column "Email"): "OTHER@example.com" has no "id" in directory.csv ("other@example.com", "Other@example.com")
`);
  });

  it.each([
    ['before', 'email,id\nada@example.com,usr_1\nada@example.com,\n'],
    ['after', 'email,id\nada@example.com,\nada@example.com,usr_1\n'],
  ])('finds an id that stands %s a row of the same address without one', async (_name, directory) => {
    const { service, run } = await cli.scripted(addsMembers());
    const argv = ['people', 'bulk-add', '-', ...OPTIONS, ...lookup(file('directory.csv', directory))];
    expect((await run(argv, { stdin: 'Email\nada@example.com\n' })).code).toBe(0);
    expect(service.requests.flatMap(membersOf)).toEqual([{ userId: 'usr_1', role: 'member', isActive: true }]);
  });

  it.each(['ada@example.com', 'ADA@example.com', 'Ada@example.com'])(
    'sends nobody for %j if the second list has two spellings of it for two people',
    async (email) => {
      const directory = file('directory.csv', 'email,id\nada@example.com,usr_1\nADA@example.com,usr_2\n');
      const { service, run } = await cli.scripted([]);
      const argv = ['people', 'bulk-add', '-', ...OPTIONS, ...lookup(directory)];
      const result = await run([...argv, '--json'], { stdin: `Email\n${email}\n` });
      expect(result.code).toBe(2);
      expect(reportOf(result).rows).toMatchObject([{ line: 2, state: 'invalid' }]);
      expect(service.requests).toEqual([]);
    },
  );

  it('finds an id although another spelling of the address has none', async () => {
    const { service, run } = await cli.scripted(addsMembers());
    const directory = file('directory.csv', 'email,id\nada@example.com,usr_1\nAda@example.com,\n');
    const argv = ['people', 'bulk-add', '-', ...OPTIONS, ...lookup(directory)];
    expect((await run(argv, { stdin: 'Email\nADA@example.com\n' })).code).toBe(0);
    expect(service.requests.flatMap(membersOf)).toEqual([{ userId: 'usr_1', role: 'member', isActive: true }]);
  });

  it.each([
    ['without an id', '[{"email":"ada@example.com"},{"email":"bo@example.com","id":"usr_0043"}]', 'has no "id" in'],
    ['without an address', '[{"id":"usr_0042"},{"email":"bo@example.com","id":"usr_0043"}]', 'is not in'],
    ['whose id is null', '[{"email":"ada@example.com","id":null},{"email":"x","id":1}]', 'has no "id" in'],
    ['whose id is an empty object', '[{"email":"ada@example.com","id":{}},{"email":"x","id":1}]', 'has no "id" in'],
    ['in a list without entries', '[]', 'is not in'],
  ])('makes the row of a person invalid who is in JSON %s', async (_name, json, problem) => {
    const { code, stdout } = await dryRun('Email\nada@example.com\n', ...lookup(file('directory.json', json)));
    expect(code).toBe(2);
    expect(stdout).toContain(`"ada@example.com" ${problem} directory.json\n`);
  });

  it('makes a row invalid whose id in the second list is a formula error or has lost digits', async () => {
    const directory = file('directory.csv', 'email,id\nada@example.com,#N/A\nbo@example.com,1.23457E+15\n');
    const { code, stdout } = await dryRun('Email\nada@example.com\nbo@example.com\n', ...lookup(directory));
    expect(code).toBe(2);
    expect(stdout).toMatch(/ 2 .* invalid .*"#N\/A" in directory.csv, which is a formula error/);
    expect(stdout).toMatch(/ 3 .* invalid .*"1\.23457E\+15" .*digits are lost/);
  });

  it('finds two addresses of one person', async () => {
    const directory = file('directory.csv', `${DIRECTORY}usr_0042,ada.l@example.com,Ada\n`);
    const { stdout } = await dryRun('Email\nada@example.com\nada.l@example.com\n', ...lookup(directory));
    expect(stdout).toContain('duplicate');
  });

  it('translates role and department, before --map-value does', async () => {
    const groups = file('groups.csv', 'email,group\nada@example.com,Admins\nbo@example.com,Staff\n');
    const teams = file('teams.json', '[{"name":"information technology","code":"it"},{"name":"it","code":"it"}]');
    const { service, run } = await cli.scripted(addsMembers());
    const options = [
      ...['--map', 'role=Email', '--lookup', `role=${groups}:email=group`],
      ...['--map-value', 'role:Admins=admin', '--map-value', 'role:*=member'],
      ...['--map', 'department=Team', '--lookup', `department=${teams}:name=code`],
      ...FIELDS,
    ];
    const argv = ['people', 'bulk-add', '-', '--map', 'userId=Email', ...options];
    expect((await run(argv, { stdin: EXPORT })).code).toBe(0);
    expect(service.requests.flatMap(membersOf)).toEqual([
      { userId: 'Ada@Example.com', role: 'admin', department: 'it', isActive: true },
      { userId: 'bo@example.com', role: 'member', department: 'it', isActive: true },
    ]);
  });

  it('is reported in JSON with the number of values that were found', async () => {
    const directory = file('directory.csv', DIRECTORY);
    const result = await dryRun(`${EXPORT}x@example.com,it\n`, ...lookup(directory), '--json');
    expect(result.json()).toMatchObject({
      mapping: {
        fields: [
          { field: 'userId', lookup: { file: directory, from: 'email', to: 'id', found: 2, missing: 1 } },
          { field: 'role', lookup: null },
          { field: 'isActive', lookup: null },
        ],
      },
    });
  });

  it('is part of the run with the content of its file, wherever that is', async () => {
    const { run } = await cli.scripted(addsMembers());
    const add = async (path: string) => {
      const argv = ['people', 'bulk-add', '-', ...OPTIONS, ...lookup(path)];
      return (await run(argv, { stdin: EXPORT })).stderr.includes('--restart');
    };
    expect(await add(file('a.csv', DIRECTORY))).toBe(false);
    expect(await add(file('b.csv', DIRECTORY))).toBe(true);
    expect(await add(file('a.csv', DIRECTORY.replace('usr_0043', 'usr_0044')))).toBe(false);
  });

  it('is saved with a path relative to the mapping file, and overridden by a flag', async () => {
    const { service, run } = await cli.scripted(addsMembers());
    const mapping = cli.file('mapping.json');
    const argv = ['people', 'bulk-add', '-', ...OPTIONS];
    const saved = [...lookup(file('directory.csv', DIRECTORY)), '--dry-run', '--save-mapping', mapping];
    expect((await run([...argv, ...saved], { stdin: EXPORT })).code).toBe(0);
    expect(JSON.parse(readFileSync(mapping, 'utf8'))).toMatchObject({
      lookups: { userId: { file: 'directory.csv', from: 'email', to: 'id' } },
    });
    const read = ['people', 'bulk-add', '-', '--mapping', mapping];
    expect((await run(read, { stdin: EXPORT })).code).toBe(0);
    const other = lookup(file('other.csv', DIRECTORY.replaceAll('usr_', 'm')));
    expect((await run([...read, ...other], { stdin: EXPORT })).code).toBe(0);
    expect(service.requests.flatMap(membersOf).map(({ userId }) => userId)).toEqual([
      ...['usr_0042', 'usr_0043'],
      ...['m0042', 'm0043'],
    ]);
  });

  it('is not needed for an errors file, which has the IDs that were found, and the addresses that were not', async () => {
    const directory = file('directory.csv', DIRECTORY);
    const options = [...lookup(directory), '--default', 'role=member', ...FIELDS];
    const argv = ['people', 'bulk-add', '-', '--dry-run', ...options, '--errors-file', cli.file('errors.csv')];
    const stdin = 'User ID,Team\nx@example.com,it\nada@example.com,hr\nada@example.com,hr\n';
    await cli.plain(argv, { stdin });
    expect(readFileSync(cli.file('errors.csv'), 'utf8')).toBe(
      `userId,role,department,isActive,deviceMgmtLabelId,line,error
x@example.com,member,,true,,2,"userId: ""x@example.com"" is not in directory.csv"
usr_0042,member,,true,,4,duplicate userId (first on line 3)
`,
    );
  });

  it('rejects the second list as its errors file, which the next step would then read as the second list', async () => {
    const directory = file('directory.csv', DIRECTORY);
    const argv = ['people', 'bulk-add', '-', ...lookup(directory), '--default', 'role=member', ...FIELDS];
    const { code, stderr } = await cli.plain([...argv, '--dry-run', '--errors-file', directory], {
      stdin: 'userId\nx@example.com\n',
    });
    expect(code).toBe(2);
    expect(stderr).toContain(`--errors-file ${directory}: that is the list of --lookup userId\n`);
    expect(readFileSync(directory, 'utf8')).toBe(DIRECTORY);
  });

  it.each([
    [
      'a missing column',
      ':mail=id',
      'mail: …"email"…\n  columns: "id", "email", "name"',
      'Correct the column names in --lookup.',
    ],
    [
      'a missing column of the ids',
      ':email=ids',
      'ids: …"id"…\n  columns: "id", "email", "name"',
      'Correct the column names in --lookup.',
    ],
    ['a form without columns', '', undefined, undefined],
    ['names with several "="', ':a=b=c', undefined, undefined],
  ])('rejects %s', async (_name, columns, problem, hint) => {
    const directory = file('directory.csv', DIRECTORY);
    const value = `userId=${directory}${columns}`;
    const result = await dryRun(EXPORT, '--lookup', value);
    const form = `--lookup: "${value}" is not of the form <field>=<file>:<from>=<to>`;
    const ambiguous = `--lookup: "${value}" has more than one "=" or ":" in its names`;
    const expected =
      problem === undefined ? (columns === '' ? form : ambiguous) : `--lookup userId: ${directory}: ${problem}`;
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(partLike(`error: ${expected}\n${hint === undefined ? '' : `hint: ${hint}\n`}`));
  });

  it.each([
    ['a key that no entry has', 'mail=id', 'mail: no entry has this key (did you mean "email"?)'],
    ['a path that no entry has', 'email=profile.id', 'profile.id: no entry has this key'],
    [
      'an object instead of an id',
      'email=name',
      '"name" is not a text (name one of its values: "name.first", "name.last")',
    ],
    ['an array instead of addresses', 'emails=id', '"emails" is not a text (name one of its values: "emails.0")'],
  ])('rejects a second list in JSON that has %s', async (_name, columns, problem) => {
    const person = { id: 'usr_1', email: 'ada@example.com', emails: ['a@x.org'], name: { first: 'Ada', last: 'L' } };
    const directory = file('directory.json', JSON.stringify([person, { ...person, id: 'usr_2' }]));
    const { code, stdout, stderr } = await dryRun(EXPORT, ...lookup(directory, columns), '--json');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(errorOf({ stderr })).toMatchObject({
      code: 'bad-columns',
      message: `--lookup userId: ${directory}: ${problem}`,
      hint: 'Correct the column names in --lookup.',
    });
  });

  it.each([
    [10, []],
    [11, ['and 1 more line']],
    [12, ['and 2 more lines']],
  ])('names the first ten of %i damaged lines of the second list', async (count, more) => {
    const directory = file('directory.csv', `id,email\n${'usr_1,ada@example.com,x\n'.repeat(count)}`);
    const { code, stderr } = await dryRun(EXPORT, ...lookup(directory), '--json');
    const { code: error, message, hint } = errorOf({ stderr });
    expect({ code, error, hint }).toEqual({ code: 2, error: 'bad-list', hint: 'Fix these lines of the second list.' });
    const lines = Array.from({ length: 10 }, (_, at) => `line ${at + 2}: 3 cells, but the header has 2`);
    expect(String(message).match(/line \d+: .*?(?=:)|^and .*/gm)).toEqual([...lines, ...more]);
  });

  it.each([['[{"id":"usr_0042","email":"ada@example.com"}', 'line 1: the JSON ends too early']])(
    'rejects a second list that is not JSON: %s',
    async (content, problem) => {
      const directory = file('directory.json', content);
      const { code, stdout, stderr } = await dryRun(EXPORT, ...lookup(directory));
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(`error: --lookup userId: ${directory}: ${problem}\n`);
    },
  );

  it('rejects a file that is missing, and a field that the list does not have', async () => {
    const missing = join(cli.file(''), 'none.csv');
    expectUsageError(
      await dryRun(EXPORT, ...lookup(missing)),
      `--lookup userId: … ${missing}`,
      'Check the path of the list.',
    );
    const directory = file('directory.csv', DIRECTORY);
    const { code, stderr } = await dryRun(EXPORT, '--lookup', `department=${directory}:email=id`);
    expect(code).toBe(2);
    expect(stderr).toContain(
      '--lookup department: the list has no department (name its column with --map department=<column>)\n',
    );
  });
});
