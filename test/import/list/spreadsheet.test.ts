import { describe, expect, it } from 'vitest';
import { convertSheet } from '../../../src/import/list/xlsx/convert-sheet.ts';
import { parseSheetRow, type SheetRow } from '../../../src/import/list/xlsx/sheet-row.ts';
import { type WorkbookParts, workbook, workbookFiles, zipArchive } from '../../helpers/workbook.ts';

async function readRows(workbook: Buffer, sheet?: string): Promise<SheetRow[]> {
  const converted = await convertSheet(workbook, sheet);
  if ('sheets' in converted) throw new Error('the workbook has several sheets');
  return converted.utf8.toString().split('\n').slice(0, -1).map(parseSheetRow);
}

async function read(workbook: Buffer, sheet?: string): Promise<[number, ...string[]][]> {
  return (await readRows(workbook, sheet)).map(({ line, cells }) => [line, ...cells]);
}

/** The cells of a sheet with this XML in `<sheetData>`. */
function readData(data: string, parts?: WorkbookParts): Promise<[number, ...string[]][]> {
  return read(workbook([{ name: 'Sheet1', data }], parts));
}

function row(...cells: string[]): string {
  return `<row>${cells.join('')}</row>`;
}

describe('a cell of a sheet', () => {
  it('is read as the text that a CSV export would contain', async () => {
    const data =
      '<row r="1" spans="1:3"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c></row>' +
      '<row r="2"><c r="A2" t="s"><v>3</v></c><c r="B2" t="b"><v>1</v></c><c r="C2"><v>17</v></c></row>' +
      '<row r="3"><c r="A3" t="inlineStr"><is><t>0042</t></is></c><c r="B3" t="b"><v>0</v></c></row>';
    const strings = '<si><t>userId</t></si><si><t>isActive</t></si><si><t>label</t></si><si><t>007</t></si>';
    expect(await readData(data, { strings })).toEqual([
      [1, 'userId', 'isActive', 'label'],
      [2, '007', 'true', '17'],
      [3, '0042', 'false'],
    ]);
  });

  it.each([
    ['123456789012345', '123456789012345'],
    ['1.23456789012345E+17', '123456789012345000'],
    // As programs other than Excel write a long id.
    ['76561198000000001', '76561198000000001'],
    ['0.30000000000000004', '0.3'],
    ['1.0000000000000001E-7', '0.0000001'],
    ['1.0', '1'],
    ['-0', '0'],
    ['007', '7'],
  ])('is read without an exponent: %s as %s', async (saved, text) => {
    expect(await readData(row(`<c><v>${saved}</v></c>`))).toEqual([[1, text]]);
  });

  it.each([
    ['a format of zeros', '000000', '1234', '001234'],
    ['a date', 14, '45992', '2025-12-01'],
    ['a date with its own format', 'dd/mm/yyyy;@', '45992', '2025-12-01'],
    ['a date in a language of its own', '[$-407]d. mmmm yyyy', '45992', '2025-12-01'],
    ['a date and time', 22, '45992.75', '2025-12-01T18:00:00'],
    ['a date that rounds to the next second', 'yyyy-mm-dd hh:mm', '45992.354166666664', '2025-12-01T08:30:00'],
    ['an amount whose unit looks like a date', '0.00 "days"', '12', '12'],
    ['a duration', '[h]:mm', '1.5', '1.5'],
    ['an amount with separators', '#,##0.00 [$€-407]', '1234.5', '1234.5'],
    ['a date before the first day of Excel', 14, '-1', '-1'],
  ] as const)('is read with its leading zeros, and dates in ISO 8601: %s', async (_, format, saved, text) => {
    expect(await readData(row(`<c s="1"><v>${saved}</v></c>`), { formats: [format] })).toEqual([[1, text]]);
  });

  it('is read as joined rich text', async () => {
    const strings = '<si><r><rPr><b/></rPr><t>usr_</t></r><r><t xml:space="preserve">1 </t></r></si>';
    expect(await readData(row('<c t="s"><v>0</v></c>'), { strings })).toEqual([[1, 'usr_1 ']]);
  });

  it('is read with references, CDATA and escaped characters resolved', async () => {
    const cells = ['R&amp;D &lt;it&gt;', '&#x1F600;&#228;', '<![CDATA[a&b]]>', 'two_x000D_\nlines', '_x005F_x000D_'];
    const data = row(...cells.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`));
    expect(await readData(data)).toEqual([[1, 'R&D <it>', '😀ä', 'a&b', 'two\r\nlines', '_x000D_']]);
  });

  it('is read as the saved value of its formula', async () => {
    const data = row(
      '<c t="str"><f>A2&amp;"x"</f><v>usr_1</v></c>',
      '<c><f>1+1</f><v>2</v></c>',
      '<c t="b"><f>TRUE()</f><v>1</v></c>',
      '<c t="str"><f>""</f><v></v></c>',
      '<c t="e"><f>1/0</f><v>#DIV/0!</v></c>',
    );
    expect(await readData(data)).toEqual([[1, 'usr_1', '2', 'true', '', '#DIV/0!']]);
  });
});

describe('the rows of a sheet', () => {
  it('keep their numbers and columns next to blank rows, blank cells and merged titles', async () => {
    const data =
      '<row r="1"><c r="A1" t="inlineStr"><is><t>Headcount</t></is></c><c r="B1" s="1"/><c r="C1" s="1"/></row>' +
      '<row r="2"><c r="A2" s="1"/></row>' +
      '<row r="4"><c r="B4" t="inlineStr"><is><t>userId</t></is></c><c r="D4" t="inlineStr"><is><t>role</t></is></c></row>';
    const after = '<mergeCells count="1"><mergeCell ref="A1:C1"/></mergeCells>';
    expect(await read(workbook([{ name: 'Sheet1', data, after }]))).toEqual([
      [1, 'Headcount'],
      [4, '', 'userId', '', 'role'],
    ]);
  });

  it('are counted if the file does not number them', async () => {
    const data = row('<c><v>1</v></c>', '<c><v>2</v></c>') + row() + row('<c><v>3</v></c>');
    expect(await readData(data)).toEqual([
      [1, '1', '2'],
      [3, '3'],
    ]);
  });

  it('are read in order across the blocks of a large file', async () => {
    const data = Array.from({ length: 20_000 }, (_, at) => row(`<c t="inlineStr"><is><t>usr_${at}</t></is></c>`));
    const rows = await readData(data.join(''));
    expect(rows).toEqual(Array.from({ length: 20_000 }, (_, at) => [at + 1, `usr_${at}`]));
  });

  it('are read from files of other programs, with prefixed names and absolute paths', async () => {
    const files = workbookFiles([{ name: 'People', data: row('<c t="inlineStr"><is><t>usr_1</t></is></c>') }]);
    const prefixed = Object.entries(files).map(([name, xml]) => [
      name,
      xml
        .replaceAll(/<(\/?)([a-zA-Z])/g, '<$1x:$2')
        .replaceAll('xmlns=', 'xmlns:x=')
        .replaceAll('Target="xl/', 'Target="/xl/')
        .replaceAll('Target="worksheets/', 'Target="/xl/worksheets/'),
    ]);
    expect(await read(zipArchive(Object.fromEntries(prefixed)))).toEqual([[1, 'usr_1']]);
  });
});

describe('the relationships of a sheet', () => {
  it('may have links of any text', async () => {
    const links = ['http://', 'mailto:', '\\\\server\\team', '%'].map(
      (target, at) =>
        `<Relationship Id="r${at}" Type="x/hyperlink" Target="${target}"${at < 2 ? ' TargetMode="External"' : ''}/>`,
    );
    const files = {
      ...workbookFiles([{ name: 'People', data: row('<c t="inlineStr"><is><t>usr_1</t></is></c>') }]),
      'xl/worksheets/_rels/sheet1.xml.rels': `<Relationships>${links.join('')}</Relationships>`,
    };
    expect(await read(zipArchive(files))).toEqual([[1, 'usr_1']]);
  });
});

describe('a workbook in the strict form of the format', () => {
  it('is read with its dates, which are text in ISO 8601', async () => {
    const data = row('<c t="inlineStr"><is><t>usr_1</t></is></c>', '<c t="d"><v>2025-12-01T08:30:00</v></c>');
    const strict = Object.entries(workbookFiles([{ name: 'People', data }])).map(([name, xml]) => [
      name,
      xml
        .replaceAll(
          'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
          'http://purl.oclc.org/ooxml/spreadsheetml/main',
        )
        .replaceAll(
          'http://schemas.openxmlformats.org/officeDocument/2006',
          'http://purl.oclc.org/ooxml/officeDocument',
        ),
    ]);
    expect(await read(zipArchive(Object.fromEntries(strict)))).toEqual([[1, 'usr_1', '2025-12-01T08:30:00']]);
  });
});

describe('the choice of a sheet', () => {
  const sheet = (name: string, hidden = false) => ({
    name,
    hidden,
    data: row(`<c t="inlineStr"><is><t>in ${name}</t></is></c>`),
  });
  const book = workbook([sheet('Lookup', true), sheet('People'), sheet('R&amp;D')]);

  it('is the only visible one that has rows by default', async () => {
    const blank = { name: 'Blank', data: row('<c s="1"/>') + row('<c t="inlineStr"><is><t> </t></is></c>') };
    expect(await read(workbook([sheet('Lookup', true), blank, sheet('People')]))).toEqual([[1, 'in People']]);
  });

  it('is left to the user if several visible ones have rows', async () => {
    expect(await convertSheet(book, undefined)).toEqual({
      sheets: [
        { name: 'People', rows: 1 },
        { name: 'R&D', rows: 1 },
      ],
    });
  });

  it.each([
    ['R&D', 'in R&D'],
    ['people', 'in People'],
    [' People\u00a0', 'in People'],
    ['Lookup', 'in Lookup'],
  ])('accepts the name of a sheet: %s', async (name, text) => {
    expect(await read(book, name)).toEqual([[1, text]]);
  });

  it('does not count a sheet that only a program can show, but accepts its name', async () => {
    const files = workbookFiles([sheet('People'), sheet('Lookup', true)]);
    const veryHidden = Object.entries(files).map(([name, xml]) => [name, xml.replace('"hidden"', '"veryHidden"')]);
    const book = zipArchive(Object.fromEntries(veryHidden));
    expect(await read(book)).toEqual([[1, 'in People']]);
    expect(await read(book, 'Lookup')).toEqual([[1, 'in Lookup']]);
  });

  it('rejects a workbook without a visible sheet', async () => {
    await expect(read(workbook([sheet('Lookup', true)]))).rejects.toMatchObject({
      exitCode: 2,
      message: 'the workbook has no visible sheet',
      hint: 'Its sheets are "Lookup". Name one with --sheet.',
    });
  });

  it('rejects an unknown name with a list of the sheets', async () => {
    await expect(read(book, 'Persons')).rejects.toMatchObject({
      exitCode: 2,
      message: 'the workbook has no sheet "Persons"',
      hint: 'Its sheets are "Lookup", "People", "R&D".',
    });
  });
});

describe('a damaged or malicious workbook', () => {
  it.each([
    [
      'an .xls file',
      Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(504)]),
      'the list is a workbook in the old .xls format, or protected by a password',
    ],
    [
      'a zip file',
      zipArchive({ 'content.xml': '' }),
      'the list is a zip archive, but not an Excel workbook (.xlsx): it contains "content.xml"',
    ],
  ])('is rejected with the advice to save it as .xlsx or CSV: %s', async (_, bytes, message) => {
    await expect(read(bytes)).rejects.toMatchObject({
      exitCode: 2,
      code: 'bad-encoding',
      message,
      hint: expect.stringMatching(/[Ss]ave .*CSV/),
    });
  });

  it('is rejected if it is cut off', async () => {
    const book = workbook([{ name: 'Sheet1', data: row('<c><v>1</v></c>') }]);
    await expect(read(book.subarray(0, -30))).rejects.toMatchObject({
      exitCode: 2,
      code: 'bad-encoding',
      message: 'the list is an incomplete or damaged Excel workbook',
      hint: 'Download or copy the file again. If Excel can open it, save it again, or save the sheet as CSV.',
    });
  });

  it.each([
    ['<row><c><v>1</v></row>', 'the workbook is damaged: closing tag mismatch'],
    ['<row><c t="s"><v>3</v></c></row>', 'the workbook is damaged: it has no text "3"'],
    ['<row r="1048577"/>', 'the workbook has more than 1048576 rows'],
  ])('is rejected if a sheet contains %s', async (data, message) => {
    await expect(readData(data)).rejects.toMatchObject({ exitCode: 2, message });
  });

  it('is rejected if a sheet unpacks to more than its stated size', async () => {
    const files = workbookFiles([{ name: 'Sheet1', data: row('<c><v>1</v></c>').repeat(100_000) }]);
    const bomb = zipArchive(files, { 'xl/worksheets/sheet1.xml': 1000 });
    await expect(read(bomb)).rejects.toMatchObject({
      exitCode: 2,
      message: 'the list is an incomplete or damaged Excel workbook',
    });
  });

  it('is rejected if the stated size of a sheet exceeds 256 MiB', async () => {
    const files = workbookFiles([{ name: 'Sheet1', data: '' }]);
    await expect(read(zipArchive(files, { 'xl/worksheets/sheet1.xml': 2 ** 31 }))).rejects.toMatchObject({
      exitCode: 2,
      message: 'the workbook holds 2147483648 bytes in "xl/worksheets/sheet1.xml", more than 268435456',
    });
  });

  it('is rejected if the tables of its sheet exceed 32 MiB', async () => {
    const summaries = Array.from({ length: 3 }, () => '<table ref="A1:A2"/>');
    const files = workbookFiles([{ name: 'Sheet1', data: row('<c><v>1</v></c>'), summaries }]);
    const sizes = summaries.map((_, at): [string, number] => [`xl/tables/table1${at + 1}.xml`, 12 * 1024 ** 2]);
    await expect(read(zipArchive(files, Object.fromEntries(sizes)))).rejects.toMatchObject({
      exitCode: 2,
      message: 'the workbook has a sheet with 37748736 bytes of tables, more than 33554432',
    });
  });

  // Reading six million texts takes two seconds.
  it.runIf(process.env.CI)(
    'is rejected as soon as its shared texts take too much memory, even if all of them are empty',
    async () => {
      const parts = { strings: '<si/>'.repeat(5_800_000) };
      await expect(readData(row('<c><v>1</v></c>'), parts)).rejects.toMatchObject({
        exitCode: 2,
        message: 'the workbook has too many different texts',
        hint: 'Save the sheet as CSV.',
      });
    },
  );

  it('is rejected as soon as its rows repeat too much text', async () => {
    const strings = `<si><t>${'a'.repeat(32_767)}</t></si>`;
    const book = workbook([{ name: 'Sheet1', data: row('<c t="s"><v>0</v></c>').repeat(4_200) }], { strings });
    await expect(convertSheet(book, undefined)).rejects.toMatchObject({
      exitCode: 2,
      message: 'the workbook has more than 128 MiB of text in the sheet',
    });
  });
});
