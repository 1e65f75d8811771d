import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCsvRecords } from '../../../src/import/list/csv/csv-records.ts';
import { randomCases } from '../../helpers/fixed-seed.ts';

const cell = fc.string({
  unit: fc.constantFrom('a', 'é', '監', '🎉', '"', ',', ';', '\t', '\n', '\r', '\r\n', ' ', "'", '=', '\\'),
});
const records = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 12 });
const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
// One in 64 lists is long.
const isLong = fc.nat({ max: 63 }).map((number) => number === 0);
const delimiter = fc.constantFrom(',' as const, ';' as const, '\t' as const);

function physicalLines(text: string): number {
  return text.split(/\r\n|\n|\r/).length - 1;
}

/** Returns the records of a list as JSON: to compare those of a long list in any other way takes longer than to read it. */
function read(delimiter: string, text: string): string {
  const records = [...readCsvRecords({ utf8: Buffer.from(text), delimiter, skipLines: 0 })].flat();
  return JSON.stringify(records.map(({ line, cells }) => ({ line, cells })));
}

/** Repeats the rows of a short list, so that its text is long enough for several chunks. */
function repeated<T>(rows: readonly T[], isLong: boolean): T[] {
  return isLong ? Array.from({ length: 10_000 }, (_, index) => rows[index % rows.length] as T) : [...rows];
}

describe('reading a list of random text', () => {
  it('reads what a CSV library writes, with its lines', () => {
    const property = fc.property(
      records,
      lineEnd,
      delimiter,
      fc.boolean(),
      fc.boolean(),
      isLong,
      (some, record_delimiter, mark, quoted, lastLineEnd, long) => {
        const written = some.map((cells) => {
          const text = stringify([cells], { delimiter: mark, record_delimiter, quoted, quoted_match: /[\r\n]/ });
          return { cells, text, lines: physicalLines(text) };
        });
        const rows = repeated(written, long && some.length > 0);
        let line = 1;
        const expected: { line: number; cells: string[] }[] = [];
        for (const { cells, lines } of rows) {
          if (cells.some((value) => value.trim() !== '')) expected.push({ line, cells });
          line += lines;
        }
        const text = rows.map((row) => row.text).join('');
        const ended = lastLineEnd
          ? text
          : text.slice(0, text.length - (text.endsWith(record_delimiter) ? record_delimiter.length : 0));
        expect(read(mark, ended)).toBe(JSON.stringify(expected));
      },
    );
    fc.assert(property, { numRuns: randomCases(200) });
  });

  it('splits text with few or no quotes as the CSV library reads it with quotes around every cell', () => {
    const plainCell = fc.string({ unit: fc.constantFrom('a', 'é', '監', '🎉', ' ', "'", '=', '\\'), maxLength: 6 });
    // An empty line could merge two line ends into one.
    const line = fc.array(plainCell, { minLength: 1, maxLength: 4 }).filter((cells) => cells.join(',') !== '');
    const record = fc.tuple(line, lineEnd);
    const property = fc.property(
      fc.array(record, { maxLength: 150, size: 'large' }),
      delimiter,
      fc.boolean(),
      isLong,
      fc.option(fc.nat()),
      (some, mark, lastLineEnd, long, exception) => {
        const list = repeated(some, long && some.length > 0);
        const write = (cellText: (cell: string, at: number) => string) =>
          list
            .map(([cells, end], index) => {
              const last = index === list.length - 1 && !lastLineEnd;
              return cells.map((cell) => cellText(cell, index)).join(mark) + (last ? '' : end);
            })
            .join('');
        const exceptional = exception === null ? -1 : exception % (list.length + 1);
        const plain = write((text, at) => (at === exceptional ? `"${text}"` : text));
        const quoted = write((text) => `"${text}"`);
        expect(read(mark, plain)).toBe(read(mark, quoted));
      },
    );
    fc.assert(property, { numRuns: randomCases(60) });
  });
});
