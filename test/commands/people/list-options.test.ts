import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addsMembers, membersOf } from '../../helpers/people-service.ts';
import { createCommandRunner, expectUsageError } from '../../helpers/service-run.ts';
import { textLike } from '../../helpers/text-like.ts';

const cli = createCommandRunner();
const ADD = ['people', 'bulk-add', '-', '--dry-run'];
const JSON_LIST = '[{"userId":"usr_1","role":"member","acct":"a1"}]';
const CSV_LIST = 'userId,role,acct\nusr_1,member,a1\n';

describe('an option that has no effect on the list', () => {
  it.each([
    ['--delimiter', ';', JSON_LIST, '--delimiter has no effect: the list is JSON'],
    ['--columns', 'userId,role', JSON_LIST, '--columns has no effect: the list is JSON'],
    ['--header-row', '2', `${JSON_LIST.slice(1, -1)}\n`, '--header-row has no effect: the list is NDJSON'],
    ['--records', 'data', CSV_LIST, '--records has no effect: the list is CSV'],
  ])('is rejected: %s %s', async (option, value, stdin, message) => {
    expectUsageError(await cli.plain([...ADD, option, value], { stdin }), message, `Remove ${option}.`);
  });

  it.each([
    ['--delimiter', ';'],
    ['--encoding', 'windows-1252'],
    ['--format', 'csv'],
  ])('is rejected: %s %s with a workbook', async (option, value) => {
    expectUsageError(
      await cli.plain(['people', 'bulk-add', 'test/fixtures/exports/excel.xlsx', '--dry-run', option, value]),
      `${option} … an Excel workbook`,
      `Remove ${option}.`,
    );
  });
});

describe('--format', () => {
  it('decides how the list is read, whatever its content', async () => {
    const { code, stderr } = await cli.plain([...ADD, '--format', 'csv'], { stdin: JSON_LIST });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^error: .*: line 1, column 1: a quote inside the text/),
    });
  });
});

describe('--map-value', () => {
  it('rejects a value with two "=", since either could end the value of the list', async () => {
    expectUsageError(
      await cli.plain([...ADD, '--map-value', 'role:a=b=member'], { stdin: CSV_LIST }),
      '--map-value: "role:a=b=member" has more than one "="',
      'Translate such a value in a file for --mapping: {"values": {"role": {"a=b": "member"}}}',
    );
  });
});

describe('--omit', () => {
  const LIST = 'userId,role,department,isActive\nusr_1,member,Sales & Marketing,no\nusr_2,admin,it,yes\n';

  it.each([
    { format: 'CSV', stdin: LIST },
    {
      format: 'JSON',
      stdin:
        '[{"userId":"usr_1","role":"member","department":"Sales & Marketing","isActive":false},{"userId":"usr_2","role":"admin","department":"it","isActive":true}]',
    },
  ])('leaves out a field that the list has, and no other, in $format', async ({ stdin }) => {
    const { service, run } = await cli.scripted(addsMembers());
    const argv = ['people', 'bulk-add', '-', '--omit', 'department'];
    const dryRun = await run([...argv, '--dry-run'], { stdin });
    expect(dryRun.stdout).toContain('columns: userId, role, isActive\nignored: "department"\n');
    expect((await run(argv, { stdin })).code).toBe(0);
    expect(service.requests.flatMap(membersOf)).toEqual([
      { userId: 'usr_1', role: 'member', isActive: false },
      { userId: 'usr_2', role: 'admin', isActive: true },
    ]);
  });

  it('leaves a default to fill the field of every row', async () => {
    const { service, run } = await cli.scripted(addsMembers());
    const options = ['--omit', 'department', '--omit', 'role', '--default', 'role=guest', '--default', 'department=hr'];
    expect((await run(['people', 'bulk-add', '-', ...options], { stdin: LIST })).code).toBe(0);
    expect(service.requests.flatMap(membersOf)).toMatchObject([
      { role: 'guest', department: 'hr' },
      { role: 'guest', department: 'hr' },
    ]);
  });

  it('is saved in a mapping, and a flag that maps the field wins', async () => {
    const mapping = cli.file('mapping.json');
    await cli.plain([...ADD, '--omit', 'department', '--save-mapping', mapping], { stdin: LIST });
    expect(JSON.parse(readFileSync(mapping, 'utf8'))).toEqual({
      columns: { userId: 'userId', role: 'role', isActive: 'isActive' },
      omit: ['department'],
    });
    const sample = async (...options: string[]) =>
      (await cli.plain([...ADD, '--mapping', mapping, ...options, '--json'], { stdin: LIST })).json();
    expect(await sample()).toMatchObject({ mapping: { sample: [{ userId: 'usr_1' }, { userId: 'usr_2' }] } });
    expect(JSON.stringify(await sample())).not.toContain('Sales');
    expect(JSON.stringify(await sample('--map', 'department=department'))).toContain('Sales');
  });

  it.each([
    [['--omit', 'team'], '--omit: "team" is not a field', /The fields are userId, role/],
    [['--omit', 'userId'], '--omit userId: every row needs an ID', /--map userId=<column>/],
    [['--omit', 'role', '--map', 'role=x'], '--omit role cannot be used with --map role=x', /Remove one of them\./],
  ])('rejects %j', async (options, message, hint) => {
    const { code, stderr } = await cli.plain([...ADD, ...options], { stdin: LIST });
    expect(code).toBe(2);
    expect(stderr.split('\n')[0]).toBe(`error: ${message}`);
    expect(stderr.split('\n')[1]).toMatch(hint);
  });
});

describe('a placeholder of a suggestion', () => {
  it.each([
    [['--map', 'userId=<column>'], '--map userId=<column>: <column> is a placeholder', 'Replace <column>.'],
    [['--default', 'role=<role>'], '--default role=<role>: <role> is a placeholder', 'Replace <role>.'],
    [
      ['--map-value', 'isActive:x=<true or false>'],
      '--map-value isActive:x=<true or false>: <true or false> is a placeholder',
      'Replace <true or false>.',
    ],
    [
      ['--lookup', 'userId=<file>:email=id'],
      '--lookup userId=<file>:email=id: <file> is a placeholder',
      'Replace <file>.',
    ],
  ])('is rejected if it was not replaced: %j', async (options, message, hint) => {
    expectUsageError(await cli.plain([...ADD, ...options], { stdin: CSV_LIST }), message, hint);
  });
});

describe('--dry-run -o csv', () => {
  it('prints the mapping on standard error, next to the invalid rows on standard output', async () => {
    const argv = [...ADD, '--ignore-extra-columns', '--default', 'isActive=true', '-o', 'csv'];
    const { code, stdout, stderr } = await cli.plain(argv, { stdin: `${CSV_LIST},member,\n` });
    expect({ code, stdout }).toEqual({
      code: 2,
      stdout: expect.stringMatching(/^line,entry,userId,state,message\n3,2,,invalid,userId .*\n$/),
    });
    expect(stderr).toContain('columns: userId, role, isActive ← "true" (default)\nignored: "acct"\n');
    expect(stderr).toContain('would send { "userId": "usr_1", "role": "member", "isActive": true }\n');
  });
});

describe('--invalid skip', () => {
  it('reports an issue of many rows once, below the rows that have one of their own', async () => {
    const { run } = await cli.scripted(addsMembers());
    const stdin = `userId,role,isActive\n${[1, 2, 3, 4].map((id) => `usr_${id},,\n`).join('')}usr_5,member,maybe\nusr_6,member,\n`;
    const { code, stdout } = await run(['people', 'bulk-add', '-', '--invalid', 'skip'], { stdin });
    expect(code).toBe(3);
    expect(stdout).toMatch(
      textLike(`line  userId  state    message
   6  usr_5   invalid  isActive: "maybe" …

4 invalid: role … (lines 2, 3, 4, 5)

5 …, 1 …
`),
    );
  });
});
