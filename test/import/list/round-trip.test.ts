import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CsvRecord, readCsvRecords } from '../../../src/import/list/csv/csv-records.ts';

const cell = fc.string({
  unit: fc.constantFrom('a', 'é', '監', '🎉', '"', ',', ';', '\t', '\n', '\r', '\r\n', ' ', "'", '=', '\\'),
});
const records = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 12 });
const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
const delimiter = fc.constantFrom(',' as const, ';' as const, '\t' as const);

/** Cuts `text` at the places in `cuts`. */
function pieces(text: string, cuts: readonly number[]): string[] {
  const positions = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...positions].map((from, index) => text.slice(from, positions[index] ?? text.length));
}

function physicalLines(text: string): number {
  return text.split(/\r\n|\n|\r/).length - 1;
}

function read(delimiter: string, parts: readonly string[]): CsvRecord[] {
  return [...readCsvRecords(parts, delimiter, 0)].flat();
}

describe('reading a list of random text', () => {
  it('reads what a CSV library writes, with its lines, wherever the text is cut', () => {
    const property = fc.property(
      records,
      lineEnd,
      delimiter,
      fc.boolean(),
      fc.boolean(),
      fc.array(fc.nat()),
      (rows, record_delimiter, mark, quoted, lastLineEnd, cuts) => {
        const texts = rows.map((row) =>
          stringify([row], { delimiter: mark, record_delimiter, quoted, quoted_match: /[\r\n]/ }),
        );
        let line = 1;
        const expected: CsvRecord[] = [];
        for (const [index, text] of texts.entries()) {
          const cells = rows[index] ?? [];
          if (cells.some((value) => value.trim() !== '')) expected.push({ line, cells });
          line += physicalLines(text);
        }
        const text = texts.join('');
        const ended = lastLineEnd
          ? text
          : text.slice(0, text.length - (text.endsWith(record_delimiter) ? record_delimiter.length : 0));
        expect(read(mark, pieces(ended, cuts))).toEqual(expected);
      },
    );
    fc.assert(property, { numRuns: 200 });
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
      fc.array(fc.nat(), { maxLength: 6 }),
      fc.option(fc.nat()),
      (list, mark, lastLineEnd, cuts, exception) => {
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
        expect(read(mark, pieces(plain, cuts))).toEqual(read(mark, [quoted]));
      },
    );
    fc.assert(property, { numRuns: 60 });
  });
});
