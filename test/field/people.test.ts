import { workbook } from '../helpers/workbook.ts';
import { describeFieldLists, type FieldList, pathOf } from './field-lists.ts';

const employee = (userId: string, others: object = {}) => ({ userId, role: 'employee', ...others });
const admin = (userId: string, others: object = {}) => ({ userId, role: 'admin', ...others });
const IGNORE = '--ignore-extra-columns';
const SKIP = ['--invalid', 'skip'];
const ALL_ACTIVE = [IGNORE, '--default', 'isActive=true'];

/** A workbook with one person below this header, as XML. */
function headedWorkbook(...header: string[]): Buffer {
  const row = (texts: string[]) => texts.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join('');
  return workbook([{ name: 'Team', data: `<row>${row(header)}</row><row>${row(['u1', 'employee', 'it'])}</row>` }]);
}

/** A workbook with a person in the first row, a header in the third one, and a person below. */
function headedBelow(first: string): Buffer {
  const row = (at: number, ...texts: string[]) =>
    `<row r="${at}">${texts.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join('')}</row>`;
  const data = row(1, first, 'employee') + row(3, 'Account', 'Rank') + row(4, 'usr_2', 'employee');
  return workbook([{ name: 'Team', data }]);
}

const NUMBERED = ['--map', 'userId=#1', '--map', 'role=#2', ...ALL_ACTIVE];

const FIRST_ROWS: FieldList[] = [
  {
    list: ['people.csv', 'usr_1,employee\nusr_2,admin\n'],
    args: NUMBERED,
    sees: 'two people without a header, whose columns the options number',
    does: 'asks whether the first row is a header',
    said: [
      'cannot tell whether the first row of ',
      ' is a header or a person',
      'usr_1     usr_2',
      'name the columns with --columns',
      '--header-row 1 --dry-run',
    ],
  },
  {
    list: ['people.csv', 'sep=,\n\nAccount,Rank\nusr_1,employee\n'],
    args: NUMBERED,
    sees: 'a header below a line for Excel and a blank one, and columns that the options number',
    does: 'names the line of the header',
    said: ['--header-row 3 --dry-run'],
  },
  {
    list: ['people.csv', 'usr_1,employee\nusr_2,admin\n'],
    args: ['--map', 'userId=#1', '--map', 'role=#2', IGNORE],
    sees: 'people without a header, of whom nothing says who is active',
    does: 'asks who is active, with a command that says where the header is',
    said: ['does not say who is active', "--header-row 1 --default 'isActive=<", "' --dry-run"],
  },
  {
    list: ['people.csv', 'Account,Rank\nusr_1,employee\n'],
    args: [...NUMBERED, '--header-row', '1'],
    sees: 'a header of other names, whose line the options name',
    does: 'sends the people below it',
    sent: [employee('usr_1', { isActive: true })],
  },
  {
    list: ['people.csv', 'usr_1,role\nusr_2,admin\n'],
    args: ['--map', 'userId=#1', ...ALL_ACTIVE],
    sees: 'a header in which one name is that of a field',
    does: 'sends the people below it',
    sent: [admin('usr_2', { isActive: true })],
  },
  ...(
    [
      ['a list', ['people.csv', 'usr_1,employee\n,\nAccount,Rank\nusr_2,employee\n']],
      ['a workbook', ['people.xlsx', headedBelow('usr_1')]],
    ] as const
  ).map(([kind, list]) => ({
    list,
    args: [...NUMBERED, '--header-row', '3'],
    sees: `a person in the first row of ${kind}, and that the header is on line 3 in the options`,
    does: 'sends the people below the header, and names the person above it',
    sent: [employee('usr_2', { isActive: true })],
    said: ['line 1 is above the header that --header-row names, but has as many cells: "usr_1", "employee".'],
  })),
  {
    list: ['people.csv', 'Staff,\n\nAccount,Rank\nusr_2,employee\n'],
    args: [...NUMBERED, '--header-row', '3'],
    sees: 'a title above the header',
    does: 'sends the people below the header',
    sent: [employee('usr_2', { isActive: true })],
    unsaid: ['is above the header'],
  },
];

const IDS: FieldList[] = [
  {
    list: 'scientific-ids/google.csv',
    sees: 'long IDs that Excel has shortened, two of them to the same text',
    does: 'rejects them with the reason, and says how to export them as text',
    said: [
      'line 2: userId: "1.08123E+20" is a number that a spreadsheet has shortened',
      'line 4: userId: "1.08123E+20"',
      'a text column',
    ],
    unsaid: ['duplicate', '--invalid skip'],
  },
  {
    list: ['ids.csv', 'userId,role\n1,08E+12,employee\n'.replace('1,08', '"1,08').replace('12,', '12",')],
    sees: 'an ID that a German Excel has shortened',
    does: 'rejects it',
    said: ['line 2: userId: "1,08E+12" is a number that a spreadsheet has shortened'],
  },
  {
    list: ['ids.csv', 'userId,role\n12E45,employee\n00123,employee\n2024-01-02,employee\n'],
    sees: 'IDs with an E, with zeros, and one that looks like a date in text',
    does: 'sends them as they are',
    sent: [employee('12E45'), employee('00123'), employee('2024-01-02')],
  },
  {
    list: [
      'ids.tsv',
      `userId\trole\n${['A1001.0', '1001.05', 'A1,000', '1,0001', 'x1.5E10', '1.5E10x', '12.5E10', "o'brien"].join('\temployee\n')}\temployee\n`,
    ],
    sees: 'IDs with a part that looks like a number',
    does: 'sends them as they are',
    sent: ['A1001.0', '1001.05', 'A1,000', '1,0001', 'x1.5E10', '1.5E10x', '12.5E10', "o'brien"].map((id) =>
      employee(id),
    ),
  },
  {
    list: [
      'ids.tsv',
      `userId\trole\n${['-1.08E123', '+1001.00', '-1,000,000', "12'000"].join('\temployee\n')}\temployee\n`,
    ],
    sees: 'IDs that programs have written as numbers, with a sign, several groups, or several zeros',
    does: 'rejects each with its reason',
    said: [
      'line 2: userId: "-1.08E123" is a number that a program has written with an exponent',
      'line 3: userId: "+1001.00"',
      'line 4: userId: "-1,000,000" is a number whose digits',
      'line 5: userId: "12\'000"',
    ],
  },
  {
    list: ['ids.csv', 'userId,role,deviceMgmtLabelId\nu1,employee,seven\n'],
    sees: 'a label whose ID is a word',
    does: 'rejects it, and does not suggest to translate it to a boolean',
    said: ['line 2: deviceMgmtLabelId: "seven" is not an integer'],
    unsaid: ['--map-value'],
  },
  {
    list: ['ids.csv', 'userId,isActive\nu1,yes\n'],
    sees: 'people without a role',
    does: 'asks for the role alone',
    said: ['has no column for role. Its columns:'],
  },
  {
    list: ['ids.csv', 'mail,role\na@example.com,employee\n'],
    args: [IGNORE],
    sees: 'people without an ID or a status',
    does: 'says that the ID is missing, and asks who is active',
    said: ['has no column for userId. Its columns:', 'Say which column has the user IDs and who is active'],
  },
  {
    list: ['ids.csv', 'userId,role\n="00123",employee\n"=""00124""",employee\n'],
    sees: 'IDs that an export protects from Excel',
    does: 'sends the IDs',
    sent: [employee('00123'), employee('00124')],
  },
  {
    list: ['ids.csv', "userId,role\n1001.0,employee\n'00123,employee\n«u3»,employee\nAda Berg,employee\n-,employee\n"],
    sees: 'IDs with a fraction, an apostrophe, quotation marks, a space, and a dash instead of one',
    does: 'rejects each with its reason',
    said: [
      'line 2: userId: "1001.0" is an ID that a program has read as a number',
      'line 3: userId: "\'00123" begins with an apostrophe',
      'line 4: userId: "«u3»" has quotation marks around it',
      'line 5: userId: "Ada Berg" contains a space',
      'line 6: userId: "-" has no letter or digit',
    ],
  },
  {
    list: 'smart-quotes/people.csv',
    sees: 'typographic quotation marks around cells',
    does: 'rejects the IDs, and the row whose comma they do not protect',
    said: ['line 2: userId: "“usr_0001”" has quotation marks around it', '4 cells, but the header has 3'],
  },
  {
    list: 'json-numbers/people.json',
    sees: 'IDs as numbers, three of them with a fraction, an exponent, and a sign',
    does: 'reads exactly these digits, and rejects the numbers that have other characters',
    said: ['1.0 is a number with a fraction', '1e3 is a number with', 'line 6: userId: -0 is a number with'],
  },
  {
    list: 'json-numbers/people.json',
    args: ['--invalid', 'skip'],
    sees: 'IDs as numbers',
    does: 'sends exactly these digits',
    code: 3,
    sent: [
      employee('12345678901234567890', { isActive: true }),
      employee('7', { isActive: false }),
      employee('0007', { deviceMgmtLabelId: 12 }),
    ],
  },
  {
    list: ['a.csv', 'userId,role,isActive\nu1,Boss,Left\nu2,#REF!,here\nu3,Staff,#N/A\n'],
    args: [
      ...['--map-value', 'role:Boss=admin', '--map-value', 'role:*=employee'],
      ...['--map-value', 'isActive:left=false', '--map-value', 'isActive:*=true', ...SKIP],
    ],
    sees: 'errors of formulas in a list that translates all other roles and statuses',
    does: 'rejects the rows with the errors, which are no values',
    code: 3,
    sent: [admin('u1', { isActive: false })],
    said: ['line 3: role: "#REF!" is a formula error', 'line 4: isActive: "#N/A" is a formula error'],
  },
  {
    list: 'null-placeholders/people.csv',
    args: ['--map-value', 'department:NULL=', '--map-value', 'department:N/A='],
    sees: 'NULL and its relatives instead of departments, and NULL instead of an ID',
    does: 'rejects the ID',
    said: ['line 6: userId: "NULL" says that there is no ID'],
  },
  {
    list: 'null-placeholders/people.csv',
    args: ['--map-value', 'department:NULL=', '--map-value', 'department:n/a=', '--invalid', 'skip'],
    sees: 'NULL and its relatives instead of departments',
    does: 'sends no department where an option says that the text means none',
    code: 3,
    sent: [
      employee('usr_0001', { isActive: true }),
      admin('usr_0002', { isActive: true }),
      admin('usr_0003', { department: 'nan', isActive: true }),
      admin('usr_0004', { department: '-', isActive: true }),
    ],
  },
  {
    list: 'powershell-objects/people.csv',
    sees: 'names of types instead of values',
    does: 'rejects them',
    said: [
      'line 2: role: "System.Object[]" is the name of a type',
      'department: "@{Name=it; Id=4}" is an object of PowerShell',
      'line 3: role: "System.Collections.Generic.List`1[System.String]" ',
    ],
  },
  {
    list: [
      'ids.csv',
      'userId,role\n1.08123E8,employee\n<NA>,employee\n(null),employee\n[NULL],employee\n(blank),employee\n',
    ],
    sees: 'a number as Java writes it, and what pandas, Oracle, DBeaver, and a pivot table write for no value',
    does: 'rejects them',
    said: [
      'line 2: userId: "1.08123E8" is a number that a program has written with an exponent',
      'line 3: userId: "<NA>" says that there is no ID',
      'line 4: userId: "(null)" says',
      'line 5: userId: "[NULL]" says',
      'line 6: userId: "(blank)" says',
    ],
  },
  {
    list: [
      'ids.csv',
      'userId,role,department\nu1,employee,#BEZUG!\nu2,#¿NOMBRE?,it\nu3,employee,Err:502\nu4,employee,#######\nu5,employee,#ERROR!\n',
    ],
    sees: 'errors of a German, a Spanish, and a Google spreadsheet, of LibreOffice, and a column that was too narrow',
    does: 'rejects them',
    said: [
      'line 2: department: "#BEZUG!" ',
      'line 3: role: "#¿NOMBRE?" ',
      'line 4: department: "Err:502" ',
      'line 5: department: "#######" is not a value: the column was too narrow',
      'line 6: department: "#ERROR!" is a formula error',
    ],
  },
  {
    list: ['ids.csv', 'userId,role,department\n"1,001",employee,it\n1’002,employee,it\nu3,employee,B\ufffdro\n'],
    sees: 'IDs whose digits Excel has grouped, and a department with a question mark for a letter that is lost',
    does: 'rejects them',
    said: [
      'line 2: userId: "1,001" is a number whose digits a program has grouped',
      'line 3: userId: "1’002" is a number whose digits',
      'line 4: department: "B\ufffdro" has lost a character in another encoding',
    ],
  },
  {
    list: [
      'ids.csv',
      'userId,role,department\n0a1b2c3d-4e5f…,employee,it\nusr_0000000...,employee,it\nusr_00..,employee,it\n',
    ],
    sees: 'IDs that were too long for the columns of a table in PowerShell, on a web page, and in a terminal',
    does: 'rejects them',
    said: [
      'line 2: userId: "0a1b2c3d-4e5f…" was cut off by a program (export the entire value)',
      'line 3: userId: "usr_0000000..." was cut off',
      'line 4: userId: "usr_00.." was cut off',
    ],
  },
  {
    list: ['ids.csv', 'userId,role,department\nLoading...,employee,it\nu2,Loading...,it\nu3,employee,Loading...\n'],
    sees: 'what Google Sheets shows before the values of another spreadsheet arrive',
    does: 'rejects it',
    said: [
      'line 2: userId: "Loading..." is not a value: Google Sheets had not loaded it yet',
      'line 3: role: "Loading..."',
      'line 4: department: "Loading..."',
    ],
  },
  {
    list: ['ids.csv', 'userId,role,department\nu.1,employee,Sales etc...\nu2,employee,Loading bay\n'],
    sees: 'an ID with a dot, and departments that only resemble such texts',
    does: 'sends them',
    sent: [employee('u.1', { department: 'Sales etc...' }), employee('u2', { department: 'Loading bay' })],
  },
  {
    list: ['ids.csv', 'userId,role,department\n#12,employee,#1\nE1.5,employee,Errors & Omissions\n1.5,employee,R&D!\n'],
    sees: 'IDs and departments that only resemble errors',
    does: 'sends them',
    sent: [
      employee('#12', { department: '#1' }),
      employee('E1.5', { department: 'Errors & Omissions' }),
      employee('1.5', { department: 'R&D!' }),
    ],
  },
  {
    list: [
      'ids.json',
      '[{"userId":"u1","role":"employee","isActive":false,"isActive":true},{"userId":"u2","role":"employee","t":{"a":1,"\\u0061":2}}]',
    ],
    args: ALL_ACTIVE,
    sees: 'a key twice, as a join of two database tables writes it',
    does: 'rejects the rows',
    said: ['the key "isActive" occurs twice', 'the key "a" occurs twice'],
  },
  {
    list: ['ids.json', '[{"userId":"u1","role":"employee","department":"\\u0022it\\" {\\"a\\":1,\\"a\\":2}"}]'],
    sees: 'quotation marks and keys in a text',
    does: 'sends the text',
    sent: [employee('u1', { department: '"it" {"a":1,"a":2}' })],
  },
  {
    list: ['a.csv', 'userId,role,department\n"=VLOOKUP(A2,B:C,2)",employee,it\nu2,employee,"=IF(A2,1,2)"\n'],
    sees: 'formulas instead of their results',
    does: 'rejects them',
    said: ['line 2: userId: "=VLOOKUP(A2,B:C,2)" is a formula', 'line 3: department: "=IF(A2,1,2)" is a formula'],
  },
  {
    list: ['ad.csv', "userId,role,department\nu1,employee,X'42c3bc726f'\nu2,[object Object],it\nu3,employee,#REF!\n"],
    sees: 'hexadecimal, the name of a type, and an error instead of values',
    does: 'rejects them',
    said: ['line 2: department: "X\'42c3bc726f\'"', 'line 3: role: "[object Object]"', 'line 4: department: "#REF!"'],
  },
];

const ODD_DEPARTMENTS = [
  '#N/A team',
  'Err:502 team',
  '## 3',
  'Microsoft.com Sales',
  '[object Object] lab',
  '=SUM(A1) lab',
  '@{a} lab',
  "X'41' lab",
];

const TEXTS: FieldList[] = [
  {
    list: ['a.csv', '\ufeff\ufeffuserId,role\nu1,employee\n'],
    sees: 'a list that a program has written with two byte order marks',
    does: 'reads it',
    sent: [employee('u1')],
  },
  {
    list: 'hidden-header-characters/people.csv',
    sees: 'userId, role, department',
    does: 'shows the hidden character in the header',
    said: ['column "userId<U+200B>" has a hidden character in its name', '#1'],
    unsaid: ['did you mean'],
  },
  {
    list: 'hidden-header-characters/people.csv',
    args: ['--map', 'userId=#1', '--default', 'isActive=true'],
    sees: 'userId, role, department',
    does: 'reads a column by its number, and ignores no-break spaces',
    code: 0,
    sent: [employee('usr_0001', { department: 'it', isActive: true })],
  },
  ...[
    ['a.csv', '"User\nID",role,"Depart-\nment"\nu1,employee,it\n'],
    ['a.csv', '"User\r\nID",role,"\ndepartment\n"\r\nu1,employee,it\r\n'],
    ['a.csv', '"user\tid",role,Department\nu1,employee,it\n'],
    ['a.json', '[{"User\\nID": "u1", "role": "employee", "Dept\\t": "it"}]'],
    ['a.xlsx', headedWorkbook('User&#10;ID', 'role', 'Depart-_x000D_&#10;ment')],
  ].map((list) => ({
    list: list as [string, string | Buffer],
    sees: `User ID and Department, on two lines or with a tab between the words, in ${list[0]}`,
    does: 'reads a line break or a tab as a space',
    sent: [employee('u1', { department: 'it' })],
  })),
  ...['userId=Login name', 'userId=Login\nname', 'userId= login \t NAME'].map((map) => ({
    list: ['a.csv', '"Login\nname",role\nu1,employee\n'] as const,
    args: ['--map', map, '--default', 'isActive=true'],
    sees: 'a name on two lines',
    does: 'finds it by the name with a space, or with a line break',
    sent: [employee('u1', { isActive: true })],
    said: ['userId ← "Login name"'],
  })),
  {
    list: ['a.csv', '"Login\nname",role,"Full\nname"\nu 1,employee,x\n'],
    args: ['--map', 'userId=Login name', ...ALL_ACTIVE],
    sees: 'a space in an ID below a name on two lines',
    does: 'names the column with a space',
    said: ['userId (column "Login name"): "u 1"'],
  },
  {
    list: ['a.csv', '"Login\nname",role,"Full\nname"\nu1,employee,x\n'],
    args: ['--map', 'userId=Login nam'],
    sees: 'names on two lines',
    does: 'suggests the name that it finds',
    said: ['--map userId=Login nam: no column has this name (did you mean "Login name"?)', '"Full name"'],
  },
  {
    list: ['a.csv', '"User\nID",User ID,role\nu1,u2,employee\n'],
    sees: 'the same name twice, once on two lines',
    does: 'asks for one of the columns',
    said: ['"User ID" (column 1) and "User ID" (column 2) are both userId'],
  },
  {
    list: ['a.csv', '"User\nID\u200b",role\nu1,employee\n'],
    sees: 'a name on two lines, with a hidden character in it',
    does: 'shows the hidden character',
    said: ['column "User ID<U+200B>" has a hidden character in its name'],
  },
  {
    list: ['a.csv', 'us\u0435rId,role\nu1,employee\n'],
    args: ['--map', 'userId=userId'],
    sees: 'userId, with a Cyrillic letter that looks like a Latin one',
    does: 'shows the letter',
    said: ['"us<U+0435>rId"?'],
  },
  {
    list: ['a.csv', 'Pers\u200bonal,role,N\u00adotes\nu1,employee,x\n'],
    args: ['--map', 'userId=Personal', ...ALL_ACTIVE],
    sees: 'a column that an option names, with a hidden character in it',
    does: 'shows the hidden character',
    said: ['column "Pers<U+200B>onal" has a hidden character'],
    unsaid: ['did you mean', 'Notes" has'],
  },
  {
    list: ['a.csv', 'userId,role,department\nusr\u200b_1,employee,it\nu2,emplo\ufeffyee,it\nu3,employee,i\u0007t\n'],
    sees: 'ordinary IDs, roles, and departments',
    does: 'shows the hidden characters in them',
    said: ['"usr<U+200B>_1" contains a hidden', '"emplo<U+FEFF>yee" contains', '"i<U+0007>t" contains'],
  },
  {
    list: ['a.json', '[{"Konto Nr.":"u1","role":"employee"},{"Konto Nr.":"u2","role":"employee"}]'],
    args: ['--map', 'userId=konto nr.', ...ALL_ACTIVE],
    sees: 'keys of JSON with a dot, which an option names in another case',
    does: 'reads them',
    sent: ['u1', 'u2'].map((id) => employee(id, { isActive: true })),
  },
  {
    list: ['a.json', '[{"a":{"B":"u1"},"A.b":"x","role":"employee"}]'],
    args: ['--map', 'userId=a.b', ...ALL_ACTIVE],
    sees: 'a key with a dot, and such a path in another case',
    does: 'guesses neither',
    said: ['--map userId=a.b: no entry has this key'],
  },
  {
    list: [
      'a.csv',
      ['userId,role,department', ...ODD_DEPARTMENTS.map((text, at) => `u${at},employee,${text}`)].join('\n'),
    ],
    sees: 'departments that only begin as errors, types, and formulas do',
    does: 'sends them',
    sent: ODD_DEPARTMENTS.map((department, at) => employee(`u${at}`, { department })),
  },
  {
    list: 'no-break-spaces/departments.csv',
    sees: 'two people in Human Resources',
    does: 'sends the same department for both',
    sent: ['usr_0001', 'usr_0002'].map((id) => employee(id, { department: 'Human Resources' })),
  },
  {
    list: ['a.csv', 'userId,role,department\nu1,employee,Bu\u0308ro  Ko\u0308ln\nu2,employee,"Büro\nKöln"\n'],
    sees: 'the same department, with accents as characters of their own, two spaces, or a line break',
    does: 'sends the same text for both',
    sent: ['u1', 'u2'].map((id) => employee(id, { department: 'Büro Köln' })),
  },
  {
    list: 'no-break-spaces/status.csv',
    args: ['--map', 'isActive=status', '--map-value', 'isActive:left company=false', '--map-value', 'isActive:*=true'],
    sees: 'two people who have left the company, one of them with a no-break space',
    does: 'translates both',
    sent: [
      employee('usr_0001', { isActive: true }),
      employee('usr_0002', { isActive: false }),
      employee('usr_0003', { isActive: false }),
    ],
  },
  {
    list: ['a.csv', 'id,Id,role\nu1,x,employee\n'],
    args: ['--map', 'userId=ID', ...ALL_ACTIVE],
    sees: 'two columns that differ in case',
    does: 'asks which one is meant',
    said: ['--map userId=ID: columns 1 and 2 both have that name (name one by its number: #1)'],
  },
  {
    list: ['a.csv', 'id,Id,role\nx,u1,employee\n'],
    args: ['--map', 'userId=Id', ...ALL_ACTIVE],
    sees: 'two columns that differ in case',
    does: 'prefers the exact name',
    sent: [employee('u1', { isActive: true })],
  },
  {
    list: 'lookup-unquoted-comma/people.csv',
    args: ['--lookup', `userId=${pathOf('lookup-unquoted-comma/ids.csv')}:email=id`],
    sees: 'an ID for each address in the second list',
    does: 'names the line of the second list that has a comma too many',
    said: ['ids.csv: line 2: 4 cells, but the header has 3', 'Fix these lines of the second list'],
  },
  {
    list: 'lookup-unquoted-comma/people.csv',
    args: ['--lookup', `userId=${pathOf('lookup-unquoted-comma/notes.csv')}:email=id`],
    sees: 'an ID for each address in the second list, which has a column that is blank',
    does: 'names the line of the second list that has a comma too many',
    said: ['notes.csv: line 3: 5 cells, but the header has 4, as other rows do'],
  },
  {
    list: 'lookup-unquoted-comma/people.csv',
    args: ['--lookup', `userId=${pathOf('hidden-characters-in-lookup/ids.csv')}:email=id`],
    sees: 'the address in the second list',
    does: 'shows the hidden character in it',
    said: ['line 2: "ada<U+200B>@example.com" contains a hidden character'],
  },
  {
    list: 'lookup-unquoted-comma/people.csv',
    args: ['--lookup', `userId=${pathOf('lookup-unquoted-comma/ids2.csv')}:email=id`],
    sees: 'an address with other capitals and a space, and two addresses that differ in case',
    does: 'finds the first, and rejects the row of the others',
    said: ['"bo@example.com" has several values of "id" in ids2.csv'],
  },
];

const TRANSLATIONS: FieldList[] = [
  {
    list: 'lookup-unquoted-comma/people.csv',
    args: ['--lookup', `userId=${pathOf('hidden-in-ids/ids.csv')}:email=id`],
    sees: 'an ID for each address in the second list',
    does: 'shows the hidden character in one of them, and reads the text of a formula',
    said: ['line 2: userId: "usr<U+200B>_0001" contains a hidden character', '1 unsent'],
  },
  {
    list: ['a.csv', 'Email,role\nada@example.com,employee\n'],
    args: ['--map', 'userId=Email', '--lookup', `userId=${pathOf('placeholder-ids/ids.csv')}:email=id`, ...ALL_ACTIVE],
    sees: 'an address that has NULL as its ID in the second list',
    does: 'says which list has it',
    said: ['userId (column "Email"): "ada@example.com" has "NULL" in ids.csv, which says that there is no ID'],
  },
  {
    list: ['a.csv', 'Number,role\n1.08123E+20,employee\n'],
    args: ['--map', 'userId=Number', '--lookup', `userId=${pathOf('shortened-keys/ids.csv')}:number=id`, ...ALL_ACTIVE],
    sees: 'a number that a spreadsheet has shortened in both lists, so that it may be that of several people',
    does: 'looks nobody up',
    said: ['"1.08123E+20" is a number that a spreadsheet has shortened'],
  },
  {
    list: ['a.csv', 'Email,role\nNULL,employee\n-,employee\n#N/A,employee\n[blank],employee\n'],
    args: [
      ...['--map', 'userId=Email', ...ALL_ACTIVE],
      ...['--lookup', `userId=${pathOf('placeholder-ids/service-accounts.csv')}:email=id`],
    ],
    sees: 'people without an address, and accounts without one in the second list',
    does: 'looks nobody up, because they are not the same',
    said: [
      'line 2: userId (column "Email"): "NULL" says that there is no ID',
      'line 3: userId (column "Email"): "-" has no letter',
      'line 4: userId (column "Email"): "#N/A" is a formula error',
      'line 5: userId (column "Email"): "[blank]" says that there is no ID',
    ],
  },
  {
    list: ['a.csv', 'Login,role\nada.lovelace@exam…,employee\n'],
    args: ['--map', 'userId=Login', '--lookup', `userId=${pathOf('cut-off-keys/ids.csv')}:login=id`, ...ALL_ACTIVE],
    sees: 'an address that a table has cut off in both lists, so that it may be that of several people',
    does: 'looks nobody up',
    said: ['"ada.lovelace@exam…" was cut off by a program'],
  },
  {
    list: ['a.csv', 'userId,role\nu1,Employee\n'],
    args: ['--map-value', 'role:employee=emplo\u00adyee'],
    sees: 'a role that an option translates, with a soft hyphen in it',
    does: 'shows it',
    said: ['role: "emplo<U+00AD>yee" contains a hidden character'],
  },
  {
    list: ['a.csv', 'userId,role\nu1,Staff\nu2,Owner\nu3,Employee\n'],
    args: ['--map-value', 'role:staff=employee'],
    sees: 'a role that no option translates, next to translated ones',
    does: 'sends it, and warns about it',
    sent: [employee('u1'), { userId: 'u2', role: 'Owner' }, { userId: 'u3', role: 'Employee' }],
    said: ['--map-value role does not name "Owner": orgadm sends other roles as they are'],
  },
  {
    list: ['a.csv', 'userId,role,department\nu1,Staff,it\nu2,Owner,HR\n'],
    args: ['--map-value', 'role:staff=employee', '--map-value', 'role:*=member', '--map-value', 'department:hr=people'],
    sees: 'a role for which there is an option about all others, and a department',
    does: 'translates the role, and keeps the department',
    sent: [employee('u1', { department: 'it' }), { userId: 'u2', role: 'member', department: 'people' }],
    unsaid: ['does not name'],
  },
];

const NO_ROLES: FieldList[] = [
  {
    list: [
      'a.csv',
      `userId,role\n${['NULL', 'n/a', '\\N', '(none)', '-', '""""', '〃', '?'].map((role, at) => `u${at},${role}\n`).join('')}`,
    ],
    sees: 'people of whom a database or a person has written that they have no role, or the same one as above',
    does: 'rejects them, because some services store any text as a role',
    said: [
      'line 2: role: "NULL" says that there is no role (write one, or translate it with --map-value)',
      'line 3: role: "n/a" says',
      'line 4: role: "\\\\N" says',
      'line 5: role: "(none)" says',
      'line 6: role: "-" has no letter or digit, so it is not a role',
      'line 7: role: "\\"" has no letter',
      'line 8: role: "〃" has',
      'line 9: role: "?" has',
    ],
  },
  {
    list: ['a.csv', 'userId,role\nu1,NULL\nu2,-\nu3,N/A\n'],
    args: [
      '--map-value',
      'role:NULL=employee',
      '--map-value',
      'role:-=',
      '--default',
      'role=admin',
      '--map-value',
      'role:*=employee',
    ],
    sees: 'people without a role, and what that means in the options',
    does: 'sends the roles of the options',
    sent: [employee('u1'), admin('u2'), employee('u3')],
  },
  {
    list: ['a.csv', 'userId,role\nu1,none\nu2,nullified\nu3,C++\nu4,1\n'],
    sees: 'roles that only resemble such texts, or that a service may have',
    does: 'sends them',
    sent: ['none', 'nullified', 'C++', '1'].map((role, at) => ({ userId: `u${at + 1}`, role })),
  },
];

const CHECKED = ['--map-value', 'isActive:checked=true'];
const A_BOX = 'a.csv does not say whether 1 person is active, because isActive is blank for them';

const MARKS: FieldList[] = [
  {
    list: ['a.csv', 'userId,role,isActive\nu1,employee,checked\nu2,employee,\n'],
    args: CHECKED,
    sees: 'a box that is checked for one of two people',
    does: 'asks what a blank means, because the service may make everyone active of whom nothing is said',
    said: [A_BOX, "isActive:checked=true --default 'isActive=<true or false>' --dry-run"],
  },
  {
    list: ['a.csv', 'userId,role,isActive\nu1,employee,checked\nu2,employee,\n'],
    args: [...CHECKED, '--default', 'isActive=false'],
    sees: 'a box that is checked for one of two people',
    does: 'sends the other one as inactive if an option says so',
    sent: [employee('u1', { isActive: true }), employee('u2', { isActive: false })],
  },
  {
    list: ['a.ndjson', '{"userId":"u1","role":"employee","isActive":"checked"}\n{"userId":"u2","role":"employee"}\n'],
    args: CHECKED,
    sees: 'a mark that only one of two people has, in NDJSON',
    does: 'asks what it means if there is none',
    said: ['a.ndjson does not say whether 1 person is active'],
  },
  {
    list: ['a.csv', 'userId,role,isActive\nu1,employee,A\nu2,employee,\n'],
    args: ['--lookup', `isActive=${pathOf('status-codes/codes.csv')}:code=active`],
    sees: 'a code that only one of two people has, which a second list translates',
    does: 'asks what it means if there is none',
    said: [A_BOX],
  },
  {
    list: ['a.csv', 'userId,role,isActive\nu1,employee,yes\nu2,employee,\n'],
    sees: 'a blank next to a yes, in a list that has only fields and needs no option',
    does: 'leaves the status of the second person to the service, and says so',
    sent: [employee('u1', { isActive: true }), employee('u2')],
    said: ['1 left to the service'],
  },
];

const ROWS: FieldList[] = [
  {
    list: ['a.csv', 'userId,role,department\nu1,employee\nu2,employee\nu3,employee\nu4,employee\n'],
    sees: 'four people without a department',
    does: 'sends them, and names the first lines',
    sent: ['u1', 'u2', 'u3', 'u4'].map((id) => employee(id)),
    said: ['4 rows have more or fewer cells than the header, or only one that is filled (lines 2, 3, 4, …)'],
  },
  ...(
    [
      'u1,employee,Ada,yes,yes,\nu2,employee,Chen, Bo,yes,no,\nu3,employee,Cy,yes,yes,\n',
      'u2,employee,Chen, Bo,yes,no,\nu1,employee,Ada,yes,yes,\nu3,employee,Cy,yes,yes,\n',
      'u1,employee,Ada,yes,yes,\nu3,employee,Cy,yes,yes,\nu2,employee,Chen, Bo,yes,no,,\nu4,employee,Chen, Di,yes,no,,\n',
    ] as const
  ).map((rows) => ({
    list: ['a.csv', `userId,role,name,manager,isActive,notes\n${rows}`] as const,
    args: [IGNORE, ...SKIP],
    sees: 'Bo Chen, who is not active, with a comma in the name, and no notes about anybody',
    does: 'rejects the row, whose columns are shifted, although no cell beyond the header is filled',
    code: 3,
    sent: ['u1', 'u3'].map((id) => employee(id, { isActive: true })),
    said: [
      'cells, but the header has 6, as other rows do (quote a cell that contains the delimiter, or remove the blank',
    ],
  })),
  {
    list: ['a.csv', 'userId,role,note\nu1,employee,"say \\"hi\\"\nthere"\nu2,employee,x\n'],
    args: ALL_ACTIVE,
    sees: 'a note of two lines with a backslash before its quotation marks',
    does: 'reports it once',
    said: ['line 2, column 3: a backslash before a quote'],
    unsaid: ['mistakes in quoting'],
  },
  ...(
    [
      ['a backslash before a comma in every name', 'u1,Berg\\, Ada,employee,\nu2,Chen\\, Bo,admin,\n'],
      ['the same, and no comma at the end of a row', 'u1,Berg\\, Ada,employee\nu2,Chen\\, Bo,admin\n'],
      ['the same without a space after it', 'u1,Berg\\,Ada,employee,\nu2,Chen\\,Bo,admin,\n'],
      ['a comma in every name, and one at the end of a row', 'u1,Berg, Ada,employee,\nu2,Chen, Bo,admin,\n'],
    ] as const
  ).map(([sees, rows]) => ({
    list: ['a.csv', `userId,name,role,department\n${rows}`] as const,
    args: ALL_ACTIVE,
    sees,
    does: 'rejects the rows, because the columns after the name are shifted, and the role is a first name',
    said: ['line 2: "Berg', 'Ada" may be one cell (quote a cell that contains the delimiter)', 'line 3: "Chen'],
  })),
  {
    list: ['a.csv', 'userId,home,role\nu1,C:\\ada\\,employee\nu2,\\\\server\\bo\\,employee\n'],
    args: ALL_ACTIVE,
    sees: 'folders that end in a backslash',
    does: 'sends the people',
    sent: ['u1', 'u2'].map((id) => employee(id, { isActive: true })),
  },
  {
    list: ['a.csv', 'userId, role\nu1, employee, \nu2, employee, \n'],
    sees: 'a space after every comma, also at the end',
    does: 'sends the people, and warns about the rows',
    sent: [employee('u1'), employee('u2')],
    said: ['2 rows have more or fewer cells than the header'],
  },
  {
    list: ['a.csv', 'userId,role\nu1,employee,\nu2,employee,\nu3,employee\n'],
    sees: 'people, and a delimiter at the end of the first rows',
    does: 'sends them, and warns about the rows',
    sent: ['u1', 'u2', 'u3'].map((id) => employee(id)),
    said: ['2 rows have more or fewer cells than the header'],
  },
  {
    list: ['a.csv', 'userId,role\nu1,employee,\nu2,employee,\nu3,employee\nu4,employee, \n'],
    args: SKIP,
    sees: 'people, of whom all but one have a delimiter at the end',
    does: 'rejects a row that is wider than others above it',
    code: 3,
    sent: [employee('u1'), employee('u2'), employee('u3')],
    said: ['line 5: 3 cells, but the header has 2'],
  },
  {
    list: ['a.csv', 'userId,role,department\nu1,employee,it\n\nu2\n'],
    args: SKIP,
    sees: 'a row that ends early',
    does: 'rejects it, and does not warn about it again',
    code: 3,
    sent: [employee('u1', { department: 'it' })],
    unsaid: ['fewer cells than the header, or only one'],
  },
  {
    list: ['a.csv', 'userId,role,department\n1,u1,employee,\n2,u2,employee,\n'],
    sees: 'two people with their numbers, as R writes row names, for which the header has no name',
    does: 'warns that the rows have more cells, because a delimiter at their end looks the same',
    sent: [
      { userId: '1', role: 'u1', department: 'employee' },
      { userId: '2', role: 'u2', department: 'employee' },
    ],
    said: ['2 rows have more or fewer cells than the header, or only one that is filled (lines 2, 3)'],
  },
  {
    list: ['a.csv', 'userId,role\nu1,\nu2,\n'],
    args: ['--default', 'role=employee'],
    sees: 'a list of IDs with an empty column for the role',
    does: 'sends them without a warning',
    sent: ['u1', 'u2'].map((id) => employee(id)),
    unsaid: ['only one that is filled'],
  },
  {
    list: 'report-footer/report.csv',
    args: [
      ...['--map', 'userId=Employee Number', '--map', 'isActive=status', '--map-value', 'isActive:Active=true'],
      ...['--default', 'role=employee', IGNORE],
    ],
    sees: 'two people, and the footer of a report',
    does: 'rejects the lines of the footer',
    said: ['"Staff directory Q3" contains a space', '"Example Org" contains a space', '5 rows are invalid'],
  },
  {
    list: 'label-header/fields.csv',
    sees: 'one person below a header in two lines',
    does: 'rejects the second header',
    said: ['line 2: userId: "User ID" is the name of the column: the row repeats the header'],
  },
  ...(
    [
      ['userId,role\nu1,employee\nrole,userId\nemployee,u2\n', '"role", "userId"'],
      ['userId,role,department\nu1,employee,it\nuserId,department,role\nu2,it,employee\n', '"department", "role"'],
      ['User ID;Role;Dept\nu1;employee;it\nrole;department;USER_ID\nemployee;it;u2\n', '"department", "USER_ID"'],
      ['userId,role,name\nu1,employee,Ann\nrole,userId,Full name\nemployee,u2,Ben\n', '"role", "userId"'],
      ['userId,role,email\nu1,employee,a@x\nemail,access,userId\nb@x,employee,u2\n', '"access", "userId"'],
      ['userId,role,name\nu1,employee,Ann\nname,role,Login\nBen,employee,u2\n', '"name", "role"'],
    ] as const
  ).map(([content, shown]) => ({
    list: ['all.csv', content] as const,
    args: [...ALL_ACTIVE, ...SKIP],
    sees: 'two lists one after the other, whose columns are in a different order',
    does: 'rejects both',
    said: ['line 3 is a second header, with its columns in another order', shown, 'hint: Split the list at line 3'],
  })),
  {
    list: ['all.csv', 'Login,Job,Mail\nu1,employee,a@x\nMail,Login,Job\nb@x,u2,employee\n'],
    args: ['--map', 'userId=Login', '--default', 'role=employee', ...ALL_ACTIVE],
    sees: 'two lists, of which orgadm reads a single column',
    does: 'rejects both',
    said: ['line 3 is a second header'],
  },
  {
    list: ['all.csv', 'userId,role,name,admin\nname,employee,Ann,no\nadmin,admin,Ben,yes\nrole,employee,name,role\n'],
    args: ALL_ACTIVE,
    sees: 'people whose IDs, and some other values, are also names of columns',
    does: 'sends them',
    sent: [
      employee('name', { isActive: true }),
      admin('admin', { isActive: true }),
      employee('role', { isActive: true }),
    ],
  },
  {
    list: ['all.csv', '"Login\n",role\nu1,employee\nLogin,role\nu2,employee\n'],
    args: ['--map', 'userId=Login', ...ALL_ACTIVE, ...SKIP],
    sees: 'the header again, without the line break in one of its names',
    does: 'rejects it',
    code: 3,
    sent: ['u1', 'u2'].map((id) => employee(id, { isActive: true })),
    said: ['line 4: userId: "Login" is the name of the column'],
  },
  {
    list: ['all.csv', 'userId,role,name\nu1,employee,Ann\nUser ID,Access,Full name\nu2,employee,Ben\n'],
    args: [...ALL_ACTIVE, ...SKIP],
    sees: 'a second header with other names for some of its columns',
    does: 'sends the people with --invalid skip',
    code: 3,
    sent: ['u1', 'u2'].map((id) => employee(id, { isActive: true })),
    said: ['line 3: userId: "User ID" is the name of the column: the row repeats the header'],
  },
  {
    list: 'label-header/employees.csv',
    args: ['--map', 'isActive=status', '--invalid', 'skip'],
    sees: 'two people below a header in two lines',
    does: 'sends the people with --invalid skip',
    code: 3,
    sent: [
      employee('usr_0001', { department: 'it', isActive: true }),
      employee('usr_0002', { department: 'hr', isActive: false }),
    ],
  },
  {
    list: 'unquoted-line-break/people.csv',
    args: ALL_ACTIVE,
    sees: 'two people, the title of the first in two lines',
    does: 'rejects both lines of the first person',
    said: ['line 3 may be the rest of this one', 'this line may be the rest of line 2', 'error: 2 rows '],
  },
  {
    list: ['a.csv', 'userId,title,role,department\nusr_1,Head of\nSales,employee,it\nusr_2,Clerk,admin,hr\n'],
    args: ALL_ACTIVE,
    sees: 'two people, the title of the first in two lines',
    does: 'rejects both lines of the first person',
    said: ['error: 2 rows '],
  },
  {
    list: ['a.csv', 'department,userId,role\nit,usr_1,employee\nTotal: 1\n'],
    sees: 'one person, and a total',
    does: 'rejects a line that ends before the user ID, and the one above, which may continue there',
    said: ['error: 2 rows '],
  },
  {
    list: ['a.csv', 'department,role,userId\nit,admin\n'],
    sees: 'a line that ends before the user ID',
    does: 'rejects it, and names the column',
    said: ['line 2: the row has 2 of 3 cells, and ends before the column "userId"'],
  },
  {
    list: ['a.csv', 'userId,role,department,isActive\nusr_1,employee\nusr_2,employee,it\nusr_3,admin,it,no\n'],
    sees: 'three people, two of them without the last cells',
    does: 'sends them, and warns once, with the lines',
    sent: [
      employee('usr_1'),
      employee('usr_2', { department: 'it' }),
      admin('usr_3', { department: 'it', isActive: false }),
    ],
    said: [
      '2 rows have more or fewer cells than the header, or only one that is filled (lines 2, 3). Check that each is a person',
    ],
  },
  {
    list: ['a.csv', 'userId,department,isActive\nusr_1,it,yes\nexport-2026,,\n'],
    args: ['--default', 'role=employee'],
    sees: 'one person, and a note',
    does: 'sends both, and warns about the line with a single cell',
    sent: [employee('usr_1', { department: 'it', isActive: true }), employee('export-2026')],
    said: ['1 row has more or fewer cells than the header, or only one that is filled (line 3)'],
  },
];

const ACTIVE: FieldList[] = [
  ...['NULL', '\\N', '(null)', '-', '0000-00-00', '0000-00-00 00:00:00', '0001-01-01T00:00:00Z'].map((none) => ({
    list: ['a.csv', `userId,role,Last day\nu1,employee,${none}\nu2,employee,2026-01-31\n`] as const,
    args: ['--map', 'isActive=Last day', '--map-value', 'isActive:*=false', '--default', 'isActive=true'],
    sees: `one person who has left, and one whose last day is ${none}`,
    does: 'asks what that means',
    said: [`line 2: isActive (column "Last day"): `, 'is not a boolean'],
  })),
  {
    list: 'confirmed-is-not-active/user_list.csv',
    args: ['--map', 'userId=id', '--default', 'role=employee', IGNORE],
    sees: 'two people who have confirmed their address, one of them suspended',
    does: 'asks who is active',
    said: ['does not say who is active', "--map 'isActive=<column>'"],
    unsaid: ['--map isActive=active'],
  },
  {
    list: 'confirmed-is-not-active/user_list.csv',
    args: ['--map', 'userId=id', '--default', 'role=employee', ...ALL_ACTIVE],
    sees: 'people who have confirmed their address, and an option for everyone or for blanks',
    does: 'asks whether the column says who is active, and names the option that ignores it',
    said: ['does not say who is active', 'If everyone is active, use --omit isActive --default isActive=true instead.'],
  },
  {
    list: ['a.csv', 'id,active\nu1,yes\nu2,no\n'],
    args: ['--map', 'userId=id', '--default', 'role=employee', ...ALL_ACTIVE, '--omit', 'isActive'],
    sees: 'people who have confirmed their address',
    does: 'sends everyone as active with that option',
    sent: ['u1', 'u2'].map((id) => employee(id, { isActive: true })),
  },
  {
    list: 'confirmed-is-not-active/users.json',
    args: ['--map', 'userId=login', '--default', 'role=employee', IGNORE],
    sees: 'two people who have confirmed their address, one of them may not log in',
    does: 'asks who is active',
    said: ['does not say who is active'],
  },
  {
    list: 'confirmed-is-not-active/users.json',
    args: [
      ...['--map', 'userId=login', '--default', 'role=employee', IGNORE],
      ...['--map', 'isActive=active', '--map', 'isActive=!prohibit_login'],
    ],
    sees: 'two people who have confirmed their address, one of them may not log in',
    does: 'sends as active whom both columns call active',
    sent: [employee('aberg', { isActive: true }), employee('bchen', { isActive: false })],
  },
  {
    list: ['a.csv', 'userId,role,suspended,archived\nu1,employee,no,\nu2,employee,no,2026-01-01\nu3,employee,no,no\n'],
    args: ['--map', 'isActive=!suspended', '--map', 'isActive=!archived'],
    sees: 'a person who may be archived, one who was archived on a day, and one who was not',
    does: 'rejects the rows in which one of the columns is no boolean',
    said: ['line 2: isActive (column "archived"): it is blank', 'line 3: isActive (column "archived"): "2026-01-01" '],
  },
  ...['Account,role,left,!left\nu1,employee,yes,yes\n', '!left,Account,role,left\nyes,u1,employee,yes\n'].map(
    (rows) => ({
      list: ['a.csv', rows] as const,
      args: ['--map', 'userId=Account', '--map', 'isActive=!left', IGNORE],
      sees: 'a column "left", and another one "!left"',
      does: 'asks which of them the option means',
      said: ['begins with "!", which inverts a column'],
    }),
  ),
  {
    list: ['a.csv', 'userId,role,left,enabled\nu1,employee,no,yes\nu2,employee,yes,yes\nu3,employee,no,no\n'],
    args: ['--map', 'isActive=!left', '--map', 'isActive=enabled'],
    sees: 'somebody who has left, somebody who is disabled, and the same words in both columns',
    does: 'reads the words of each column as the column means them',
    sent: [
      employee('u1', { isActive: true }),
      employee('u2', { isActive: false }),
      employee('u3', { isActive: false }),
    ],
  },
  {
    list: ['a.csv', 'userId,role,code\nu1,employee,X\n'],
    args: ['--map', 'isActive=!code', '--lookup', 'isActive=codes.csv:code=left'],
    sees: 'a code whose meaning a second list has: who has left',
    does: 'does not guess whether the second list or the ! says who is active',
    said: ['--map isActive=!code cannot be used with --lookup isActive=…', '--map-value isActive:'],
  },
  {
    list: ['a.csv', 'userId,role,code,enabled\nu1,employee,X,yes\n'],
    args: [
      ...['--map', 'isActive=enabled', '--map', 'isActive=!code'],
      ...['--lookup', 'isActive=codes.csv:code=left'],
    ],
    sees: 'such a code next to a column of active people',
    does: 'says that several columns must say true or false themselves',
    said: ['several --map isActive=… cannot be used with --lookup isActive=…'],
  },
  {
    list: ['a.csv', 'userId,role,left\nu1,employee,gone\n'],
    args: ['--map', 'isActive=!left', '--map-value', 'isActive:gone=true'],
    sees: 'a word for people who have left',
    does: 'does not guess whether the translation or the ! says who is active',
    said: ['--map isActive=!left cannot be used with --map-value isActive:…'],
  },
  {
    list: ['a.json', '[{"userId":"u1","role":"m","a":true,"b":true},{"userId":"u2","role":"m","a":true}]'],
    args: ['--map', 'isActive=a', '--map', 'isActive=b'],
    sees: 'a person without one of the keys',
    does: 'rejects the row',
    said: ['line 2: isActive: a column that says who is active is missing'],
  },
  {
    list: [
      'a.json',
      '[{"userId":"u1","role":"m","st":{"name":"active"}},{"userId":"u2","role":"m","st":"left"},{"userId":"u3","role":"m","st":7}]',
    ],
    args: ['--map', 'isActive=st.name', ...ALL_ACTIVE],
    sees: 'a status as an object, as a text, and as a number',
    does: 'does not read the others as blank',
    said: ['isActive (column "st.name"): "st" is "left", not an object', '"st" is "7"'],
  },
  {
    list: [
      'a.json',
      '[{"userId":"u1","role":"m","st":null},{"userId":"u2","role":"m","st":false},{"userId":"u3","role":"m","st":{"name":"inactive"}},{"userId":"u4","role":"m","st":[]},{"userId":"u5","role":"m"}]',
    ],
    args: ['--map', 'isActive=st.name', ...ALL_ACTIVE],
    sees: 'people without a status, as different programs write it',
    does: 'reads it as blank',
    sent: [true, true, false, true, true].map((isActive, at) => ({ userId: `u${at + 1}`, role: 'm', isActive })),
  },
  {
    list: ['a.csv', 'userId,role,a,b\nu1,employee,yes,yes\n'],
    args: ['--map', 'isActive=a', '--map', 'isActive=b', '--default', 'isActive=true'],
    sees: 'two columns that say who is active',
    does: 'rejects a value for blank ones, because a person is active only if both say so',
    said: ['several --map isActive=… cannot be used with --default isActive=…'],
  },
  {
    list: ['a.csv', 'userId,role,gesperrt\nu1,employee,"=""0"""\nu2,employee,"=""1"""\n'],
    sees: '0 and 1 in a column about which orgadm asks, which Excel has exported as formulas',
    does: 'shows the values that it would translate',
    said: ['gesperrt', '0, 1\n'],
    unsaid: ['="0"'],
  },
  {
    list: ['a.csv', 'userId,role,State\nu1,employee,on\nu2,employee,suspended\n'],
    args: ['--map-value', 'isActive:suspended=false', '--default', 'isActive=true', '--ignore-extra-columns'],
    sees: 'a status that an option translates without naming its column',
    does: 'asks for the column',
    said: ["--map 'isActive=<column>'", 'leave out --map-value isActive:…'],
    unsaid: ['put ! before its name'],
  },
  {
    list: ['a.csv', 'userId,role,STAT2\nu1,employee,3\nu2,employee,1\nu3,employee,0\nu4,employee,T\n'],
    args: ['--map', 'isActive=STAT2', '--map-value', 'isActive:3=true'],
    sees: 'codes of a status, as SAP and other programs number them, of which an option translates one',
    does: 'reads none of the others as true or false',
    said: [
      'line 3: isActive (column "STAT2"): "1" is not a boolean',
      'line 4: isActive (column "STAT2"): "0" is not',
      'line 5: isActive (column "STAT2"): "T" is not',
    ],
  },
  {
    list: [
      'a.json',
      '[{"userId":"u1","role":"m","st":2},{"userId":"u2","role":"m","st":1},{"userId":"u3","role":"m","st":true}]',
    ],
    args: ['--map', 'isActive=st', '--map-value', 'isActive:2=false', ...SKIP],
    sees: 'the same as numbers, next to a value that is true',
    does: 'reads only true as true',
    code: 3,
    sent: [
      { userId: 'u1', role: 'm', isActive: false },
      { userId: 'u3', role: 'm', isActive: true },
    ],
    said: ['isActive (column "st"): "1" is not a boolean'],
  },
  {
    list: ['a.csv', 'userId,role,Status\nu1,employee,Leave of absence\n'],
    args: ['--map', 'isActive=status', '--map-value', 'isActive:Left=false'],
    sees: 'a status that no option translates',
    does: 'names the option that does',
    said: ["add --map-value 'isActive:Leave of absence=<"],
  },
  {
    list: ['a.csv', 'userId,role,Label ID\nu1,employee,7\n'],
    sees: 'the ID of a label, which may be one of any system',
    does: 'asks what the column has',
    said: ['has columns that orgadm does not know', 'Label ID  7'],
  },
  {
    list: ['a.csv', 'userId,role,departmnt\nu1,employee,it\n'],
    sees: 'a misspelled column',
    does: 'says so, and does not drop it',
    said: [
      '"departmnt" may be a misspelling of department: rename it, or add --map department=departmnt.',
      "--map 'department=<column>'",
      'use --omit department instead',
    ],
  },
  {
    list: ['a.csv', 'userId,role,departmnt\nu1,employee,it\n'],
    args: ALL_ACTIVE,
    sees: 'a misspelled column that an option ignores',
    does: 'warns about it',
    sent: [employee('u1', { isActive: true })],
    said: ['the ignored column "departmnt" may be a misspelling of department'],
  },
  {
    list: ['a.csv', `userId,role,${'Name of the department in which the person works'}\nu1,employee,it\n`],
    args: ['--map', 'department=#3', '--default', 'isActive=true'],
    sees: 'a long column name',
    does: 'reads it by its number',
    sent: [employee('u1', { department: 'it', isActive: true })],
  },
];

describeFieldLists('first rows', FIRST_ROWS);
describeFieldLists('IDs and values', IDS);
describeFieldLists('text', TEXTS);
describeFieldLists('translations', TRANSLATIONS);
describeFieldLists('texts that are no role', NO_ROLES);
describeFieldLists('marks of a status', MARKS);
describeFieldLists('rows', ROWS);
describeFieldLists('who is active', ACTIVE);
