import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CsvReader, type CsvRow } from '../../../src/import/list/csv-reader.ts';
import { NdjsonLines } from '../../../src/import/list/ndjson-row-parser.ts';

const cell = fc.string({
  unit: fc.constantFrom('a', 'é', '監', '🎉', '"', ',', ';', '\t', '\n', '\r', '\r\n', ' ', "'", '=', '\\'),
});
const records = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 12 });
const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
const delimiter = fc.constantFrom(',' as const, ';' as const, '\t' as const);

/** Cuts `bytes` at places that `cuts` tell. */
function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const positions = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...positions].map((from, index) => bytes.subarray(from, positions[index] ?? bytes.length));
}

function physicalLines(text: string): number {
  return text.split(/\r\n|\n|\r/).length - 1;
}

function read(reader: CsvReader, parts: readonly Buffer[]): CsvRow[] {
  const rows: CsvRow[] = [];
  for (const part of parts) for (const chunk of reader.push(part)) rows.push(...chunk);
  for (const chunk of reader.end()) rows.push(...chunk);
  return rows;
}

test('what a CSV library writes comes back the same, with its lines, wherever the text is cut', () => {
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
      const expected: CsvRow[] = [];
      for (const [index, text] of texts.entries()) {
        const cells = rows[index] ?? [];
        if (cells.some((value) => value.trim() !== '')) expected.push({ line, cells });
        line += physicalLines(text);
      }
      const text = texts.join('');
      const ended = lastLineEnd
        ? text
        : text.slice(0, text.length - (text.endsWith(record_delimiter) ? record_delimiter.length : 0));
      expect(read(new CsvReader(mark), pieces(Buffer.from(ended), cuts))).toEqual(expected);
    },
  );
  fc.assert(property, { numRuns: 500 });
});

test('text without quotes, or with few, is cut as the CSV library reads it with quotes around every cell', () => {
  const plainCell = fc.string({ unit: fc.constantFrom('a', 'é', '監', '🎉', ' ', "'", '=', '\\'), maxLength: 6 });
  // A line with nothing on it might make one line end of two.
  const line = fc.array(plainCell, { minLength: 1, maxLength: 4 }).filter((cells) => cells.join(',') !== '');
  const record = fc.tuple(line, lineEnd);
  const property = fc.property(
    fc.array(record, { maxLength: 300, size: 'large' }),
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
      const wholeCharacters = cuts.map((cut) =>
        Buffer.byteLength([...plain].slice(0, cut % (plain.length + 1)).join('')),
      );
      const cutPlain = pieces(Buffer.from(plain), wholeCharacters);
      expect(read(new CsvReader(mark), cutPlain)).toEqual(read(new CsvReader(mark), [Buffer.from(quoted)]));
    },
  );
  fc.assert(property, { numRuns: 200 });
});

test('NDJSON comes back line by line, wherever the text is cut', () => {
  const object = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()).map((value) => JSON.stringify(value));
  const line = fc.oneof(object, fc.constantFrom('', '  ', '\t'));
  const property = fc.property(fc.array(line), lineEnd, fc.array(fc.nat()), (lines, end, cuts) => {
    const bytes = Buffer.from(lines.join(end));
    const reader = new NdjsonLines();
    const read = [...pieces(bytes, cuts).flatMap((piece) => reader.push(piece)), ...reader.end()];
    const expected = lines.map((text, index) => ({ text, line: index + 1 })).filter(({ text }) => text.trim() !== '');
    expect(read).toEqual(expected);
  });
  fc.assert(property, { numRuns: 200 });
});
