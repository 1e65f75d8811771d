import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { addsMembers, membersOf } from '../helpers/people-service.ts';
import { createCommandRunner } from '../helpers/service-run.ts';
import { workbook } from '../helpers/workbook.ts';

/*
 * Lists as administrators have them, one for each class of mistake. A list is read as a person sees it, or it stops with one
 * sentence, or the service rejects its rows.
 */

type File = readonly [name: string, content: string | Buffer];

interface FieldList {
  /** A file in `lists/`, or the name and the content of another one. */
  list: string | File;
  args?: readonly string[];
  /** The second list, which has IDs next to email addresses. */
  ids?: string | File;
  /** What a person sees in it. */
  sees: string;
  /** The entries that arrive; none by default. */
  sent?: readonly object[];
  /** The exit code; by default 0 if entries arrive, 2 if none do. */
  code?: number;
  /** Parts of the output, in which an invalid row of a table begins with `line 3: `. */
  says?: readonly string[];
}

const cli = createCommandRunner();

/** Returns the path of a file, and writes it unless it is in `lists/`. */
function pathOf(file: string | File): string {
  if (typeof file === 'string') return join(import.meta.dirname, 'lists', file);
  const [name, content] = file;
  writeFileSync(cli.file(name), content);
  return cli.file(name);
}

const employee = (userId: string, others: object = {}) => ({ userId, role: 'employee', ...others });
const admin = (userId: string, others: object = {}) => ({ userId, role: 'admin', ...others });
const SKIP = ['--invalid', 'skip'];
const ALL = ['--ignore-extra-columns', '--active', 'all'];
const GERMAN = [
  ...['--encoding', 'windows-1252', '--header-row', '2', '--map', 'userId=Personalnr.', '--map', 'role=Rolle'],
  ...['--map', 'department=Abteilung', '--active', 'Aktiv=Ja', '--ignore-extra-columns'],
];
const FOOTER = [
  ...['--map', 'userId=Employee Number', '--map', 'role=Access', '--active', 'Status=Active', '--ignore-extra-columns'],
];
const FORUM = ['--map', 'userId=id', '--default', 'role=employee', '--ignore-extra-columns'];
const ADDRESSES = 'lookup-unquoted-comma/people.csv';
const IDS = `id,email,x
usr_1, mei@EXAMPLE.com ,
usr_2,ben@example.com,
usr_2,ben@example.com,
usr_3,two@example.com,
usr_4,TWO@example.com,
,zoe@example.com,
usr_9,,
1.08E+20,ann@example.com,
usr 5,eva@example.com,
usr_6,zed@example.com,
,zed@example.com,
`;

/** A sheet in which the end of a contract is blank, a date, and a formula without a result. */
function contracts(): Buffer {
  const text = (value: string) => `<c t="str"><v>${value}</v></c>`;
  const row = (userId: string, role: string, end: string) => `<row>${text(userId)}${text(role)}${end}</row>`;
  const data = [
    row('userId', 'role', text('End')),
    row('u1', 'employee', ''),
    row('u2', 'employee', '<c s="1"><v>45000</v></c>'),
    row('u3', 'employee', '<c><f>D4</f></c>'),
  ];
  return workbook([{ name: 'T', data: data.join('') }], { formats: [14] });
}

// biome-ignore format: a table
const READ: FieldList[] = [
  { sees: 'the names of the fields, in other cases and with separators', list: ['ids.csv', 'USER ID,Role,department,is_active,device-mgmt-label-id\nu1,employee,it,yes,7\n'], sent: [employee('u1', { department: 'it', isActive: true, deviceMgmtLabelId: 7 })] },
  { sees: 'a line for Excel, umlauts of Windows, Ja and Nein, and leading zeros', list: 'german-excel/a.csv', args: GERMAN, sent: [
    { userId: '00017', role: 'Mitarbeiter', department: 'Büro Köln', isActive: true },
    { userId: '00018', role: 'Administrator', department: 'Straße', isActive: false },
  ] },
  { sees: 'row numbers in a column without a name', list: ['a.csv', ',userId,role\n0,u1,employee\n'], args: ALL, sent: [employee('u1', { isActive: true })] },
  { sees: 'a name of a column on two lines', list: ['a.csv', '"Login\nname",role\nu1,employee\n'], args: ['--map', 'userId=login  NAME', '--active', 'all'], sent: [employee('u1', { isActive: true })] },
  { sees: 'people without a header', list: ['a.csv', 'u1,employee\nu2,admin\n'], args: ['--columns', 'userId,role'], sent: [employee('u1'), admin('u2')] },
  { sees: 'columns without a value', list: ['a.csv', 'userId,role,Note,Note\nu1,employee, ,\nu2,employee\n'], sent: [employee('u1'), employee('u2')] },
  { sees: 'two people in JSON, of whom one has no status', list: ['a.json', '[{"userId":"u1","role":"admin","Status":"ACTIVE"},{"userId":"u2","role":"admin"}]'], args: ['--active', 'Status=ACTIVE'], sent: [admin('u1', { isActive: true }), admin('u2', { isActive: false })] },
  { sees: 'an ID in JSON, where no spreadsheet was', list: ['a.json', '[{"userId":"1001.0","role":"admin"}]'], sent: [admin('1001.0')] },
  { sees: 'an address in JSON, and an ID that is a number', list: ADDRESSES, ids: ['ids.json', '[{"id":1,"email":"ada@example.com"},{"id":2,"email":"bo@example.com"}]'], sent: [employee('1'), admin('2')] },
  { sees: 'a role as an object', list: 'role-object/a.json', args: ['--map', 'role=role.name', '--active', 'isActive=true', '--ignore-extra-columns'], sent: [admin('usr_0001', { isActive: true }), employee('usr_0002', { isActive: false })] },
  { sees: 'two people in Human Resources, one of them with a no-break space', list: 'no-break-spaces/departments.csv', sent: ['usr_0001', 'usr_0002'].map((id) => employee(id, { department: 'Human Resources' })) },
  { sees: 'two people who have left the company, one of them with a no-break space', list: 'no-break-spaces/status.csv', args: ['--active', 'Status=employed'], sent: [employee('usr_0001', { isActive: true }), employee('usr_0002', { isActive: false }), employee('usr_0003', { isActive: false })], says: ['Left company 2 '] },
  { sees: 'a person without a department, which Excel leaves out at the end of a row', list: ['a.csv', 'userId,role,department\nu1,employee\nu2,employee,it\n'], sent: [employee('u1'), employee('u2', { department: 'it' })] },
  { sees: 'a space after every comma, also at the end', list: ['a.csv', 'userId, role\nu1, employee, \nu2, employee, \n'], sent: [employee('u1'), employee('u2')] },
  { sees: 'people who have confirmed their address, one of them suspended', list: 'confirmed-is-not-active/user_list.csv', args: [...FORUM, '--active', 'active=true', '--active', 'suspended_till='], sent: [employee('11', { isActive: true }), employee('12', { isActive: false })], says: ['suspended_till: blank 1, (not blank) 1 (inactive)'] },
  { sees: 'words for nothing instead of roles', list: ['a.csv', 'userId,role\nu1,NULL\nu2,-\nu3,Big\u00a0 Boss\n'], args: ['--map-value', 'role:null=employee', '--map-value', 'role:-=', '--default', 'role=admin', '--map-value', 'role:big  boss=admin'], sent: [employee('u1'), admin('u2'), admin('u3')] },
  { sees: '人事 and 情報システム, with their readings in small print', list: 'furigana/members.xlsx', sent: [employee('usr_0001', { department: '人事' }), employee('usr_0002', { department: '情報システム' })] },
  { sees: 'one sheet with rows, after a blank one', list: 'cover-sheet/blank-cover.xlsx', sent: [employee('usr_0001')], says: ['sheet "Team"'] },
  { sees: 'people in an object, next to a cursor', list: 'nested-paging/slack.json', args: ['--records', 'members'], sent: [employee('usr_0001'), employee('usr_0002')], says: ['next to the list: ok true, response_metadata.next_cursor "abc"'] },
  { sees: 'a page of people, and how many there are', list: ['a.json', '{"next":"","total":412,"members":[{"userId":"u1","role":"admin"}]}'], args: ['--records', 'members'], sent: [admin('u1')], says: ['next to the list: total 412'] },
  { sees: 'addresses in place of IDs, which a service may have', list: ADDRESSES, sent: [employee('ada@example.com'), admin('bo@example.com')], says: ['every user ID is an email address'] },
];

// biome-ignore format: a table
const REJECTED: FieldList[] = [
  { sees: 'userId, with a hidden character', list: 'hidden-header-characters/people.csv', says: ['userId<U+200B>  usr_0001'] },
  { sees: 'userId, with a letter of another script', list: ['a.csv', 'us\u0435rId,role\nu1,employee\n'], says: ['us<U+0435>rId'] },
  { sees: 'a misspelled column', list: ['a.csv', 'userId,role,departmnt\nu1,employee,it\n'], says: ['departmnt  it'] },
  { sees: 'the IDs in another column than that of their name', list: ['a.csv', 'user_id,User ID,role\nx,u1,employee\n'], args: ['--map', 'userId=User ID', '--active', 'all'], says: ['user_id  x'] },
  { sees: 'who is active in another column than that of its name', list: ['a.csv', 'userId,role,isActive,Note\nu1,employee,true,x\n'], args: ['--active', 'Note=x'], says: ['isActive  true'] },
  { sees: 'two columns with the name of the IDs', list: ['a.csv', 'Login,login,role\nu1,u2,employee\n'], args: ['--map', 'userId=Login'], says: ['has two columns "Login"'] },
  { sees: 'two columns that may be the IDs', list: ['a.csv', 'userId,user_id,role\nu1,u2,employee\n'], says: ['has two columns "user_id"'] },
  { sees: 'one column as two fields', list: ['a.csv', 'a,role\nu1,employee\n'], args: ['--map', 'userId=a', '--map', 'department=A'], says: ['"a" is mapped to userId and department'] },
  { sees: 'a delimiter of its own', list: ['a.csv', 'userId^role\nu1^employee\n'], args: ['--map', 'userId=userId'], says: ['--delimiter'] },
  { sees: 'almost the columns of an errors file', list: ['a.csv', 'userId,role,department,isActive,deviceMgmtLabelId,Line,error\nu1,employee,,,,7,x\n'], says: ['Line   7'] },
  { sees: 'who is active in words of its own, in a column that is true or false', list: ['a.csv', 'userId,role,isActive,Note\nu1,employee,yes,x\n'], args: ['--active', 'isActive=ACTIVE', '--ignore-extra-columns'], says: ['is true or false'] },
  { sees: 'a role as an object, whose inner values are columns', list: 'role-object/a.json', says: ['role.id    3, 4', 'role.name  admin, employee'] },
  { sees: 'people who have confirmed their address, which does not say who is active', list: 'confirmed-is-not-active/user_list.csv', args: FORUM, says: ['suspended_at'] },
  { sees: 'a status that no option names', list: ['a.csv', 'userId,role,Status\nu1,employee,Active\n'], args: ['--active', 'Status=enabled'], says: ['"Active" (1)'] },
  { sees: 'long IDs that Excel has shortened, two of them to the same text', list: 'scientific-ids/google.csv', says: ['line 2: userId: "1.08123E+20"', 'line 4: userId: "1.08123E+20"'] },
  { sees: 'names of types instead of values', list: 'powershell-objects/people.csv', says: ['line 2: department: "@{Name=it; Id=4}"'] },
  { sees: 'typographic quotation marks around cells', list: 'smart-quotes/people.csv', says: ['line 3: '] },
  { sees: 'a person on two lines, because of a line break in a title', list: ['a.csv', 'userId,title,role\nusr_1,Head of\nSales,employee\nusr_2,Clerk,admin\n'], args: ALL, says: ['line 2: ', '"role"'] },
  { sees: 'an inch mark at the beginning of a cell', list: 'stray-quotes/a.csv', args: ALL, says: ['line 2: ', 'a quotation mark may be missing'] },
  { sees: 'a backslash before quotation marks', list: 'mysql-csv/mysql.csv', says: ['line 2, column 3: '] },
  { sees: 'quotation marks as text', list: 'mysql-tsv/a.tsv', says: ['line 2, column'] },
  { sees: 'a few lines of Latin-1 in a list in UTF-8', list: 'mixed-encoding/members.csv', says: ['line 3 ', '--encoding'] },
  { sees: 'an ID for each address in a second list, with an unquoted comma', list: ADDRESSES, ids: 'lookup-unquoted-comma/ids.csv', says: ['ids.csv: line 2 '] },
  { sees: 'an address in a second list, with a hidden character', list: ADDRESSES, ids: 'hidden-characters-in-lookup/ids.csv', says: ['line 2 ', 'ada<U+200B>@example.com'] },
  { sees: 'a second list without the column of the option', list: ADDRESSES, ids: ['ids.csv', 'id,mail\n1,x\n'], says: ['ids.csv has no column "email"'] },
  { sees: 'a second list that has this column twice', list: ADDRESSES, ids: ['ids.csv', 'id,email,email\n1,x,x\n'], says: ['ids.csv has two columns "email"'] },
  { sees: 'a quotation mark in a second list that is never closed', list: ADDRESSES, ids: ['ids.csv', 'id,email\n1,"x\n'], says: ['ids.csv: line 2, column 2: '] },
  { sees: 'a second list as an object', list: ADDRESSES, ids: ['ids.json', '{"users": []}'], says: ['Save the second list as CSV UTF-8'] },
  { sees: 'pages, one after the other', list: 'concatenated-pages/members.json', says: ['into one array'] },
  { sees: 'lists, one after the other', list: ['a.json', '[{"userId": "a"}]\n[{"userId": "b"}]'], says: ['jq -s add'] },
  { sees: 'pages, one a line', list: 'ndjson-pages/users.ndjson', says: ['users.0.userId', 'nextPageToken'] },
  { sees: 'people in an object', list: 'nested-paging/slack.json', says: ['--records members'] },
  { sees: 'a number with a fraction in JSON', list: ['a.json', '[{"userId":1.5,"role":"admin"}]'], says: ['userId: "1.5" is a number with a fraction'] },
  { sees: 'a web page that is called .xls', list: 'html-table/export.xls', says: ['.xlsx'] },
  { sees: 'a list in a zip archive', list: 'zip-of-csv/export.zip', says: ['.xlsx'] },
  { sees: 'three people, because a filter hides two', list: 'filtered-rows/team.xlsx', says: ['line 3: ', 'line 5: '] },
  { sees: 'one department next to three people', list: 'merged-cells/team.xlsx', says: ['C2:C4, C5:C6'] },
  { sees: 'two sheets, one for each office', list: 'two-sheets/offices.xlsx', says: ['"Berlin", "Munich"', '--sheet <name>'] },
  { sees: 'the results of formulas, which are not in the file', list: 'unsaved-formulas/openpyxl.xlsx', args: ['--ignore-extra-columns', '--active', 'isActive=true'], says: ['line 2: department ', 'isActive ', 'in column D'] },
  { sees: 'a date where 10-12 was typed, and IDs whose last digits are zeros', list: 'ids-as-dates/team.xlsx', says: ['line 2: userId: "46307"', 'line 4: userId: "1.234567890123457e+18"'] },
];

// biome-ignore format: a table
const READ_IN_PART: FieldList[] = [
  { sees: 'two people, and the footer of a report', list: 'report-footer/report.csv', args: FOOTER, sent: [employee('usr_0001', { isActive: true }), admin('usr_0002', { isActive: true })], says: ['"Status" (lines 6, 7, 8, 9, 10)'] },
  { sees: 'two people below a header in two lines', list: 'label-header/employees.csv', args: ['--active', 'STATUS=active'], sent: [employee('usr_0001', { department: 'it', isActive: true }), employee('usr_0002', { department: 'hr', isActive: false })], says: ['line 2: userId: "User ID"'] },
  { sees: 'two people in a file that ends in a control character', list: 'ctrl-z/as400.csv', sent: [employee('usr_0001'), admin('usr_0002')] },
  { sees: 'IDs as numbers, one of them beyond 2^53', list: 'json-numbers/people.json', sent: [employee('7', { isActive: false }), employee('0007', { deviceMgmtLabelId: 12 }), admin('1'), admin('1000'), admin('0')], says: ['userId: "12345678901234567000"'] },
  { sees: 'departments, and words for none', list: 'null-placeholders/people.csv', args: ['--map-value', 'department:NULL=', '--map-value', 'department:n/a=', '--map-value', 'department:nan='], sent: [employee('usr_0001', { isActive: true }), admin('usr_0002', { isActive: true }), admin('usr_0003', { isActive: true }), employee('NULL', { department: 'it', isActive: true })], says: ['line 5: department: "-"', '--map-value department:<value>='] },
  { sees: 'one person twice, with two roles', list: ['twice.csv', 'userId,role\nu1,employee\n\nu1,admin\nU1,admin\n'], sent: [employee('u1'), admin('U1')], says: ['line 4: duplicate userId (first on line 2)'] },
  { sees: 'one person twice, the first time with a cell too many', list: ['a.csv', 'userId,role\nu1,employee,x\nu1,employee\n'], sent: [employee('u1')], says: ['line 2: the row has 3 cells'] },
  { sees: 'a row that ends before the status', list: ['a.csv', 'userId,role,Status,department\nu1,employee,ACTIVE\nu2,employee\n'], args: ['--active', 'Status=ACTIVE'], sent: [employee('u1', { isActive: true })], says: ['line 3: the row ends after 2 of 4 cells, before "Status"'] },
  { sees: 'a yes, a zero, and a blank next to other columns', list: ['a.csv', 'userId,role,is active,Note\nu1,employee,yes,x\nu2,employee,0,x\nu3,employee,,x\n'], args: ['--active', 'Is Active=TRUE', '--ignore-extra-columns'], sent: [employee('u1', { isActive: true }), employee('u2', { isActive: false })], says: ['line 4: isActive is blank'] },
  { sees: 'whether a contract ends, which any value says but a formula without a result', list: ['a.xlsx', contracts()], args: ['--active', 'End='], sent: [employee('u1', { isActive: true }), employee('u2', { isActive: false })], says: ['line 4: End '] },
  { sees: 'when a contract ends, which a date does not say', list: ['a.xlsx', contracts()], args: ['--active', 'End=', '--active', 'End=never'], sent: [employee('u1', { isActive: true })], says: ['line 3: End: "45000" ', 'line 4: End '] },
  { sees: 'addresses, to which a second list has one ID, several, none, or one that cannot be read', list: ['a.csv', 'Email,role\nMei@example.com,employee\nben@example.com,employee\nzed@example.com,employee\nzoe@example.com,employee\nnobody@example.com,employee\ntwo@example.com,employee\nann@example.com,employee\neva@example.com,employee\n,employee\n'], args: ['--map', 'userId=Email'], ids: ['ids.csv', IDS], sent: [employee('usr_1'), employee('usr_2'), employee('usr_6')], says: ['line 5: userId: "zoe@example.com" is not in', 'line 6: userId: "nobody@example.com" is not in', 'line 7: userId: "two@example.com" has several', 'line 8: userId: "ann@example.com" has "1.08E+20"', 'line 9: userId: "usr 5"', 'line 10: userId '] },
  { sees: 'an address in a second list next to a number that is not exact', list: ADDRESSES, ids: ['ids.json', '[{"id":1,"email":"ada@example.com"},{"id":9007199254740993,"email":"bo@example.com"}]'], sent: [employee('1')], says: ['line 3: userId: the ID of "bo@example.com"'] },
  { sees: 'a yes, a blank, and a mark as the status of people', list: ['a.csv', 'userId,role,isActive\nu1,employee,yes\nu2,employee,\nu3,employee,checked\n'], sent: [employee('u1', { isActive: true }), employee('u2')], says: ['line 4: isActive: "checked"'] },
  { sees: 'one person, and 300 rows that a template has filled with a role', list: 'prefilled-template/template.xlsx', sent: [admin('usr_0001', { isActive: true })], says: ['300 invalid: ', '(lines 3, 4, 5, 6, 7, …)'] },
];

/** Imports a list, and checks what arrives, the exit code, and what orgadm says. */
async function expectImport({ list, args = [], ids, sent = [], code = sent.length > 0 ? 0 : 2, says = [] }: FieldList) {
  const lookup = ids === undefined ? [] : ['--lookup', `${pathOf(ids)}:email=id`];
  const { service, run } = await cli.scripted(addsMembers());
  const result = await run(['people', 'bulk-add', pathOf(list), ...args, ...lookup]);
  const printed = `${result.stdout}${result.stderr}`.replace(/^ *(\d+) {2}.*? +invalid {2}/gm, 'line $1: ');
  expect({ code: result.code, sent: service.requests.flatMap(membersOf) }, printed).toEqual({ code, sent });
  for (const part of says) expect(printed).toContain(part);
}

it.each(READ)('is read as a person sees it: $sees', (one) => expectImport(one));

it.each(REJECTED)('stops with one sentence, and nothing is sent: $sees', (one) => expectImport(one));

it.each(READ_IN_PART)('has rows that are invalid, without which it is sent: $sees', async ({ args = [], ...one }) => {
  await expectImport({ ...one, args, sent: [], code: 2 });
  await expectImport({ ...one, args: [...args, ...SKIP], code: 3 });
});
