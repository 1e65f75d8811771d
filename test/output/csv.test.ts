import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeCsvRow, escapeFormulas } from '../../src/output/csv.ts';

describe('the quotes of a row', () => {
  it.each([
    ['plain cells', ['a', 'b c', '1'], 'a,b c,1\n'],
    ['a comma', ['a,b'], '"a,b"\n'],
    ['quotes', ['say "hi"'], '"say ""hi"""\n'],
    ['a line break', ['a\nb', 'c'], '"a\nb",c\n'],
    ['spaces at the ends', [' a', 'a '], '" a","a "\n'],
    ['empty cells', ['', 'a', ''], ',a,\n'],
    ['a lone empty cell, which is not an empty line', [''], '""\n'],
    ['another script', ['Zoë', '監査'], 'Zoë,監査\n'],
  ])('are added where they are needed: %s', (_name, cells, row) => {
    expect(encodeCsvRow(cells)).toBe(row);
  });
});

describe('a cell that may be a formula', () => {
  it.each([
    ['=1+1', "'=1+1\n"],
    ['+cmd', "'+cmd\n"],
    ['-cmd', "'-cmd\n"],
    ['@SUM(A1)', "'@SUM(A1)\n"],
    ['\tx', "'\tx\n"],
    ['-', "'-\n"],
    ['-5', '-5\n'],
    ['+3.2e5', '+3.2e5\n'],
    ['-.5', '-.5\n'],
    ['a=b', 'a=b\n'],
    ['\nx', '"\'\nx"\n'],
    ['\r=1+1', "'\\u000d=1+1\n"],
    ['\r\n=1+1', '"\'\n\'=1+1"\n'],
    ['\r;=1+1', "'\\u000d;'=1+1\n"],
    ['＝1+1', "'＝1+1\n"],
    [' =x', '" \'=x"\n'],
    ['"=x"', '"""\'=x"""\n'],
    ['a;=x', "a;'=x\n"],
    ['a\t=x', "a\t'=x\n"],
    ['a\n=x', '"a\n\'=x"\n'],
    ['a,=x', '"a,=x"\n'],
    ["it's a;b", "it's a;b\n"],
  ])('is escaped unless it is harmless: %j as %j', (cell, row) => {
    expect(encodeCsvRow([cell])).toBe(row);
  });

  it('is escaped after any delimiter but that of the row', () => {
    expect(['a,=x', 'a;=x'].map((cell) => escapeFormulas(cell, ';'))).toEqual(["a,'=x", 'a;=x']);
  });
});

describe('encodeCsvRow', () => {
  it('writes control characters as text', () => {
    expect(encodeCsvRow(['a\x07b', '\u202ec', 'd\x1b[31me', 'f\r\ng\th'])).toBe('a\\u0007b,\\u202ec,de,"f\ng\th"\n');
  });

  it('writes cells that a CSV reader reads unchanged, but for the escaping', () => {
    const cell = fc.oneof(fc.string({ unit: 'grapheme-ascii' }), fc.constantFrom('', ' ', '"', ',', '\n', "'"));
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 1 }), (rows) => {
        const text = rows.map(encodeCsvRow).join('');
        const read = rows.map((cells) => cells.map((one) => escapeFormulas(one, ',')));
        expect(parse(text, { record_delimiter: '\n' })).toEqual(read);
      }),
    );
  });
});
