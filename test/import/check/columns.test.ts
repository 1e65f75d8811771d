import { describe, expect, it } from 'vitest';
import type { Mapping } from '../../../src/import/mapping.ts';
import { checkList, decisionsOf, errorOf, membersOf } from '../lists.ts';

const MEMBER = { userId: 'u1', role: 'm' };

/** The names of the columns about which a mapping says nothing. */
async function openColumns(list: string, mapping: Mapping): Promise<string[]> {
  const { decisions } = await checkList(list, { mapping });
  return decisions.flatMap((one) => (one.kind === 'columns' ? one.columns.map(({ name }) => name) : []));
}

describe('the columns of a list', () => {
  it('are fields by their names, in any case and with any separators', async () => {
    const list = 'USER ID,Role,department,is_active,device-mgmt-label-id\nu1,m,it,yes,7\n';
    expect(await membersOf(list)).toEqual([{ ...MEMBER, department: 'it', isActive: true, deviceMgmtLabelId: 7 }]);
  });

  it('are fields by the mapping, whose names are compared as a person reads them', async () => {
    const mapping = { columns: { userId: 'log  in', role: 'JOB' } };
    expect(await membersOf('Log\u00a0In,Job\nu1,m\n', { mapping })).toEqual([MEMBER]);
  });

  it('are columns like any other if the mapping gives their field to another', async () => {
    expect(await openColumns('userId,role,Job\nu1,x,m\n', { columns: { role: 'Job' } })).toEqual(['role']);
    const userId = { columns: { userId: 'User ID' }, active: 'all' as const };
    expect(await openColumns('user_id,User ID,role\nx,u1,m\n', userId)).toEqual(['user_id']);
    const active = { active: { Note: ['x'] } };
    expect(await openColumns('userId,role,isActive,Note\nu1,m,true,x\n', active)).toEqual(['isActive']);
  });

  it('are only those that a mapping file names', async () => {
    const mapping = { columns: { userId: 'userId' }, default: { role: 'm' } };
    const given = { mapping, file: 'hr.json' };
    expect(await membersOf('userId,role\nu1,x\n', given)).toEqual([MEMBER]);
    expect(await decisionsOf('userId,role\nu1,x\n', given)).toEqual(['department', 'columns', 'active']);
  });

  it.each<[list: string, mapping: Mapping, message: string]>([
    ['userId,role\nu1,m\n', { columns: { userId: 'Login' } }, 'no column "Login", which the mapping names for userId'],
    ['userId,role\nu1,m\n', { active: { Status: ['x'] } }, 'no column "Status", which the mapping names for active'],
    ['userId;role\nu1;m\n', { columns: { userId: 'a' } }, 'Its columns are "userId", "role".'],
    ['userId^role\nu1^m\n', { columns: { userId: 'a' } }, 'If the list should have more than one column'],
    ['Login,login,role\nu1,m,x\n', { columns: { userId: 'Login' } }, 'has two columns "Login"'],
    ['userId,user_id,role\nu1,u2,m\n', {}, 'has two columns "user_id"\nBoth are userId.'],
    ['a,role\nu1,m\n', { columns: { userId: 'a', department: 'A' } }, '"a" is mapped to userId and department'],
    ['userId,role\nu1,m\n', { values: { department: { a: 'b' } } }, 'has translations for department, but'],
  ])('must fit the mapping: %j %j', async (list, mapping, message) => {
    expect(await errorOf(list, { mapping })).toContain(message);
  });
});

describe('a column that is no field', () => {
  it.each<[string, list: string, given: Parameters<typeof decisionsOf>[1], open: string[]]>([
    ['none without values', 'userId,role,Note,Note\nu1,m, ,\nu2,m\n', {}, []],
    ['one if it has values', 'userId,role,department,Note\nu1,m,it,x\n', { mapping: { active: 'all' } }, ['columns']],
    [
      'none if its name is ignored',
      'userId,role,Note\nu1,m,x\n',
      { mapping: { ignored: ['NOTE'], active: 'all' } },
      [],
    ],
    ['who is active, even if it is ignored', 'userId,role,Note\nu1,m,x\n', { ignoresOthers: true }, ['active']],
    ['what the fields are', 'Login,Team\nu1,it\n', {}, ['userId', 'role', 'department', 'columns', 'active']],
    ['none in an errors file', 'userId,role,department,isActive,deviceMgmtLabelId,line,error\nu1,m,,,,7,x\n', {}, []],
    [
      'two in a list with almost the columns of an errors file',
      'userId,role,department,isActive,deviceMgmtLabelId,Line,error\nu1,m,,,,7,x\n',
      {},
      ['columns', 'active'],
    ],
  ])('needs decisions: %s', async (_, list, given, open) => {
    expect(await decisionsOf(list, given)).toEqual(open);
  });

  it('is ignored in JSON by the name of what it is in', async () => {
    const mapping = { ignored: ['groups'], active: 'all' as const };
    expect(await decisionsOf('[{"userId":"u1","role":"m","groups":["a","b"]}]', { mapping })).toEqual([]);
    expect(await openColumns('userId,role,groups.0\nu1,m,a\n', mapping)).toEqual(['groups.0']);
  });

  it('is shown with samples, and with counts unless it has too many values', async () => {
    const rows = Array.from({ length: 120 }, (_, at) => `u${at},m,${['it', 'hr', ''][at % 3]},n${at}`);
    const { decisions } = await checkList(`userId,role,Team,Name\n${rows.join('\n')}\n`);
    expect(decisions.find(({ kind }) => kind === 'columns')).toMatchObject({
      columns: [
        {
          name: 'Team',
          filled: 80,
          samples: ['it', 'hr'],
          counts: expect.arrayContaining([
            ['it', 40],
            ['', 40],
          ]),
        },
        { name: 'Name', filled: 120, samples: ['n0', 'n1', 'n2'], counts: undefined },
      ],
    });
  });
});

it.each([
  [
    'User ID,Role,Status,Note\nu1,m,ACTIVE,x\nu2,m,LEFT,y\n',
    { active: { Status: ['active'] }, default: { department: 'it' } },
    {
      columns: { userId: 'User ID', role: 'Role' },
      active: { Status: ['active'] },
      default: { department: 'it' },
      ignored: ['Note'],
    },
  ],
  [
    'userId,role,isActive\nu1,m,yes\n',
    {},
    { columns: { userId: 'userId', role: 'role' }, active: { isActive: ['true'] } },
  ],
])('the mapping in effect reads the same list in the same way: %j', async (list, mapping, inEffect) => {
  const first = await checkList(list, { mapping, ignoresOthers: true });
  expect(first.mapping).toEqual(inEffect);
  const second = await checkList(list, { mapping: first.mapping, file: 'saved.json' });
  expect(second.rows).toEqual(first.rows);
  expect(second.mapping).toEqual(first.mapping);
});
