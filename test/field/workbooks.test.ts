import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCommandRunner } from '../helpers/service-run.ts';
import { type SheetParts, type WorkbookParts, workbook } from '../helpers/workbook.ts';
import { describeFieldLists, type FieldList, importList, pathOf } from './field-lists.ts';

const employee = (userId: string, others: object = {}) => ({ userId, role: 'employee', ...others });

const LISTS: FieldList[] = [
  {
    list: 'furigana/members.xlsx',
    sees: '人事 and 情報システム, with their readings above them in small print',
    does: 'sends the words without the readings',
    sent: [employee('usr_0001', { department: '人事' }), employee('usr_0002', { department: '情報システム' })],
    said: ['sheet "Sheet1"'],
  },
  {
    list: 'merged-cells/team.xlsx',
    sees: 'one department next to three people, and another one next to two',
    does: 'sends it for each of them, and says so',
    sent: [
      ...['usr_0001', 'usr_0002', 'usr_0003'].map((id) => employee(id, { department: 'it', isActive: true })),
      ...['usr_0004', 'usr_0005'].map((id) => employee(id, { department: 'hr', isActive: true })),
    ],
    said: ['the value of a merged cell counts in each of its rows: C2:C4, C5:C6'],
  },
  {
    list: 'filtered-rows/team.xlsx',
    sees: 'three people, because a filter hides two',
    does: 'rejects the hidden rows',
    said: ['line 3: hidden in the sheet', 'line 5: hidden in the sheet', '--invalid skip'],
  },
  {
    list: 'filtered-rows/team.xlsx',
    args: ['--invalid', 'skip'],
    sees: 'three people, because a filter hides two',
    does: 'sends the visible ones with --invalid skip',
    code: 3,
    sent: ['usr_0001', 'usr_0003', 'usr_0005'].map((id) => employee(id, { isActive: true })),
  },
  {
    list: 'two-sheets/offices.xlsx',
    sees: 'two sheets, one for each office',
    does: 'lists the sheets, and asks for the name of one',
    said: ['has 2 sheets with rows: "Berlin" (2 rows), "Munich" (3 rows)', `offices.xlsx --sheet '<sheet>' --dry-run`],
  },
  {
    list: 'two-sheets/offices.xlsx',
    args: ['--sheet', 'munich'],
    sees: 'two sheets, one for each office',
    does: 'reads the one that --sheet names',
    sent: [employee('usr_0002'), { userId: 'usr_0003', role: 'admin' }],
    said: ['sheet "Munich"'],
  },
  {
    list: 'two-sheets/readme-first.xlsx',
    sees: 'a sheet with instructions before the list',
    does: 'lists the sheets, and asks for the name of one',
    said: ['"Read me" (1 row), "Members" (2 rows)'],
  },
  {
    list: 'cover-sheet/export-summary.xlsx',
    sees: 'a summary, as Numbers adds it, before the list',
    does: 'lists the sheets, and asks for the name of one',
    said: ['"Export Summary" (4 rows), "Team" (2 rows)'],
  },
  {
    list: 'cover-sheet/blank-cover.xlsx',
    sees: 'a blank sheet before the only one with rows',
    does: 'reads the one with rows, and names it',
    sent: [employee('usr_0001')],
    said: ['sheet "Team"'],
  },
  ...['unsaved-formulas/exceljs.xlsx', 'unsaved-formulas/openpyxl.xlsx', 'unsaved-formulas/sheetjs.xlsx'].map(
    (list) => ({
      list,
      args: ['--ignore-extra-columns'],
      sees: 'IT and FALSE, which Excel calculates from formulas whose results were never saved',
      does: 'rejects the row with the cells',
      said: ['line 2: department: C2 is a formula', 'isActive: D2 is a formula'],
    }),
  ),
  {
    list: 'ids-as-dates/team.xlsx',
    sees: 'a date where 10-12 was typed, and IDs of 19 digits whose last digits Excel has replaced by zeros',
    does: 'rejects the rows with each reason',
    said: [
      'line 2: userId: A2 is a date',
      'line 4: userId: A4 has more than 15 digits',
      'line 5: userId: A5 has more',
      'make the column with the IDs a text column first',
    ],
  },
  {
    list: 'ids-as-dates/team.xlsx',
    args: ['--invalid', 'skip'],
    sees: 'an ID that looks like a date, but is text',
    does: 'sends the text',
    code: 3,
    sent: [employee('10-13', { department: '2026-03-01' })],
  },
  {
    list: 'prefilled-template/template.xlsx',
    sees: 'one person, and 300 rows with a role and no ID',
    does: 'rejects those rows in one line',
    said: ['300 invalid: userId is missing (lines 3, 4, 5, 6, 7, …)'],
  },
  {
    list: 'prefilled-template/template.xlsx',
    args: ['--invalid', 'skip'],
    sees: 'one person, and 300 rows with a role and no ID',
    does: 'sends the person with --invalid skip',
    code: 3,
    sent: [{ userId: 'usr_0001', role: 'admin', isActive: true }],
  },
];

const text = (content: string) => `<c t="inlineStr"><is><t>${content}</t></is></c>`;
const total = (formula: string, result: number) => `<c><f>${formula}</f><v>${result}</v></c>`;
const sharedTotal = '<c><f t="shared" si="0"/><v>2</v></c>';
const row = (...cells: string[]) => `<row>${cells.join('')}</row>`;
const rowsOf = (...rows: string[]) => rows.map((names) => row(...names.split(',').map(text))).join('');

/** A workbook with these rows below a header of userId, role, department, and isActive. */
function team(rows: string, sheet: Partial<SheetParts> = {}, parts: WorkbookParts = {}) {
  return [
    'team.xlsx',
    workbook([{ name: 'Team', data: rowsOf('userId,role,department,isActive') + rows, ...sheet }], parts),
  ] as const;
}

const TWO_PEOPLE = rowsOf('101,employee,it', '102,employee,hr');
const BOTH_SENT = [employee('101', { department: 'it' }), employee('102', { department: 'hr' })];
const SKIP = ['--invalid', 'skip'];
const PIVOT =
  '<pivotTableDefinition rowGrandTotals="1"><location ref="A1:C3" firstDataRow="1"/></pivotTableDefinition>';

const TOTALS: FieldList[] = [
  {
    list: team(TWO_PEOPLE + row(total('SUBTOTAL(103,Table1[userId])', 2), text('2'), text('')), {
      summaries: ['<table ref="A1:C4" totalsRowCount="1"/>'],
    }),
    sees: 'the number of people in the totals row of a table',
    does: 'rejects the row',
    said: ['line 4: userId: A4 is a total, not a person'],
  },
  {
    list: team(TWO_PEOPLE + rowsOf('Total,2,2', 'Average,1,1'), {
      summaries: ['<table ref="A1:C5" totalsRowCount="2"/>'],
    }),
    args: SKIP,
    sees: 'words and numbers in two totals rows of a table',
    does: 'sends the people above them with --invalid skip',
    code: 3,
    sent: BOTH_SENT,
    said: ['line 4: userId: A4 is in the totals row of a table, so it is not a person', 'line 5: userId: A5'],
  },
  ...[
    '<table ref="A1:C4"/>',
    '<table ref="A1:C4" totalsRowCount="0" totalsRowShown="1"/>',
    '<table ref="F1:G4" totalsRowCount="1"/>',
  ].map((table) => ({
    list: team(TWO_PEOPLE + rowsOf('Total,employee,it'), { summaries: [table] }),
    sees: 'a person in the last row of a table without totals, or next to those of another one',
    does: 'sends the person',
    sent: [...BOTH_SENT, employee('Total', { department: 'it' })],
  })),
  ...[
    ['SUBTOTAL(3,B2:B3)', 'that the menu for subtotals adds'],
    ['SUBTOTAL(109,Table1[userId])', 'of a table that is none any more'],
    ['_xlfn.AGGREGATE(3,5,B2:B3)', 'without the rows that a filter hides'],
    [' +subtotal(3,B2:B3)', 'that someone has typed'],
    ['COUNTA(A2:A3)', 'that counts the cells of its column'],
    ['COUNT($A$2:$A$3)', 'that counts the numbers of its column'],
    ['SUM(A2:A3)', 'that adds up its column'],
    ['AVERAGE(A2:A3)', 'that is the average of its column'],
    ['COUNTIF(A2:A3,"*")', 'that counts the texts of its column'],
    ['COUNTA(Table1[userId])', 'that counts a column of a table'],
    ['COUNTIF(Table1[isActive],"yes")', 'that counts some rows of a table'],
    ['ROWS(Table1)', 'that counts the rows of a table'],
  ].map(([formula = '', kind = '']) => ({
    list: team(TWO_PEOPLE + row(total(formula, 2), text('employee'))),
    args: SKIP,
    sees: `a total ${kind}: ${formula}`,
    does: 'sends only the people',
    code: 3,
    sent: BOTH_SENT,
    said: ['line 4: userId: A4'],
  })),
  {
    list: team(TWO_PEOPLE + row(text('Total'), total('COUNTA(B2:B3)', 2), sharedTotal), {}),
    sees: 'a total in the column of the role, next to a word',
    does: 'rejects the row',
    said: ['line 4: role: B4'],
  },
  {
    list: team(
      TWO_PEOPLE + row('<c><f t="shared" ref="A4:B4" si="0">COUNTA(A2:A3)</f><v>2</v></c>', sharedTotal, text('')),
    ),
    args: [
      '--map',
      'userId=role',
      '--default',
      'role=employee',
      '--omit',
      'department',
      '--ignore-extra-columns',
      '--default',
      'isActive=true',
    ],
    sees: 'a total that was copied to the column of the user IDs',
    does: 'rejects the row',
    said: ['line 4: userId (column "role"): B4'],
  },
  {
    list: team(
      [
        'INDEX(Staff!A:A,AGGREGATE(15,6,ROW(A1:A9)/(Staff!B1:B9="x"),1))',
        'COUNTA(A$1:A2)+100',
        'SUM(A3,1)',
        'COUNTA(B$2:B4)',
        'TEXT(SUMPRODUCT(A2:A3),"0")',
        'ROWS(A$2:A7)',
        'ROW()-ROW(Table1[#Headers])',
        'COUNTIF(Table1[role],Table1[[#This Row],[role]])',
      ]
        .map((formula, at) => row(total(formula.replaceAll('<', '&lt;'), 101 + at), text('employee')))
        .join(''),
    ),
    sees: 'IDs that formulas look up, or count up from row to row',
    does: 'sends them',
    sent: ['101', '102', '103', '104', '105', '106', '107', '108'].map((id) => employee(id)),
  },
  {
    list: team(
      ['COUNTIF(Staff,A2)', 'COUNTIF(Table2[ID],A3)', 'COUNTIF(Table2[ID],Table1[[#This Row],[userId]])']
        .map((formula, at) => row(text(`u${at + 1}`), text('employee'), text('it'), total(formula, at % 2)))
        .join(''),
    ),
    sees: 'a status that a formula finds in another list, as 1 or 0',
    does: 'sends it',
    sent: [false, true, false].map((isActive, at) => employee(`u${at + 1}`, { department: 'it', isActive })),
  },
  {
    list: team(TWO_PEOPLE.replaceAll(text('it'), total('SUBTOTAL(3,B$2:B2)', 1))),
    args: ['--omit', 'department', '--default', 'isActive=true'],
    sees: 'people whose rows are numbered by a formula, in a column that orgadm does not read',
    does: 'sends them',
    sent: ['101', '102'].map((id) => employee(id, { isActive: true })),
  },
  {
    list: team(TWO_PEOPLE, { summaries: [PIVOT] }),
    sees: 'a pivot table, whose groups and totals look like people',
    does: 'rejects each of its rows',
    said: ['line 2: userId: A2 is in a pivot table', 'line 3: userId: A3 is in a pivot table'],
  },
  {
    list: team(TWO_PEOPLE, { summaries: [PIVOT.replace('A1:C3', 'F1:G3')] }),
    sees: 'a pivot table next to the list',
    does: 'sends the people in the list',
    sent: BOTH_SENT,
  },
];

const STRIKE = { font: '<strike/>' };
/** A text in the first cell style. */
const styled = (content: string) => text(content).replace('<c', '<c s="1"');
const struckRun = (strike: string) =>
  `<r><rPr>${strike}</rPr><t>admin</t></r><r><t xml:space="preserve"> employee</t></r>`;
const third = (...cells: string[]) => TWO_PEOPLE + row(...cells);
const THIRD = third(text('103'), text('employee'), text('it'));
const STRUCK_ROW = rowsOf('103,employee,it').replace('<row', '<row s="1" customFormat="1"');
const ALL_SENT = [...BOTH_SENT, employee('103', { department: 'it' })];

const STRUCK_OUT: FieldList[] = [
  {
    list: team(third(styled('103'), styled('employee'), styled('it')), {}, STRIKE),
    args: SKIP,
    sees: 'a person who is struck out, as people who have left are',
    does: 'sends the others',
    code: 3,
    sent: BOTH_SENT,
    said: ['line 4: userId: A4 is struck out in the sheet (remove the line through it, or delete the row); role: B4'],
  },
  ...[styled('employee'), '<c s="1" t="str"><f>A1</f><v>employee</v></c>', '<c s="1" t="b"><v>1</v></c>'].map(
    (cell) => ({
      list: team(third(text('103'), cell), {}, STRIKE),
      sees: 'a role that is struck out',
      does: 'rejects the row',
      said: ['line 4: role: B4'],
    }),
  ),
  ...[
    ['shared', '<c t="s"><v>0</v></c>'],
    ['inline', `<c t="inlineStr"><is>${struckRun('<b/><strike val="1"/>')}</is></c>`],
  ].map(([kind, cell = '']) => ({
    list: team(third(text('103'), cell), {}, { strings: `<si>${struckRun('<strike/>')}</si>` }),
    sees: `a role of which one word is struck out, in a text that is ${kind}`,
    does: 'rejects the row',
    said: ['line 4: role: B4'],
  })),
  {
    list: team(
      third(
        text('103'),
        '<c t="s"><v>1</v></c>',
        '<c t="inlineStr"><is><r><rPr><strike/></rPr><t> </t></r><r><rPr><strike val="0"/></rPr><t>it</t></r></is></c>',
      ),
      {},
      { strings: `<si>${struckRun('<strike/>')}</si><si><t>employee</t></si>` },
    ),
    sees: 'words that are not struck out, next to a struck space, and a struck text in no cell',
    does: 'sends the person',
    sent: ALL_SENT,
  },
  {
    list: team(third(styled('103'), styled('employee'), styled('it')), {}, { font: '<strike val="0"/>' }),
    sees: 'a person in a font that says that it is not struck out',
    does: 'sends the person',
    sent: ALL_SENT,
  },
  {
    list: team(THIRD + row(styled(''), styled(' '), '<c s="1"/>'), {}, STRIKE),
    sees: 'blank cells that are struck out',
    does: 'sends the people',
    sent: ALL_SENT,
  },
  {
    list: team(third(text('103'), text('employee'), styled('it')), {}, STRIKE),
    args: ['--omit', 'department', '--default', 'isActive=true'],
    sees: 'a struck department, which orgadm does not read',
    does: 'sends the person',
    sent: ['101', '102', '103'].map((id) => employee(id, { isActive: true })),
  },
  {
    list: team(
      rowsOf('101,employee').replace('</row>', `${styled('it')}</row>`) + rowsOf('102,employee'),
      { after: '<mergeCells><mergeCell ref="C2:C3"/></mergeCells>' },
      STRIKE,
    ),
    sees: 'a struck department next to two people',
    does: 'rejects both',
    said: ['line 2: department: C2', 'line 3: department: C3'],
  },
  {
    list: team(TWO_PEOPLE + STRUCK_ROW, {}, STRIKE),
    sees: 'a struck row, in programs in which its cells have its style',
    does: 'rejects the row',
    said: ['line 4: userId: A4'],
  },
  {
    list: team(THIRD, { before: '<cols><col min="2" max="9" style="1"/></cols>' }, STRIKE),
    sees: 'a struck column, in programs in which its cells have its style',
    does: 'rejects its rows',
    said: ['line 2: role: B2', 'line 4: role: B4'],
  },
  {
    list: team(
      (TWO_PEOPLE + STRUCK_ROW).replaceAll('<c ', '<c s="0" '),
      { before: '<cols><col min="1" max="9" style="1"/></cols>' },
      STRIKE,
    ),
    sees: 'people whose cells have a style of their own in a struck row and struck columns',
    does: 'sends them',
    sent: ALL_SENT,
  },
];

const run = (content: string, look = '') => `<r><rPr>${look}</rPr><t>${content}</t></r>`;
const SUPERSCRIPT = '<vertAlign val="superscript"/>';
const noted = (...runs: string[]) => `<c t="inlineStr"><is>${runs.join('')}</is></c>`;

const FOOTNOTES: FieldList[] = [
  ...[
    ['an ID', noted(run('103'), run('1', SUPERSCRIPT)), text('employee'), 'userId: A4'],
    ['an ID in a shared text', '<c t="s"><v>0</v></c>', text('employee'), 'userId: A4'],
    ['a role', text('103'), noted(run('employee'), run('a', SUPERSCRIPT)), 'role: B4'],
    [
      'a role, below the line',
      text('103'),
      noted(run('employee'), run('2', '<vertAlign val="subscript"/>')),
      'role: B4',
    ],
  ].map(([what, id = '', role = '', place]) => ({
    list: team(third(id, role), {}, { strings: `<si>${run('103')}${run('1', SUPERSCRIPT)}</si>` }),
    args: SKIP,
    sees: `the mark of a footnote next to ${what}`,
    does: 'sends the others, because 103¹ is not 1031',
    code: 3,
    sent: BOTH_SENT,
    said: [`line 4: ${place} has a superscript or subscript`],
  })),
  {
    list: team(
      third(
        noted(run('10', '<vertAlign val="baseline"/>'), run('3')),
        text('employee'),
        noted(run('it'), run(' ', SUPERSCRIPT)),
      ),
    ),
    sees: 'an ID in two fonts, and a raised space',
    does: 'sends the person',
    sent: ALL_SENT,
  },
];

const numbered = (number: string) => `<c s="1"><v>${number}</v></c>`;
const FALSE = '<c s="1" t="b"><v>0</v></c>';

describe('a long workbook with a title above its header', () => {
  const cli = createCommandRunner();

  it('is read from the header on', async () => {
    const title = row(text('Staff'));
    const people = Array.from({ length: 2_000 }, (_, at) => `usr_${10_000 + at},employee,${'x'.repeat(40)}`);
    const list = workbook([{ name: 'Team', data: title + rowsOf('userId,role,department', ...people) }]);
    const { sent, code, printed } = await importList(cli, ['team.xlsx', list], ['--header-row', '2']);
    expect({ code, sent: sent.length }, printed).toEqual({ code: 0, sent: 2_000 });
  });
});

const HIDDEN_VALUES: FieldList[] = [
  {
    list: team(third('<c><f>Staff!A4</f><v>0</v></c>', text('employee'), text('it'), text('true'))),
    sees: 'a 0 for an ID, because its formula refers to a blank cell',
    does: 'rejects the row',
    said: ['line 4: userId: A4 is a formula whose result is 0'],
  },
  {
    list: team(rowsOf('101,employee,it').replace('<row', '<row hidden="1"') + rowsOf('101,employee,hr')),
    args: SKIP,
    sees: 'one person, of whom a hidden row above has the ID, too',
    does: 'sends the person in the visible row',
    code: 3,
    sent: [employee('101', { department: 'hr' })],
    said: ['hidden in the sheet'],
    unsaid: ['duplicate'],
  },
  {
    list: team(
      TWO_PEOPLE +
        row(styled('103'), text('employee'), text('it')) +
        row(text('104'), styled('employee')) +
        row(text('105'), text('employee'), styled('it')) +
        row(text('106'), text('employee'), text('it'), FALSE) +
        row(text('107'), text('employee'), text('it'), '<c s="1" t="str"><f>A1</f><v>yes</v></c>') +
        row(text('108'), text('employee'), '<c s="1" t="d"><v>2026-10-12</v></c>', numbered('1')),
      {},
      { formats: [';;;'] },
    ),
    args: SKIP,
    sees: 'blank cells, because the format ;;; hides what is in them',
    does: 'sends only the people without one',
    code: 3,
    sent: BOTH_SENT,
    said: [
      'line 4: userId: A4 is hidden by its number format (choose the format "General" to see it)',
      'line 5: role: B5 is hidden',
      'line 6: department: C6 is hidden',
      'line 7: isActive: D7 is hidden',
      'line 8: isActive: D8 is hidden',
      'line 9: department: C9',
      'isActive: D9',
    ],
  },
  ...(
    [
      ['General;General;;@', numbered('0')],
      ['0;-0;', numbered('0')],
      ['0;;0', numbered('-1')],
      ['#', numbered('0')],
      ['[White]', numbered('1')],
      ['"";""', numbered('1')],
      ['_0;_0;_0', numbered('1')],
      ['* ;* ;* ', numbered('1')],
      ['0;0;0;', FALSE],
      ['[=1]"x";0;0;', FALSE],
      ['General;General;General;**', FALSE],
      ['0;0;0;" "', styled('no')],
    ] as const
  ).map(([format, cell]) => ({
    list: team(third(text('103'), text('employee'), text('it'), cell), {}, { formats: [format] }),
    sees: `a blank status, or one of asterisks, because a part of the format ${format} hides it`,
    does: 'rejects the row',
    said: ['line 4: isActive: D4'],
  })),
  ...(
    [
      ['General;General;;@', FALSE],
      ['0;-0;', styled('no')],
      [';0;0', numbered('0')],
      [';;;@', FALSE],
      ['', numbered('0')],
      ['[White]General', numbered('0')],
    ] as const
  ).map(([format, cell]) => ({
    list: team(third(text('103'), text('employee'), text('it'), cell), {}, { formats: [format] }),
    sees: `a status that the format ${format} shows, although it hides others`,
    does: 'sends it',
    sent: [...BOTH_SENT, employee('103', { department: 'it', isActive: false })],
  })),
  {
    list: team(third(text('103'), text('employee'), text('it'), FALSE), {}, { formats: ['0;0;0;"not "@'] }),
    sees: 'the words "not FALSE", because a format adds one of them',
    does: 'rejects the row',
    said: ['line 4: isActive: "not false" is not a boolean'],
  },
  {
    list: team(third(text('103'), text('employee'), text('it'), '<c><v>0</v></c>'), {
      before: '<sheetViews><sheetView showZeros="0" workbookViewId="0"/></sheetViews>',
    }),
    sees: 'a blank status in a sheet that does not show zeros',
    does: 'rejects the row',
    said: ['line 4: isActive: D4 is a zero, which the sheet does not show'],
  },
  {
    list: team(third(text('103'), text('employee'), styled('it')), {}, { formats: [';;;'] }),
    args: ['--omit', 'department', '--default', 'isActive=true'],
    sees: 'a blank department, which orgadm does not read',
    does: 'sends the person',
    sent: ['101', '102', '103'].map((id) => employee(id, { isActive: true })),
  },
];

const SECOND_HEADERS: FieldList[] = [
  {
    list: team(TWO_PEOPLE + rowsOf('Role,User ID,Department', 'employee,103,it')),
    args: SKIP,
    sees: 'two lists in one sheet, whose columns are in a different order',
    does: 'rejects both',
    said: ['line 4 is a second header, with its columns in another order: "Role", "User ID", "Department"'],
  },
];

const cli = createCommandRunner();

describeFieldLists('workbooks', LISTS);
describeFieldLists('second headers of a workbook', SECOND_HEADERS);
describeFieldLists('hidden values of a workbook', HIDDEN_VALUES);
describeFieldLists('struck text in a workbook', STRUCK_OUT);
describeFieldLists('footnotes of a workbook', FOOTNOTES);
describeFieldLists('totals of a workbook', TOTALS);

describe('a workbook with several sheets', () => {
  const OFFICES = pathOf('two-sheets/offices.xlsx');

  it('is saved in the mapping file with its sheet, and read with it again', async () => {
    const mapping = cli.file('mapping.json');
    const argv = ['people', 'bulk-add', OFFICES, '--dry-run'];
    await cli.plain([...argv, '--sheet', 'Munich', '--save-mapping', mapping]);
    expect(JSON.parse(readFileSync(mapping, 'utf8'))).toMatchObject({ options: { sheet: 'Munich' } });
    const { code, stdout } = await cli.plain([...argv, '--mapping', mapping]);
    expect({ code, sheet: stdout.split('\n')[0] }).toEqual({ code: 0, sheet: 'sheet: "Munich"' });
  });

  it('is read with a warning if the workbook hides the sheet that the option names', async () => {
    const people = {
      name: 'March',
      data: row(text('userId'), text('role')) + row(text('usr_1'), text('m')),
      hidden: true,
    };
    const list = cli.file('list.xlsx');
    writeFileSync(list, workbook([people, { ...people, name: 'April', hidden: false }]));
    const warning = 'orgadm reads the sheet "March", although the workbook hides it';
    const argv = ['people', 'bulk-add', list, '--dry-run', '--sheet'];
    expect((await cli.plain([...argv, 'March'])).stderr).toContain(warning);
    expect((await cli.plain([...argv, 'April'])).stderr).not.toContain('warning');
  });

  it('names its sheet in the JSON report', async () => {
    const { json } = await cli.plain(['people', 'bulk-add', OFFICES, '--dry-run', '--sheet', 'Berlin', '--json']);
    expect(json()).toMatchObject({ mapping: { sheet: 'Berlin' } });
  });

  it('is rejected as a second list, for which no option names the sheet', async () => {
    const list = pathOf('furigana/members.xlsx');
    const lookup = `userId=${OFFICES}:userId=role`;
    const { code, stderr } = await cli.plain(['people', 'bulk-add', list, '--lookup', lookup, '--dry-run']);
    expect(code).toBe(2);
    expect(stderr).toContain(
      `--lookup userId: ${OFFICES} has 2 sheets with rows: "Berlin" (2 rows), "Munich" (3 rows)`,
    );
    expect(stderr).toContain('hint: Save the right sheet as a file of its own.');
  });
});

describe('a sheet that shows something else than it holds', () => {
  const header = row(text('userId'), text('role'), text('isActive'));

  const importSheet = (bytes: Buffer, args?: string[]) => importList(cli, ['team.xlsx', bytes], args);

  it('is rejected where a condition of a number format shows 1 as another text', async () => {
    const data = header + row(text('u1'), text('employee'), '<c s="1"><v>1</v></c>');
    const formats = ['[=1]"left";[=0]"here"'];
    const { code, sent, printed } = await importSheet(workbook([{ name: 'Team', data }], { formats }));
    expect({ code, sent }, printed).toEqual({ code: 2, sent: [] });
    expect(printed).toContain('isActive: C2 is shown differently by its number format');
  });

  it('is rejected if it hides its header, unless an option names the line', async () => {
    const data = header.replace('<row>', '<row hidden="1">') + row(text('usr_1'), text('employee'));
    const list = workbook([{ name: 'Team', data }]);
    const { code, sent, printed } = await importSheet(list);
    expect({ code, sent }, printed).toEqual({ code: 2, sent: [] });
    expect(printed).toContain('the header in line 1 is hidden in the sheet\nhint: Show the row, or name the line');
    expect((await importSheet(list, ['--header-row', '1'])).sent).toEqual([employee('usr_1')]);
  });
});

describe('the table of workbooks', () => {
  it('has every workbook of the folder', () => {
    const files = readdirSync(join(import.meta.dirname, 'lists'), { recursive: true, encoding: 'utf8' });
    const workbooks = files.filter((file) => file.endsWith('.xlsx')).sort();
    expect([...new Set(LISTS.map(({ list }) => list))].sort()).toEqual(workbooks);
  });
});
