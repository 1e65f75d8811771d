import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openList } from '../../src/import/list/open-list.ts';
import { MEMBER_FIELDS, type MemberField } from '../../src/import/new-member.ts';
import { writeErrorsFile } from '../commands/import/write-errors-file.ts';
import { randomCases, SEED } from '../helpers/fixed-seed.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { type ListText, mappingOf, readOpenList } from './list/read-list.ts';

const VALUES: Record<MemberField, fc.Arbitrary<string>> = {
  userId: fc.constantFrom('u,1', '0012', '監', ' x ', '-u', "'=u", "''", '＠u', '+49'),
  role: fc.constantFrom('member', 'a;b', '"quoted"', 'a;=b,+c', '"=a"', '\t=a\n-b'),
  department: fc.constantFrom('', ' ', 'it'),
  isActive: fc.constantFrom('', 'yes', '0', 'maybe'),
  deviceMgmtLabelId: fc.constantFrom('', '7'),
};

/** How a list has one field: under a usual name, under one that --map names, or not at all, with a default or without. */
const held = fc.record({
  how: fc.constantFrom('named', 'mapped', 'absent'),
  rival: fc.boolean(),
  default: fc.boolean(),
  unread: fc.boolean(),
});
const plan = fc.record({
  fields: fc.record({ userId: held, role: held, department: held, isActive: held, deviceMgmtLabelId: held }),
  rows: fc.array(fc.record(VALUES), { minLength: 1, maxLength: 4 }),
  order: fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
});
const DEFAULTS: Partial<Record<MemberField, string>> = {
  role: 'guest',
  department: 'hr',
  isActive: 'no',
  deviceMgmtLabelId: '9',
};

interface Column {
  name: string;
  cell: (row: Record<MemberField, string>) => string;
}

/** Returns the columns, keys and flags of a plan. */
function drawn({
  fields,
}: {
  fields: Record<MemberField, { how: string; rival: boolean; default: boolean; unread: boolean }>;
}) {
  const given = {
    map: {} as Partial<Record<MemberField, string>>,
    defaults: {} as Partial<Record<MemberField, string>>,
  };
  const columns: Column[] = [];
  for (const field of MEMBER_FIELDS) {
    const { how, rival, default: filled, unread } = fields[field];
    const isRequired = field === 'userId' || (field === 'role' && !filled);
    const takes = how === 'absent' && isRequired ? 'named' : how;
    // The other columns need a decision about who is active.
    if ((filled || field === 'isActive') && DEFAULTS[field] !== undefined) given.defaults[field] = DEFAULTS[field];
    if (takes === 'mapped') given.map[field] = `The ${field}`;
    if (takes !== 'absent')
      columns.push({ name: takes === 'mapped' ? `The ${field}` : field, cell: (row) => row[field] });
    if (takes === 'mapped' && rival) columns.push({ name: field, cell: () => 'not this one' });
    if (unread) columns.push({ name: `note on ${field}`, cell: () => 'n' });
  }
  return { given: { ...given, ignoreExtraColumns: true } satisfies ListText, columns };
}

describe('an errors file of random rows', () => {
  it.each([
    ['CSV with commas', 'list.csv', (names: string[], rows: string[][]) => stringify([names, ...rows])],
    [
      'CSV with semicolons',
      'list.csv',
      (names: string[], rows: string[][]) => stringify([names, ...rows], { delimiter: ';' }),
    ],
    [
      'NDJSON',
      'list.ndjson',
      (names: string[], rows: string[][]) =>
        rows.map((row) => `${JSON.stringify(Object.fromEntries(names.map((name, at) => [name, row[at]])))}\n`).join(''),
    ],
  ])(
    `has the values that the list has, with the same options about its columns: %s (SEED=${SEED})`,
    async (_, name, write) => {
      const isJson = name.endsWith('json');
      const folder = temporaryFolder();
      const property = fc.asyncProperty(plan, async ({ fields, rows, order }) => {
        const { given, columns } = drawn({ fields });
        // In JSON a second key for a field is rejected: only columns can be left to another.
        const own = columns.filter(({ cell }) => !isJson || cell(BLANK) !== 'not this one');
        const shuffled = own
          .map((column, at) => ({ column, rank: order[at % order.length] ?? 0 }))
          .sort((a, b) => a.rank - b.rank)
          .map(({ column }) => column);
        const read = async (file: string, flags: ListText) => {
          return readOpenList(await openList({ path: file, stdin: Readable.from([]) }, mappingOf(flags)));
        };
        const file = path.join(folder, name);
        const cells = rows.map((row) => shuffled.map(({ cell }) => cell(row)));
        await writeFile(
          file,
          write(
            shuffled.map((column) => column.name),
            cells,
          ),
        );
        const before = await read(file, given);
        async function* rejectedRows() {
          for (const row of before.rows) yield { row, error: 'rejected' };
        }
        const errors = path.join(folder, `errors-${name}`);
        await writeErrorsFile(errors, before.check.layout, rejectedRows());
        const after = await read(errors, given);
        expect(after.rows.map(({ member, userId }) => [member, userId])).toEqual(
          before.rows.map(({ member, userId }) => [member, userId]),
        );
      });
      await fc.assert(property, { numRuns: randomCases(150) });
    },
  );
});

const BLANK: Record<MemberField, string> = {
  userId: '',
  role: '',
  department: '',
  isActive: '',
  deviceMgmtLabelId: '',
};
