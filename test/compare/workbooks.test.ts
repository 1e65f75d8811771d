import { describe, expect, it } from 'vitest';
import { convertSheet } from '../../src/import/list/xlsx/convert-sheet.ts';
import { doubtAbout, parseSheetRow } from '../../src/import/list/xlsx/sheet-row.ts';
import { SEED } from '../helpers/fixed-seed.ts';
import { seededRandom } from '../helpers/seeded-random.ts';
import { CELL_KINDS, COLUMNS, type RandomCell, randomWorkbook } from './random-workbook.ts';
import { READERS } from './readers.js';

const WORKBOOKS = 100;

/** The kinds of cells that orgadm and a library read differently, and why orgadm decides as it does. */
const REASONS: Readonly<Record<string, string>> = {
  'blank boolean': 'a cell without a value is blank: nobody said that it is false',
  'blank shared text': 'a cell without a value is blank: it has no number of a text, not the number 0',
  'cell of a hidden row': 'the person who filtered the list does not see the row',
  'date, d-mmm': 'an ID such as 10-12 was typed, and Excel made a date of it',
  'date, yyyy-mm-dd':
    'an ID such as 2026-10-12 was typed, and Excel made a date of it; in other fields, it is this date',
  'formula that failed': 'an error is no value, but orgadm shows it, so that --map-value can translate it',
  'formula with an empty result':
    'the program that wrote the workbook did not calculate, so only Excel knows the value',
  'formula without a result': 'the program that wrote the workbook did not calculate, so only Excel knows the value',
  'merged cell': 'a person sees the value in each row; an ID belongs to one person',
  'number that was computed': 'Excel shows 15 digits at most',
  'number whose format has the number of a date': 'the code of a format counts, not its number',
  'number with more digits than Excel keeps': 'Excel shows zeros instead of the last digits',
  'number, "EMP-"00000': 'a person sees the text of the format',
  'number, #,##0': 'an ID has no separators, so it was not typed like this',
  'number, 0%': 'an ID is no share, so it was not typed like this',
  'number, 000-00-0000': 'a person sees the text of the format',
  'number, 00000': 'a person sees the leading zeros',
  'text with a format for texts': 'a person sees the text of the format',
  'text with a reading, inline': 'a reading is not part of the word',
};

/** A cell as orgadm and the libraries read it. */
interface Reading extends RandomCell {
  orgadm: string;
  /** Whether orgadm would send it as a user ID. */
  isId: boolean;
  others: Readonly<Record<string, string>>;
}

async function readWithOrgadm(bytes: Buffer): Promise<Pick<Reading, 'orgadm' | 'isId'>[][]> {
  const sheet = await convertSheet(bytes, undefined);
  if ('sheets' in sheet) throw new Error('the workbook has several sheets');
  const rows = sheet.utf8.toString().trimEnd().split('\n').map(parseSheetRow);
  return rows.map((row) =>
    Array.from({ length: COLUMNS }, (_, column) => ({
      orgadm: row.cells[column] ?? '',
      isId: !row.isHidden && doubtAbout(row, column, true) === undefined,
    })),
  );
}

async function readWithOthers(bytes: Buffer): Promise<[name: string, rows: string[][]][]> {
  const read: [string, string[][]][] = [];
  for (const [name, reader] of Object.entries(READERS)) {
    // One of them fails on cells without a reference, which the format allows.
    const rows = await reader(bytes).catch(() => undefined);
    if (rows !== undefined) read.push([name, rows.map((row) => row.map(textOf))]);
  }
  return read;
}

function textOf(value: string | number | boolean | Date | null | undefined): string {
  if (value instanceof Date) return value.toISOString().replace(/T00:00:00.000Z$/, '');
  return value === null || value === undefined ? '' : String(value);
}

async function readWorkbooks(): Promise<Reading[]> {
  const random = seededRandom(SEED);
  const readings: Reading[] = [];
  for (let count = 0; count < WORKBOOKS; count++) {
    const { bytes, rows } = randomWorkbook(random);
    const ours = await readWithOrgadm(bytes);
    const read = await readWithOthers(bytes);
    for (const [line, cells] of rows.entries()) {
      for (const [column, cell] of cells.entries()) {
        const others = Object.fromEntries(read.map(([name, texts]) => [name, texts[line]?.[column] ?? '']));
        readings.push({ ...cell, orgadm: '', isId: true, ...ours[line]?.[column], others });
      }
    }
  }
  return readings;
}

/** Prints an example of each kind of cell that a library reads differently. */
function listDifferences(examples: ReadonlyMap<string, Reading>): void {
  process.stdout.write(`differences in ${WORKBOOKS} random workbooks (SEED=${SEED}):\n`);
  for (const [kind, { orgadm, isId, sees, others }] of [...examples].sort()) {
    const texts = Object.entries({ 'a person sees': sees, orgadm, ...others });
    const shown = texts.map(
      ([name, text]) => `${name} ${text === undefined ? 'something else' : JSON.stringify(text)}`,
    );
    const note = isId ? '' : ', but not as a user ID';
    process.stdout.write(`${kind}: ${shown.join(', ').replace(/(orgadm "[^"]*")/, `$1${note}`)}\n  ${REASONS[kind]}\n`);
  }
}

describe(`${WORKBOOKS} random workbooks (SEED=${SEED})`, async () => {
  const readings = await readWorkbooks();
  // Those that all libraries can read come last.
  const byReaders = readings.toSorted((a, b) => Object.keys(a.others).length - Object.keys(b.others).length);

  it('contain every kind of cell', () => {
    expect([...new Set(readings.map(({ kind }) => kind))].sort()).toEqual([...CELL_KINDS].sort());
  });

  it('have no user ID that is not what a person sees', () => {
    expect(readings.filter(({ orgadm, isId, sees }) => isId && orgadm !== sees)).toEqual([]);
  });

  it('have no cell that all libraries read as a person sees it, and orgadm does not', () => {
    const agreed = readings.filter(({ sees, others }) => Object.values(others).every((text) => text === sees));
    expect(agreed.length).toBeGreaterThan(readings.length / 3);
    expect(agreed.filter(({ orgadm, sees }) => orgadm !== sees)).toEqual([]);
  });

  it('have only cells of the kinds with a reason that orgadm and a library read differently', () => {
    const differ = ({ orgadm, isId, others }: Reading) =>
      !isId || Object.values(others).some((text) => text !== orgadm);
    const examples = new Map(byReaders.filter(differ).map((reading) => [reading.kind, reading]));
    listDifferences(examples);
    expect([...examples.keys()].sort()).toEqual(Object.keys(REASONS).sort());
  });
});
