import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderCsv } from '../../src/output/csv.ts';

describe('CSV', () => {
  it.each([
    ['plain cells', ['a', 'b c', 1, true, null], 'a,b c,1,true,\n'],
    ['a comma', ['a,b'], '"a,b"\n'],
    ['quotes', ['say "hi"'], '"say ""hi"""\n'],
    ['a line break', ['a\nb', 'c'], '"a\nb",c\n'],
    ['another script', ['Zoë', '監査'], 'Zoë,監査\n'],
    ['controls', ['a\x07b', '\u202ec', 'd\x1b[31me', 'f\r\ng\th'], 'a\\u0007b,\\u202ec,d\\u001b[31me,"f\ng\th"\n'],
    ['commands of a CI system', ['::x', 'a\n::x'], '"::x","a\n\\u003a:x"\n'],
  ])('has %s', async (_name, cells, row) => {
    expect(await renderCsv([cells])).toBe(row);
  });

  it.each([
    ['=1+1', "'=1+1\n"],
    ['+cmd', "'+cmd\n"],
    ['-cmd', "'-cmd\n"],
    ['@SUM(A1)', "'@SUM(A1)\n"],
    ['＝1+1', "'＝1+1\n"],
    ['\t=1+1', "'\t=1+1\n"],
    ['-5', "'-5\n"],
    [-5, '-5\n'],
    ['a=b', 'a=b\n'],
  ])('has a quote in front of a text that may be a formula: %j as %j', async (cell, row) => {
    expect(await renderCsv([[cell]])).toBe(row);
  });

  it('is read unchanged, but for the escaping', async () => {
    const cell = fc.oneof(fc.string({ unit: 'grapheme-ascii' }), fc.constantFrom('', ' ', '"', ',', '\n', "'"));
    const rows = fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(rows, async (written) => {
        const read = parse(await renderCsv(written), { record_delimiter: '\n' });
        const escaped = written.map((cells) => cells.map((one) => (/^[=+@-]/.test(one) ? `'${one}` : one)));
        expect(read).toEqual(escaped);
      }),
    );
  });
});
