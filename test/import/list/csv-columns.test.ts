import { describe, expect, it } from 'vitest';
import { ALL_ACTIVE, listErrorOf, valuesOf } from './read-list.ts';

describe('the header of a CSV list', () => {
  it.each([
    ['userId', 'role', 'department', 'isActive', 'deviceMgmtLabelId'],
    ['User ID', 'Role', 'Department', 'Is Active', 'Device Mgmt Label ID'],
    ['user_id', 'ROLE', 'dept', 'is_active', 'device_mgmt_label_id'],
    ['USER-ID', ' role ', 'Dept.', 'active', 'Device Management Label Id'],
    ['userid', 'role', 'department', 'Active', 'device label id'],
  ])('accepts the names %s, %s, %s, %s, %s', async (...header) => {
    expect(await valuesOf(`${header.join(',')}\nu1,m,it,yes,7\n`)).toEqual([
      { userId: 'u1', role: 'm', department: 'it', isActive: true, deviceMgmtLabelId: 7 },
    ]);
  });
});

describe('the check of the columns', () => {
  it('shows every column with its first values if one of them is not a field', async () => {
    const { message } = await listErrorOf('userId,role,e-mail,departmnt\nu1,m,a@b.c,it\nu2,m,d@e.f,it\nu3,n,,hr\n');
    expect(message).toBe(
      'the list has columns that orgadm does not know. Say what they mean:\n' +
        'userId     u1, u2, u3\nrole       m, n\ne-mail     a@b.c, d@e.f\ndepartmnt  it, hr',
    );
  });

  it('names the required fields of a list that has only fields', async () => {
    expect((await listErrorOf('role,department\nm,it\n')).message).toBe(
      'the list has no column for userId. Its columns:\nrole        m\ndepartment  it',
    );
    expect((await listErrorOf('department\n')).message).toBe(
      'the list has no column for userId and role. Its columns:\ndepartment',
    );
  });

  it('rejects a column named "-", which only --columns leaves out', async () => {
    expect((await listErrorOf('userId,-,role\n')).message).toContain(':\nuserId\n-\n');
    expect((await listErrorOf('u1,x,m\n', { columns: ['userId', 'team', 'role'] })).message).toContain('\nteam    x\n');
  });

  it('exempts the last two columns of an errors file, and of no other list', async () => {
    const header = 'userId,role,department,isActive,deviceMgmtLabelId,line,error';
    expect(await valuesOf(`${header}\n=u1,m,,,,7,no\n`)).toEqual([{ userId: '=u1', role: 'm' }]);
    for (const other of [header.replace('error', 'Error'), header.replace('role,department', 'department,role')])
      expect((await listErrorOf(`${other}\nu1,m,n,,,7,no\n`)).message).toMatch(/\nline +7\n/);
  });

  it('reports two columns for one field', async () => {
    const { message } = await listErrorOf('userId,role,user_id\n');
    expect(message).toBe(
      `"userId" (column 1) and "user_id" (column 3) are both userId (pick one with --map 'userId=#1' --ignore-extra-columns)\n` +
        'columns: "userId", "role", "user_id"',
    );
  });

  it('reports an error column that is not the last', async () => {
    expect((await listErrorOf('userId,error,role\n')).message).toContain('\nerror\n');
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
    expect(message).toMatch(/:\nuserId\nrole\nshoe0\n.*\nshoe97\nand 902 more$/s);
  });

  it('shows a column name with an escape sequence as text', async () => {
    const { message } = await listErrorOf('userId,role,\u001b[2Jx\u202e\nu1,m,\u001b[31m\u202ehidden\n');
    expect(message).toContain('\n#3 (<U+001B>[2Jx<U+202E>)  \\u202ehidden');
  });
});

describe('--map', () => {
  it('accepts the name of a column as it is, or else in another spelling', async () => {
    const content = 'E-Mail,e_mail,Rank\nx,u1,m\n';
    const given = { map: { userId: 'e_mail', role: 'rank' }, defaults: ALL_ACTIVE, ignoreExtraColumns: true } as const;
    expect(await valuesOf(content, given)).toEqual([{ userId: 'u1', role: 'm', isActive: true }]);
  });

  it('rejects a name that matches two columns', async () => {
    const { message } = await listErrorOf('E-Mail,e_mail,role\n', {
      map: { userId: 'email' },
      ignoreExtraColumns: true,
    });
    expect(message).toContain('--map userId=email: columns 1 and 2 both have that name (name one by its number: #1)');
  });

  it('ignores white space around the name of a column, and prefers the exact name', async () => {
    expect(await valuesOf(' my id ,role\nu1,m\n', { map: { userId: 'my id ' }, defaults: ALL_ACTIVE })).toEqual([
      { userId: 'u1', role: 'm', isActive: true },
    ]);
    expect(
      await valuesOf(' my id ,my_id,role\nu1,x,m\n', {
        map: { userId: ' my id' },
        defaults: ALL_ACTIVE,
        ignoreExtraColumns: true,
      }),
    ).toEqual([{ userId: 'u1', role: 'm', isActive: true }]);
    const { message } = await listErrorOf('team,team,userId,role\n', { map: { department: 'team' } });
    expect(message).toContain(
      '--map department=team: columns 1 and 2 both have that name (name one by its number: #1)',
    );
  });

  it('suggests a column of a similar name, and repeats the option as it was given', async () => {
    const { message } = await listErrorOf('userId,role,suspended\n', { map: { isActive: '!suspendd' } });
    expect(message).toContain('--map isActive=!suspendd: no column has this name (did you mean "suspended"?)');
  });

  it('lists the columns if none has the given name', async () => {
    const { message } = await listErrorOf('userId,role\n', { map: { department: 'team' } });
    expect(message).toBe('--map department=team: no column has this name\ncolumns: "userId", "role"');
  });

  it('prefers the given column to one named like the field, which is then an extra column', async () => {
    const content = 'userId,login,role\nx,u1,m\n';
    const given = { map: { userId: 'login' }, defaults: ALL_ACTIVE } as const;
    expect((await listErrorOf(content, given)).message).toContain('\nlogin ');
    expect(await valuesOf(content, { ...given, ignoreExtraColumns: true })).toEqual([
      { userId: 'u1', role: 'm', isActive: true },
    ]);
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
});
