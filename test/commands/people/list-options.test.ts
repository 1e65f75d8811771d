import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addsMembers, membersOf } from '../../helpers/people-service.ts';
import { createCommandRunner, expectUsageError } from '../../helpers/service-run.ts';
import { textLike } from '../../helpers/text-like.ts';

const cli = createCommandRunner();
const ADD = ['people', 'bulk-add', '-', '--dry-run'];
const CSV_LIST = 'userId,role,acct\nusr_1,member,a1\n';

/** Imports a list from standard input, and returns the members that arrive. */
async function sent(stdin: string, ...options: string[]) {
  const { service, run } = await cli.scripted(addsMembers());
  const { code, stderr } = await run(['people', 'bulk-add', '-', ...options], { stdin });
  expect(code, stderr).toBe(0);
  return service.requests.flatMap(membersOf);
}

describe('an option about the list', () => {
  it.each([
    [['--map', 'role=a=b'], '--map: "role=a=b" has more than one "="', '{"columns": {"role": "Job title"}}'],
    [['--active', 'a=b=c'], '--active: "a=b=c" has more than one "="', '{"active": {"Status": ["ACTIVE"]}}'],
    [['--map-value', 'role:a=b=c'], '--map-value: "role:a=b=c" has more than one "="', '{"values": {"role": '],
    [['--map-value', 'role:a:b=c'], '--map-value: "role:a:b=c" has more than one ":"', '{"values": {"role": '],
    [['--default', 'role=a=b'], '--default: "role=a=b" has more than one "="', '{"default": {"role": "employee"}}'],
    [['--lookup', 'a:b:c=d'], '--lookup: "a:b:c=d" has more than one ":"', '{"lookup": {"file": '],
  ])('names the mapping file for a name that it cannot write: %j', async (options, message, hint) => {
    const { code, stderr } = await cli.plain([...ADD, ...options], { stdin: CSV_LIST });
    expect(code).toBe(2);
    expect(stderr).toContain(`error: ${message}\n`);
    expect(stderr).toContain(`name the file with --mapping: ${hint}`);
  });

  it.each([
    [['--map', 'userId'], '--map: "userId" is not of the form <field>=<column>', '--map role="Job title"'],
    [['--map', 'team=x'], '--map: "team" is not a field that it takes', 'userId, role, department, deviceMgmtLabelId'],
    [['--map', 'isActive=x'], '--map does not take isActive', '--active <column>=<value>, or --active all'],
    [['--map-value', 'isActive:x=true'], '--map-value does not take isActive', '--active <column>=<value>'],
    [['--map-value', 'userId:x=y'], '--map-value: "userId" is not a field that it takes', 'role, department'],
    [['--default', 'isActive=true'], '--default does not take isActive', '--active <column>=<value>, or --active all'],
    [['--default', 'role='], '--default: "role=" is not of the form', '--default role=employee'],
    [['--active', 'Status'], '--active: "Status" is not of the form', '--active Status=ACTIVE'],
    [
      ['--lookup', 'ids.csv'],
      '--lookup: "ids.csv" is not of the form <file>:<column>=<column>',
      'directory.csv:email=id',
    ],
    [['--map', 'role=a', '--map', 'role=b'], '--map: "role" is specified twice', 'Remove one of them.'],
    [['--map-value', 'role:A=b', '--map-value', 'role:a=c'], '--map-value: "a" is specified twice', 'Remove one'],
    [['--active', 'all', '--active', 'a=b'], '--active all cannot be used with another --active', 'Remove one'],
    [['--map', 'userId='], 'userId cannot be left out', '--map userId=<column>'],
    [['--default', 'role=-'], 'role: "-" does not begin with a letter or a digit', ''],
    [['--map-value', 'role:x=a\u200bb'], 'role: "a<U+200B>b" contains a hidden character', ''],
    [['--columns', 'a,,b'], '--columns: a name is blank', 'For example: --columns userId,role,note'],
    [
      ['--map-value', 'department:x=y'],
      'the mapping has translations for department, but',
      '--map department=<column>',
    ],
    [['--lookup', 'none.csv:a=b'], '--lookup: no such file: none.csv', ''],
    [['--records', 'data'], '--records has no effect: the list is CSV', 'Remove --records.'],
  ])('is rejected before anything is read: %j', async (options, message, hint) => {
    const { code, stderr } = await cli.plain([...ADD, ...options], { stdin: CSV_LIST });
    expect(code).toBe(2);
    expect(stderr).toContain(`error: ${message}`);
    expect(stderr).toContain(hint);
  });
});

describe('--map', () => {
  it('leaves a field out with a blank column, and no other', async () => {
    const list = 'userId,role,department,isActive\nusr_1,member,Sales,no\n';
    expect(await sent(list, '--map', 'department=')).toEqual([{ userId: 'usr_1', role: 'member', isActive: false }]);
    expect(await sent(list, '--map', 'role=', '--default', 'role=guest')).toMatchObject([{ role: 'guest' }]);
  });
});

describe('--active', () => {
  it('says who is active by the values of one or several columns', async () => {
    const list = 'userId,role,Status,End date\nu1,m,ACTIVE,\nu2,m,On leave,\nu3,m,ACTIVE,2026-01-01\nu4,m,LEFT,\n';
    const options = ['--active', 'Status=ACTIVE', '--active', 'status=On leave', '--active', 'End date='];
    expect((await sent(list, ...options)).map(({ isActive }) => isActive)).toEqual([true, true, false, false]);
  });

  it('takes a column of any name', async () => {
    const list = 'userId,role,Status,constructor\nu1,m,on,x\nu2,m,on,y\n';
    const members = await sent(list, '--active', 'Status=on', '--active', 'constructor=x');
    expect(members.map(({ isActive }) => isActive)).toEqual([true, false]);
  });
});

describe('--lookup', () => {
  it('sends the IDs of a second list in place of addresses', async () => {
    const ids = cli.file('ids.csv');
    writeFileSync(ids, 'email,id\nada@example.com,usr_1\n');
    const list = 'Email,role\nAda@Example.com,m\n';
    expect(await sent(list, '--map', 'userId=Email', '--lookup', `${ids}:email=id`)).toEqual([
      { userId: 'usr_1', role: 'm' },
    ]);
  });

  it('rejects the second list as the errors file', async () => {
    const ids = cli.file('ids.csv');
    writeFileSync(ids, 'email,id\nada@example.com,usr_1\n');
    expectUsageError(
      await cli.plain([...ADD, '--lookup', `${ids}:email=id`, '--errors-file', ids], { stdin: CSV_LIST }),
      '… that is the list of --lookup',
      'Choose another file…',
    );
  });
});

describe('--format', () => {
  it('decides how the list is read, whatever its content', async () => {
    const { code, stderr } = await cli.plain([...ADD, '--format', 'csv'], { stdin: '[{"userId":"usr_1"}]' });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^error: standard input: line 1, column 1: the cell has a quotation mark/),
    });
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

4 invalid: role is missing (lines 2, 3, 4, 5)

5 …, 1 …
`),
    );
  });
});
