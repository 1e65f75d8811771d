import { describe, expect, it } from 'vitest';
import { workbook } from '../../helpers/workbook.ts';
import { checkList, errorOf, membersOf, messagesOf } from './lists.ts';

const LIST = 'userId,role,Status,archived\nu1,m,ACTIVE,false\nu2,m, active,TRUE\nu3,m,LEFT,false\nu4,m,,\n';
const active = async (list: string, mapping: object, file?: string) =>
  (await membersOf(list, { mapping, file, ignoresOthers: true })).map((member) => member?.isActive);

describe('who is active', () => {
  it('are the people with one of the values, and everybody else is inactive', async () => {
    expect(await active(LIST, { active: { status: ['Active'] } })).toEqual([true, true, false, false]);
    expect(await active(LIST, { active: { Status: ['LEFT', 'ACTIVE'] } })).toEqual([true, true, true, false]);
  });

  it('is said by several columns, all of which must hold', async () => {
    const mapping = { active: { Status: ['ACTIVE'], archived: ['false'] } };
    expect(await active(LIST, mapping)).toEqual([true, false, false, false]);
  });

  it('may be said by a blank cell', async () => {
    expect(await active(LIST, { active: { Status: [''] } })).toEqual([false, false, false, true]);
  });

  it('may be everyone', async () => {
    expect(await active(LIST, { active: 'all' })).toEqual([true, true, true, true]);
  });

  it('is an error if no row has any of the values of a column', async () => {
    const error = await errorOf(LIST, { mapping: { active: { Status: ['AKTIV'] } }, ignoresOthers: true });
    expect(error).toContain('no row has "AKTIV" in "Status", so nobody would be active');
    expect(error).toContain('Its values are "ACTIVE" (2), "LEFT" (1), blank (1).');
  });

  it('is open for a value that a mapping file has in neither list', async () => {
    const mapping = {
      columns: { userId: 'userId', role: 'role' },
      active: { Status: ['ACTIVE'] },
      inactive: { Status: ['Left'] },
      ignored: ['archived'],
    };
    const { decisions } = await checkList(`${LIST}u5,m,Leave,\nu6,m,Leave,\n`, { mapping, file: 'hr.json' });
    expect(decisions).toEqual([
      {
        kind: 'values',
        column: 'Status',
        values: [
          ['Leave', 2],
          ['', 1],
        ],
      },
    ]);
  });

  it('is shown as totals, with each value and its count', async () => {
    const { totals } = await checkList(LIST, { mapping: { active: { Status: ['active'] } }, ignoresOthers: true });
    expect(totals.statuses).toEqual([
      {
        column: 'Status',
        values: [
          { value: 'ACTIVE', count: 2, isActive: true },
          { value: 'LEFT', count: 1, isActive: false },
          { value: '', count: 1, isActive: false },
        ],
      },
    ]);
    expect(totals).toMatchObject({ active: 2, inactive: 2, unspecified: 0 });
  });
});

describe('a column isActive', () => {
  it('is true or false in a list that has only fields, and a blank one is not sent', async () => {
    const list = 'userId,role,isActive\nu1,m,TRUE\nu2,m,no\nu3,m,0\nu4,m,\nu5,m,active\n';
    const { rows, totals } = await checkList(list);
    expect(rows.map(({ member }) => member?.isActive)).toEqual([true, false, false, undefined, undefined]);
    expect(rows[3]?.member).toEqual({ userId: 'u4', role: 'm' });
    expect(rows[4]?.issues[0]?.message).toBe('isActive: "active" is not a boolean (use true, false, yes, no, 1, or 0)');
    expect(totals).toMatchObject({ active: 1, inactive: 2, unspecified: 1, invalid: 1 });
  });

  it('needs a decision in any other list', async () => {
    const list = 'userId,role,isActive,Note\nu1,m,true,x\n';
    const { decisions } = await checkList(list, { ignoresOthers: true });
    expect(decisions).toMatchObject([{ kind: 'active', columns: [{ name: 'Note' }, { name: 'isActive' }] }]);
    const other = await checkList(list, { mapping: { active: { Note: ['x'] } } });
    expect(other.decisions.find(({ kind }) => kind === 'columns')).toMatchObject({ columns: [{ name: 'isActive' }] });
  });

  it('is true or false, and never blank, where --active names it', async () => {
    const list = 'userId,role,is active,Note\nu1,m,yes,x\nu2,m,0,x\nu3,m,,x\n';
    const mapping = { active: { 'Is Active': ['TRUE'] } };
    expect(await active(list, mapping)).toEqual([true, false, undefined]);
    expect(await messagesOf(list, { mapping, ignoresOthers: true })).toEqual([
      '4: isActive is blank (use true, false, yes, no, 1, or 0)',
    ]);
    expect(await errorOf(list, { mapping: { active: { 'is active': ['ACTIVE'] } } })).toContain('is true or false');
  });
});

describe('a status in a workbook', () => {
  const row = (at: number, id: string, status: string) =>
    `<row r="${at}"><c r="A${at}" t="str"><v>${id}</v></c><c r="B${at}" t="str"><v>m</v></c>${status}</row>`;
  const book = workbook(
    [
      {
        name: 'T',
        data:
          row(1, 'userId', '<c r="C1" t="str"><v>End</v></c>').replace('>m<', '>role<') +
          row(2, 'u1', '') +
          row(3, 'u2', '<c r="C3" s="1"><v>45000</v></c>') +
          row(4, 'u3', '<c r="C4"><f>D4</f></c>'),
      },
    ],
    { formats: [14] },
  );

  it('may be anything but a formula without a result if only blank or not is asked', async () => {
    const { rows, totals } = await checkList(book, { mapping: { active: { End: [''] } } });
    expect(rows.map(({ member }) => member?.isActive)).toEqual([true, false, undefined]);
    expect(rows[2]?.issues[0]?.message).toContain('End is a formula without a saved result in column C');
    expect(totals.statuses[0]?.values.map(({ value }) => value)).toEqual(['', '(not blank)']);
  });

  it('must be readable otherwise', async () => {
    expect(await messagesOf(book, { mapping: { active: { End: ['', 'never'] } } })).toEqual([
      expect.stringContaining('3: End: "45000" has another number format'),
      expect.stringContaining('4: End is a formula'),
    ]);
  });
});
