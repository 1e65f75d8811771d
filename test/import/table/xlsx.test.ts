import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from '../../helpers/any-character.ts';
import { type WorkbookParts, workbook, workbookFiles, zipArchive } from '../../helpers/workbook.ts';
import { errorOf, problemsOf, rowsOf, tableOf, textsOf } from './tables.ts';

const HEADER =
  '<row r="1"><c r="A1" t="inlineStr"><is><t>userId</t></is></c><c r="B1" t="inlineStr"><is><t>role</t></is></c></row>';
const PERSON = '<row r="2"><c r="A2"><v>7</v></c><c r="B2" t="inlineStr"><is><t>member</t></is></c></row>';

/** A workbook with one sheet, whose second row has this cell in column A. */
function withCell(cell: string, parts?: WorkbookParts): Buffer {
  return workbook([{ name: 'Team', data: `${HEADER}<row r="2">${cell}</row>` }], parts);
}

async function cellOf(cell: string, parts?: WorkbookParts): Promise<string | undefined> {
  return (await textsOf(withCell(cell, parts), { format: 'xlsx' })).rows[0]?.[0];
}

describe('a cell', () => {
  it.each([
    ['a shared text', '<c r="A2" t="s"><v>1</v></c>', 'usr_1'],
    ['a shared text of several runs', '<c r="A2" t="s"><v>2</v></c>', 'usr_2'],
    ['a shared text with its reading', '<c r="A2" t="s"><v>3</v></c>', '人事'],
    ['a text of its own', '<c r="A2" t="inlineStr"><is><t>a &amp; &#x1F389;</t></is></c>', 'a & 🎉'],
    ['a text with an escaped line break', '<c r="A2" t="inlineStr"><is><t>a_x000D_b</t></is></c>', 'a\rb'],
    ['a whole number', '<c r="A2"><v>123456789012345</v></c>', '123456789012345'],
    ['a whole number with an exponent', '<c r="A2"><v>1.2E3</v></c>', '1200'],
    ['a whole number with the format 0', '<c r="A2" s="1"><v>7</v></c>', '7'],
    ['a text with the format Text', '<c r="A2" s="2" t="inlineStr"><is><t>007</t></is></c>', '007'],
    ['a text with the format General as LibreOffice writes it', '<c r="A2" s="3" t="s"><v>1</v></c>', 'usr_1'],
    ['true', '<c r="A2" t="b"><v>1</v></c>', 'true'],
    ['false as LibreOffice formats it', '<c r="A2" s="4" t="b"><v>0</v></c>', 'false'],
    ['the saved result of a formula', '<c r="A2" t="str"><f>A1</f><v>usr_1</v></c>', 'usr_1'],
  ])('is read: %s', async (_name, cell, text) => {
    const strings =
      '<si><t>other</t></si><si><t>usr_1</t></si><si><r><t>usr</t></r><r><rPr><b/></rPr><t>_2</t></r></si>' +
      '<si><t>人事</t><rPh sb="0" eb="2"><t>ジンジ</t></rPh></si>';
    const formats = [1, 49, { id: 164, code: 'General' }, { id: 165, code: '"TRUE";"TRUE";"FALSE"' }];
    expect(await cellOf(cell, { strings, formats })).toBe(text);
  });

  it.each([
    ['a date', '<c r="A2" s="1"><v>45000</v></c>', '<45000>: has another number format than General, 0, or Text'],
    ['a number shown with zeros', '<c r="A2" s="2"><v>7</v></c>', '<7>: '],
    ['a number with the format of booleans', '<c r="A2" s="3"><v>1</v></c>', '<1>: '],
    ['an ISO date', '<c r="A2" t="d"><v>2026-01-02</v></c>', '<2026-01-02>: '],
    ['a fraction', '<c r="A2"><v>1.5</v></c>', '<1.5>: is not a whole number of up to 15 digits'],
    ['sixteen digits', '<c r="A2"><v>1234567890123456</v></c>', '<1234567890123456>: '],
    ['an exponent that hides digits', '<c r="A2"><v>1.08E+20</v></c>', '<1.08E+20>: '],
    ['an error', '<c r="A2" t="e"><v>#N/A</v></c>', '<#N/A>: is an error'],
    ['a struck cell', '<c r="A2" s="4" t="inlineStr"><is><t>usr_1</t></is></c>', '<usr_1>: is struck out'],
    ['a struck run', '<c r="A2" t="inlineStr"><is><r><rPr><strike/></rPr><t>usr_1</t></r></is></c>', '<usr_1>: '],
    ['a struck run of a shared text', '<c r="A2" t="s"><v>0</v></c>', '<usr_1>: '],
    ['a raised digit', '<c r="A2" t="s"><v>1</v></c>', '<1011>: has a raised or lowered character'],
    ['a formula without a result', '<c r="A2"><f>B2</f></c>', '<>: is a formula without a saved result in column A'],
    ['a formula with a blank result', '<c r="A2"><f>B2</f><v></v></c>', '<>: '],
  ])('cannot be read: %s', async (_name, cell, text) => {
    const strings =
      '<si><r><rPr><strike/></rPr><t>usr_1</t></r></si>' +
      '<si><r><t>101</t></r><r><rPr><vertAlign val="superscript"/></rPr><t>1</t></r></si>';
    const formats = [14, '00000', '"TRUE";"TRUE";"FALSE"'];
    expect(await cellOf(cell, { strings, formats, font: '<strike/>' })).toContain(text);
  });

  it('cannot be read if it is a formula, and the workbook asks for recalculation', async () => {
    const cell = '<c r="A2"><f>B2</f><v>0</v></c>';
    expect(await cellOf(cell)).toBe('0');
    expect(await cellOf(cell, { fullCalcOnLoad: true })).toMatch(/^<0>: /);
  });

  it('is blank without a value, and if it has only spaces', async () => {
    const { rows } = await textsOf(withCell('<c r="A2" s="1"/><c r="B2" t="inlineStr"><is><t> </t></is></c>'), {
      format: 'xlsx',
    });
    expect(rows).toEqual([]);
  });
});

describe('a sheet', () => {
  it('has the numbers of its rows, and no blank ones', async () => {
    const data = `${HEADER.replaceAll('1"', '3"')}<row r="4"><c r="A4"/></row>${PERSON.replaceAll('2"', '9"')}`;
    const table = await tableOf(workbook([{ name: 'Team', data }]));
    expect(table.columns).toEqual(['userId', 'role']);
    expect(await rowsOf(table)).toEqual([{ line: 9, cells: ['7', 'member'], problem: undefined }]);
  });

  it('has hidden rows, and those that are wider than the header, as problems', async () => {
    const hidden = PERSON.replace('r="2"', 'r="2" hidden="1"');
    const flat = PERSON.replaceAll('2"', '3"').replace('r="3"', 'r="3" ht="0" customHeight="1"');
    const wide = '<row r="4"><c r="A4"><v>8</v></c><c r="D4"><v>8</v></c></row>';
    expect(await problemsOf(workbook([{ name: 'Team', data: HEADER + hidden + flat + wide }]))).toEqual([
      [2, 'is hidden in the sheet (delete it, or show it)'],
      [3, expect.stringContaining('hidden')],
      [4, expect.stringContaining('4 cells')],
    ]);
  });

  it('must not have merged cells below its header', async () => {
    const merged = (range: string) =>
      workbook([
        { name: 'Team', data: HEADER + PERSON, after: `<mergeCells><mergeCell ref="${range}"/></mergeCells>` },
      ]);
    expect(await errorOf(merged('B2:B4'))).toContain('the sheet has merged cells below the header: B2:B4');
    expect((await textsOf(merged('A1:B1'))).rows).toEqual([['7', 'member']]);
  });

  it('is the one of --sheet, or the only visible one that has rows', async () => {
    const other = { name: 'Notes', data: '<row r="1"><c r="A1"><v>1</v></c></row>' };
    const team = { name: 'Team', data: HEADER + PERSON };
    const blank = { name: 'Cover', data: '' };
    expect((await tableOf(workbook([blank, { ...other, hidden: true }, team]))).sheet).toBe('Team');
    expect((await tableOf(workbook([team, other]), { sheet: ' team' })).sheet).toBe('Team');
    expect(await errorOf(workbook([team, blank, other]))).toContain('several sheets have rows: "Team", "Notes"');
    expect(await errorOf(workbook([team]), { sheet: 'Berlin' })).toContain('no sheet "Berlin"\nIts sheets are "Team".');
    expect(await errorOf(workbook([blank]))).toContain('is empty');
  });

  it('is read from the row of --header-row, or without a header with --columns', async () => {
    const title = '<row r="1"><c r="A1" t="inlineStr"><is><t>Staff</t></is></c></row>';
    const data = title + HEADER.replaceAll('1"', '2"') + PERSON.replaceAll('2"', '3"');
    expect((await textsOf(workbook([{ name: 'T', data }]), { headerRow: 2 })).rows).toEqual([['7', 'member']]);
    expect(await errorOf(workbook([{ name: 'T', data }]), { headerRow: 5 })).toContain('line 5 is');
    const rows = await textsOf(workbook([{ name: 'T', data: PERSON }]), { columns: ['userId', 'role'] });
    expect(rows).toEqual({ columns: ['userId', 'role'], rows: [['7', 'member']] });
  });
});

it('says that other files are no workbooks', async () => {
  const files = workbookFiles([{ name: 'Team', data: HEADER + PERSON }]);
  const damaged = zipArchive({
    ...files,
    'xl/worksheets/sheet1.xml': `${files['xl/worksheets/sheet1.xml']}`.slice(0, 200),
  });
  const whole = zipArchive(files);
  for (const bytes of [Buffer.from('<html></html>'), zipArchive({ 'list.csv': 'a' }), damaged, whole.subarray(0, 500)])
    expect(await errorOf(bytes, { format: 'xlsx' })).toContain('standard input is not an Excel workbook (.xlsx)');
  const large = zipArchive(files, { 'xl/worksheets/sheet1.xml': 300 * 1024 ** 2 });
  expect(await errorOf(large)).toContain('has a part of more than 256 MiB');
});

it('returns any texts as they were written', async () => {
  // XML has no other control characters, and orgadm does not read blank rows.
  const text = fc
    .string({ unit: ANY_CHARACTER.filter((char) => /[^\p{Cc}\p{Cs}\ufffe\uffff]/u.test(char)), maxLength: 6 })
    .map((some) => `x${some}`.replaceAll('_x', '_y'));
  const escaped = (some: string) => some.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const property = fc.asyncProperty(fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 6 }), async (rows) => {
    const data = rows.map(
      (cells, at) =>
        `<row r="${at + 2}">${cells.map((cell) => `<c t="inlineStr"><is><t>${escaped(cell)}</t></is></c>`).join('')}</row>`,
    );
    const { rows: read } = await textsOf(workbook([{ name: 'T', data: HEADER + data.join('') }]));
    expect(read).toEqual(rows);
  });
  await fc.assert(property, { numRuns: 40 });
});
