import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addsMembers, membersOf } from '../../helpers/people-service.ts';
import { errorOf } from '../../helpers/report.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();
const CHECK = ['people', 'bulk-add', '-', '--dry-run'];
const LIST = 'userId,role,acct\nusr_1,member,a1\n';

/** Imports a list from standard input, and returns the members that arrive. */
async function sent(stdin: string, ...options: string[]) {
  const { service, run } = await cli.scripted(addsMembers());
  const { code, stderr } = await run(['people', 'bulk-add', '-', ...options], { stdin });
  expect(code, stderr).toBe(0);
  return service.requests.flatMap(membersOf);
}

describe('an option about the list', () => {
  it.each([
    [['--map', 'role=a=b'], '"role=a=b" has more than one "="', '{"columns": {"role": "Job title"}}'],
    [['--active', 'a=b=c'], '"a=b=c" has more than one "="', '{"active": {"Status": ["ACTIVE"]}}'],
    [['--map-value', 'role:a:b=c'], '"role:a:b=c" has more than one ":"', '{"values": {"role": '],
    [['--default', 'role=a=b'], '"role=a=b" has more than one "="', '{"default": {"role": "employee"}}'],
    [['--lookup', 'a:b:c=d'], '"a:b:c=d" has more than one ":"', '{"lookup": {"file": '],
  ])('names the mapping file for a name that it cannot write: %j', async ([option, value], message, hint) => {
    const { code, stderr } = await cli.plain([...CHECK, option ?? '', value ?? ''], { stdin: LIST });
    expect(code).toBe(2);
    expect(stderr).toContain(`error: ${option}: ${message}\n`);
    expect(stderr).toContain(`name the file with --mapping: ${hint}`);
  });

  it.each<[options: string[], named: string]>([
    [['--map', 'userId'], '<field>=<column>'],
    [['--map', 'team=x'], 'It takes userId, role, department, deviceMgmtLabelId.'],
    [['--map', 'userid=x'], '"userid"'],
    [['--map', 'isActive=x'], '--active all'],
    [['--map', 'userId='], 'userId cannot be left out'],
    [['--map', 'role=a', '--map', 'role=b'], '"role" is specified twice'],
    [['--map-value', 'userId:x=y'], 'It takes role, department.'],
    [['--map-value', 'role:A=b', '--map-value', 'role:a=c'], '"a" is specified twice'],
    [['--map-value', 'role:x=a\u200bb'], 'a<U+200B>b'],
    [['--map-value', 'department:x=y'], 'the mapping has translations for department'],
    [['--default', 'userId=usr_1'], '"userId"'],
    [['--default', 'role='], '<field>=<value>'],
    [['--default', 'role=-'], 'role: "-" '],
    [['--active', 'Status'], '<column>=<value>, or all'],
    [['--active', 'all', '--active', 'a=b'], '--active all cannot be used with another'],
    [['--lookup', 'ids.csv'], '<file>:<column>=<column>'],
    [['--lookup', 'none.csv:a=b'], '--lookup: no such file: none.csv'],
    [['--columns', 'a,,b'], '--columns: a name is blank'],
    [['--records', 'data'], '--records has no effect: the list is CSV'],
    [['--format', 'yaml'], '--format'],
    [['--format', 'json'], 'standard input is not JSON'],
    [['--delimiter', '😀'], '--delimiter'],
    [['--invalid', 'ignore'], '--invalid'],
    [['--key-file', '-'], 'standard input'],
    [['--limit', '10abc'], '--limit'],
    [['--batch-size', '0'], '--batch-size'],
    [['--concurrency', '65'], '--concurrency'],
    [['--request-lifetime', '10abc'], '--request-lifetime'],
  ])('is rejected: %j', async (options, named) => {
    const { code, stdout, stderr } = await cli.plain([...CHECK, ...options], { stdin: LIST });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^error: /);
    expect(stderr).toContain(named);
  });

  it('leaves a field out with a blank column, and no other', async () => {
    const list = 'userId,role,department,isActive\nusr_1,member,Sales,no\n';
    expect(await sent(list, '--map', 'department=')).toEqual([{ userId: 'usr_1', role: 'member', isActive: false }]);
    expect(await sent(list, '--map', 'role=', '--default', 'role=guest')).toMatchObject([{ role: 'guest' }]);
  });

  it('says who is active by the values of one or several columns', async () => {
    const list = 'userId,role,Status,End date\nu1,m,ACTIVE,\nu2,m,On leave,\nu3,m,ACTIVE,2026-01-01\nu4,m,LEFT,\n';
    const options = ['--active', 'Status=ACTIVE', '--active', 'status=On leave', '--active', 'End date='];
    expect((await sent(list, ...options)).map(({ isActive }) => isActive)).toEqual([true, true, false, false]);
  });
});

describe('a column that is no field', () => {
  it('is shown with samples, and the options that decide about it', async () => {
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

  it('makes it necessary to say who is active, even if it is ignored and the list has isActive', async () => {
    const check = (stdin: string, ...options: string[]) =>
      cli.plain([...CHECK, '--ignore-extra-columns', '--json', ...options], { stdin });
    const without = await check('userId,role,Team\nu1,m,x\n');
    expect(without.code).toBe(2);
    expect(errorOf(without)).toMatchObject({
      code: 'bad-columns',
      message:
        'orgadm cannot tell who is active, because it does not recognize this column of standard input:\nTeam  x',
    });
    const own = await check('userId,role,isActive,Team\nu1,m,yes,x\n');
    expect({ code: own.code, hint: errorOf(own).hint }).toEqual({
      code: 2,
      hint: expect.stringContaining('--active isActive=true'),
    });
    expect((await check('userId,role,isActive,Team\nu1,m,yes,x\n', '--active', 'isActive=true')).code).toBe(0);
  });
});
