import { workbook } from '../helpers/workbook.ts';
import { describeFieldLists, type FieldList, pathOf } from './field-lists.ts';

const employee = (userId: string, others: object = {}) => ({ userId, role: 'employee', ...others });
const admin = (userId: string, others: object = {}) => ({ userId, role: 'admin', ...others });
const ACTIVE = { isActive: true };
const INACTIVE = { isActive: false };
const IGNORE = '--ignore-extra-columns';
const SKIP = ['--invalid', 'skip'];
const ALL = [IGNORE, '--active', 'all'];

/** A workbook with the columns userId, role, and department, and these cells in the row of one person, as XML. */
function teamOf(...cells: string[]): Buffer {
  const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`;
  const header = ['userId', 'role', 'department'].map(text).join('');
  return workbook([{ name: 'Team', data: `<row>${header}</row><row>${cells.join('')}</row>` }], {
    formats: ['00000', 14],
    font: '<strike/>',
  });
}
const ID = '<c t="inlineStr"><is><t>usr_1</t></is></c>';
const EMPLOYEE = '<c t="inlineStr"><is><t>employee</t></is></c>';

const COLUMNS: FieldList[] = [
  {
    list: ['ids.csv', 'User ID,ROLE,is_active\nu1,employee,yes\n'],
    sees: 'the names of the fields, in other cases and with separators',
    does: 'sends the person without an option',
    sent: [employee('u1', ACTIVE)],
  },
  {
    list: 'hidden-header-characters/people.csv',
    sees: 'userId, role, department',
    does: 'shows the hidden character in the name that it does not recognize',
    said: ['userId<U+200B>  usr_0001', '--map userId=<column>'],
  },
  {
    list: ['a.csv', 'usеrId,role\nu1,employee\n'],
    sees: 'userId, with a Cyrillic letter that looks like a Latin one',
    does: 'shows the letter',
    said: ['us<U+0435>rId'],
  },
  {
    list: ['a.csv', '"Login\nname",role\nu1,employee\n'],
    args: ['--map', 'userId=Login name', '--active', 'all'],
    sees: 'a name on two lines',
    does: 'knows the name with a space',
    sent: [employee('u1', ACTIVE)],
  },
  {
    list: ['a.csv', 'userId,role,departmnt\nu1,employee,it\n'],
    sees: 'a misspelled column',
    does: 'shows the column with a sample, and the options that decide about it',
    said: ['does not recognize this column of', 'departmnt  it', '--active <column>=<value>, or --active all', IGNORE],
  },
  {
    list: 'german-excel/a.csv',
    args: [
      '--encoding',
      'windows-1252',
      '--header-row',
      '2',
      '--map',
      'userId=Personalnr.',
      '--map',
      'role=Rolle',
      '--map',
      'department=Abteilung',
      '--active',
      'Aktiv=Ja',
      IGNORE,
    ],
    sees: 'a line for Excel, umlauts of Windows, Ja and Nein, and leading zeros',
    does: 'reads them with the options for each',
    sent: [
      { userId: '00017', role: 'Mitarbeiter', department: 'Büro Köln', isActive: true },
      { userId: '00018', role: 'Administrator', department: 'Straße', isActive: false },
    ],
  },
  {
    list: ['a.csv', ',userId,role\n0,u1,employee\n1,u2,employee\n'],
    args: ALL,
    sees: 'row numbers in a column without a name, as pandas writes them',
    does: 'ignores them with the option for columns that are no fields',
    sent: [employee('u1', ACTIVE), employee('u2', ACTIVE)],
  },
  {
    list: 'role-object/a.json',
    sees: 'a role as an object',
    does: 'names its inner values, each of which needs a decision',
    said: ['role.id    3, 4', 'role.name  admin, employee'],
  },
  {
    list: 'role-object/a.json',
    args: ['--map', 'role=role.name', '--active', 'isActive=true', IGNORE],
    sees: 'a role as an object',
    does: 'reads the inner value that the option names',
    sent: [admin('usr_0001', ACTIVE), employee('usr_0002', INACTIVE)],
  },
];

const VALUES: FieldList[] = [
  {
    list: 'scientific-ids/google.csv',
    sees: 'long IDs that Excel has shortened, two of them to the same text',
    does: 'rejects each with the reason',
    said: ['line 2: userId: "1.08123E+20" is a number that a spreadsheet has changed', 'line 4: userId: "1.08123E+20"'],
    unsaid: ['duplicate'],
  },
  {
    list: ['ids.csv', 'userId,role\n12E45,employee\n00123,employee\n2024-01-02,employee\n1.5E10x,employee\n'],
    sees: 'IDs with an E, with zeros, and one that looks like a date in text',
    does: 'sends them as they are',
    sent: ['12E45', '00123', '2024-01-02', '1.5E10x'].map((id) => employee(id)),
  },
  {
    list: ['ids.csv', 'userId,role\n1001.0,employee\nAda Berg,employee\n'],
    sees: 'an ID with a fraction, and a name in place of an ID',
    does: 'rejects them',
    said: ['line 2: userId: "1001.0" is a number', 'line 3: userId: "Ada Berg" contains a space'],
  },
  {
    list: 'json-numbers/people.json',
    args: SKIP,
    sees: 'IDs as numbers, one of them beyond 2^53',
    does: 'sends exactly the digits of the others',
    code: 3,
    sent: [employee('7', INACTIVE), employee('0007', { deviceMgmtLabelId: 12 }), admin('1'), admin('1000'), admin('0')],
    said: ['is a number with a fraction or beyond 2^53 (write it in quotes)'],
  },
  {
    list: 'null-placeholders/people.csv',
    args: ['--map-value', 'department:NULL=', '--map-value', 'department:n/a=', '--map-value', 'department:nan='],
    sees: 'NULL and its relatives instead of departments',
    does: 'rejects the one that is no word and that no option translates',
    said: ['line 5: department: "-" does not begin with a letter or a digit', '--map-value department:<value>='],
  },
  {
    list: ['a.csv', 'userId,role\nu1,NULL\nu2,-\nu3,Boss\n'],
    args: [
      '--map-value',
      'role:null=employee',
      '--map-value',
      'role:-=',
      '--default',
      'role=admin',
      '--map-value',
      'role:boss=admin',
    ],
    sees: 'people without a role, and what that means in the options',
    does: 'translates, and fills the role that is left blank',
    sent: [employee('u1'), admin('u2'), admin('u3')],
  },
  {
    list: 'powershell-objects/people.csv',
    sees: 'names of types instead of values',
    does: 'rejects the one that is no word, and so sends nothing',
    said: ['department: "@{Name=it; Id=4}" does not begin with a letter or a digit'],
  },
  {
    list: 'smart-quotes/people.csv',
    sees: 'typographic quotation marks around cells',
    does: 'rejects the row that has too many cells because of them',
    said: ['line 3: the row has 4 cells, but the header has 3'],
  },
  {
    list: 'no-break-spaces/departments.csv',
    sees: 'two people in Human Resources',
    does: 'sends one department, with an ordinary space',
    sent: [1, 2].map((n) => employee(`usr_000${n}`, { department: 'Human Resources' })),
  },
  {
    list: ['a.csv', 'userId,role,department\nusr\u200b_1,employee,it\nu2,emplo\ufeffyee,it\nu3,employee,i\u0007t\n'],
    sees: 'ordinary IDs, roles, and departments',
    does: 'shows their hidden characters',
    said: ['"usr<U+200B>_1" contains a hidden character', 'emplo<U+FEFF>yee', 'i<U+0007>t'],
  },
  {
    list: ['ids.csv', 'userId,role,department\nu1,employee,B\ufffdro\n'],
    sees: 'a question mark for a letter that was lost',
    does: 'rejects the row',
    said: ['has lost a character in another encoding'],
  },
];

const ROWS: FieldList[] = [
  {
    list: 'report-footer/report.csv',
    args: ['--map', 'userId=Employee Number', '--map', 'role=Access', '--active', 'Status=Active', IGNORE],
    sees: 'two people, and the footer of a report',
    does: 'rejects the lines of the footer',
    said: ['5 invalid: the row ends after 1 of 4 cells, before "Status" (lines 6, 7, 8, 9, 10)'],
  },
  {
    list: 'report-footer/report.csv',
    args: ['--map', 'userId=Employee Number', '--map', 'role=Access', '--active', 'Status=Active', IGNORE, ...SKIP],
    sees: 'two people, and the footer of a report, with the option to skip it',
    does: 'sends the two people',
    code: 3,
    sent: [employee('usr_0001', ACTIVE), admin('usr_0002', ACTIVE)],
  },
  {
    list: ['psql.csv', 'userId,role\nusr_1,employee\nusr_2,admin\n(2 rows)\n'],
    args: SKIP,
    sees: 'two people, and the number of rows that psql prints',
    does: 'sends the two people, and names the line that ends early',
    code: 3,
    sent: [employee('usr_1'), admin('usr_2')],
    said: ['line 4: the row ends after 1 of 2 cells, before "role"'],
  },
  {
    list: 'label-header/employees.csv',
    args: ['--active', 'STATUS=active', ...SKIP],
    sees: 'two people below a header in two lines',
    does: 'rejects the second line of the header',
    code: 3,
    sent: [
      employee('usr_0001', { department: 'it', isActive: true }),
      employee('usr_0002', { department: 'hr', isActive: false }),
    ],
    said: ['line 2: userId: "User ID" contains a space'],
  },
  {
    list: ['a.csv', 'userId,title,role,department\nusr_1,Head of\nSales,employee,it\nusr_2,Clerk,admin,hr\n'],
    args: ALL,
    sees: 'two people, the title of the first in two lines',
    does: 'rejects the line that ends before the role',
    said: ['line 2: the row ends after 2 of 4 cells, before "role"'],
  },
  {
    list: ['a.csv', 'userId,role,department\nu1,employee\nu2,employee,it\n'],
    sees: 'a person without a department, which Excel leaves out at the end of a row',
    does: 'sends both people',
    sent: [employee('u1'), employee('u2', { department: 'it' })],
  },
  {
    list: ['a.csv', 'userId, role\nu1, employee, \nu2, employee, \n'],
    sees: 'a space after every comma, also at the end',
    does: 'sends both people',
    sent: [employee('u1'), employee('u2')],
  },
  {
    list: ['a.csv', 'userId,role,name\nu1,employee,Ada\nu2,employee,Chen, Bo\n'],
    args: ALL,
    sees: 'a comma in a name',
    does: 'rejects the row with more cells than the header',
    said: ['line 3: the row has 4 cells, but the header has 3'],
  },
  {
    list: 'stray-quotes/a.csv',
    args: ALL,
    sees: 'people, and an inch mark at the beginning of a cell',
    does: 'rejects the row that hides the rows after it',
    said: ['looks like several rows (a quotation mark may be missing)'],
  },
  {
    list: 'mysql-csv/mysql.csv',
    sees: 'a backslash before quotation marks',
    does: 'names the line and the column',
    said: ['line 2, column 3: text follows the closing quotation mark of the cell'],
  },
  {
    list: 'space-before-quote/a.csv',
    sees: 'a space before quotation marks',
    does: 'names the line and the column',
    said: ['line 2, column 2: the cell has a quotation mark, but does not begin with one'],
  },
  {
    list: 'mysql-tsv/a.tsv',
    sees: 'quotation marks as text',
    does: 'names the line and the column',
    said: ['line 2, column'],
  },
  {
    list: 'ctrl-z/as400.csv',
    args: SKIP,
    sees: 'two people in a file of an old system, which ends in a control character',
    does: 'sends the two people, and rejects the last line',
    code: 3,
    sent: [employee('usr_0001'), admin('usr_0002')],
  },
  {
    list: ['twice.csv', 'userId,role\nu1,employee\nu1,admin\n'],
    args: SKIP,
    sees: 'one person twice, with two roles',
    does: 'sends the first row',
    code: 3,
    sent: [employee('u1')],
    said: ['line 3: duplicate userId (first on line 2)'],
  },
];

const STATUSES: FieldList[] = [
  {
    list: 'confirmed-is-not-active/user_list.csv',
    args: ['--map', 'userId=id', '--default', 'role=employee', IGNORE],
    sees: 'two people who have confirmed their address, one of them suspended',
    does: 'asks who is active, with the values of each column',
    said: ['cannot tell who is active', 'suspended_at', '--active <column>=<value>'],
  },
  {
    list: 'confirmed-is-not-active/user_list.csv',
    args: [
      '--map',
      'userId=id',
      '--default',
      'role=employee',
      IGNORE,
      '--active',
      'active=true',
      '--active',
      'suspended_till=',
    ],
    sees: 'two people who have confirmed their address, one of them suspended, and what that means in the options',
    does: 'sends the suspended one as inactive',
    sent: [employee('11', ACTIVE), employee('12', INACTIVE)],
  },
  {
    list: 'confirmed-is-not-active/users.json',
    args: [
      '--map',
      'userId=login',
      '--default',
      'role=employee',
      IGNORE,
      '--active',
      'active=true',
      '--active',
      'prohibit_login=false',
    ],
    sees: 'two people who have confirmed their address, one of them may not log in',
    does: 'sends the other as active',
    sent: [employee('aberg', ACTIVE), employee('bchen', INACTIVE)],
  },
  {
    list: 'no-break-spaces/status.csv',
    args: ['--active', 'Status=employed'],
    sees: 'two people who have left the company, one of them with a no-break space',
    does: 'sends both as inactive, and shows one value with its count',
    sent: [employee('usr_0001', ACTIVE), employee('usr_0002', INACTIVE), employee('usr_0003', INACTIVE)],
    said: ['Status: Left company 2 (inactive), Employed 1'],
  },
  {
    list: ['a.csv', 'userId,role,Status\nu1,employee,Active\n'],
    args: ['--active', 'Status=enabled'],
    sees: 'a status that no option names',
    does: 'sends nobody, and shows the values',
    said: ['no row has "enabled" in "Status", so nobody would be active', 'Its values are "Active" (1)'],
  },
  {
    list: ['a.csv', 'userId,role,isActive,Note\nu1,employee,yes,x\n'],
    args: ALL,
    sees: 'a column isActive, and an option for everyone',
    does: 'sends everybody as active, because the option for other columns ignores it',
    sent: [employee('u1', ACTIVE)],
  },
  {
    list: ['a.csv', 'userId,role,isActive\nu1,employee,yes\nu2,employee,\nu3,employee,checked\n'],
    args: SKIP,
    sees: 'a yes, a blank, and a mark, in a list that has only fields',
    does: 'sends the first two, and leaves open whether the second is active',
    code: 3,
    sent: [employee('u1', ACTIVE), employee('u2')],
    said: ['line 4: isActive: "checked" is not a boolean (use true, false, yes, no, 1, or 0)'],
  },
];

const LOOKUPS: FieldList[] = [
  {
    list: 'lookup-unquoted-comma/people.csv',
    args: ['--lookup', `${pathOf('lookup-unquoted-comma/ids.csv')}:email=id`],
    sees: 'an ID for each address in the second list',
    does: 'names the line of the second list that has an unquoted comma',
    said: ['ids.csv: line 2 has 4 cells, but the header has 3'],
  },
  {
    list: 'lookup-unquoted-comma/people.csv',
    args: ['--lookup', `${pathOf('lookup-unquoted-comma/ids2.csv')}:email=id`, ...SKIP],
    sees: 'an address with other capitals and a space, and two addresses that differ in case',
    does: 'finds the first, and rejects the second, which has two IDs',
    code: 3,
    sent: [employee('usr_0001')],
    said: ['line 3: userId: "bo@example.com" has several different IDs in'],
  },
  {
    list: 'lookup-unquoted-comma/people.csv',
    args: ['--lookup', `${pathOf('hidden-characters-in-lookup/ids.csv')}:email=id`],
    sees: 'the address in the second list',
    does: 'shows its hidden character',
    said: ['line 2 cannot be read: email: "ada<U+200B>@example.com" contains a hidden character'],
  },
  {
    list: 'lookup-unquoted-comma/people.csv',
    sees: 'addresses in place of IDs',
    does: 'sends them, because a service may have them as IDs, and warns',
    sent: [employee('ada@example.com'), admin('bo@example.com')],
    said: ['every user ID is an email address'],
  },
];

const FORMATS: FieldList[] = [
  {
    list: 'concatenated-pages/members.json',
    sees: 'the pages of gh, one after the other',
    does: 'says that they are not one JSON document',
    said: ['is not JSON', 'jq -s add'],
  },
  {
    list: 'ndjson-pages/users.ndjson',
    sees: 'pages of a list, one a line',
    does: 'shows that their values are no fields',
    said: ['users.0.userId', 'nextPageToken'],
  },
  {
    list: 'nested-paging/slack.json',
    sees: 'people in an object, next to a cursor',
    does: 'names the array',
    said: ['is a JSON object, not an array', '--records members'],
  },
  {
    list: 'nested-paging/slack.json',
    args: ['--records', 'members'],
    sees: 'people in an object, next to a cursor, with the option that names them',
    does: 'sends them, and shows the cursor',
    sent: [employee('usr_0001'), employee('usr_0002')],
    said: ['next to the list: ok true, response_metadata.next_cursor "abc"'],
  },
  {
    list: 'mixed-encoding/members.csv',
    sees: 'a few lines of Latin-1 in a list in UTF-8',
    does: 'names the first of them',
    said: ['line 3 is not UTF-8', '--encoding windows-1252'],
  },
  {
    list: 'html-table/export.xls',
    sees: 'a table of a web page that is called .xls',
    does: 'says that it is no workbook',
    said: ['is not an Excel workbook (.xlsx)'],
  },
  {
    list: 'zip-of-csv/export.zip',
    sees: 'a list in a zip archive',
    does: 'says that it is no workbook',
    said: ['is not an Excel workbook (.xlsx)'],
  },
];

const WORKBOOKS: FieldList[] = [
  {
    list: 'furigana/members.xlsx',
    sees: '人事 and 情報システム, with their readings above them in small print',
    does: 'sends them without the readings',
    sent: [employee('usr_0001', { department: '人事' }), employee('usr_0002', { department: '情報システム' })],
  },
  {
    list: 'filtered-rows/team.xlsx',
    sees: 'three people, because a filter hides two',
    does: 'rejects the hidden rows',
    said: ['line 3: the row is hidden in the sheet (delete it, or show it)'],
  },
  {
    list: 'merged-cells/team.xlsx',
    sees: 'one department next to three people, and another one next to two',
    does: 'names the merged cells',
    said: ['the sheet has merged cells below the header: C2:C4, C5:C6'],
  },
  {
    list: 'two-sheets/offices.xlsx',
    sees: 'two sheets, one for each office',
    does: 'names the sheets',
    said: ['several sheets have rows: "Berlin", "Munich"', '--sheet <name>'],
  },
  {
    list: 'cover-sheet/export-summary.xlsx',
    sees: 'a summary, as Numbers adds it, before the list',
    does: 'names the sheets',
    said: ['several sheets have rows: "Export Summary", "Team"'],
  },
  ...['exceljs', 'openpyxl', 'sheetjs'].map((library) => ({
    list: `unsaved-formulas/${library}.xlsx`,
    args: [IGNORE, '--active', 'isActive=true'],
    sees: `IT and FALSE, which Excel calculates from formulas whose results ${library} did not save`,
    does: 'rejects the cells',
    said: ['isActive is a formula without a saved result in column'],
  })),
  {
    list: 'ids-as-dates/team.xlsx',
    sees: 'a date where 10-12 was typed, and IDs of 19 digits whose last digits Excel has replaced by zeros',
    does: 'rejects both',
    said: ['has another number format than General, 0, or Text', 'is not a whole number of up to 15 digits'],
  },
  {
    list: 'prefilled-template/template.xlsx',
    args: SKIP,
    sees: 'one person, and 300 rows with a role and no ID',
    does: 'sends the person, and says in one line what the others lack',
    code: 3,
    sent: [admin('usr_0001', ACTIVE)],
    said: ['300 invalid: userId is missing (lines 3, 4, 5, 6, 7, …)'],
  },
  {
    list: ['team.xlsx', teamOf('<c s="1"><v>123</v></c>', EMPLOYEE)],
    sees: '00123, because a format adds the zeros',
    does: 'rejects the row',
    said: ['userId: "123" has another number format'],
  },
  {
    list: ['team.xlsx', teamOf(ID, EMPLOYEE.replace('<c ', '<c s="3" '))],
    sees: 'a role that is struck out',
    does: 'rejects the row',
    said: ['role: "employee" is struck out'],
  },
  {
    list: ['team.xlsx', teamOf(ID, EMPLOYEE, '<c t="e"><v>#N/A</v></c>')],
    sees: 'an error in place of a department',
    does: 'rejects the row',
    said: ['department: "#N/A" is an error, not a value'],
  },
];

describeFieldLists('columns', COLUMNS);
describeFieldLists('values', VALUES);
describeFieldLists('rows', ROWS);
describeFieldLists('who is active', STATUSES);
describeFieldLists('second lists', LOOKUPS);
describeFieldLists('formats', FORMATS);
describeFieldLists('workbooks', WORKBOOKS);
