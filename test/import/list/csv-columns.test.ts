import { describe, expect, it } from 'vitest';
import type { ColumnsError } from '../../../src/import/list/open-list.ts';
import { listErrorOf, readListText, valuesOf } from './read-list.ts';

describe('the header of a CSV list', () => {
  it.each([
    ['userId', 'role', 'department', 'isActive', 'deviceMgmtLabelId'],
    ['User ID', 'Role', 'Department', 'Is Active', 'Device Mgmt Label ID'],
    ['user_id', 'ROLE', 'dept', 'is_active', 'device_mgmt_label_id'],
    ['USER-ID', ' role ', 'Dept.', 'active', 'Device Management Label Id'],
    ['userid', 'role', 'department', 'Active', 'label id'],
  ])('accepts the names %s, %s, %s, %s, %s', async (...header) => {
    expect(await valuesOf(`${header.join(',')}\nu1,m,it,yes,7\n`)).toEqual([
      { userId: 'u1', role: 'm', department: 'it', isActive: true, deviceMgmtLabelId: 7 },
    ]);
  });
});

describe('the check of the columns', () => {
  it('reports unknown columns, with a suggestion if the spelling is close', async () => {
    const { message } = await listErrorOf('userId,role,e-mail,departmnt,userType\n');
    expect(message).toBe(
      'the list has 3 unknown columns: "e-mail", "departmnt" (did you mean department?), "userType"',
    );
  });

  it('names every unknown column next to the required fields without a column', async () => {
    const { message } = await listErrorOf('department,rolle,shoe size\n');
    expect(message).toBe(
      'the list has no column for userId\nno column for role\n' +
        '2 unknown columns: "rolle" (did you mean role?), "shoe size"',
    );
  });

  it('names all columns if none is unknown', async () => {
    expect((await listErrorOf('role,department\n')).message).toBe(
      'the list has no column for userId\ncolumns: "role", "department"',
    );
  });

  it('rejects a column named "-", which only --columns leaves out', async () => {
    expect((await listErrorOf('userId,-,role\n')).message).toBe('the list has 1 unknown column: "-"');
    expect((await listErrorOf('u1,x,m\n', { columns: ['userId', 'team', 'role'] })).message).toBe(
      'the list has 1 unknown column: "team"',
    );
  });

  it('treats a list as an errors file only if its last column is named error', async () => {
    expect((await listErrorOf('userId,role,extra:n:number\nu1,m,7\n')).message).toContain('1 unknown column');
    expect(await valuesOf("userId,role\n'=u1,m\n")).toEqual([{ userId: "'=u1", role: 'm' }]);
    expect(await valuesOf("userId,role,error\n'=u1,m,no\n")).toEqual([{ userId: '=u1', role: 'm' }]);
  });

  it('accepts the unknown columns of an errors file', async () => {
    expect(await valuesOf('userId,shoe,role,Error\nu1,44,m,no\n')).toEqual([{ userId: 'u1', role: 'm' }]);
  });

  it('suggests the options that would make the list readable, if there is no other problem', async () => {
    const suggested = (content: string, given = {}) =>
      readListText(content, given).then(
        () => [],
        (error: ColumnsError) => error.suggestedOptions,
      );
    expect(await suggested('login,role,shoe\n')).toEqual(['--map', 'userId=login', '--ignore-extra-columns']);
    expect(await suggested('login,role,role\n')).toEqual([]);
  });

  it.each([
    [
      'the most usual of several names',
      'Email,User Name,role',
      ['--map', 'userId=User Name', '--ignore-extra-columns'],
    ],
    ['a name with a remark', 'Email Address [Required],role', ['--map', 'userId=Email Address [Required]']],
    [
      'a name that is an object in an export',
      'user.login (x),profile.login,role',
      ['--map', 'userId=profile.login', '--ignore-extra-columns'],
    ],
    [
      'the name of the field before a usual name',
      'login,profile.user id,role',
      ['--map', 'userId=profile.user id', '--ignore-extra-columns'],
    ],
    ['a misspelled name before a usual name', 'login,usrId,role', ['--map', 'userId=usrId', '--ignore-extra-columns']],
    ['a column for each field', 'login,rolename', ['--map', 'userId=login', '--map', 'role=rolename']],
    [
      'one column for one field',
      'User Role,x',
      ['--map', 'userId=<column>', '--map', 'role=User Role', '--ignore-extra-columns'],
    ],
    ['a default for the role', 'userId,ab', ['--default', 'role=<role>', '--ignore-extra-columns']],
    ['a column of a field that is optional', 'userId,role,Department Name', ['--map', 'department=Department Name']],
    ['a spelling of a field that is optional', 'userId,role,x.dept', ['--map', 'department=x.dept']],
    ['no second column of a field', 'userId,role,department,Department Name', ['--ignore-extra-columns']],
  ])('suggests %s: %s', async (_name, header, options) => {
    await expect(readListText(`${header}\n`)).rejects.toMatchObject({ suggestedOptions: options });
  });

  it('asks whether there is a header only if no column is known, and none can be suggested', async () => {
    expect((await listErrorOf('userId,x\n')).hint).toBe('');
    expect((await listErrorOf('login,x\n')).hint).toBe('');
    expect((await listErrorOf('role,ab\n')).hint).toBe('');
    expect((await listErrorOf('ab,cd\n')).hint).toBe(
      'Is the first row a header? For a list without one, name its columns: --columns userId,role',
    );
  });

  it('reports a list without a header', async () => {
    const { message, hint } = await listErrorOf('usr_1,x\nusr_2,x\n');
    expect(message).toContain('no column for userId');
    expect(hint).toContain('--columns userId,role');
  });

  it('reports two columns for one field', async () => {
    const { message } = await listErrorOf('userId,role,user_id\n');
    expect(message).toBe(
      '"userId" (column 1) and "user_id" (column 3) are both userId (pick one with --map userId=#1 --ignore-extra-columns)\n' +
        'columns: "userId", "role", "user_id"',
    );
  });

  it('reports an error column that is not the last', async () => {
    expect((await listErrorOf('userId,error,role\n')).message).toBe('the list has 1 unknown column: "error"');
  });

  it.each(['__proto__', 'constructor', 'prototype'])(
    'rejects the column %s, even if extra columns are ignored',
    async (name) => {
      const { message } = await listErrorOf(`userId,role,${name}\nu1,m,x\n`, { ignoreExtraColumns: true });
      expect(message).toContain(`column "${name}" has a name that orgadm cannot use (rename or remove it)`);
    },
  );

  it('names only the first of very many columns', async () => {
    const header = Array.from({ length: 1000 }, (_, index) => `shoe${index}`).join(',');
    const { message } = await listErrorOf(`userId,role,${header}\n`);
    expect(message).toMatch(/^the list has 1000 unknown columns: "shoe0", .*, "shoe29" and 970 more$/);
  });

  it('shows a column name with an escape sequence as text', async () => {
    expect((await listErrorOf('userId,role,\u001b[2Jx\u202e\n')).message).toBe(
      'the list has 1 unknown column: "\\u001b[2Jx\\u202e"',
    );
  });
});

describe('--map', () => {
  it('accepts the name of a column as it is, or else in another spelling', async () => {
    const content = 'E-Mail,e_mail,Rank\nx,u1,m\n';
    const given = { map: { userId: 'e_mail', role: 'rank' }, ignoreExtraColumns: true } as const;
    expect(await valuesOf(content, given)).toEqual([{ userId: 'u1', role: 'm' }]);
  });

  it('rejects a name that matches two columns', async () => {
    const { message } = await listErrorOf('E-Mail,e_mail,role\n', {
      map: { userId: 'email' },
      ignoreExtraColumns: true,
    });
    expect(message).toContain('--map userId=email: columns 1 and 2 both have that name (name one by its number: #1)');
  });

  it('ignores white space around the name of a column, and prefers the exact name', async () => {
    expect(await valuesOf(' my id ,role\nu1,m\n', { map: { userId: 'my id ' } })).toEqual([
      { userId: 'u1', role: 'm' },
    ]);
    expect(
      await valuesOf(' my id ,my_id,role\nu1,x,m\n', { map: { userId: ' my id' }, ignoreExtraColumns: true }),
    ).toEqual([{ userId: 'u1', role: 'm' }]);
    const { message } = await listErrorOf('team,team,userId,role\n', { map: { department: 'team' } });
    expect(message).toContain(
      '--map department=team: columns 1 and 2 both have that name (name one by its number: #1)',
    );
  });

  it('suggests a column of a similar name, and repeats the option as it was given', async () => {
    const { message } = await listErrorOf('userId,role,suspended\n', { map: { isActive: '!suspendd' } });
    expect(message).toContain('--map isActive=!suspendd: no such column (did you mean "suspended"?)');
  });

  it('lists the columns if none has the given name', async () => {
    const { message } = await listErrorOf('userId,role\n', { map: { department: 'team' } });
    expect(message).toBe('--map department=team: no such column\ncolumns: "userId", "role"');
  });

  it('prefers the given column to one named like the field, which is then an extra column', async () => {
    const content = 'userId,login,role\nx,u1,m\n';
    const map = { userId: 'login' };
    expect((await listErrorOf(content, { map })).message).toContain(
      '"login" (column 2) and "userId" (column 1) are both userId',
    );
    expect(await valuesOf(content, { map, ignoreExtraColumns: true })).toEqual([{ userId: 'u1', role: 'm' }]);
  });
});

describe('--default', () => {
  it('fills a missing column, and blank cells', async () => {
    const defaults = { role: 'member', department: 'it', isActive: 'no', deviceMgmtLabelId: '5' };
    const rest = { role: 'member', department: 'it', deviceMgmtLabelId: 5 };
    expect(await valuesOf('userId,isActive\nu1,\nu2,yes\n', { defaults })).toEqual([
      { userId: 'u1', isActive: false, ...rest },
      { userId: 'u2', isActive: true, ...rest },
    ]);
  });

  it('is neither inverted nor translated, and a blank one counts as missing', async () => {
    const given = {
      map: { isActive: '!left' },
      valueMap: { role: { m: 'admin' } },
      defaults: { role: 'm', isActive: 'no', department: ' ' },
    };
    expect(await valuesOf('userId,left\nu1,\n', given)).toEqual([{ userId: 'u1', role: 'm', isActive: false }]);
  });

  it('validates a default like a cell', async () => {
    const defaults = { isActive: 'maybe', deviceMgmtLabelId: '1.5' };
    expect((await listErrorOf('userId,role\n', { defaults })).message).toBe(
      '--default isActive: "maybe" is not a boolean (use true/false, yes/no or 1/0)\n' +
        '--default deviceMgmtLabelId: "1.5" is not an integer in digits, up to ±9007199254740991',
    );
  });
});
