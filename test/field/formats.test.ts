import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createCommandRunner } from '../helpers/service-run.ts';
import { partLike } from '../helpers/text-like.ts';
import { zipArchive } from '../helpers/workbook.ts';
import { importList as importInto, type List } from './field-lists.ts';

const cli = createCommandRunner();

/** Options for columns that are not fields. */
const OTHERS = ['--ignore-extra-columns', '--default', 'isActive=true'];

const importList = (list: List, options?: readonly string[]) => importInto(cli, list, options);

/** Expects that a list is rejected with these parts of the message, and that nothing arrives. */
async function expectRejected(list: List, options: readonly string[], parts: readonly string[]): Promise<void> {
  const { code, sent, printed } = await importList(list, options);
  expect({ code, sent }, printed).toEqual({ code: 2, sent: [] });
  for (const part of parts) expect(printed).toContain(part);
}

describe('an object where a field has text', () => {
  it.each<[string, List, string]>([
    ['role', 'role-object/a.json', '--map role=role.id or --map role=role.name'],
    ['isActive', ['a.json', '[{"userId":"u1","role":"m","isActive":{"value":true}}]'], '--map isActive=isActive.value'],
    [
      'a key that --map names',
      ['a.json', '[{"login":{"ids":{"main":"u1"}},"role":"m","isActive":true}]'],
      '--map userId=login.ids.main',
    ],
  ])('makes its row invalid, and the error names the inner values: %s', async (_name, list, option) => {
    const options = option.includes('login') ? ['--map', 'userId=login'] : [];
    await expectRejected(list, options, ['an object is not a', option]);
  });

  it('is read with the option that the error names', async () => {
    const options = ['--map', 'role=role.name', '--ignore-extra-columns'];
    const { sent } = await importList('role-object/a.json', options);
    expect(sent).toEqual([
      { userId: 'usr_0001', role: 'admin', isActive: true },
      { userId: 'usr_0002', role: 'employee', isActive: false },
    ]);
  });
});

describe('a key next to one of which a field reads an inner value', () => {
  it.each([
    ['whose name begins alike', '"roles":["m"]', 'roles.0'],
    ['without a value', '"suspended":null', 'suspended'],
  ])('is a column of its own: %s', async (_name, member, column) => {
    const list: List = ['a.json', `[{"userId":"u1","role":{"name":"m"},"isActive":true,${member}}]`];
    await expectRejected(list, ['--map', 'role=role.name'], [`Map "${column}" or ignore it`]);
  });
});

describe('several values where a field has one', () => {
  const people = (key: string, ...values: unknown[]) =>
    JSON.stringify(values.map((value, at) => ({ userId: `u${at + 1}`, role: 'm', isActive: true, [key]: value })));

  it('make the row invalid, and the error names the first of them', async () => {
    await expectRejected(
      ['a.json', people('department', ['it', 'hr'], [])],
      [],
      ['department: an array is not a string (name one of its values: --map department=department.0)'],
    );
  });

  it.each<[string, List, string, string, string]>([
    ['texts', ['a.json', people('roles', ['employee', 'admin'], ['guest'])], 'role=roles.0', 'roles', 'roles.0'],
    [
      'objects, as in SCIM',
      ['a.json', people('roles', [{ value: 'employee' }, { value: 'admin', primary: true }], [{ value: 'guest' }])],
      'role=roles.0.value',
      'roles',
      'roles.0',
    ],
    [
      'within an object, as in Keycloak',
      ['a.ndjson', '{"a":{"r":["employee","x"]},"userId":"u1"}\n{"a":{"r":["guest"]},"userId":"u2"}\n'],
      'role=a.r.0',
      'a.r',
      'a.r.0',
    ],
  ])('are read with a warning that the others are not: %s', async (_name, list, map, array, element) => {
    const { sent, printed } = await importList(list, ['--map', map, ...OTHERS]);
    expect(
      sent.map(({ role }) => role),
      printed,
    ).toEqual(['employee', 'guest']);
    expect(printed).toContain(`1 entry has several values in "${array}", of which orgadm reads only "${element}"`);
  });

  it('are read with a warning in a second list', async () => {
    const ids = cli.file('ids.json');
    writeFileSync(ids, '[{"mail":"a@x","ids":["u1","u2"]},{"mail":"b@x","ids":["u3"]}]');
    const { sent, printed } = await importList(
      ['a.csv', 'userId,role\na@x,m\nb@x,m\n'],
      ['--lookup', `userId=${ids}:mail=ids.0`],
    );
    expect(
      sent.map(({ userId }) => userId),
      printed,
    ).toEqual(['u1', 'u3']);
    expect(printed).toContain(
      '--lookup userId: 1 entry has several values in "ids", of which orgadm reads only "ids.0"',
    );
  });

  it('are read without a warning if nobody has several', async () => {
    const { sent, printed } = await importList(
      ['a.json', people('roles', ['employee'], [])],
      ['--map', 'role=roles.0', '--default', 'role=guest', ...OTHERS],
    );
    expect(
      sent.map(({ role }) => role),
      printed,
    ).toEqual(['employee', 'guest']);
    expect(printed).not.toContain('several values');
  });
});

describe('a table whose quotes are not as CSV has them', () => {
  it('is rejected with all mistakes at once, each with its line, column, and reason', async () => {
    const content = 'userId,role,department\nu1,m,5"\nu2,"m"x,it\n"u3",m,it\nu4,m,"it\n"u5",m,it\n';
    await expectRejected(
      ['a.csv', content],
      [],
      [
        `a.csv: 3 mistakes in quoting
  line 2, column 3: a quote inside the text
  line 3, column 2: text follows a closing quote
  line 5, column 3: text follows a closing quote
hint: Quote the entire cell, close the quote, and double a quote that belongs to its text: "say ""hi""".`,
      ],
    );
  });

  it('is rejected with the first 20 mistakes and the number of the others', async () => {
    const content = `userId,role\n${Array.from({ length: 1_030 }, (_, at) => `u${at},5"\n`).join('')}`;
    await expectRejected(
      ['a.csv', content],
      [],
      ['1,030 mistakes in quoting', 'line 21, column 2: a quote inside the text\n  and 1,010 more\n'],
    );
  });

  it.each<[string, List, string[]]>([
    ['as MySQL writes them', 'mysql-csv/mysql.csv', ['line 2, column 3']],
    [
      'at the end of a cell',
      ['a.csv', 'userId,role,department\n"u1","m","The \\"A\\""\n"u2","m","\\"A\\" team"\n'],
      ['line 2, column 3', 'line 3, column 3'],
    ],
    [
      'next to a delimiter',
      ['a.csv', 'userId,role,department\n"u1","m","\\"A\\", B"\n"u2","m","it"\n'],
      ['line 2, column 3'],
    ],
  ])('is rejected with the reason if it has backslashes before quotes: %s', async (_name, list, places) => {
    const reason = 'a backslash before a quote, but CSV doubles quotes ("")';
    await expectRejected(list, [], [...places.map((place) => `${place}: ${reason}`), 'Replace each \\" with ""']);
  });
});

describe('a table whose quotes CSV would not need or not allow', () => {
  it.each<[string, List, unknown[]]>([
    [
      'a space before a cell in quotes',
      'space-before-quote/a.csv',
      [{ userId: 'usr_0001', role: 'employee', department: 'Sales, EMEA' }],
    ],
    [
      'spaces and tabs on both sides of cells in quotes',
      ['a.csv', 'userId;role;department\n  "u1" ;\t"m"\t; "a;b" \nu2; m ;\n'],
      [
        { userId: 'u1', role: 'm', department: 'a;b' },
        { userId: 'u2', role: 'm' },
      ],
    ],
    [
      'quotes as text in a TSV file that quotes no whole cell',
      'mysql-tsv/a.tsv',
      [
        { userId: 'usr_0001', role: 'employee', department: 'The "A" team', isActive: true },
        { userId: 'usr_0002', role: 'admin', department: '"B" side', isActive: true },
      ],
    ],
    [
      'quotes as text between tabs, also at the end and unbalanced',
      ['a.csv', 'userId\trole\tdepartment\nu1\tm\t"B" side\nu2\tm\tside "B"\nu3\tm\t5" pipes\n'],
      [
        { userId: 'u1', role: 'm', department: '"B" side' },
        { userId: 'u2', role: 'm', department: 'side "B"' },
        { userId: 'u3', role: 'm', department: '5" pipes' },
      ],
    ],
    [
      'quotes around whole cells between tabs',
      ['a.tsv', 'userId\trole\tdepartment\n"u1"\tm\t"say ""hi"""\nu2\tm\t"a,b"\n'],
      [
        { userId: 'u1', role: 'm', department: 'say "hi"' },
        { userId: 'u2', role: 'm', department: 'a,b' },
      ],
    ],
  ])('is read with %s', async (_name, list, entries) => {
    const options = list === 'mysql-tsv/a.tsv' ? ['--map', 'department=title', ...OTHERS] : [];
    const { sent, printed } = await importList(list, options);
    expect(sent, printed).toEqual(entries);
  });

  it('is rejected if it quotes whole cells between tabs and has other quotes, too', async () => {
    const content = 'userId\trole\tdepartment\n"u1"\tm\t"B" side\n';
    await expectRejected(['a.tsv', content], [], ['line 2, column 3: text follows a closing quote']);
  });
});

describe('a text that a table protects from Excel as a formula', () => {
  it('is that text', async () => {
    const content = 'userId,role,department\n="00123",="m","=""it"""\n"00124", ="m" ,it\n';
    const { sent, printed } = await importList(['a.csv', content]);
    expect(sent, printed).toEqual([
      { userId: '00123', role: 'm', department: 'it' },
      { userId: '00124', role: 'm', department: 'it' },
    ]);
  });

  it('is a mistake in quoting with the delimiter in it', async () => {
    await expectRejected(['a.csv', 'userId,role\n="1,2",m\n'], [], ['line 2, column 1: a quote inside the text']);
  });
});

describe('a stray quote that opens a cell', () => {
  const rows = 'lines 2 to 4 ';

  it.each<[string, List, string]>([
    [
      'in the last column',
      'stray-quotes/a.csv',
      'lines 2 to 4 are one row because of their quotes, but look like several rows (a quote may be missing)',
    ],
    ['above a line that is no row', ['a.csv', 'userId,role,note\nu1,m,"left\nu2,m,it\nlater"\n'], rows],
    ['above a row with more cells than its own', ['a.csv', 'userId,role,note\nu1,"m\nu2,m,it\nlater"\n'], rows],
    ['in the first column', ['a.csv', 'userId,role,department\n"u1,m,it\nu2,m,it\nu3",m,it\nu4,m,it\n'], rows],
    [
      'in a column in the middle',
      ['a.csv', 'userId,role,department,title\nu1,"m,it,x\nu2,m",it,y\nu3,m,it,z\n'],
      rows.replace('4', '3'),
    ],
    ['between tabs', ['a.csv', 'userId\trole\tdepartment\nu1\tm\t"it\nu2\tm\tit\nu3\tm\tit"\nu4\tm\tit\n'], rows],
    [
      'in rows that are shorter than the header',
      ['a.csv', 'userId,role,department,title\nu1,m,"it\nu2,m,it\nu3,m,it"\n'],
      rows,
    ],
    ['with CR line ends', ['a.csv', 'userId,role,department\ru1,m,"it\ru2,m,it\ru3,m,it"\ru4,m,it\r'], rows],
    ['in the header', ['a.csv', 'userId,role,"department\nu1,m,it"\nu2,m,it\n'], rows.replace('2 to 4', '1 to 2')],
  ])('makes its row invalid rather than hide the rows up to the next quote: %s', async (_name, list, message) => {
    await expectRejected(list, OTHERS, [message]);
  });

  it('is not suspected in cells with several lines of text', async () => {
    const content = 'userId,role,department\nu1,m,"Sales,\nEMEA"\n"u2",m,"a\nb\nc"\nu3,m,"R&D, IT\r\nand QA"\n';
    const { code, sent, printed } = await importList(['a.csv', content], ['--omit', 'department', ...OTHERS]);
    expect(code, printed).toBe(0);
    expect(sent.map(({ userId }) => userId)).toEqual(['u1', 'u2', 'u3']);
  });
});

describe('a table with CR line ends', () => {
  it('is read beyond 3 MiB with line breaks in its cells', async () => {
    const note = '-'.repeat(2_000);
    const users = Array.from({ length: 3_000 }, (_, at) => `u${at}`);
    const content = `userId,role,note\r${users.map((user) => `${user},m,"${note}\n${note}"\r`).join('')}`;
    const { sent, printed } = await importList(
      ['a.csv', content],
      ['--ignore-extra-columns', '--default', 'isActive=true', '--concurrency', '1'],
    );
    expect(
      sent.map(({ userId }) => userId),
      printed,
    ).toEqual(users);
  });
});

const USERS = '[{"userId":"u1","role":"m"},{"userId":"u2","role":"m"}]';

describe('a JSON list that is one page of a longer one', () => {
  it.each<[string, List, string]>([
    ['Slack', 'nested-paging/slack.json', '"response_metadata.next_cursor" is "abc"'],
    ['JSON:API', 'nested-paging/jsonapi.json', '"links.next" is "/u?page=2"'],
    ['meta', 'nested-paging/meta.json', '"meta.total_count" is 250'],
    [
      'OData',
      ['a.json', `{"value":${USERS},"@odata.nextLink":"https://x/?skip=2"}`],
      '"@odata.nextLink" is "https://x/?skip=2"',
    ],
    ['SCIM', ['a.json', `{"totalResults":7,"Resources":${USERS}}`], '"totalResults" is 7'],
    [
      'DynamoDB',
      ['a.json', `{"Items":${USERS},"Count":2,"LastEvaluatedKey":{"userId":{"S":"u2"}}}`],
      '"LastEvaluatedKey.userId.S" is "u2"',
    ],
    ['Airtable', ['a.json', `{"records":${USERS},"offset":"itrX/recY"}`], '"offset" is "itrX/recY"'],
    [
      'HAL',
      ['a.json', `{"_embedded":{"users":${USERS}},"_links":{"self":{"href":"/u"},"next":{"href":"/u?page=2"}}}`],
      '"_links.next.href" is "/u?page=2"',
    ],
    [
      'GraphQL',
      ['a.json', `{"data":{"users":{"pageInfo":{"endCursor":"x","hasNextPage":true},"nodes":${USERS}}}}`],
      '"data.users.pageInfo.hasNextPage" is true',
    ],
    [
      'links with a relation',
      ['a.json', `{"items":${USERS},"links":[{"rel":"self","href":"/u"},{"rel":"next","href":"/u?page=2"}]}`],
      '"links.1.rel" is "next"',
    ],
    [
      'an object around the list',
      ['a.json', `{"paging":{"more":true},"data":{"users":${USERS}}}`],
      '"paging.more" is true',
    ],
    ['a page that is not the last', ['a.json', `{"isLast":false,"values":${USERS}}`], '"isLast" is false'],
    [
      'the number of pages',
      ['a.json', `{"users":${USERS},"meta":{"page":1,"total_pages":3}}`],
      '"meta.total_pages" is 3',
    ],
    ['Spring', ['a.json', `{"content":${USERS},"totalPages":1,"last":false}`], '"last" is false'],
    ['AWS', ['a.json', `{"Users":${USERS},"IsTruncated":true}`], '"IsTruncated" is true'],
    ['Salesforce', ['a.json', `{"records":${USERS},"nextRecordsUrl":"/q/1-2"}`], '"nextRecordsUrl" is "/q/1-2"'],
    [
      'WorkOS',
      ['a.json', `{"data":${USERS},"list_metadata":{"before":null,"after":"u2"}}`],
      '"list_metadata.after" is "u2"',
    ],
    [
      'OneLogin',
      ['a.json', `{"pagination":{"before_cursor":null,"after_cursor":"xyz"},"data":${USERS}}`],
      '"pagination.after_cursor" is "xyz"',
    ],
    ['Firebase', ['a.json', `{"users":${USERS},"pageToken":"abc"}`], '"pageToken" is "abc"'],
    ['DocuSign', ['a.json', `{"users":${USERS},"resultSetSize":"2","totalSetSize":"40"}`], '"totalSetSize" is "40"'],
    [
      'a limit of the directory',
      ['a.json', `{"users":${USERS},"sizeLimitExceeded":true}`],
      '"sizeLimitExceeded" is true',
    ],
    ['a search that gave up', ['a.json', `{"users":${USERS},"partial":true}`], '"partial" is true'],
    ['a total as text', ['a.json', `{"users":${USERS},"total":"9"}`], '"total" is "9"'],
    [
      'a total in an object',
      ['a.json', `{"data":${USERS},"hits":{"total":{"value":9,"relation":"eq"}}}`],
      '"hits.total.value" is 9',
    ],
    [
      'long links',
      ['a.json', `{"users":${USERS},"links":{"self":"/${'x'.repeat(3_000)}","next":"/2"}}`],
      '"links.next" is "/2"',
    ],
    [
      'pages one after the other, of which the last one has a next one',
      ['a.json', `{"users":${USERS}}{"users":[],"next":"/3"}`],
      '"next" is "/3"',
    ],
    [
      'the second page of an object with --records',
      ['a.json', `{"crew":${USERS},"meta":{"has_more":true}}`],
      '"meta.has_more" is true',
    ],
    [
      'an error next to the people that were read before it',
      ['a.json', `{"users":${USERS},"errors":[{"message":"LDAP timeout"}]}`],
      '"errors" is [{"message":"LDAP timeout"}]',
    ],
    [
      'an array of other people',
      ['a.json', `{"users":${USERS},"guests":[{"userId":"u3","role":"guest","until":"2027"}]}`],
      '"guests" is an array of such objects, too (to read it: --records guests)',
    ],
    [
      'many of them before the list, in an object around it',
      [
        'a.json',
        `{"data":{"outside_collaborators":[{"userId":"u3","role":"m","note":"${'x'.repeat(70_000)}"}],"users":${USERS}}}`,
      ],
      '"data.outside_collaborators" is an array of such objects, too',
    ],
    [
      'a later page of SCIM whose total is that of the page',
      ['a.json', `{"totalResults":2,"startIndex":9,"itemsPerPage":2,"Resources":${USERS}}`],
      '"startIndex" is 9',
    ],
    [
      'the number of a later page',
      ['a.json', `{"users":${USERS},"meta":{"current_page":3}}`],
      '"meta.current_page" is 3',
    ],
    [
      'the number of a later page in an object',
      ['a.json', `{"users":${USERS},"page":{"number":2}}`],
      '"page.number" is 2',
    ],
    [
      'pages one after the other, of which the first one is missing',
      ['a.json', `{"users":${USERS},"offset":2}{"users":[{"userId":"u3","role":"m"}],"offset":4}`],
      '"offset" is 2',
    ],
    ['the cursor of the next page', ['a.json', `{"users":${USERS},"page":{"cursor":"b2Zmc2V0"}}`], '"page.cursor" is'],
    [
      'people whom the key of the export may not read',
      ['a.json', `{"data":${USERS},"meta":{"omitted":{"detail":"Insufficient authorization"}}}`],
      '"meta.omitted.detail" is "Insufficient authorization"',
    ],
    [
      'a total that is a lower bound',
      ['a.json', `{"data":{"total":{"value":2,"relation":"gte"},"results":${USERS}}}`],
      '"data.total.relation" is "gte"',
    ],
    ['a total that nobody counted', ['a.json', `{"total":-1,"list":${USERS}}`], '"total" is -1'],
    ['an export that failed in the end', ['a.json', `{"users":${USERS},"success":false}`], '"success" is false'],
  ])('causes a warning that names the field: %s', async (_name, list, more) => {
    const { code, sent, printed } = await importList(list, more.includes('has_more') ? ['--records', 'crew'] : []);
    const entries = more.includes('"offset" is 2') ? 3 : 2;
    expect({ code, people: sent.length }, printed).toEqual({ code: 0, people: entries });
    expect(printed).toMatch(partLike(`${entries} entries, …: ${more}`));
  });

  it('is imported with a warning', async () => {
    const { sent, printed } = await importList(['a.json', `{"totalResults":7,"Resources":${USERS}}`]);
    expect(sent).toHaveLength(2);
    expect(printed).toContain(': the list has 2 entries, but there may be more: "totalResults" is 7');
  });

  it.each([
    `{"totalResults":2,"Resources":${USERS},"itemsPerPage":100,"startIndex":1}`,
    `{"users":${USERS},"nextPageToken":"","has_more":false,"next":null,"isLast":true,"count":2}`,
    `{"users":${USERS},"links":{"next":null,"prev":"/1"},"meta":{"pages":1,"per_page":100,"page":1}}`,
    `{"users":${USERS},"errors":[],"error":null,"success":true,"status":200}`,
    `{"users":${USERS},"list_metadata":{"before":"u1","after":null},"pageToken":"","totalSetSize":"2","isPartial":false}`,
    `{"users":${USERS},"startIndex":1,"page":1,"offset":0,"meta":{"currentPage":"1"}}`,
    `{"users":${USERS},"cursor":null,"omitted":[],"total":{"value":2,"relation":"eq"}}`,
    `{"users":[{"userId":"u1","role":"m"}],"page":1}{"users":[{"userId":"u2","role":"m"}],"page":2}`,
    `{"users":${USERS},"_links":[{"rel":"prev","href":"/1"}],"description":"next page","seats":50}`,
    `{"users":${USERS},"guests":[],"roles":[{"role":"m","name":"Member"}],"teams":[{"id":1,"role":"m"}],"fields":["userId"]}`,
  ])('causes no warning if it is complete: %s', async (content) => {
    const { code, printed } = await importList(['a.json', content]);
    expect(code, printed).toBe(0);
    expect(printed).not.toContain('may be more');
  });
});

describe('an object that has an ID, and an array of objects that have one, too', () => {
  const REALM =
    '{"id":"r1","realm":"acme","enabled":true,"roles":{"realm":[{"id":"x1","name":"admin"}]},' +
    '"users":[{"id":"u1","enabled":true},{"id":"u2","enabled":false}],"clients":[{"id":"c1","enabled":true}]}';
  const MAPPED = ['--map', 'userId=id', '--map', 'isActive=enabled', '--default', 'role=m', '--ignore-extra-columns'];
  const TEAM = '{"id":"t1","enabled":true,"crew":[{"id":"u1","enabled":true}]}';

  it.each<[string, List, readonly string[], string]>([
    ['a realm of Keycloak', ['a.json', REALM], MAPPED, '"users", "clients", "roles.realm"'],
    ['a team, under a key of its own', ['a.json', TEAM], MAPPED, '"crew"'],
    ['several teams', ['a.json', `${TEAM}\n${TEAM}\n`.replaceAll('crew', 'members')], MAPPED, '"members"'],
    [
      'an ID within an object',
      ['a.json', '{"metadata":{"name":"list"},"items":[{"metadata":{"name":"u1"}}]}'],
      ['--map', 'userId=metadata.name', '--default', 'role=m', '--default', 'isActive=true', '--ignore-extra-columns'],
      '"items"',
    ],
    [
      'a team with the name of the field',
      ['a.json', '{"userId":"t1","role":"m","users":[{"userId":"u1","role":"m"}]}'],
      ['--ignore-extra-columns', '--default', 'isActive=true'],
      '"users"',
    ],
  ])('is not taken for a person: %s', async (_name, list, options, arrays) => {
    await expectRejected(list, options, [
      `a.json: the object has a user ID, and so do the objects in ${arrays}`,
      'If the object itself is a person, add --format ndjson.',
    ]);
  });

  it('is read as the options say', async () => {
    const people = await importList(['a.json', REALM], [...MAPPED, '--records', 'users']);
    expect(people.sent).toEqual([
      { userId: 'u1', role: 'm', isActive: true },
      { userId: 'u2', role: 'm', isActive: false },
    ]);
    const person = await importList(['a.json', TEAM], [...MAPPED, '--format', 'ndjson']);
    expect(person.sent).toEqual([{ userId: 't1', role: 'm', isActive: true }]);
  });

  it('is a person in a list of several, if no program uses the key of the array for lists', async () => {
    const { sent } = await importList(['a.json', `${TEAM}\n${TEAM.replace('t1', 't2')}\n`], MAPPED);
    expect(sent).toHaveLength(2);
  });
});

describe('pages that were written one after the other', () => {
  const people = [
    { userId: 'usr_0001', role: 'employee' },
    { userId: 'usr_0002', role: 'employee' },
    { userId: 'usr_0003', role: 'admin' },
  ];

  it.each<[string, List]>([
    ['arrays', 'concatenated-arrays/members.json'],
    ['objects', 'concatenated-pages/members.json'],
    ['objects, one on each line', 'concatenated-pages/members.ndjson'],
    ['objects, one on each line, with the token of the next page', 'ndjson-pages/users.ndjson'],
    [
      'objects, one on each line, longer than the beginning that orgadm looks at',
      [
        'a.jsonl',
        `{"users":[{"userId":"usr_0001","role":"employee","department":"${' '.repeat(70_000)}"}]}\n{"users":[{"userId":"usr_0002","role":"employee"}]}\n{"users":[{"userId":"usr_0003","role":"admin"}]}\n`,
      ],
    ],
  ])('are one list without a warning: %s', async (_name, list) => {
    const { code, sent, printed } = await importList(list);
    expect({ code, sent }, printed).toEqual({ code: 0, sent: people });
    expect(printed).not.toContain('may be more');
  });

  it.each<[string, string, string[]]>([
    [
      'with --format ndjson',
      '{"users":["x"],"login":"u1"}\n{"users":[],"login":"u2"}\n',
      ['--format', 'ndjson', '--map', 'userId=login'],
    ],
    ['with user IDs', '{"userId":"u1","items":[{"a":1}]}\n{"userId":"u2","items":[]}\n', []],
    [
      'with a key that --map names',
      '{"login":"u1","items":[{"a":1}]}\n{"login":"u2","items":[]}\n',
      ['--map', 'userId=login'],
    ],
  ])('are not assumed where each line is a person: %s', async (_name, content, options) => {
    const { sent, printed } = await importList(['a.ndjson', content], ['--default', 'role=m', ...OTHERS, ...options]);
    expect(
      sent.map(({ userId }) => userId),
      printed,
    ).toEqual(['u1', 'u2']);
  });
});

describe('a list in the response of a GraphQL service', () => {
  const edges = '[{"cursor":"a","node":{"userId":"u1","role":"m"}},{"cursor":"b","node":{"userId":"u2","role":"m"}}]';
  const columns = ['--map', 'userId=node.userId', '--map', 'role=node.role', ...OTHERS];
  const ids = ['u1', 'u2'];

  it.each<[string, string]>([
    ['data.users.edges', `{"data":{"users":{"edges":${edges}}}}`],
    [
      'data.organization.people.edges',
      `{"data":{"organization":{"name":"Acme","people":{"totalCount":2,"edges":${edges}}}}}`,
    ],
    ['data.viewer.team.nodes', `{"data":{"viewer":{"team":{"nodes":${edges}}}}}`],
  ])('is suggested by its path, and read with it and with dotted paths: %s', async (path, content) => {
    const option = `--records ${path}`;
    await expectRejected(['a.json', content], columns, [`hint: Name it: ${option}\n`]);
    const { sent, printed } = await importList(['a.json', content], [...option.split(' '), ...columns]);
    expect(
      sent.map(({ userId }) => userId),
      printed,
    ).toEqual(ids);
  });

  it('is suggested if --records names another path', async () => {
    const list: List = ['a.json', `{"data":{"organization":{"people":{"edges":${edges}}}}}`];
    await expectRejected(
      list,
      ['--records', 'data.people', ...columns],
      ['orgadm found arrays at "data.organization.people.edges".'],
    );
  });
});

describe('JSON that is no list of objects', () => {
  it.each<[string, string, string[]]>([
    [
      'rows of cells',
      '[["userId","role"],["u1","m"]]',
      ['line 1: an entry is an array', "jq -r '.[] | @csv' list.json > list.csv"],
    ],
    [
      'rows of cells under a key',
      '{"range":"A1:B2","values":[\n["userId","role"],["u1","m"]]}',
      ['line 2: an entry is an array', "jq -r '.values[] | @csv' list.json"],
    ],
    [
      'pages of people in one array',
      '[[{"userId":"u1","role":"m"}],[{"userId":"u2","role":"m"}]]',
      ['line 1: an entry is an array', "jq '. | add' list.json > people.json"],
    ],
    [
      'an object keyed by ID',
      '{"u1":{"role":"m"},"u2":{"role":"m"}}',
      ['an object with an entry under each key', "jq '[. | to_entries[] | {userId: .key} + .value]' list.json"],
    ],
    [
      'an object keyed by ID, under a key',
      '{"ok":true,"users":{"u1":{"role":"m"}}}',
      ["jq '[.users | to_entries[] | {userId: .key} + .value]' list.json"],
    ],
    [
      'an object keyed by 2,000 IDs',
      JSON.stringify(Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`u${at}`, { role: 'm' }]))),
      ['an object with an entry under each key'],
    ],
    [
      'columns, as pandas writes them',
      '{"userId":{"0":"u1","1":"u2"},"role":{"0":"m","1":"m"}}',
      ['the values of each column', 'orient="records"'],
    ],
    ['columns under other names', '{"login":{"0":"u1"},"team":{"0":null}}', ['the values of each column']],
    ['columns that are arrays', '{"userId":["u1","u2"],"role":["m","m"]}', ['the values of each column']],
    [
      'a comma after the last entry',
      '[{"userId":"u1","role":"m"},\n]',
      ['line 2: there is a comma too many before "]"', 'Remove it'],
    ],
    [
      'two commas',
      '[{"userId":"u1","role":"m"},,{"userId":"u2","role":"m"}]',
      ['line 1: there is a comma too many before ","'],
    ],
    [
      'a comma after the last value of an entry',
      '[{"userId":"u1","role":"m"},\n{"userId":"u2","role":"a,}",}]',
      ['line 2 (entry 2): there is a comma too many', 'Remove it'],
    ],
    [
      'a comma after each line',
      '{"userId":"u1","role":"m"},\n{"userId":"u2","role":"m"},\n',
      ['line 1: there is a comma too many', 'Remove it'],
    ],
    ['a comma after the array', `{"members":${USERS},}`, ['line 1: there is a comma too many before "}"']],
    [
      'Python dictionaries',
      "[{'userId': 'u1', 'role': 'm', 'isActive': True, 'department': None}]",
      ['written as in Python', 'json.dump(people, file)', 'ast.literal_eval'],
    ],
    [
      'a Python dictionary on each line',
      "{'userId': 'u1', 'role': 'm'}\n{'userId': 'u2', 'role': 'm'}\n",
      ['written as in Python'],
    ],
    ['Python values', '[{"userId": "u1", "role": "m", "isActive": True}]', ['written as in Python']],
    [
      'a JavaScript object on each line',
      "{ userId: 'u1', role: 'm' }\n{ userId: 'u2', role: 'm' }\n",
      ['written as in JavaScript'],
    ],
    ['JavaScript objects', "[ { userId: 'u1', role: 'm' } ]", ['written as in JavaScript', 'JSON.stringify(people)']],
    [
      'NaN, as Python writes it for what is missing',
      '[{"userId":"u1","role":"m","department":NaN}]',
      ['has NaN or Infinity, which are not JSON', 'Write null instead'],
    ],
    [
      'a comment between people',
      '[{"userId":"u1","role":"m"},\n// left\n{"userId":"u2","role":"m"}]',
      ['has comments'],
    ],
    [
      'a comment in a person',
      '{"userId":"u1", /* or u2 */ "role":"m"}\n',
      ['has comments, which JSON does not allow', 'Remove them.'],
    ],
  ])('is rejected with what it is and how to convert it: %s', async (_name, content, parts) => {
    await expectRejected(['list.txt', content], [], parts);
  });

  it('is not called Python or JavaScript because of words in its texts', async () => {
    const content =
      '[{"userId":"u1","role":"m","department":"{\'a\': None, b: 1,}"},{"userId":"u2" "role":"http://: NaN"}]';
    await expectRejected(['a.json', content], [], ['line 1 (entry 2): the element that starts here is not JSON']);
  });
});

describe('JSON after a byte order mark, as PowerShell and Windows editors write it', () => {
  const person = { userId: 'usr_0001', role: 'employee' };
  const indented = JSON.stringify([person], null, 4);

  it.each<[string, List]>([
    ['an array with line breaks', ['a.json', `\ufeff${indented}\r\n`]],
    ['its bracket on a line of its own', ['a.json', `\ufeff[\n${JSON.stringify(person)}\n]\n`]],
    ['an object with the array', ['a.json', `\ufeff{\n  "users":\n${indented}\n}\n`]],
    ['two marks', ['a.json', `\ufeff\ufeff${indented}`]],
    ['NDJSON', ['a.ndjson', `\ufeff${JSON.stringify(person)}\n`]],
    ['a file with the name of a CSV list', ['a.csv', `\ufeff${indented}`]],
    ['UTF-16', ['a.json', Buffer.from(`\ufeff${indented}`, 'utf16le')]],
  ])('is read: %s', async (_name, list) => {
    const { sent, printed } = await importList(list);
    expect(sent, printed).toEqual([person]);
  });
});

describe('a list that ends with Ctrl-Z, as old systems end a text', () => {
  const people = [
    { userId: 'usr_0001', role: 'employee' },
    { userId: 'usr_0002', role: 'admin' },
  ];
  const json = JSON.stringify(people);

  it.each<[string, List]>([
    ['CSV', 'ctrl-z/as400.csv'],
    ['CSV without a line end before it', ['a.csv', 'userId,role\nusr_0001,employee\nusr_0002,admin\x1a']],
    ['several, and a line end', ['a.csv', 'userId,role\nusr_0001,employee\nusr_0002,admin\n\x1a\x1a\x1a\r\n']],
    ['TSV', ['a.tsv', 'userId\trole\nusr_0001\temployee\nusr_0002\tadmin\n\x1a']],
    ['JSON', ['a.json', `${json}\x1a`]],
    ['NDJSON', ['a.ndjson', `${people.map((person) => JSON.stringify(person)).join('\n')}\n\x1a`]],
    ['UTF-16', ['a.csv', Buffer.from('\ufeffuserId,role\nusr_0001,employee\nusr_0002,admin\n\x1a', 'utf16le')]],
    ['gzip', ['a.csv.gz', gzipSync('userId,role\nusr_0001,employee\nusr_0002,admin\n\x1a')]],
  ])('is read without it: %s', async (_name, list) => {
    const { sent, printed } = await importList(list);
    expect(sent, printed).toEqual(people);
  });

  it('is read without it in another encoding', async () => {
    const list: List = ['a.csv', Buffer.from('userId,role,department\nu1,m,B\xfcro\n\x1a', 'latin1')];
    const { sent, printed } = await importList(list, ['--encoding', 'latin1']);
    expect(sent, printed).toEqual([{ userId: 'u1', role: 'm', department: 'Büro' }]);
    await expectRejected(list, [], ['line 2 is not valid UTF-8']);
  });

  it('is invalid with Ctrl-Z in the middle', async () => {
    await expectRejected(['a.csv', 'userId,role\nu1,m\n\x1au2,m\n'], [], ['U+001A']);
  });
});

/** Returns a text as bytes, in which `\xfc` is one byte. */
const latin1 = (text: string) => Buffer.from(text, 'latin1');
const inUtf8 = (text: string) => Buffer.from(text).toString('latin1');
const HEADER = 'userId,role,department\n';

describe('a list in UTF-8 with another --encoding', () => {
  it.each<[string, List, string, string, string]>([
    [
      'in some lines',
      'mixed-encoding/members.csv',
      'windows-1252',
      'lines 2 and 4 are',
      'The list mixes two encodings.',
    ],
    [
      'in all lines',
      ['a.csv', `${HEADER}u1,m,Büro\nu2,m,Köln\n`],
      'windows-1252',
      'lines 2 and 3 are',
      'use --encoding utf-8',
    ],
    [
      'in one line, in Cyrillic',
      ['a.csv', `${HEADER}u1,m,it\nu2,m,Отдел\n`],
      'windows-1251',
      'line 3 is',
      'use --encoding utf-8',
    ],
    [
      'in many lines',
      ['a.csv', HEADER + 'u1,m,Büro\n'.repeat(1_300)],
      'macintosh',
      'lines 2, 3, 4, 5, 6, and 1,295 more are',
      'use --encoding utf-8',
    ],
    [
      'with a byte order mark',
      ['a.csv', `\ufeff${HEADER}u1,m,it\n`],
      'iso-8859-2',
      'line 1 is',
      'use --encoding utf-8',
    ],
    [
      'with CR line ends',
      ['a.csv', 'userId,role,department\ru1,m,Büro\r'],
      'windows-1252',
      'line 2 is',
      'use --encoding utf-8',
    ],
    [
      'with several bytes for a character',
      ['a.csv', `${HEADER}u1,m,人事部门\nu2,m,市场部门\n`],
      'gb18030',
      'lines 2 and 3 are',
      'use --encoding utf-8',
    ],
  ])('is rejected with the lines that it would garble: %s', async (_name, list, encoding, lines, hint) => {
    await expectRejected(list, ['--encoding', encoding], [`: ${lines} UTF-8`, ` --encoding ${encoding} `, hint]);
  });

  it('is rejected if a mapping file names the encoding, and read with the option that the hint names', async () => {
    const mapping = cli.file('mapping.json');
    writeFileSync(mapping, '{"options":{"encoding":"windows-1252"}}');
    const list: List = ['a.csv', `${HEADER}u1,m,Büro\n`];
    await expectRejected(list, ['--mapping', mapping], ['line 2 is UTF-8, which --encoding windows-1252 would garble']);
    const { sent, printed } = await importList(list, ['--mapping', mapping, '--encoding', 'utf-8']);
    expect(sent, printed).toEqual([{ userId: 'u1', role: 'm', department: 'Büro' }]);
  });

  it('is not suspected if its lines are in that encoding', async () => {
    const { sent, printed } = await importList('german-excel/a.csv', [
      ...[
        '--encoding',
        'windows-1252',
        '--map',
        'userId=Personalnr.',
        '--map',
        'role=Rolle',
        '--map',
        'department=Abteilung',
      ],
      ...['--map', 'isActive=Aktiv', '--ignore-extra-columns'],
    ]);
    expect(sent, printed).toEqual([
      { userId: '00017', role: 'Mitarbeiter', department: 'Büro Köln', isActive: true },
      { userId: '00018', role: 'Administrator', department: 'Straße', isActive: false },
    ]);
  });
});

describe('a list that is not valid UTF-8', () => {
  it.each<[string, string, string]>([
    ['windows-1252', 'B\xfcro', 'u1,m,Büro'],
    ['shift_jis', '\x93\x8c\x8b\x9e', 'u1,m,東京'],
    ['gb18030', '\xca\xd0\xb3\xa1', 'u1,m,市场'],
    ['big5', '\xa5\xab\xb3\xf5', 'u1,m,市場'],
    ['euc-kr', '\xbc\xad\xbf\xef', 'u1,m,서울'],
    ['euc-jp', '\xc5\xec\xb5\xfe', 'u1,m,東京'],
    ['windows-1251', '\xce\xf2\xe4\xe5\xeb', 'u1,m,Отдел'],
    ['windows-1250', 'Sprzeda\xbf', 'u1,m,Sprzedaż'],
    ['macintosh', 'B\x9fro', 'u1,m,Büro'],
  ])(
    'is rejected with the encodings that it fits, and read with the one that is right: %s',
    async (encoding, bytes, reading) => {
      const list: List = ['a.csv', latin1(`${HEADER}u1,m,${bytes}\n`)];
      await expectRejected(list, [], ['line 2 is not', `--encoding ${encoding}`, `  "${reading}"\n`]);
      const { sent, printed } = await importList(list, ['--encoding', encoding]);
      expect(sent, printed).toEqual([{ userId: 'u1', role: 'm', department: reading.slice(5) }]);
    },
  );

  it('is rejected without the encodings that it does not fit', async () => {
    const { printed } = await importList(['a.csv', latin1(`${HEADER}u1,m,B\xfcro\nu2,m,\xe9\n`)]);
    expect(printed).toMatch(/^error: .*a\.csv: lines 2 and 3 are not valid UTF-8$/m);
    expect([...printed.matchAll(/--encoding (\S+) +(.*)/g)].map((match) => match.slice(1))).toEqual([
      ['windows-1252', '"u1,m,Büro"'],
      ['windows-1251', '"u1,m,Bьro"'],
      ['macintosh', '"u1,m,B¸ro"'],
    ]);
  });

  it('is rejected with a line that reads differently in the encodings', async () => {
    const list: List = ['a.csv', latin1(`${HEADER}u1,m,B\xfcro\nu2,m,\xa3\xf3d\x9f\n`)];
    await expectRejected(
      list,
      [],
      [
        'the encoding in which line 3 reads as it should:',
        '--encoding windows-1252  "u2,m,£ódŸ"\n',
        '--encoding windows-1250  "u2,m,Łódź"\n',
      ],
    );
  });

  it('is rejected with the encodings that it fits if it is one long line of JSON', async () => {
    const list: List = [
      'a.json',
      latin1(`[{"userId":"u1","role":"m","department":"${'-'.repeat(1_100_000)}B\xfcro"}]`),
    ];
    await expectRejected(list, [], ['line 1 is not', '--encoding windows-1252  "…']);
  });

  it('is rejected without options of the first list if it is a second list', async () => {
    const ids = cli.file('ids.csv');
    writeFileSync(ids, latin1('email,id\nb\xfc@x.example,u1\n'));
    const options = ['--lookup', `userId=${ids}:email=id`];
    const { printed } = await importList(['a.csv', 'userId,role\na@x.example,m\n'], options);
    expect(printed).toBe(
      `error: --lookup userId: ${ids}: line 2 is not valid UTF-8\nhint: Save the second list as CSV UTF-8 with a header, or as a JSON array of objects.\n`,
    );
  });

  it('is rejected with the part of a long line that shows the difference', async () => {
    const list: List = ['a.csv', latin1(`userId,role,department,note\nu1,m,it,${'-'.repeat(100)}B\xfcro\n`)];
    await expectRejected(list, [], [`--encoding windows-1252  "…${'-'.repeat(19)}Büro"`]);
  });

  it('is rejected with the lines to correct if most of it is UTF-8', async () => {
    await expectRejected(
      'mixed-encoding/members.csv',
      [],
      [
        'line 3 is not valid UTF-8, but lines 2 and 4 are\n',
        'The list mixes two encodings. Correct this line in an editor',
        'In windows-1252, line 3 reads "usr_0002,employee,Büro Nürnberg".',
      ],
    );
    const joined = `${HEADER}u1,m,B\xfcro\nu2,m,M\xfcnchen\nu3,m,${inUtf8('Köln')}\n`;
    await expectRejected(
      ['a.csv', latin1(`${joined}u4,m,caf\xe9\n`)],
      [],
      ['lines 2, 3, and 5 are not valid UTF-8, but line 4 is\n'],
    );
  });
});

describe('a file that is no list', () => {
  const table = '<tr><th>userId</th><th>role</th></tr><tr><td>u1</td><td>m</td></tr></table>';
  const fix = ' (.xlsx) ';
  const unpack = 'Unpack it, and pass the list in it.';

  it.each<[string, List, string, string]>([
    [
      'a table of a web page',
      'html-table/export.xls',
      'export.xls is a web page with a table (HTML), not a workbook',
      'Open it in Excel or LibreOffice, and save it as an Excel workbook (.xlsx) or as CSV UTF-8.',
    ],
    [
      'a table after a comment of Office',
      ['a.xls', `<!--[if gte mso 9]><xml/><![endif]--><table>${table}`],
      '(HTML)',
      fix,
    ],
    ['a table alone', ['a.xls', `\n  <table>${table}`], '(HTML)', fix],
    [
      'a table after styles',
      ['a.csv', `<style>td { mso-number-format: "@" }</style><table border=1>${table}`],
      '(HTML)',
      fix,
    ],
    ['a table in UTF-16', ['a.xls', Buffer.from(`\ufeff<html><table>${table}`, 'utf16le')], '(HTML)', fix],
    ['a table in another encoding', ['a.xls', latin1(`<div><table>${table.replace('m', 'B\xfcro')}`)], '(HTML)', fix],
    [
      'a login page',
      ['a.csv', '<!DOCTYPE html>\n<html><table><input type="password"></table></html>'],
      'is an HTML or XML file, not a list',
      'The download may have been a login page.',
    ],
    ['a page that begins with a comment', ['a.csv', '<!-- People -->\n<p>'], 'is an HTML or XML file', 'login page'],
    ['an element of any name', ['a.csv', '<center><b>userId</b></center>'], 'is an HTML or XML file', 'login page'],
    ['an XML file', ['a.xml', '<?xml version="1.0"?>\n<people/>'], 'is an HTML or XML file', 'Export the list as CSV'],
    [
      'an XML spreadsheet',
      [
        'a.xls',
        '<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"/>',
      ],
      'is an XML spreadsheet',
      fix,
    ],
    [
      'a web archive',
      ['a.xls', 'MIME-Version: 1.0\nContent-Type: multipart/related\n'],
      'is a web archive (MHTML)',
      fix,
    ],
    ...(
      [
        ['a log message', '2026-01-01T00:00:00Z INFO fetching'],
        ['a comment', '// exported'],
        ['a prefix against scripts', ")]}',"],
      ] as const
    ).map(([what, line]): [string, List, string, string] => [
      `JSON after ${what}`,
      ['a.json', `${line}\n[\n  {"userId":"u1","role":"m"}\n]\n`],
      'has other text in front of its JSON',
      'Remove what comes before the first bracket',
    ]),
    [
      'NDJSON after the output of a program',
      ['a.csv', 'Logged in as ada\n{"userId":"u1","role":"m"}\n{"userId":"u2","role":"m"}\n'],
      'has other text in front of its JSON',
      'the output of a program',
    ],
    [
      'a program with the list',
      ['a.txt', 'const users = [{"userId":"u1","role":"m"}];'],
      'has other text in front of its JSON',
      'Remove what comes before',
    ],
    [
      'a sequence of JSON texts',
      ['a.json', '\x1e{"userId":"u1","role":"m"}\n\x1e{"userId":"u2","role":"m"}\n'],
      'is a sequence of JSON texts (RFC 7464), not NDJSON',
      "tr -d '\\036'",
    ],
    [
      'an LDAP export',
      ['a.ldif', '# extended LDIF\n#\n# LDAPv3\n\n# ada, people\ndn: uid=ada,ou=people,dc=example\nuid: ada\n'],
      'is LDIF',
      'CSV or JSON',
    ],
    [
      'an LDAP export with a version',
      ['a.txt', 'version: 1\n\ndn: uid=ada,dc=x\nuid: ada\n'],
      'is LDIF',
      'CSV or JSON',
    ],
    ['an LDAP export in base64', ['a.txt', 'dn:: dWlkPWFkYQ==\nuid: ada\n'], 'is LDIF', 'CSV or JSON'],
    [
      'YAML',
      ['a.yaml', '---\n- userId: u1\n  role: m\n- userId: u2\n  role: m\n'],
      'is YAML',
      'yq -o json list.yaml > list.json',
    ],
    [
      'JSON that a program has encoded twice',
      ['a.json', JSON.stringify(USERS)],
      'is JSON within a text',
      'jq fromjson list.json > people.json',
    ],
    [
      'a PDF document',
      ['a.csv', latin1('%PDF-1.7\n%\xe2\xe3\0\x01')],
      'is a PDF document',
      'copy its table into a spreadsheet',
    ],
    ['an RTF document', ['a.txt', '{\\rtf1\\ansi userId,role\\par}'], 'is an RTF document', 'Save it as plain text'],
    [
      'a zip archive of a list',
      'zip-of-csv/export.zip',
      'export.zip is a zip archive, but not an Excel workbook (.xlsx): it contains "users.csv"',
      unpack,
    ],
    [
      'a zip archive of many files',
      ['a.zip', zipArchive(Object.fromEntries([...'abcdefg'].map((name) => [`team/${name}.csv`, 'x'])))],
      'it contains "team/a.csv", "team/b.csv", "team/c.csv", "team/d.csv", "team/e.csv", and 2 more',
      unpack,
    ],
    [
      'a zip archive that macOS made',
      ['a.zip', zipArchive({ 'users.json': '[]', '__MACOSX/._users.json': 'x' })],
      'it contains "users.json"\n',
      unpack,
    ],
    [
      'an OpenDocument spreadsheet',
      ['a.ods', zipArchive({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet', 'content.xml': '<x/>' })],
      'it contains "mimetype" and "content.xml"',
      'Save the sheet as .xlsx or as CSV',
    ],
    ['a 7-Zip archive', ['a.7z', latin1("7z\xbc\xaf'\x1c\0\x04")], 'is a compressed archive', unpack],
    ['a file that bzip2 compressed', ['a.csv.bz2', latin1('BZh91AY&SY\0')], 'is a compressed archive', unpack],
    [
      'a gzipped tar archive',
      ['a.tar.gz', gzipSync(Buffer.concat([Buffer.from('users.csv'.padEnd(257, '\0')), Buffer.from('ustar\0')]))],
      'is a tar archive',
      unpack,
    ],
    ['a picture', ['a.csv', latin1('\x89PNG\r\n\x1a\n\0\0\0')], 'is not a text file', 'Export the list as CSV'],
  ])('is rejected with what it is and what to do: %s', async (_name, list, problem, hint) => {
    await expectRejected(list, [], [problem, hint]);
  });

  it('is not suspected in a list whose header has angle brackets', async () => {
    const { sent, printed } = await importList(
      ['a.csv', '<userId>,<role>\nu1,m\n'],
      ['--header-row', '1', '--map', 'userId=#1', '--map', 'role=#2', ...OTHERS],
    );
    expect(sent, printed).toEqual([{ userId: 'u1', role: 'm', isActive: true }]);
  });
});
