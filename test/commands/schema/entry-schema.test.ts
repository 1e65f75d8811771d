import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRowSchema } from '../../../src/commands/schema/import-output.ts';
import { SEED } from '../../helpers/fixed-seed.ts';
import { readListText } from '../../import/list/read-list.ts';

/** Fields of --extra-field, one of each kind. */
const EXTRA = { note: 'string', level: 'number', isRemote: 'boolean' } as const;
const schema = createRowSchema(EXTRA);
const NAMES = ['userId', 'role', 'department', 'isActive', 'deviceMgmtLabelId', ...Object.keys(EXTRA)];
const OPTIONS = {
  ignoreExtraColumns: true,
  extraFields: Object.entries(EXTRA).map(([field, kind]) => ({
    field,
    kind,
    source: { name: field, isInverted: false },
  })),
};

/** Texts on both sides of each rule: blank, numbers, booleans, hidden characters, quotation marks, formula errors. */
const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('usr_1', 'member', 'it', 'true', '7') },
  fc.constantFrom('', ' ', '\t', ' usr_2 ', '\u00a0', 'a\u00a0b', ' \u00a0', '\u3000', 'x\u3000'),
  fc.constantFrom('yes', 'NO', 'Active', 'FAUX', 'maybe', '1', '0', '真', 'ON', ' off '),
  fc.constantFrom('-7', '+7', '007', '7.0', '.5', '5.', '1e3', '1E-3', '-0', '9007199254740991', '9007199254740992'),
  fc.constantFrom('1e999', '0x10', '1_000', '1,000', '٣', 'NaN', 'Infinity', '--1', '1e', '.'),
  fc.constantFrom(
    'a\u200bb',
    '\ufeffx',
    'x\u00ad',
    'می\u200cخواهم',
    '👩\u200d💻',
    'a\u2028b',
    '\u3164',
    'a\u007fb',
    'a\nb',
  ),
  fc.constantFrom('"u"', "'u'", '“u”', '«u»', '"', '"u', '`u´', "''"),
  fc.constantFrom('#N/A', '#REF!', '#ref!', '#NAME?', '#N/A ', 'x#N/A', '#DIV/0!', '#NO'),
  fc.string({ maxLength: 4 }),
  fc.string({ unit: 'binary', maxLength: 3 }),
);

const json = fc.oneof(
  { weight: 4, arbitrary: text },
  fc.constantFrom(null, true, false, [], {}, ['usr_1'], { id: 'usr_1' }),
  fc.oneof(fc.integer(), fc.double(), fc.constantFrom(0, -0, 2 ** 53 - 1, 2 ** 53, -(2 ** 53), 1e300, 0.5)),
);

type Row = Record<string, unknown>;

/** Rows with any of the fields; the required ones are usually there. */
function rowsOf(value: fc.Arbitrary<unknown>): fc.Arbitrary<Row[]> {
  const field = (name: string) =>
    name === 'userId' || name === 'role'
      ? fc.option(value, { freq: 20, nil: undefined })
      : fc.option(value, { nil: undefined });
  const row = fc.record(Object.fromEntries(NAMES.map((name) => [name, field(name)])));
  return fc.array(row, { minLength: 1, maxLength: 30 });
}

/** Expects that reading a list accepts the rows that the schema accepts, with the same values, and rejects the same fields of others. */
async function expectSameRows(content: string, name: string, rows: readonly Row[]): Promise<void> {
  const list = await readListText(content, { name, ...OPTIONS });
  const read = list.rows.map(({ value, issues }) => {
    // Whether a row repeats an earlier one is not about the row alone.
    const own = issues.filter(({ message }) => !message.startsWith('duplicate userId'));
    return { rejected: namesOf(own.map(({ field }) => field)), entry: value };
  });
  const parsed = rows.map((row) => {
    const { data, error } = schema.safeParse(row);
    return { rejected: namesOf((error?.issues ?? []).map(({ path }) => path[0])), entry: data };
  });
  expect(read.map(({ rejected }) => rejected)).toEqual(parsed.map(({ rejected }) => rejected));
  for (const [at, { entry }] of read.entries()) if (entry !== undefined) expect(entry).toEqual(parsed[at]?.entry);
}

function namesOf(fields: readonly unknown[]): unknown[] {
  return [...new Set(fields)].toSorted();
}

/** Characters that mark a file as UTF-16, or that have a meaning in CSV. */
const NOT_IN_CSV = /\0|^'/;
/** A UTF-8 file cannot hold lone surrogates. */
const isWellFormed = (value: string) => Buffer.from(value).toString() === value;

describe('the schema of an entry', () => {
  it('accepts exactly the rows that are accepted from a JSON list, and names the same fields', async () => {
    await fc.assert(
      fc.asyncProperty(rowsOf(json), async (rows) => {
        // A list must have every extra field somewhere; and JSON has no undefined and no NaN.
        const complete = { userId: 'usr_9', role: 'member', note: 'x', level: 1, isRemote: true };
        const content = JSON.stringify([...rows, complete]);
        await expectSameRows(content, 'members.json', JSON.parse(content) as Row[]);
      }),
      { seed: SEED, numRuns: 150 },
    );
  }, 60_000);

  it('accepts exactly the rows that are accepted from a CSV list, and names the same fields', async () => {
    const cell = text.filter((value) => !NOT_IN_CSV.test(value) && isWellFormed(value));
    await fc.assert(
      fc.asyncProperty(rowsOf(cell), async (rows) => {
        // A number in each row, because blank lines are not rows.
        const cells = rows.map((row, at) => [String(at), ...NAMES.map((name) => row[name] ?? '')]);
        const content = stringify([['number', ...NAMES], ...cells], { quoted: true });
        await expectSameRows(content, 'members.csv', rows);
      }),
      { seed: SEED, numRuns: 150 },
    );
  }, 60_000);
});
