import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import type { FieldKind, MemberEntry } from '../../../src/import/entry.ts';
import {
  BOOLEANS,
  HIDDEN_CHARACTER,
  isExactNumber,
  isInQuotationMarks,
  JOINERS,
  NUMBER,
  SPREADSHEET_ERROR,
  WHITE_SPACE_AT_ENDS,
} from '../../../src/import/list/field-value.ts';
import { SEED } from '../../helpers/fixed-seed.ts';
import { readListText } from './read-list.ts';

/*
 * The rule for what a row may be, as a schema. Reading a list does not use one, because an object of zod costs as much as the
 * rest of the row: `list/field-rules.ts` does the same by hand.
 */

/** @param joiners a pattern of characters that are not seen, and allowed all the same */
const visibleText = (joiners?: RegExp) =>
  z.string().check(
    z.minLength(1),
    z.refine((value) => !HIDDEN_CHARACTER.test(joiners === undefined ? value : value.replace(joiners, ''))),
    z.refine((value) => !SPREADSHEET_ERROR.test(value)),
  );

const VALUES = {
  string: visibleText(),
  number: z.number().check(z.refine(isExactNumber)),
  boolean: z.boolean(),
  integer: z.int(),
} as const satisfies Record<FieldKind, z.ZodMiniType>;

/**
 * Returns the schema of a row of a list: an object of field names and cells or JSON values, which it converts to an entry.
 *
 * @param extra the kinds of the fields of --extra-field
 */
function createRowSchema(extra: Readonly<Record<string, FieldKind>>): z.ZodMiniType<MemberEntry> {
  const more = Object.entries(extra).map(([field, kind]) => [field, cell(kind, z.optional(VALUES[kind]))] as const);
  return z.object({
    userId: cell('string', visibleText().check(z.refine((value) => !isInQuotationMarks(value)))),
    role: cell('string', visibleText()),
    department: cell('string', z.optional(visibleText(JOINERS))),
    isActive: cell('boolean', z.optional(VALUES.boolean)),
    deviceMgmtLabelId: cell('integer', z.optional(VALUES.integer)),
    ...Object.fromEntries(more),
  }) as z.ZodMiniType<MemberEntry>;
}

/** A value as a list has it: text is converted to `kind` if it can be, and blank text and null are no value. */
function cell<T extends z.ZodMiniType>(kind: FieldKind, schema: T) {
  const convert = (value: unknown): unknown => {
    if (value === null) return undefined;
    const isText =
      typeof value === 'number' && (kind === 'string' || kind === 'boolean') && Number.isSafeInteger(value);
    if (typeof value !== 'string' && !isText) return value;
    const trimmed = String(value).replace(WHITE_SPACE_AT_ENDS, '');
    if (trimmed === '') return undefined;
    if (kind === 'boolean') return BOOLEANS.get(trimmed.toLowerCase()) ?? trimmed;
    if (kind === 'integer') return /^[+-]?\d+$/.test(trimmed) ? Number(trimmed) : trimmed;
    if (kind === 'number') return NUMBER.test(trimmed) ? Number(trimmed) : trimmed;
    return trimmed;
  };
  return z.pipe(z.transform(convert), schema);
}

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
