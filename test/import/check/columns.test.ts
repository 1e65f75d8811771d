import { describe, expect, it } from 'vitest';
import { checkList, errorOf, membersOf } from './lists.ts';

const MEMBER = { userId: 'u1', role: 'm' };

describe('the columns of a list', () => {
  it('are fields by their names, in any case and with any separators', async () => {
    const list = 'USER ID,Role,department,is_active,device-mgmt-label-id\nu1,m,it,yes,7\n';
    expect(await membersOf(list)).toEqual([{ ...MEMBER, department: 'it', isActive: true, deviceMgmtLabelId: 7 }]);
  });

  it('are fields by the mapping, whose names are compared as a person reads them', async () => {
    const mapping = { columns: { userId: 'log  in', role: 'JOB' } };
    expect(await membersOf('Log\u00a0In,Job\nu1,m\n', { mapping })).toEqual([MEMBER]);
  });

  it('are columns like any other if an option gives their field to another', async () => {
    const mapping = { columns: { role: 'Job' } };
    const { decisions } = await checkList('userId,role,Job\nu1,x,m\n', { mapping });
    expect(decisions.find(({ kind }) => kind === 'columns')).toMatchObject({ columns: [{ name: 'role' }] });
  });

  it('may be two with the name of a field that an option gives to one of them', async () => {
    const mapping = { columns: { userId: 'User ID' }, active: 'all' as const };
    const { decisions } = await checkList('user_id,User ID,role\nx,u1,m\n', { mapping });
    expect(decisions.find(({ kind }) => kind === 'columns')).toMatchObject({ columns: [{ name: 'user_id' }] });
  });

  it('are not read if the mapping leaves their field out', async () => {
    const mapping = { columns: { department: null } };
    expect(await membersOf('userId,role,department\nu1,m,-\n', { mapping })).toEqual([MEMBER]);
  });

  it('are only those that a mapping file names', async () => {
    const mapping = { columns: { userId: 'userId' }, default: { role: 'm' } };
    const { rows, decisions } = await checkList('userId,role\nu1,x\n', { mapping, file: 'hr.json' });
    expect(rows[0]?.member).toEqual(MEMBER);
    expect(decisions.map(({ kind }) => kind)).toEqual(['department', 'columns', 'active']);
  });

  it.each([
    [
      'userId,role\nu1,m\n',
      { columns: { userId: 'Login' } },
      'has no column "Login", which the mapping names for userId',
    ],
    [
      'userId,role\nu1,m\n',
      { active: { Status: ['x'] } },
      'has no column "Status", which the mapping names for active',
    ],
    ['userId;role\nu1;m\n', { columns: { userId: 'a' } }, 'Its columns are "userId", "role".'],
    ['Login,login,role\nu1,m,x\n', { columns: { userId: 'Login' } }, 'has two columns "Login"'],
    ['userId,user_id,role\nu1,u2,m\n', {}, 'has two columns "user_id"\nBoth are userId.'],
    ['a,role\nu1,m\n', { columns: { userId: 'a', department: 'A' } }, '"a" is mapped to userId and department'],
    ['userId,role\nu1,m\n', { values: { department: { a: 'b' } } }, 'has translations for department, but'],
  ])('must fit the mapping: %j %j', async (list, mapping, message) => {
    expect(await errorOf(list, { mapping })).toContain(message);
  });

  it('may be one because the delimiter is wrong', async () => {
    const error = await errorOf('userId^role\nu1^m\n', { mapping: { columns: { userId: 'userId' } } });
    expect(error).toContain('If the list should have more than one column');
  });

  it('may have one name if the mapping needs neither', async () => {
    const { decisions } = await checkList('userId,role,x,x\nu1,m,,\n');
    expect(decisions).toEqual([]);
  });
});

describe('an errors file', () => {
  const HEADER = 'userId,role,department,isActive,deviceMgmtLabelId,line,error\n';

  it('needs no mapping for its line and its error', async () => {
    const { rows, decisions } = await checkList(`${HEADER}u1,m,it,true,,17,is taken\n`);
    expect(decisions).toEqual([]);
    expect(rows[0]?.member).toEqual({ ...MEMBER, department: 'it', isActive: true });
  });

  it('is one only with exactly these columns', async () => {
    const { decisions } = await checkList(`${HEADER.replace('line', 'Line')}u1,m,it,true,,17,is taken\n`);
    expect(decisions.map(({ kind }) => kind)).toEqual(['columns', 'active']);
  });
});

describe('a column that is no field', () => {
  it('needs no decision without values', async () => {
    expect((await checkList('userId,role,Note\nu1,m, \nu2,m\n')).decisions).toEqual([]);
  });

  it('is shown with samples and counts', async () => {
    const list = `userId,role,Team,Name\n${Array.from({ length: 120 }, (_, at) => `u${at},m,${['it', 'hr', ''][at % 3]},n${at}`).join('\n')}\n`;
    const { decisions } = await checkList(list);
    expect(decisions.map(({ kind }) => kind)).toEqual(['department', 'columns', 'active']);
    expect(decisions[1]).toEqual({
      kind: 'columns',
      columns: [
        {
          name: 'Team',
          filled: 80,
          samples: ['it', 'hr'],
          counts: [
            ['it', 40],
            ['hr', 40],
            ['', 40],
          ],
        },
        { name: 'Name', filled: 120, samples: ['n0', 'n1', 'n2'], counts: undefined },
      ],
    });
  });

  it('is ignored by its name or, in JSON, by that of what it is in', async () => {
    const mapping = { ignored: ['groups', 'NAME'], active: 'all' as const };
    const json = '[{"userId":"u1","role":"m","groups":["a","b"],"name":"x"}]';
    expect((await checkList(json, { mapping })).decisions).toEqual([]);
    const { decisions } = await checkList('userId,role,groups.0\nu1,m,a\n', { mapping });
    expect(decisions.map(({ kind }) => kind)).toEqual(['department', 'columns']);
  });

  it('is ignored with --ignore-extra-columns, but somebody must say who is active', async () => {
    const { decisions } = await checkList('userId,role,Note\nu1,m,x\n', { ignoresOthers: true });
    expect(decisions).toMatchObject([{ kind: 'active', columns: [{ name: 'Note' }] }]);
  });

  it('leaves open which column has the user IDs and the roles', async () => {
    const { decisions, rows } = await checkList('Login,Team\nu1,it\n');
    expect(decisions.map(({ kind }) => kind)).toEqual(['userId', 'role', 'department', 'columns', 'active']);
    expect(rows).toEqual([]);
  });
});

it('returns the mapping in effect, which reads the same list in the same way', async () => {
  const list = 'User ID,Role,Status,Note\nu1,m,ACTIVE,x\nu2,m,LEFT,y\n';
  const mapping = { active: { Status: ['active'] }, default: { department: 'it' } };
  const first = await checkList(list, { mapping, ignoresOthers: true });
  expect(first.mapping).toEqual({
    columns: { userId: 'User ID', role: 'Role' },
    active: { Status: ['active'] },
    default: { department: 'it' },
    ignored: ['Note'],
  });
  const second = await checkList(list, { mapping: first.mapping, file: 'saved.json' });
  expect(second.rows).toEqual(first.rows);
  expect(second.mapping).toEqual(first.mapping);
});

it('returns who is active in the mapping of a list that has only fields', async () => {
  const list = 'userId,role,isActive\nu1,m,yes\n';
  const { mapping } = await checkList(list);
  expect(mapping).toEqual({ columns: { userId: 'userId', role: 'role' }, active: { isActive: ['true'] } });
  expect(await membersOf(list, { mapping, file: 'saved.json' })).toEqual([{ ...MEMBER, isActive: true }]);
});

it('rejects a list without people', async () => {
  for (const list of ['Login,Team\n', '[]']) expect(await errorOf(list)).toContain('standard input has no people');
});
