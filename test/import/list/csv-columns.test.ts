import { describe, expect, test } from 'vitest';
import { listErrorOf, valuesOf } from './read-list.ts';

const FIELDS_HINT = 'The fields are userId, role, department, isActive, deviceMgmtLabelId.';

describe('a header names its fields in any usual spelling', () => {
  test.each([
    ['userId', 'role', 'department', 'isActive', 'deviceMgmtLabelId'],
    ['User ID', 'Role', 'Department', 'Is Active', 'Device Mgmt Label ID'],
    ['user_id', 'ROLE', 'dept', 'is_active', 'device_mgmt_label_id'],
    ['USER-ID', ' role ', 'Dept.', 'active', 'Device Management Label Id'],
    ['userid', 'role', 'department', 'Active', 'label id'],
  ])('%s, %s, %s, %s, %s', async (...header) => {
    expect(await valuesOf(`${header.join(',')}\nu1,m,it,yes,7\n`)).toEqual([
      { userId: 'u1', role: 'm', department: 'it', isActive: true, deviceMgmtLabelId: 7 },
    ]);
  });
});

describe('what does not fit is told all at once, with the way out', () => {
  test('unknown columns, with the nearest names', async () => {
    const { message, hint } = await listErrorOf('userId,rolle,e-mail,departmnt,shoe size\n');
    expect(message).toBe(
      'unknown columns "rolle" (did you mean role?), "e-mail", "departmnt" (did you mean department?), "shoe size"; there is no column for role',
    );
    expect(hint).toContain(FIELDS_HINT);
    expect(hint).toContain('--map <field>=<column>');
    expect(hint).toContain('--ignore-extra-columns');
    expect(hint).toContain('--default role=<role>');
  });

  test('required columns that are missing, with the columns there are', async () => {
    const { message, hint } = await listErrorOf('department\n');
    expect(message).toBe('there is no column for userId; there is no column for role');
    expect(hint).toContain('The columns are "department".');
    expect(hint).toContain('--map userId=<column>');
  });

  test('a list without a header', async () => {
    const { message, hint } = await listErrorOf('usr_1,x\nusr_2,x\n');
    expect(message).toContain('unknown columns "usr_1"');
    expect(hint).toContain('The first row must be a header.');
  });

  test('two columns for one field', async () => {
    const { message } = await listErrorOf('userId,role,user_id\n');
    expect(message).toBe('"userId" (column 1) and "user_id" (column 3) both stand for userId');
  });

  test('an error column that is not the last', async () => {
    expect((await listErrorOf('userId,error,role\n')).message).toBe('unknown column "error"');
  });

  test.each(['__proto__', 'constructor', 'prototype'])(
    'the column %s, even when extra columns are ignored',
    async (name) => {
      const { message } = await listErrorOf(`userId,role,${name}\nu1,m,x\n`, { ignoreExtraColumns: true });
      expect(message).toBe(`column "${name}" has a name that cannot be used`);
    },
  );

  test('of very many columns the first are named', async () => {
    const header = Array.from({ length: 1000 }, (_, index) => `shoe${index}`).join(',');
    const { message } = await listErrorOf(`userId,role,${header}\n`);
    expect(message).toMatch(/^unknown columns "shoe0", .*, "shoe29" and 970 more$/);
  });

  test('a name with an escape sequence is shown as text', async () => {
    expect((await listErrorOf('userId,role,\u001b[2Jx\u202e\n')).message).toBe('unknown column "\\u001b[2Jx\\u202e"');
  });
});

test('--ignore-extra-columns leaves them unread', async () => {
  expect(await valuesOf('userId,shoe,role\nu1,44,m\n', { ignoreExtraColumns: true })).toEqual([
    { userId: 'u1', role: 'm' },
  ]);
});

describe('--map', () => {
  test('names a column by its text, or else by its spelling', async () => {
    const content = 'E-Mail,e_mail,Rank\nx,u1,m\n';
    const given = { map: { userId: 'e_mail', role: 'rank' }, ignoreExtraColumns: true } as const;
    expect(await valuesOf(content, given)).toEqual([{ userId: 'u1', role: 'm' }]);
  });

  test('refuses a spelling that fits two columns', async () => {
    const { message } = await listErrorOf('E-Mail,e_mail,role\n', {
      map: { userId: 'email' },
      ignoreExtraColumns: true,
    });
    expect(message).toBe('--map userId=email: columns 1 and 2 both have that name');
  });

  test('names the columns there are when there is no such one', async () => {
    const { message, hint } = await listErrorOf('userId,role\n', { map: { department: 'team' } });
    expect(message).toBe('--map department=team: there is no such column');
    expect(hint).toBe('The columns are "userId", "role".');
  });

  test("beats the column of the field's own name, which is then one too many", async () => {
    const content = 'userId,login,role\nx,u1,m\n';
    const map = { userId: 'login' };
    expect((await listErrorOf(content, { map })).message).toBe(
      '"login" (column 2) and "userId" (column 1) both stand for userId',
    );
    expect(await valuesOf(content, { map, ignoreExtraColumns: true })).toEqual([{ userId: 'u1', role: 'm' }]);
  });
});

describe('--default', () => {
  test('fills a column that is not there, and blanks', async () => {
    const defaults = { role: 'member', isActive: 'no', deviceMgmtLabelId: '5' };
    expect(await valuesOf('userId,isActive\nu1,\nu2,yes\n', { defaults })).toEqual([
      { userId: 'u1', role: 'member', isActive: false, deviceMgmtLabelId: 5 },
      { userId: 'u2', role: 'member', isActive: true, deviceMgmtLabelId: 5 },
    ]);
  });

  test('is checked like a cell', async () => {
    const defaults = { isActive: 'maybe', deviceMgmtLabelId: '1.5' };
    expect((await listErrorOf('userId,role\n', { defaults })).message).toBe(
      '--default isActive: "maybe" is not a boolean (use true/false, yes/no or 1/0); ' +
        '--default deviceMgmtLabelId: "1.5" is not an integer within ±9007199254740991 written in digits',
    );
  });

  test('cannot give everybody the same id', async () => {
    expect((await listErrorOf('role\nm\n', { defaults: { userId: 'u1' } })).message).toBe(
      '--default userId: every row needs an id of its own',
    );
  });
});
