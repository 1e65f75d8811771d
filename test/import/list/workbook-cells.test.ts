import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { type SheetParts, type WorkbookParts, workbook } from '../../helpers/workbook.ts';
import { problemsOf, readListText, valuesOf } from './read-list.ts';

const text = (value: string, attributes = '') => `<c ${attributes} t="inlineStr"><is><t>${value}</t></is></c>`;
const row = (...cells: string[]) => `<row>${cells.join('')}</row>`;
const HEADER = row(...['userId', 'role', 'department', 'isActive'].map((name) => text(name)));

/** A list with these rows below a header of userId, role, department, and isActive. */
function list(rows: string, parts: WorkbookParts = {}, sheet: Partial<SheetParts> = {}): Buffer {
  return workbook([{ name: 'Team', data: HEADER + rows, ...sheet }], parts);
}

/** The user ID that arrives for a cell, or what is wrong with it. */
async function idOf(cell: string, parts?: WorkbookParts): Promise<string> {
  const { rows } = await readListText(list(row(cell, text('m')), parts));
  return rows[0]?.member?.userId ?? rows[0]?.issues[0]?.message ?? 'no row';
}

/** The lines, fields, and cells of the issues: `line 2: department: C2`. */
async function cellsOf(book: Uint8Array): Promise<string[]> {
  return (await problemsOf(book)).map((problem) => problem.split(' is ')[0] ?? '');
}

describe('a number in the column of the user IDs', () => {
  it.each([
    ['General', '1042', '1042'],
    ['@', '1042', '1042'],
    ['0', '1042', '1042'],
    ['General', '123456789012345', '123456789012345'],
    ['General', '1.5E+3', '1500'],
    ['General', '-7', '-7'],
    ['00000', '42', '00042'],
    ['00000', '-42', '-00042'],
    ['00000', '1234567', '1234567'],
    ['00000;-00000;;@', '42', '00042'],
    ['"EMP-"00000', '42', 'EMP-00042'],
    ['"EMP-"0', '42', 'EMP-42'],
    ['"EMP-"#', '42', 'EMP-42'],
    ['"EMP-"General', '42', 'EMP-42'],
    ['\\E\\M\\P\\-000', '42', 'EMP-042'],
    ['000-00-0000', '12345678', '012-34-5678'],
    ['00000\\-0000', '123456789', '12345-6789'],
    ['000"-X"', '42', '042-X'],
    ['[Red]0', '42', '42'],
    ['[$-409]00000', '42', '00042'],
    ['0_);[Red]\\(0\\)', '42', '42'],
    [1, '42', '42'],
    [49, '42', '42'],
    // A number of a format that depends on the language has a code of its own.
    [164, '42', '42'],
  ])('counts as its format shows it: %s of %s is %s', async (format, saved, id) => {
    expect(await idOf(`<c s="1"><v>${saved}</v></c>`, { formats: [format] })).toBe(id);
  });

  it.each([
    ['yyyy-mm-dd', '46307', 'is a date'],
    [14, '46307', 'is a date'],
    [57, '46307', 'is a date'],
    ['d-mmm', '46307', 'is a date'],
    ['[$-411]ggge"年"m"月"d"日"', '46307', 'is a date'],
    ['General', '1234567890123456', 'has more than 15 digits'],
    ['0', '1.234567890123457e+18', 'has more than 15 digits'],
    ['"EMP-"0', '1234567890123456', 'has more than 15 digits'],
    ['General', '1001.5', 'is a number with a fraction'],
    ['0', '1001.5', 'is a number with a fraction'],
    ['#,##0', '1042', 'is shown differently by its number format'],
    [3, '1042', ''],
    ['0.00', '1042', ''],
    ['0%', '1042', ''],
    [11, '1042', ''],
    ['# ?/?', '1042', ''],
    ['[>999]"L"0;0', '1042', ''],
    ['[DBNum1]0', '1042', ''],
    ['h:mm', '0.5', ''],
    ['*x0', '1042', ''],
    [';;;', '1042', ''],
    ['"none"', '1042', ''],
    ['0,', '1042', ''],
  ])('makes its row invalid if it is not what was typed: %s of %s %s', async (format, saved, issue) => {
    expect(await idOf(`<c s="1"><v>${saved}</v></c>`, { formats: [format] })).toContain(`userId: A2 ${issue}`);
  });

  it('is read by the code of its format, even if that has the number of a date', async () => {
    expect(await idOf('<c s="1"><v>42</v></c>', { formats: [{ id: 14, code: '00000' }] })).toBe('00042');
    expect(await idOf('<c s="1"><v>42</v></c>', { formats: [{ id: 56, code: '"h"0' }] })).toBe('h42');
  });

  it('is a text if it was typed as text, whatever it looks like', async () => {
    for (const typed of ['10-12', '2026-10-12', '1234567890123456', '1001.5'])
      expect(await idOf(text(typed, 's="1"'), { formats: [14] })).toBe(typed);
  });
});

describe('a text with a number format', () => {
  it('counts as the format shows it', async () => {
    expect(await idOf(text('007', 's="1"'), { formats: ['"EMP-"@'] })).toBe('EMP-007');
    expect(await idOf(text('007', 's="1"'), { formats: ['0;-0;;"EMP-"@'] })).toBe('EMP-007');
  });

  it('is the word that its format shows instead, but not as an ID', async () => {
    const parts = { formats: ['0;0;0;"member"'] };
    expect(await valuesOf(list(row(text('u'), text('admin', 's="1"')), parts))).toEqual([
      { userId: 'u', role: 'member' },
    ]);
    expect(await idOf(text('007', 's="1"'), parts)).toMatch(/userId: A2 is shown differently/);
  });

  it('makes its row invalid if the format hides the ID', async () => {
    expect(await idOf(text('007', 's="1"'), { formats: [';;;'] })).toMatch(/userId: A2 is /);
  });
});

describe('a number in another column', () => {
  it('counts as its format of digits shows it, or as it is, and a date in ISO 8601', async () => {
    const departments = [
      's="1"><v>42</v>',
      's="2"><v>46307.5</v>',
      's="3"><v>1042</v>',
      '><v>1.5</v>',
      't="d"><v>2026-10-12T00:00:00Z</v>',
    ];
    const rows = departments.map((cell, at) => row(text(`u${at}`), text('m'), `<c ${cell}</c>`)).join('');
    const values = await valuesOf(list(rows, { formats: ['"D-"000', 'd-mmm', '#,##0'] }));
    expect(values.map((value) => (value as { department: string }).department)).toEqual([
      'D-042',
      '2026-10-12T12:00:00',
      '1042',
      '1.5',
      '2026-10-12',
    ]);
  });

  it('is the word that its format shows instead', async () => {
    const rows = ['1', '0', '-1'].map((saved) =>
      row(text(`u${saved}`), text('m'), '<c/>', `<c s="1"><v>${saved}</v></c>`),
    );
    const values = await valuesOf(list(rows.join(''), { formats: ['"inactive";"no";"active"'] }));
    expect(values.map((value) => (value as { isActive: boolean }).isActive)).toEqual([false, true, false]);
  });

  it('is a date from 1904 in a workbook that counts from there', async () => {
    const rows = row(text('u'), text('m'), '<c s="1"><v>44845</v></c>');
    expect(await valuesOf(list(rows, { formats: [14], isFrom1904: true }))).toEqual([
      { userId: 'u', role: 'm', department: '2026-10-12' },
    ]);
  });
});

describe('a formula', () => {
  it.each([
    ['without a value', '<c><f>UPPER("it")</f></c>'],
    ['with an empty value', '<c><f>UPPER("it")</f><v></v></c>'],
    ['with an empty value of a boolean', '<c t="b"><f>FALSE()</f><v/></c>'],
    ['with an empty value of a shared text', '<c t="s"><f>A1</f><v/></c>'],
    ['of text without a value', '<c t="str"><f>A1</f></c>'],
    ['that is shared', '<c><f t="shared" si="0"/></c>'],
    ['for an array', '<c><f t="array" ref="C2">A1</f></c>'],
  ])('makes its row invalid %s', async (_, cell) => {
    expect(await cellsOf(list(row(text('u'), text('m'), cell)))).toEqual(['line 2: department: C2']);
  });

  it('counts with its saved result, which may be blank', async () => {
    const cells = [
      '<c t="str"><f>""</f><v></v></c>',
      '<c t="str"><f>A1</f><v/></c>',
      '<c t="str"><f>A1</f><v>it</v></c>',
    ];
    const rows = cells.map((cell, at) => row(text(`u${at}`), text('m'), cell)).join('');
    expect(await valuesOf(list(rows))).toEqual([
      { userId: 'u0', role: 'm' },
      { userId: 'u1', role: 'm' },
      { userId: 'u2', role: 'm', department: 'it' },
    ]);
  });

  it('makes its row invalid if the workbook asks Excel to calculate again', async () => {
    const cells = ['<c t="str"><f>A1</f><v>it</v></c>', '<c><f t="shared" si="0"/><v>7</v></c>', text('hr')];
    const rows = cells.map((cell, at) => row(text(`u${at}`), text('m'), cell)).join('');
    expect(await problemsOf(list(rows, { fullCalcOnLoad: true }))).toEqual([
      'line 2: department: C2 is a formula without a saved result (open the workbook in Excel and save it)',
      'line 3: department: C3 is a formula without a saved result (open the workbook in Excel and save it)',
    ]);
  });

  it('makes all rows invalid for which it has results, which are cells of their own or missing', async () => {
    const rows =
      row(text('u0'), text('m'), '<c><f t="array" ref="C2:C4">ROW()</f></c>') +
      row(text('u1'), text('m'), '<c><v>0</v></c>') +
      row(text('u2'), text('m')) +
      row(text('u3'), text('m'));
    expect(await cellsOf(list(rows))).toEqual([
      'line 2: department: C2',
      'line 3: department: C3',
      'line 4: department: C4',
    ]);
  });

  it('makes a row invalid that has only one of its results, which is out of date', async () => {
    const rows =
      row('<c><f t="array" ref="A2:A3">ROW()</f><v>0</v></c>', text('m')) +
      row('<c><v>7</v></c>') +
      row(text('u'), text('m'));
    expect(await cellsOf(list(rows, { fullCalcOnLoad: true }))).toEqual([
      'line 2: userId: A2',
      'line 3: userId: A3',
      'line 3: role',
    ]);
  });

  it('does not matter in a column that orgadm does not read', async () => {
    const rows = row(text('u'), text('m'), '<c><f>A1</f></c>');
    expect(await valuesOf(list(rows), { omit: ['department'], defaults: { isActive: 'true' } })).toEqual([
      { userId: 'u', role: 'm', isActive: true },
    ]);
  });

  it('is the only content of a row that is no blank row', async () => {
    expect(await cellsOf(list(row('<c><f>A1</f></c>')))).toEqual(['line 2: userId: A2', 'line 2: role']);
  });

  it('that failed is no value, whatever the error is called', async () => {
    const errors = ['#N/A', '#DIV/0!', '#GETTING_DATA', '#BUSY!', '#PYTHON!', '#EXTERNAL!'];
    const rows = errors.map((error, at) => row(text(`u${at}`), text('m'), `<c t="e"><f>A1</f><v>${error}</v></c>`));
    expect(await problemsOf(list(rows.join('')))).toEqual(
      errors.map((error, at) => expect.stringContaining(`line ${at + 2}: department: "${error}" `)),
    );
    const valueMap = { department: { '#n/a': 'none' } };
    expect(await valuesOf(list(rows[0] ?? ''), { valueMap })).toEqual([
      { userId: 'u0', role: 'm', department: 'none' },
    ]);
  });
});

describe('a cell without a value', () => {
  it.each(['n', 's', 'b', 'str', 'e', 'd', 'inlineStr'])('is blank whatever its type says: %s', async (type) => {
    const strings = '<si><t>wrong</t></si>';
    for (const value of ['', '<v/>', '<v></v>', '<v>\n</v>']) {
      const rows = row(text('u'), text('m'), `<c t="${type}">${value}</c>`, `<c t="${type}">${value}</c>`);
      expect(await valuesOf(list(rows, { strings }))).toEqual([{ userId: 'u', role: 'm' }]);
    }
  });
});

describe('a boolean', () => {
  it.each(['1', 'true', 'TRUE'])('is true as programs write it: %s', async (saved) => {
    const rows = row(text('u'), text('m'), '<c/>', `<c t="b"><v>${saved}</v></c>`);
    expect(await valuesOf(list(rows))).toEqual([{ userId: 'u', role: 'm', isActive: true }]);
  });
});

describe('the text of a cell', () => {
  const READING = '<rPh sb="0" eb="2"><t>ジンジ</t></rPh><phoneticPr fontId="1"/>';

  it.each([
    ['shared', '<c t="s"><v>0</v></c>'],
    ['inline', `<c t="inlineStr"><is><r><t>人</t></r><r><rPr><b/></rPr><t>事</t></r>${READING}</is></c>`],
  ])('is joined from its runs without their readings: %s', async (_, cell) => {
    const strings = `<si><r><t>人</t></r><r><rPr><b/></rPr><t>事</t></r>${READING}</si>`;
    expect(await valuesOf(list(row(text('u'), text('m'), cell), { strings }))).toEqual([
      { userId: 'u', role: 'm', department: '人事' },
    ]);
  });

  it('is that of <is> for an inline text, and that of <v> for others', async () => {
    const rows =
      row(text('u0'), text('m'), '<c t="inlineStr"><v>wrong</v><is><t>it</t></is></c>') +
      row(text('u1'), text('m'), '<c t="str"><is><t>wrong</t></is><v>it</v></c>');
    expect(await valuesOf(list(rows))).toEqual([
      { userId: 'u0', role: 'm', department: 'it' },
      { userId: 'u1', role: 'm', department: 'it' },
    ]);
  });
});

describe('a merged cell', () => {
  const merged = (...ranges: string[]) => ({
    after: `<mergeCells>${ranges.map((range) => `<mergeCell ref="${range}"/>`).join('')}</mergeCells>`,
  });
  const people = (...departments: string[]) =>
    departments.map((department, at) => row(text(`u${at}`), text('m'), department, '<c t="b"><v>1</v></c>')).join('');
  const departmentsOf = async (book: Buffer) =>
    (await valuesOf(book)).map((value) => (value as { department?: string }).department);

  it('has its value in each of its rows, also over what its other cells contain', async () => {
    const book = list(people(text('it'), '<c/>', text('hidden'), text('hr')), {}, merged('C2:C4'));
    expect(await departmentsOf(book)).toEqual(['it', 'it', 'it', 'hr']);
    const { check } = await readListText(book);
    expect(check.warnings).toEqual(['the value of a merged cell counts in each of its rows: C2:C4']);
  });

  it('has its value only in its first column', async () => {
    const rows = row(text('u0'), text('m'), text('it'), text('yes')) + row(text('u1'), text('m'));
    expect(await valuesOf(list(rows, {}, merged('C2:D3')))).toEqual([
      { userId: 'u0', role: 'm', department: 'it' },
      { userId: 'u1', role: 'm', department: 'it' },
    ]);
  });

  it('makes its rows invalid in the column of the user IDs', async () => {
    const rows = row(text('u0'), text('m')) + row('<c/>', text('m')) + row(text('u2'), text('m'));
    expect(await problemsOf(list(rows, {}, merged('A2:A3')))).toEqual([
      'line 2: userId: A2 is a merged cell (unmerge it, so that each person has an ID)',
      'line 3: userId: A3 is a merged cell (unmerge it, so that each person has an ID)',
    ]);
  });

  it('makes a row invalid whose user ID is a title over several columns', async () => {
    const rows = row(text('Sales')) + row(text('u0'), text('m'));
    expect((await problemsOf(list(rows, {}, merged('A2:D2'))))[0]).toContain('line 2: userId: A2 is a merged cell');
  });

  it('does not make rows of blank ones', async () => {
    expect(await departmentsOf(list(people(text('it'), '<c/>'), {}, merged('C2:C9')))).toEqual(['it', 'it']);
    expect(await departmentsOf(list(people('<c/>', '<c/>'), {}, merged('C2:C3')))).toEqual([undefined, undefined]);
  });

  it('counts for the second line of a header', async () => {
    const data =
      row(text('userId'), text('role'), text('Work')) +
      row('<c/>', '<c/>', text('department')) +
      row(text('u0'), text('m'), text('it'));
    const book = workbook([{ name: 'Team', data, ...merged('A1:A2', 'B1:B2') }]);
    expect(await valuesOf(book, { headerRow: 2 })).toEqual([{ userId: 'u0', role: 'm', department: 'it' }]);
  });

  it('makes all of its rows invalid if it is a formula without a saved result', async () => {
    expect(await cellsOf(list(people('<c><f>A1</f></c>', '<c/>'), {}, merged('C2:C3')))).toEqual([
      'line 2: department: C2',
      'line 3: department: C3',
    ]);
  });

  it('is not reported in a column that orgadm does not read', async () => {
    const book = list(people(text('it'), '<c/>'), {}, merged('C2:C3'));
    expect((await readListText(book, { omit: ['department'] })).check.warnings).toEqual([]);
  });
});

describe('a hidden row', () => {
  const hidden = (attributes: string, ...cells: string[]) => `<row ${attributes}>${cells.join('')}</row>`;

  it.each(['hidden="1"', 'hidden="true"', 'ht="0" customHeight="1"'])('is invalid: %s', async (attributes) => {
    const rows = hidden(attributes, text('u0'), text('m')) + row(text('u1'), text('m'));
    expect(await problemsOf(list(rows))).toEqual(['line 2: hidden in the sheet (show the row, or delete it)']);
  });

  it('without a value is a blank row', async () => {
    expect(await problemsOf(list(hidden('hidden="1"', '<c s="1"/>') + row(text('u1'), text('m'))))).toEqual([]);
  });

  it('does not make a visible row with its user ID a duplicate', async () => {
    const rows = hidden('hidden="1"', text('u0'), text('old')) + row(text('u0'), text('new'));
    expect(await valuesOf(list(rows))).toEqual([undefined, { userId: 'u0', role: 'new' }]);
  });
});

describe('a second list in a workbook', () => {
  it('has no user ID for a person whose ID is a date, has more than 15 digits, or is in a hidden row', async () => {
    const data =
      row(text('mail'), text('id')) +
      row(text('a@x.org'), text('u1')) +
      row(text('b@x.org'), '<c s="1"><v>46307</v></c>') +
      row(text('c@x.org'), '<c><v>1234567890123456</v></c>') +
      `<row hidden="1">${text('d@x.org')}${text('u4')}</row>`;
    const file = path.join(temporaryFolder(), 'ids.xlsx');
    await writeFile(file, workbook([{ name: 'IDs', data }], { formats: [14] }));
    const lookups = { userId: { file, from: 'mail', to: 'id' } };
    const people = 'userId,role\na@x.org,m\nb@x.org,m\nc@x.org,m\nd@x.org,m\n';
    expect(await valuesOf(people, { lookups })).toEqual([{ userId: 'u1', role: 'm' }, undefined, undefined, undefined]);
    expect(await problemsOf(people, { lookups })).toEqual([
      expect.stringMatching(/^line 3: userId: "b@x\.org" has no "id" in ids\.xlsx: B3 /),
      expect.stringMatching(/^line 4: userId: "c@x\.org" has no "id" in ids\.xlsx: B4 has more than 15 digits/),
      'line 5: userId: "d@x.org" is not in ids.xlsx',
    ]);
  });
});

describe('a hidden column', () => {
  it.each(['hidden="1"', 'width="0" customWidth="1"'])('is read, and named: %s', async (attributes) => {
    const sheet = { before: `<cols><col min="3" max="4" ${attributes}/></cols>` };
    const { check, rows } = await readListText(list(row(text('u0'), text('m'), text('it')), {}, sheet));
    expect(rows[0]?.member).toEqual({ userId: 'u0', role: 'm', department: 'it' });
    expect(check.warnings).toEqual(['orgadm reads "department", "isActive", although the sheet hides the columns']);
  });

  it('is not named if orgadm does not read it', async () => {
    const sheet = { before: '<cols><col min="3" max="3" hidden="1"/></cols>' };
    const book = list(row(text('u0'), text('m'), text('it')), {}, sheet);
    expect((await readListText(book, { omit: ['department'] })).check.warnings).toEqual([]);
  });
});
