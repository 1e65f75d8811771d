import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answering, CHANGE, choice, ENTER, last, line, RIGHT, SAVE } from '../helpers/dialog.ts';
import { addsMembers, membersOf } from '../helpers/people-service.ts';
import { drawnText } from '../helpers/run-cli.ts';
import { createCommandRunner, type ServiceRun } from '../helpers/service-run.ts';
import { workbook } from '../helpers/workbook.ts';

const cli = createCommandRunner();

function write(name: string, content: string | Uint8Array): string {
  mkdirSync(dirname(cli.file(name)), { recursive: true });
  writeFileSync(cli.file(name), content);
  return cli.file(name);
}

/** Imports `list` on a terminal, and returns the exit code, the entries that arrived, and what orgadm has shown. */
async function importOnTerminal(
  list: string,
  typed: readonly string[],
  options: readonly string[] = [],
  by?: ServiceRun,
) {
  const { service, run } = by ?? (await cli.scripted(addsMembers()));
  const before = service.requests.length;
  const { code, stderr } = await run(['people', 'bulk-add', list, ...options], answering(typed));
  return {
    code,
    sent: service.requests.slice(before).flatMap(membersOf),
    shown: drawnText(stderr),
    stderr,
    run,
    service,
  };
}

/** Returns the options that orgadm prints to skip the questions, without the quotes of the shell. */
function printedOptions({ stderr }: { stderr: string }, list: string): string[] {
  const [, command = ''] = /:\n +orgadm people bulk-add (.*)\n/.exec(stderr) ?? [];
  expect(command.startsWith(`${list} `), drawnText(stderr)).toBe(true);
  const words = command.match(/'[^']*'|\S+/g) ?? [];
  return words.slice(1).map((word) => word.replace(/^'(.*)'$/, '$1'));
}

/** Expects that the command with these options finds the finished run of the dialog. */
async function expectSameRun({ run }: Pick<ServiceRun, 'run'>, list: string, options: readonly string[]) {
  const again = await run(['people', 'bulk-add', list, ...options]);
  expect(again.stderr).toContain('--restart');
}

const CONFIRM = line('y');

describe('a list whose first row may be a person', () => {
  const PEOPLE = 'usr_1,Anna,employee,yes\nusr_2,Ben,admin,no\n';
  const PERSON = choice(2);
  /** User IDs, role, no department, and status of columns A, C, and D. */
  const COLUMNS = [choice(1), choice(1), choice(2), last(), choice(3), ` ${ENTER}`];
  const SENT = [
    { userId: 'usr_1', role: 'employee', isActive: true },
    { userId: 'usr_2', role: 'admin', isActive: false },
  ];

  it('keeps that person if the user says so, with the printed command and the saved mapping, too', async () => {
    const list = write('people.csv', PEOPLE);
    const { code, sent, shown, ...by } = await importOnTerminal(list, [PERSON, ...COLUMNS, RIGHT, CONFIRM]);
    expect({ code, sent }, shown).toEqual({ code: 0, sent: SENT });
    expect(shown).toMatch(/^[^◆]*◆ Is the first row a header, or a person\? usr_1, Anna, employee, yes /);
    expect(shown).toContain('A (usr_1, usr_2)');
    expect(shown).toContain('First row a person User IDs "A" Roles "C"');
    const options = printedOptions(by, list);
    expect(options).toEqual([
      ...['--columns', 'A,B,C,D', '--map', 'userId=A', '--map', 'role=C', '--map', 'isActive=D'],
      ...['--omit', 'department', '--ignore-extra-columns'],
    ]);
    await expectSameRun(by, list, options);
    const mapping = cli.file('mapping.json');
    await importOnTerminal(list, [PERSON, ...COLUMNS, SAVE, line(mapping)], [], by);
    expect(JSON.parse(readFileSync(mapping, 'utf8'))).toEqual({
      columns: { userId: 'A', role: 'C', isActive: 'D' },
      omit: ['department'],
      ignored: ['B'],
      options: { columns: ['A', 'B', 'C', 'D'] },
    });
    await expectSameRun(by, list, ['--mapping', mapping]);
  });

  it('is offered the mapping of its unfinished run', async () => {
    const list = write('people.csv', PEOPLE);
    const typed = [PERSON, ...COLUMNS, RIGHT, CONFIRM];
    const { sent, ...by } = await importOnTerminal(list, typed, ['--limit', '1']);
    expect(sent).toEqual(SENT.slice(0, 1));
    expect((await importOnTerminal(list, [choice(1)], [], by)).sent).toEqual(SENT.slice(1));
  });

  it('is read with its header if the user says so', async () => {
    const list = write('people.csv', 'Account,Rank,Working\nusr_1,employee,yes\n');
    const typed = [choice(1), choice(1), choice(1), choice(1), last(), choice(2), ` ${ENTER}`, RIGHT, CONFIRM];
    const { sent, shown } = await importOnTerminal(list, typed);
    expect(sent, shown).toEqual([{ userId: 'usr_1', role: 'employee', isActive: true }]);
  });

  it('is not a header because the status of the first person, Active, is also the name of a field', async () => {
    const list = write('people.csv', 'usr_1,Anna,employee,Active\nusr_2,Ben,admin,Left\n');
    const { code, sent, shown, ...by } = await importOnTerminal(list, [PERSON, ...COLUMNS, RIGHT, CONFIRM]);
    expect({ code, sent }, shown).toEqual({ code: 0, sent: SENT });
    await expectSameRun(by, list, printedOptions(by, list));
    const options = ['--map', 'userId=#1', '--map', 'role=#3', '--default', 'isActive=true', '--ignore-extra-columns'];
    const elsewhere = await by.run(['people', 'bulk-add', list, ...options]);
    expect(elsewhere).toMatchObject({ code: 2, stdout: '' });
    expect(elsewhere.stderr).toContain('--columns');
  });

  it('is a header if it names a field, also if the answers then only number columns', async () => {
    const list = write('people.csv', 'userId,Nr,Nr,Rank!,!Rank\n,usr_1,x,y,employee\n');
    const typed = [choice(1), choice(1), choice(4), last(), last(2), RIGHT, CONFIRM];
    const { code, sent, shown, ...by } = await importOnTerminal(list, typed);
    expect({ code, sent }, shown).toEqual({ code: 0, sent: [{ userId: 'usr_1', role: 'employee', isActive: true }] });
    await expectSameRun(by, list, printedOptions(by, list));
  });

  it('is read from the line of the header if the first row is a title', async () => {
    const list = write('people.csv', 'Staff report\n\nuserId,role,isActive\nusr_1,employee,yes\n');
    const { code, sent, shown, ...by } = await importOnTerminal(list, [
      last(),
      line('one'),
      line('\u001599'),
      line('\u00153'),
      RIGHT,
      CONFIRM,
    ]);
    expect({ code, sent }, shown).toEqual({ code: 0, sent: [{ userId: 'usr_1', role: 'employee', isActive: true }] });
    expect(shown).toContain('Type a number from 2.');
    expect(shown).toContain('no header on line 99, because the list ends before it.');
    expect(shown).toContain('First row a title; the header is on line 3');
    await expectSameRun(by, list, printedOptions(by, list));
  });

  it('keeps the first person of a workbook, too', async () => {
    const cells = (row: readonly string[]) =>
      `<row>${row.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join('')}</row>`;
    const rows = PEOPLE.trim()
      .split('\n')
      .map((row) => cells(row.split(',')));
    const list = write('people.xlsx', workbook([{ name: 'Staff', data: rows.join('') }]));
    const { sent, shown } = await importOnTerminal(list, [PERSON, ...COLUMNS, RIGHT, CONFIRM]);
    expect(sent, shown).toEqual(SENT);
  });

  it('keeps the first person in a mapping that --save-mapping writes', async () => {
    const list = write('people.csv', PEOPLE);
    const mapping = cli.file('mapping.json');
    const { shown, ...by } = await importOnTerminal(
      list,
      [PERSON, ...COLUMNS, RIGHT],
      [...['--dry-run', '--save-mapping', mapping]],
    );
    expect(shown).not.toContain('Yes, and save');
    const again = await by.run(['people', 'bulk-add', list, '--mapping', mapping, '--yes']);
    expect({ code: again.code, sent: by.service.requests.flatMap(membersOf) }, shown).toEqual({ code: 0, sent: SENT });
  });

  it('raises the question if the options only number its columns', async () => {
    const list = write('people.csv', PEOPLE);
    const { shown } = await importOnTerminal(list, [], ['--map', 'userId=#1']);
    expect(shown).toContain('Is the first row a header, or a person?');
  });

  it('is a header if the user says so, and the printed command says where it is', async () => {
    const list = write('people.csv', 'Account,Rank\nusr_1,employee\n');
    const numbered = ['--map', 'userId=#1', '--map', 'role=#2', '--ignore-extra-columns', '--default', 'isActive=true'];
    const { code, sent, shown, ...by } = await importOnTerminal(list, [choice(1), RIGHT, CONFIRM], numbered);
    expect({ code, sent }, shown).toEqual({ code: 0, sent: [{ userId: 'usr_1', role: 'employee', isActive: true }] });
    expect(shown).toContain('Is the first row a header, or a person? Account, Rank');
    expect(shown).not.toContain('Which ');
    expect(shown).not.toContain('cannot tell');
    const options = printedOptions(by, list);
    expect(options).toEqual([...numbered, '--header-row', '1']);
    await expectSameRun(by, list, options);
  });

  it('is a header for the columns that the options number, and the questions are about the others', async () => {
    const list = write('people.csv', 'Account,Rank,Left\nusr_1,employee,no\n');
    const numbered = ['--map', 'userId=#1', '--map', 'role=#2'];
    // A header, no department, and the status of the second column that is left.
    const answers = [choice(1), last(), choice(2), ` ${ENTER}`, RIGHT, CONFIRM];
    const { shown, ...by } = await importOnTerminal(list, answers, numbered);
    expect(shown).toContain('Which column has the departments?');
    expect(shown).not.toContain('Which column has the user IDs?');
    expect(shown).not.toContain('Ignored');
    expect(printedOptions(by, list)).toEqual([
      ...[...numbered, '--map', 'isActive=Left', '--map-value', 'isActive:no=true'],
      ...['--omit', 'department', '--ignore-extra-columns'],
    ]);
  });

  it.each([
    ['a column has the name of a field', 'userId,Rank\nusr_1,m\n', []],
    ['an option names a column', 'Account,Rank\nusr_1,m\n', ['--map', 'userId=Account']],
    ['an option names the line of the header', 'Account,Rank\nusr_1,m\n', ['--header-row', '1']],
  ])('does not raise the question if %s', async (_, content, options) => {
    const { shown } = await importOnTerminal(write('people.csv', content), [], options);
    expect(shown).not.toContain('Is the first row');
    expect(shown).toContain('Which ');
  });
});

describe('a column that answers several questions', () => {
  // As Slack exports members.
  const SLACK = `username,email,status,billing-active,userid,fullname
anna,anna@example.com,Admin,1,U0001,Anna Castillo
ben,ben@example.com,Member,1,U0002,Ben Jansen
chloe,chloe@example.com,Deactivated,0,U0003,Chloe Okafor
`;

  it('has the roles and who is active', async () => {
    const list = write('slack.csv', SLACK);
    const status = choice(3);
    const active = ` \u001b[B ${ENTER}`;
    const { code, sent, shown, ...by } = await importOnTerminal(list, [
      ...[ENTER, choice(1), status, last(), status, active, RIGHT, CONFIRM],
    ]);
    expect({ code, sent }, shown).toEqual({
      code: 0,
      sent: [
        { userId: 'U0001', role: 'Admin', isActive: true },
        { userId: 'U0002', role: 'Member', isActive: true },
        { userId: 'U0003', role: 'Deactivated', isActive: false },
      ],
    });
    expect(shown).toContain('Status "status" (active: Admin, Member; inactive: Deactivated)');
    await expectSameRun(by, list, printedOptions(by, list));
  });

  it('is still read as the field that its name says', async () => {
    const list = write('list.csv', 'userId,role,Name\nusr_1,admin,Anna\nusr_2,left,Ben\n');
    const typed = [ENTER, choice(1), ENTER, last(), choice(1), ` ${ENTER}`, RIGHT, CONFIRM];
    const { sent, shown, ...by } = await importOnTerminal(list, typed);
    expect(sent, shown).toEqual([
      { userId: 'usr_1', role: 'admin', isActive: true },
      { userId: 'usr_2', role: 'left', isActive: false },
    ]);
    await expectSameRun(by, list, printedOptions(by, list));
  });
});

describe('the user IDs that a user chose', () => {
  // As Okta exports people: its user IDs are its own.
  const OKTA = 'User Id,Login,role,Status\n00u1,anna@example.com,m,ACTIVE\n00u2,ben@example.com,m,ACTIVE\n';
  const REST = [ENTER, last(), last(2), RIGHT, CONFIRM];

  it('are shown with the question whether the service uses them, which Enter does not answer', async () => {
    const { sent, shown } = await importOnTerminal(write('okta.csv', OKTA), [ENTER, ENTER, choice(1), ...REST]);
    expect(shown).toContain(
      'Which user IDs does your service use? ● (press an arrow key to choose) ○ Those of "User Id": 00u1, 00u2',
    );
    expect(sent.map(({ userId }) => userId)).toEqual(['00u1', '00u2']);
  });

  it('are looked up in a second list', async () => {
    const ids = write('ids.csv', 'okta,service\n00u1,usr_1\n00u2,usr_2\n');
    const list = write('okta.csv', OKTA);
    const typed = [ENTER, choice(2), line(ids), choice(1), ...REST];
    const { sent, shown, ...by } = await importOnTerminal(list, typed);
    expect(
      sent.map(({ userId }) => userId),
      shown,
    ).toEqual(['usr_1', 'usr_2']);
    expect(shown).toContain('Which of its columns has the values of "User Id"?');
    expect(shown).toContain('User IDs "service" in "ids.csv", found by "User Id" in "okta"');
    await expectSameRun(by, list, printedOptions(by, list));
  });

  it('raise no question with --lookup', async () => {
    const ids = write('ids.csv', 'okta,service\n00u1,usr_1\n00u2,usr_2\n');
    const { sent, shown } = await importOnTerminal(
      write('okta.csv', OKTA),
      [ENTER, ...REST],
      [...['--lookup', `userId=${ids}:okta=service`]],
    );
    expect(
      sent.map(({ userId }) => userId),
      shown,
    ).toEqual(['usr_1', 'usr_2']);
    expect(shown).not.toContain('Which user IDs does your service use?');
  });

  it('say how to save a second list in another encoding, for which no option exists', async () => {
    const ids = write('ids.csv', Buffer.from('okta,service\n00u1,Zoë\n', 'latin1'));
    const { shown } = await importOnTerminal(write('okta.csv', OKTA), [ENTER, choice(2), line(ids)]);
    expect(shown).toContain(
      'UTF-8. Save the second list as CSV UTF-8 with a header, or as a JSON array of objects. Path',
    );
  });

  it('need a second list with another column', async () => {
    const ids = write('ids.csv', 'okta\n00u1\n');
    const { shown } = await importOnTerminal(write('okta.csv', OKTA), [ENTER, choice(2), line(ids)]);
    expect(shown).toContain('ids.csv has only one column. Path of the second list:');
  });
});

describe('a path that is typed or dragged into the terminal', () => {
  const LIST = 'Email,role\nanna@example.com,m\n';
  const REST = [ENTER, last(), last(2)];

  it.each([
    ['after ~/', 'my files/ids.csv', '~/my files/ids.csv'],
    ['in apostrophes', 'my files/ids.csv', "'<home>/my files/ids.csv'"],
    ['in quotes', 'my files/ids.csv', '"<home>/my files/ids.csv"'],
    ['with backslashes', "my files/ann's ids.csv", "<home>/my\\ files/ann\\'s\\ ids.csv"],
    ['with an apostrophe in apostrophes', "ann's ids.csv", "'<home>/ann'\\''s ids.csv'"],
    ['in quotes after ~/', 'my files/ids.csv', '"~/my files/ids.csv"'],
    ['as it is, although it has quotes and backslashes', "'a\\b'.csv", "<home>/'a\\b'.csv"],
  ])('is found %s', async (_, name, typed) => {
    write(name, 'mail,id\nanna@example.com,usr_1\n');
    const path = typed.replace('<home>', dirname(cli.file('list.csv')));
    const answers = [choice(1), choice(1), line(path), choice(1), ...REST, RIGHT, CONFIRM];
    const { sent, shown } = await importOnTerminal(write('list.csv', LIST), answers);
    expect(sent, shown).toEqual([{ userId: 'usr_1', role: 'm', isActive: true }]);
  });

  it.each([
    ['~/saved.json', 'saved.json'],
    ["'<home>/my mapping.json'", 'my mapping.json'],
    ['<home>/my\\ mapping.json', 'my mapping.json'],
  ])('names the mapping file: %s', async (typed, name) => {
    const path = typed.replace('<home>', dirname(cli.file('list.csv')));
    const list = write('list.csv', 'Account,role,Name\nusr_1,m,Anna\n');
    const { code, shown } = await importOnTerminal(list, [
      ...[choice(1), choice(1), ENTER, last(), last(2), SAVE, line(path), CONFIRM],
    ]);
    expect(code, shown).toBe(0);
    expect(existsSync(cli.file(name))).toBe(true);
  });

  it('is rejected if it is another mapping file, or in a folder that does not exist', async () => {
    const saved = write('saved.json', '{}');
    const list = write('list.csv', 'Account,role,Name\nusr_1,m,Anna\n');
    const { shown } = await importOnTerminal(list, [
      ...[choice(1), choice(1), ENTER, last(), last(2), SAVE, line(saved), line(cli.file('nowhere/saved.json'))],
    ]);
    expect(shown).toContain(`saved.json already exists. Name of the mapping file:`);
    expect(shown).toMatch(/The folder \S+nowhere does not exist\. Name/);
    expect(readFileSync(saved, 'utf8')).toBe('{}');
  });
});

describe('the questions about columns', () => {
  it('are not asked if there is only one answer, which the summary shows', async () => {
    const list = write('list.csv', 'Account\nusr_1\n');
    const { sent, shown } = await importOnTerminal(list, [
      ...[choice(1), choice(1), line('member'), choice(1), RIGHT, CONFIRM],
    ]);
    expect(sent, shown).toEqual([{ userId: 'usr_1', role: 'member', isActive: true }]);
    expect(shown).not.toMatch(/Which column has/);
    expect(shown).toContain(
      'User IDs "Account" Roles "member" for everyone Departments none Status everyone is active',
    );
  });

  it('quote the names of columns, and show their hidden characters', async () => {
    const list = write('list.csv', 'userId,role,On\u200fline\nusr_1,m,in\u200fside\n');
    const { shown } = await importOnTerminal(list, [ENTER, choice(1), ENTER, last(), choice(2)]);
    expect(shown).toContain('Which values of "#3 (On<U+200F>line)" mean active?');
    expect(shown).toContain('in<U+200F>side');
  });

  it('end with a summary of all columns that are ignored, also one with the name of a field', async () => {
    const list = write('list.csv', 'userId,role,Job,Dept\nusr_1,x,admin,it\n');
    const next = '\u001b[B\r';
    const typed = [ENTER, choice(1), next, next, last(2)];
    const { shown } = await importOnTerminal(list, typed);
    expect(shown).toContain(
      'User IDs "userId" Roles "Job" Departments none Status everyone is active Ignored "role", "Dept"',
    );
  });

  it('start again with the answers as defaults, also for the status, if the user wants to change them', async () => {
    const list = write('list.csv', 'Account,Team,State\nusr_1,it,in\nusr_2,hr,out\n');
    const { code, sent, shown } = await importOnTerminal(list, [
      ...[choice(1), choice(1), choice(1), last(), line('member'), choice(1), choice(2), ` ${ENTER}`, CHANGE],
      ...[ENTER, ENTER, ENTER, ENTER, line('guest'), ENTER, ENTER, ENTER, RIGHT, CONFIRM],
    ]);
    expect({ code, sent }, shown).toEqual({
      code: 0,
      sent: [
        { userId: 'usr_1', role: 'guest', department: 'it', isActive: true },
        { userId: 'usr_2', role: 'guest', department: 'hr', isActive: false },
      ],
    });
    expect(shown).toContain('Role for everyone (press Enter for member):');
  });

  it('are the same for a JSON key with spaces at its ends and the option without them', async () => {
    const list = write('list.json', '[{" Account ":"usr_1","Rank ":"member"}]');
    const typed = [choice(1), choice(1), choice(1), last(), last(2), RIGHT, CONFIRM];
    const { code, sent, shown, ...by } = await importOnTerminal(list, typed);
    expect({ code, sent }, shown).toEqual({ code: 0, sent: [{ userId: 'usr_1', role: 'member', isActive: true }] });
    const options = [
      '--map',
      'userId=Account',
      '--map',
      'role=Rank',
      '--default',
      'isActive=true',
      '--omit',
      'department',
    ];
    await expectSameRun(by, list, [...options, '--ignore-extra-columns']);
  });

  it('are kept if the mapping file cannot be written where the user says', async () => {
    const list = write('list.csv', 'Account,role,Name\nusr_1,m,Anna\n');
    const mapping = cli.file('mapping.json');
    const typed = [
      choice(1),
      choice(1),
      ENTER,
      last(),
      last(2),
      SAVE,
      line('/proc/mapping.json'),
      line(mapping),
      CONFIRM,
    ];
    const { code, sent, shown } = await importOnTerminal(list, typed);
    expect({ code, sent: sent.length }, shown).toEqual({ code: 0, sent: 1 });
    expect(existsSync(mapping)).toBe(true);
  });

  it('print a command that does not start the run over, as --restart does', async () => {
    const list = write('list.csv', 'Account,role,Name\nusr_1,m,Anna\n');
    const typed = [choice(1), choice(1), ENTER, last(), last(2), RIGHT, CONFIRM];
    const { code, stderr, ...by } = await importOnTerminal(list, typed, ['--restart']);
    expect(code).toBe(0);
    await expectSameRun(by, list, printedOptions({ stderr }, list));
  });

  it('do not ask about departments again once there are none', async () => {
    const list = write('list.csv', 'Account,role,Name\nusr_1,m,Anna\n');
    const mapping = cli.file('mapping.json');
    const typed = [choice(1), choice(1), ENTER, last(), last(2)];
    const { run, shown } = await importOnTerminal(list, [...typed, SAVE, line(mapping), CONFIRM]);
    expect(shown).toMatch(/saved the mapping; next time, use --mapping \S+ columns: /);
    expect(JSON.parse(readFileSync(mapping, 'utf8'))).toMatchObject({ omit: ['department'] });
    write('list.csv', 'Account,role,Name,Shift\nusr_1,m,Anna,day\n');
    const { stderr } = await run(['people', 'bulk-add', list, '--mapping', mapping], answering([last(), choice(1)]));
    expect(drawnText(stderr)).not.toContain('departments?');
    expect(drawnText(stderr)).toContain('Your answers:');
  });
});

describe('an answer about a column', () => {
  it('is about the column that was chosen, even if its name looks like the opposite of another one', async () => {
    const list = write('list.csv', 'Account,role,left,!left\nusr_1,m,yes,yes\nusr_2,m,no,no\n');
    const typed = [choice(1), choice(1), ENTER, last(), choice(3), ` ${ENTER}`, RIGHT, CONFIRM];
    const { sent, shown, ...by } = await importOnTerminal(list, typed);
    expect(shown).toContain('Which values of "#4 (!left)" mean active?');
    expect(
      sent.map(({ isActive }) => isActive),
      shown,
    ).toEqual([true, false]);
    await expectSameRun(by, list, printedOptions(by, list));
  });

  it('cannot name a key of JSON that would invert another one', async () => {
    const list = write('list.json', '[{"!left":"yes","Account":"usr_1","left":"yes","role":"m"}]');
    const { code, sent, shown } = await importOnTerminal(list, [
      ...[choice(1), choice(1), ENTER, last(), choice(1), ` ${ENTER}`, RIGHT, CONFIRM],
    ]);
    expect({ code, sent }, shown).toEqual({ code: 0, sent: [{ userId: 'usr_1', role: 'm', isActive: true }] });
    expect(shown).toContain('Status "left" (active: yes) Ignored "!left"');
  });

  it('is not given by a default, which may be only for blanks in a column such as active', async () => {
    const list = write('list.csv', 'Account,role,active\nusr_1,m,yes\nusr_2,m,no\n');
    const everyone = last(2);
    const typed = [choice(1), choice(1), ENTER, last(), everyone, RIGHT, CONFIRM];
    const { sent, shown } = await importOnTerminal(list, typed, ['--default', 'isActive=true']);
    expect(
      sent.map(({ isActive }) => isActive),
      shown,
    ).toEqual([true, true]);
    expect(shown).toContain('Which column says who is active?');
    // A command with both defaults would be an error.
    expect(shown).toContain('save the answers in a mapping file');
  });

  it('replaces a translation of the options, whose values it shows', async () => {
    const list = write('list.csv', 'Account,role,State\nusr_1,m,yes\nusr_2,m,no\n');
    const typed = [choice(1), choice(1), ENTER, last(), choice(2), ` ${ENTER}`, RIGHT, CONFIRM];
    const { sent, shown } = await importOnTerminal(list, typed, ['--map-value', 'isActive:yes=false']);
    expect(shown).toContain('Status "State" (active: yes; inactive: no)');
    expect(
      sent.map(({ isActive }) => isActive),
      shown,
    ).toEqual([true, false]);
  });

  it('is about the values that are read, also if Excel has exported them as formulas', async () => {
    const list = write('list.csv', 'Account,role,blocked\nusr_1,m,"=""0"""\nusr_2,m,"=""1"""\n');
    const typed = [choice(1), choice(1), ENTER, last(), choice(2), ` ${ENTER}`, RIGHT, CONFIRM];
    const { sent, shown, ...by } = await importOnTerminal(list, typed);
    expect(shown).toContain('(active: 0; inactive: 1)');
    expect(
      sent.map(({ isActive }) => isActive),
      shown,
    ).toEqual([true, false]);
    await expectSameRun(by, list, printedOptions(by, list));
  });

  it('is about words such as active, too, so that next month another word is an error', async () => {
    const list = write('list.csv', 'Account,role,State\nusr_1,m,active\nusr_2,m,inactive\n');
    const typed = [choice(1), choice(1), ENTER, last(), choice(2), ` ${ENTER}`, RIGHT, CONFIRM];
    const { sent, shown, ...by } = await importOnTerminal(list, typed);
    expect(sent.map(({ isActive }) => isActive)).toEqual([true, false]);
    const options = printedOptions(by, list);
    const later = write('later.csv', 'Account,role,State\nusr_3,m,T\n');
    const again = await by.run(['people', 'bulk-add', later, ...options]);
    expect(again.code, shown).toBe(2);
    expect(again.stdout).toContain('"T" is not a boolean');
  });

  it('gives no other word its usual meaning if it says the opposite of one: TRUE in the column of those who left', async () => {
    const list = write('list.csv', 'Account,role,Left\nusr_1,m,no\nusr_2,m,yes\n');
    const typed = [choice(1), choice(1), ENTER, last(), choice(2), ` ${ENTER}`, RIGHT, CONFIRM];
    const { sent, shown, ...by } = await importOnTerminal(list, typed);
    expect(sent.map(({ isActive }) => isActive)).toEqual([true, false]);
    const later = write('later.csv', 'Account,role,Left\nusr_3,m,TRUE\nusr_4,m,NO\n');
    const again = await by.run(['people', 'bulk-add', later, ...printedOptions(by, list)]);
    expect(again.code, shown).toBe(2);
    expect(again.stdout).toContain('"TRUE" is not a boolean');
    expect(again.stdout).not.toContain('NO');
  });

  it('cannot name a status that stands for all others', async () => {
    const list = write('list.csv', 'Account,role,State\nusr_1,m,*\nusr_2,m,x\n');
    const { code, sent, shown } = await importOnTerminal(list, [choice(1), choice(1), ENTER, last(), choice(2)]);
    expect({ code, sent }, shown).toEqual({ code: 2, sent: [] });
    expect(shown).toContain('"State" has the value "*", which stands for any other value');
  });

  it('is only saved in a mapping file if an option would take it for a placeholder', async () => {
    const list = write('list.csv', 'Account,role,State\nusr_1,m,<none>\nusr_2,m,x\n');
    const typed = [choice(1), choice(1), ENTER, last(), choice(2), ` ${ENTER}`, RIGHT, CONFIRM];
    const { sent, shown } = await importOnTerminal(list, typed);
    expect(sent.map(({ isActive }) => isActive)).toEqual([true, false]);
    expect(shown).toContain('save the answers in a mapping file');
    expect(shown).not.toContain('--map-value');
  });

  it('leaves the values of the status to a second list that the options name', async () => {
    const list = write('list.csv', 'Account,role,active\nusr_1,m,7\nusr_2,m,8\nusr_3,m,\n');
    const codes = write('codes.csv', 'code,active\n7,true\n8,false\n');
    const typed = [choice(1), choice(1), ENTER, last(), choice(2), choice(2), RIGHT, CONFIRM];
    const lookup = ['--lookup', `isActive=${codes}:code=active`];
    const { code, sent, shown } = await importOnTerminal(list, typed, lookup);
    expect(shown).not.toContain('mean active');
    expect({ code, active: sent.map(({ isActive }) => isActive) }, shown).toEqual({
      code: 0,
      active: [true, false, false],
    });
  });

  it('is asked again if nobody can have the role', async () => {
    const list = write('list.csv', 'Account,Name\nusr_1,Anna\n');
    const typed = [
      ...[choice(1), choice(1), choice(1), last(), line('#N/A'), line('member'), last(), last(2), RIGHT, CONFIRM],
    ];
    const { code, sent, shown } = await importOnTerminal(list, typed);
    expect({ code, sent }, shown).toEqual({ code: 0, sent: [{ userId: 'usr_1', role: 'member', isActive: true }] });
    expect(shown).toContain('"#N/A" ');
  });
});

describe('a mapping file and a list with a new column', () => {
  const MAPPING = {
    columns: { userId: 'Account', role: 'Rank' },
    defaults: { isActive: 'true' },
    omit: ['department'],
    ignored: ['Name'],
  };
  const LATER = 'Account,Name,Rank,Status\nusr_1,Anna,m,ACTIVE\nusr_2,Ben,m,TERMINATED\n';
  const [WHO_IS_ACTIVE, IGNORE] = [choice(1), last()];
  const AS_BEFORE = choice(1);

  it('asks what the column has, and sends nobody as active who is not', async () => {
    const list = write('list.csv', LATER);
    const mapping = write('m.json', JSON.stringify(MAPPING));
    const { code, sent, shown, ...by } = await importOnTerminal(
      list,
      [ENTER, WHO_IS_ACTIVE, ` ${ENTER}`, SAVE, line(mapping), CONFIRM],
      ['--mapping', mapping],
    );
    expect({ code, sent }, shown).toEqual({
      code: 0,
      sent: [
        { userId: 'usr_1', role: 'm', isActive: true },
        { userId: 'usr_2', role: 'm', isActive: false },
      ],
    });
    expect(shown).toContain('m.json does not name "Status" (ACTIVE, TERMINATED). What does it have?');
    // The rest of the mapping holds.
    expect(shown).not.toContain('Which column');
    expect(JSON.parse(readFileSync(mapping, 'utf8'))).toEqual({
      columns: { userId: 'Account', role: 'Rank', isActive: 'Status' },
      values: { isActive: { ACTIVE: 'true', TERMINATED: 'false' } },
      omit: ['department'],
      ignored: ['Name'],
    });
    await expectSameRun(by, list, ['--mapping', mapping]);
  });

  it('asks who is active even if the column is ignored, and Enter does not accept the answer of the file', async () => {
    const list = write('list.csv', LATER);
    const mapping = write('m.json', JSON.stringify(MAPPING));
    const { sent, shown } = await importOnTerminal(
      list,
      [IGNORE, ENTER, AS_BEFORE, RIGHT, CONFIRM],
      ['--mapping', mapping],
    );
    expect(shown).toContain(
      `Which column says who is active? ● (press an arrow key to choose) ○ As in m.json: everyone is active`,
    );
    expect(sent).toEqual([
      { userId: 'usr_1', role: 'm', isActive: true },
      { userId: 'usr_2', role: 'm', isActive: true },
    ]);
  });

  it.each([
    ['is saved in the file', [SAVE, ENTER], true],
    ['is not saved', [RIGHT], false],
  ])('never suggests --ignore-extra-columns, but to save the mapping, if the answer %s', async (_, end, isSaved) => {
    const list = write('list.csv', LATER);
    const mapping = write('m.json', JSON.stringify(MAPPING));
    const typed = [IGNORE, AS_BEFORE, ...end, CONFIRM];
    const { code, shown, ...by } = await importOnTerminal(list, typed, ['--mapping', mapping]);
    expect(code, shown).toBe(0);
    expect(shown).not.toContain('--ignore-extra-columns');
    expect(shown).toContain(`To skip the questions next time, save the answers in ${mapping} or another mapping file.`);
    const saved = JSON.parse(readFileSync(mapping, 'utf8'));
    expect(saved).toEqual(isSaved ? { ...MAPPING, ignored: ['Name', 'Status'] } : MAPPING);
    if (isSaved) await expectSameRun(by, list, ['--mapping', mapping]);
  });

  it('prints a command with the file if no column is ignored', async () => {
    const list = write('list.csv', 'Account,Name,Rank,Team\nusr_1,Anna,m,it\n');
    const mapping = write('m.json', JSON.stringify(MAPPING));
    const department = choice(3);
    const typed = [department, AS_BEFORE, RIGHT, CONFIRM];
    const { sent, shown, ...by } = await importOnTerminal(list, typed, ['--mapping', mapping]);
    expect(sent, shown).toEqual([{ userId: 'usr_1', role: 'm', department: 'it', isActive: true }]);
    const options = printedOptions(by, list);
    expect(options).toEqual(['--mapping', mapping, '--map', 'department=Team']);
    await expectSameRun(by, list, options);
  });

  it('replaces the column of the status, its values, and what a blank means', async () => {
    const list = write('list.csv', 'Account,Rank,State,Status\nusr_1,m,in,ACTIVE\nusr_2,m,,TERMINATED\n');
    const mapping = write(
      'm.json',
      JSON.stringify({
        columns: { userId: 'Account', role: 'Rank', isActive: 'State' },
        values: { isActive: { in: 'true', '*': 'false' } },
        defaults: { isActive: 'false' },
        omit: ['department'],
      }),
    );
    const typed = [IGNORE, choice(4), ` ${ENTER}`, SAVE, line(mapping), CONFIRM];
    const { sent, shown } = await importOnTerminal(list, typed, ['--mapping', mapping]);
    expect(shown).toContain('m.json: "State" (active: in; inactive: any other value, blank)');
    expect(
      sent.map(({ isActive }) => isActive),
      shown,
    ).toEqual([true, false]);
    expect(JSON.parse(readFileSync(mapping, 'utf8'))).toEqual({
      columns: { userId: 'Account', role: 'Rank', isActive: 'Status' },
      values: { isActive: { ACTIVE: 'true', TERMINATED: 'false' } },
      omit: ['department'],
      ignored: ['State'],
    });
  });

  it('asks about the new key of a JSON list in the same way', async () => {
    const list = write('list.json', '[{"Account":"usr_1","Rank":"m","state":"gone"}]');
    const mapping = write('m.json', JSON.stringify(MAPPING));
    const none = '\u001b[B \r';
    const { sent, shown } = await importOnTerminal(list, [WHO_IS_ACTIVE, none, RIGHT, CONFIRM], ['--mapping', mapping]);
    expect(shown).toContain('m.json does not name "state" (gone). What does it have?');
    expect(sent).toEqual([{ userId: 'usr_1', role: 'm', isActive: false }]);
  });

  it('shows two columns that say together who is active', async () => {
    const list = write('list.csv', 'Account,Rank,suspended,archived,Shift\nusr_1,m,no,yes,day\nusr_2,m,no,no,day\n');
    const columns = { userId: 'Account', role: 'Rank', isActive: ['!suspended', '!archived'] };
    const mapping = write('m.json', JSON.stringify({ columns, omit: ['department'] }));
    const { sent, shown } = await importOnTerminal(
      list,
      [IGNORE, AS_BEFORE, SAVE, ENTER, CONFIRM],
      ['--mapping', mapping],
    );
    expect(shown).toContain('As in m.json: not "suspended" and not "archived"');
    expect(
      sent.map(({ isActive }) => isActive),
      shown,
    ).toEqual([false, true]);
    expect(JSON.parse(readFileSync(mapping, 'utf8'))).toMatchObject({ columns, ignored: ['Shift'] });
  });

  it('asks only what a blank status means if no column is new', async () => {
    const list = write('list.csv', 'Account,Rank,State\nusr_1,m,yes\nusr_2,m,\n');
    const columns = { userId: 'Account', role: 'Rank', isActive: 'State' };
    const mapping = write('m.json', JSON.stringify({ columns, omit: ['department'] }));
    const { sent, shown, ...by } = await importOnTerminal(list, [choice(2), RIGHT, CONFIRM], ['--mapping', mapping]);
    expect(shown).not.toContain('Which column');
    expect(
      sent.map(({ isActive }) => isActive),
      shown,
    ).toEqual([true, false]);
    await expectSameRun(by, list, printedOptions(by, list));
  });

  it('is rejected without a terminal, and with --yes on one', async () => {
    const list = write('list.csv', LATER);
    const mapping = write('m.json', JSON.stringify(MAPPING));
    const { code, sent, run, stderr } = await importOnTerminal(list, [], ['--mapping', mapping, '--yes']);
    expect({ code, sent }).toEqual({ code: 2, sent: [] });
    const saved = ['--ignore-extra-columns', '--dry-run', '--save-mapping', mapping];
    // Without --save-mapping, the command would also ignore a column of the next list.
    expect(stderr).toContain(
      ['--mapping', mapping, '--yes', '--ignore-extra-columns', ...saved.slice(2), '--dry-run'].join(' '),
    );
    await run(['people', 'bulk-add', list, '--mapping', mapping, ...saved]);
    expect(JSON.parse(readFileSync(mapping, 'utf8'))).toEqual({ ...MAPPING, ignored: ['Name', 'Status'] });
    const next = write('next.csv', 'Account,Name,Rank,Status,Left\nusr_3,Cy,m,ACTIVE,yes\n');
    expect((await run(['people', 'bulk-add', next, '--mapping', mapping])).code).toBe(2);
  });
});
