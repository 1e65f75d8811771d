import { describe, expect, it } from 'vitest';
import type { Mapping } from '../../../src/import/mapping.ts';
import { workbook } from '../../helpers/workbook.ts';
import { checkList, errorOf, membersOf, messagesOf } from '../lists.ts';

describe('who is active', () => {
  const LIST = 'userId,role,Status,archived\nu1,m,ACTIVE,false\nu2,m, active,TRUE\nu3,m,LEFT,false\nu4,m,,\n';

  it.each<[string, active: Mapping['active'], expected: boolean[]]>([
    ['are the people with a value', { status: ['Active'] }, [true, true, false, false]],
    ['are the people with one of the values', { Status: ['LEFT', 'ACTIVE'] }, [true, true, true, false]],
    ['are those for whom all columns say so', { Status: ['ACTIVE'], archived: ['false'] }, [true, false, false, false]],
    ['are those with a blank cell', { Status: [''] }, [false, false, false, true]],
    ['is everyone', 'all', [true, true, true, true]],
  ])('%s', async (_, active, expected) => {
    const members = await membersOf(LIST, { mapping: { active }, ignoresOthers: true });
    expect(members.map((member) => member?.isActive)).toEqual(expected);
  });

  it('is an error if no row has any of the values of a column, which names those that it has', async () => {
    const error = await errorOf(LIST, { mapping: { active: { Status: ['AKTIV'] } }, ignoresOthers: true });
    expect(error).toContain(
      'no row has "AKTIV" in "Status", so nobody would be active\nIts values are "ACTIVE" (2), "LEFT" (1), ',
    );
  });

  it('is true or false, and never blank, in the column isActive', async () => {
    const list = 'userId,role,is active,Note\nu1,m,yes,x\nu2,m,0,x\nu3,m,,x\n';
    const mapping = { active: { 'Is Active': ['TRUE'] } };
    const { rows } = await checkList(list, { mapping, ignoresOthers: true });
    expect(rows.map(({ member }) => member?.isActive)).toEqual([true, false, undefined]);
    expect(rows[2]?.issues).toMatchObject([{ message: expect.stringContaining('isActive is blank') }]);
    expect(await errorOf(list, { mapping: { active: { 'is active': ['ACTIVE'] } } })).toContain('is true or false');
  });
});

describe('a status in a workbook', () => {
  const text = (value: string) => `<c t="str"><v>${value}</v></c>`;
  const row = (id: string, role: string, status: string) => `<row>${text(id)}${text(role)}${status}</row>`;
  const data = [
    row('userId', 'role', text('End')),
    row('u1', 'm', ''),
    row('u2', 'm', '<c s="1"><v>45000</v></c>'),
    row('u3', 'm', '<c><f>D4</f></c>'),
  ];
  const book = workbook([{ name: 'T', data: data.join('') }], { formats: [14] });

  it('may be anything but a formula without a result if only blank or not is asked', async () => {
    const { rows, totals } = await checkList(book, { mapping: { active: { End: [''] } } });
    expect(rows.map(({ member }) => member?.isActive)).toEqual([true, false, undefined]);
    expect(rows[2]?.issues).toHaveLength(1);
    expect(totals.statuses[0]?.values.map(({ value }) => value)).toEqual(['', '(not blank)']);
  });

  it('must be readable otherwise', async () => {
    expect(await messagesOf(book, { mapping: { active: { End: ['', 'never'] } } })).toEqual([
      expect.stringMatching(/^3: End: "45000" /),
      expect.stringMatching(/^4: End /),
    ]);
  });
});
