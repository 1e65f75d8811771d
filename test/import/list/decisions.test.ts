import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  describeAlternatives,
  describeDecisions,
  missingOptions,
} from '../../../src/commands/people/missing-options.ts';
import type { Decisions } from '../../../src/import/list/columns/decisions.ts';
import { MEMBER_FIELDS, type MemberField } from '../../../src/import/new-member.ts';
import { randomCases } from '../../helpers/fixed-seed.ts';
import { type ListText, openListText, readListText } from './read-list.ts';

const name = fc
  .oneof(
    fc.constantFrom('Status', 'Zustand', 'Type', 'suspended', 'Active?', 'state', 'left', ''),
    fc.string({ maxLength: 6 }),
  )
  .filter((text) => !/["\r\n.#-]|^_*(?:proto|constructor)/.test(text) && text.trim().toLowerCase() !== 'error');
const value = fc.constantFrom('', 'yes', 'no', 'true', 'false', 'Leaver', 'gesperrt', '1', 'ACTIVE', '2020-01-01');
const field = fc.constantFrom<MemberField>(...MEMBER_FIELDS);
const plan = fc.record({
  others: fc.array(name, { minLength: 1, maxLength: 4 }),
  cells: fc.array(value, { minLength: 4, maxLength: 12 }),
  mapped: fc.array(fc.tuple(field, fc.nat({ max: 3 })), { maxLength: 3 }),
  omit: fc.array(field, { maxLength: 2 }),
  ignores: fc.constantFrom('none', 'all', 'names'),
  isActive: fc.option(fc.constantFrom('true', 'false'), { nil: undefined }),
});

/** How a list with these columns is written. */
const WRITERS = {
  csv: (names: string[], rows: string[][]) => stringify([names, ...rows]),
  ndjson: (names: string[], rows: string[][]) =>
    rows.map((row) => `${JSON.stringify(Object.fromEntries(names.map((key, at) => [key, row[at]])))}\n`).join(''),
};

describe('a list of random columns, of which at least one is not a field', () => {
  it.each(Object.entries(WRITERS))(
    'is read only with a decision about who is active, whatever the options and the values: %s',
    async (_, write) => {
      let read = 0;
      const property = fc.asyncProperty(plan, async ({ others, cells, mapped, omit, ignores, isActive }) => {
        const names = ['userId', 'role', ...others];
        const rows = [0, 1, 2].map((row) => [
          `u${row}`,
          'm',
          ...others.map((_, at) => cells[(row * 3 + at) % cells.length] ?? ''),
        ]);
        const map: NonNullable<ListText['map']> = {};
        for (const [to, at] of mapped) map[to] = others[at % others.length] ?? '';
        const result = await readListText(write(names, rows), {
          map,
          omit: omit.filter((one) => one !== 'userId'),
          ignoreExtraColumns: ignores === 'all',
          // As in a mapping file.
          ignored: ignores === 'names' ? [...others, '#3', '#4', '#5', '#6'] : [],
          defaults: { ...(isActive !== undefined && { isActive }) },
        }).catch((error: unknown) => {
          expect(error).toMatchObject({ exitCode: 2 });
          return undefined;
        });
        if (result === undefined) return;
        const { fields, ignored } = result.check;
        const status = fields.find(({ name }) => name === 'isActive');
        const isNamed = others.some((other) => other.trim() !== '') || ignored.length > 0;
        if (!isNamed) return;
        read++;
        // It is a column, or a value for everyone, and it decides about each row that orgadm would send.
        expect(status?.column ?? status?.default).toBeDefined();
        for (const row of result.rows) if (row.member !== undefined) expect(row.member.isActive).toBeTypeOf('boolean');
      });
      await fc.assert(property, { numRuns: randomCases(400) });
      expect(read).toBeGreaterThan(20);
    },
  );
});

describe('the decisions about a list', () => {
  const openOf = async (content: string, given: ListText = {}) => {
    const list = await openListText(content, given);
    return (await list.validate(() => {})).undecided?.decisions;
  };

  it('are none if it has only fields, even if a status is blank', async () => {
    expect(await openOf('userId,role\nu1,m\n')).toBeUndefined();
    expect(await openOf('User ID,Role,Dept,Active\nu1,m,it,yes\nu2,m,,\n')).toBeUndefined();
  });

  it('are about the fields, the other columns, and the status that none of them is', async () => {
    expect(await openOf('ID,Rolle,Zustand\nu1,m,gesperrt\nu2,m,frei\n')).toEqual({
      fields: ['userId', 'role', 'isActive'],
      isStatusTranslated: false,
      hasLooseStatus: false,
      others: ['ID', 'Rolle', 'Zustand'],
      misspelled: [['Rolle', 'role']],
      blankStatuses: 0,
      mayHaveRole: true,
      mayHaveDepartment: true,
      mayHaveStatus: true,
    });
  });

  it('suggest no column for the role or the status if none is left', async () => {
    const open = (await openOf('Account\nu1\n')) as Decisions;
    const options =
      '--map userId=<column> --default role=<role> --default isActive=<true or false> --ignore-extra-columns';
    expect(missingOptions(open).join(' ')).toBe(options);
    expect(describeAlternatives(open)).toBe('');
  });

  const NONE: Decisions = {
    fields: [],
    isStatusTranslated: false,
    hasLooseStatus: false,
    others: [],
    misspelled: [],
    blankStatuses: 0,
    mayHaveRole: true,
    mayHaveDepartment: false,
    mayHaveStatus: true,
  };

  it.each<[Partial<Decisions>, string]>([
    [{ fields: ['userId'] }, 'Say which column has the user IDs'],
    [{ fields: ['role', 'isActive'], others: ['x'] }, 'Say which role people have and who is active'],
    [
      { fields: ['userId', 'role', 'isActive'] },
      'Say which column has the user IDs, which role people have, and who is active',
    ],
    [{ blankStatuses: 2 }, 'Say what a blank status means'],
    [{ others: ['Team'] }, 'Map "Team" or ignore it'],
    [{ others: ['Team', 'Site'] }, 'Map "Team" and "Site" or ignore them'],
    [{ others: ['Team', 'Site', 'Desk'] }, 'Map "Team", "Site", and "Desk" or ignore them'],
    [{ others: ['Team', 'Site', 'Desk', 'Car'] }, 'Map the other columns or ignore them'],
  ])('%j are described in one sentence', (open, sentence) => {
    expect(describeDecisions({ ...NONE, ...open })).toBe(sentence);
  });

  it('have alternatives to the suggested options', () => {
    const role = "To read roles from a column, use --map 'role=<column>' instead.";
    const status =
      'If the column says who is not active, put ! before its name. If everyone is active, use --default isActive=true instead.';
    expect(describeAlternatives({ ...NONE, fields: ['userId'] })).toBe('');
    expect(describeAlternatives({ ...NONE, fields: ['role'] })).toBe(role);
    expect(describeAlternatives({ ...NONE, fields: ['role', 'isActive'] })).toBe(`${role} ${status}`);
    expect(describeAlternatives({ ...NONE, mayHaveDepartment: true })).toBe(
      'If no column has departments, use --omit department instead.',
    );
    expect(describeAlternatives({ ...NONE, misspelled: [['departmnt', 'department']] })).toBe(
      '"departmnt" may be a misspelling of department: rename it, or add --map department=departmnt.',
    );
    const noneLeft = { mayHaveRole: false, mayHaveStatus: false };
    expect(describeAlternatives({ ...NONE, ...noneLeft, fields: ['role', 'isActive'] })).toBe('');
  });

  it('include who is active although all columns are mapped', async () => {
    expect(await openOf('Account,role\nu1,m\n', { map: { userId: 'Account' } })).toMatchObject({
      fields: ['isActive'],
    });
  });

  it('are not made by a column named active, which in some products means that the address was confirmed', async () => {
    const list = 'userId,role,active,suspended_till\nu1,m,true,3025-05-02\n';
    const ignoreExtraColumns = true;
    expect(await openOf(list, { ignoreExtraColumns })).toMatchObject({ fields: ['isActive'], mayHaveStatus: true });
    expect(await openOf(list, { ignoreExtraColumns, map: { isActive: 'active' } })).toBeUndefined();
    // It may be the value for everyone, or only for blanks in that column.
    const defaults = { isActive: 'true' };
    expect(await openOf(list, { ignoreExtraColumns, defaults })).toMatchObject({ fields: ['isActive'] });
    expect(await openOf(list, { ignoreExtraColumns, defaults, omit: ['isActive'] })).toBeUndefined();
    const json = '[{"userId":"u1","role":"m","active":true,"prohibit_login":true}]';
    expect(await openOf(json, { ignoreExtraColumns })).toMatchObject({ fields: ['isActive'] });
    expect(await openOf('userId,role,active\nu1,m,true\n')).toBeUndefined();
  });

  it('end with a column that spells isActive, one of --map, or a value for everyone', async () => {
    const ignoreExtraColumns = true;
    expect(await openOf('userId,role,Is Active,x\nu1,m,no,\n', { ignoreExtraColumns })).toBeUndefined();
    expect(
      await openOf('userId,role,Zustand\nu1,m,gesperrt\n', {
        map: { isActive: 'Zustand' },
        valueMap: { isActive: { gesperrt: 'false' } },
      }),
    ).toBeUndefined();
    expect(
      await openOf('userId,role,x\nu1,m,\n', { ignoreExtraColumns, defaults: { isActive: 'true' } }),
    ).toBeUndefined();
  });

  it.each([
    ['an omitted field', 'department', { omit: ['department'] }],
    ['an omitted label', 'labelId', { omit: ['deviceMgmtLabelId'] }],
    [
      'a field that is read from another column',
      'department',
      { map: { department: 'dept' }, ignoreExtraColumns: true },
    ],
  ] satisfies [string, string, ListText][])(
    'include who is active if %s has keys of its own',
    async (_, key, given) => {
      const row = { userId: 'u1', role: 'm', dept: 'it', [key]: { suspended: true } };
      const ignoreExtraColumns = true;
      expect(await openOf(JSON.stringify([row]), { name: 'list.json', ignoreExtraColumns, ...given })).toMatchObject({
        fields: ['isActive'],
      });
    },
  );
});
