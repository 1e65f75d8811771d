import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomCases } from '../../helpers/fixed-seed.ts';
import { addsMembers, membersOf } from '../../helpers/people-service.ts';
import { type CliResult, DRAWN_PROMPTS, drawnText, MemoryTerminal } from '../../helpers/run-cli.ts';
import { createCommandRunner, type ServiceRun } from '../../helpers/service-run.ts';
import { CANARY_KEY } from '../../helpers/test-client.ts';

const cli = createCommandRunner();

const EXPORT = `Account,Full name,role,Status
usr_0101,Anna Castillo,employee,ACTIVE
usr_0102,Ben Jansen,admin,SUSPENDED
usr_0103,Chloe Okafor,employee,ACTIVE
`;
const SENT = [
  { userId: 'usr_0101', role: 'employee', isActive: true },
  { userId: 'usr_0102', role: 'admin', isActive: false },
  { userId: 'usr_0103', role: 'employee', isActive: true },
];

const DOWN = '\u001b[B';
const UP = '\u001b[A';
const ENTER = '\r';
/** Moves to a column of a question without a default, from 1, and accepts it. */
const column = (number: number) => `${DOWN.repeat(number)}${ENTER}`;
/** The last answer of a question without a default. */
const LAST = `${UP}${ENTER}`;

/** Everyone in the list is active. */
const EVERYONE = `${UP.repeat(2)}${ENTER}`;
/** Saves the answers in a mapping file. */
const save = (file: string) => [`${DOWN}${ENTER}`, `${file}${ENTER}`];

/** The answers about EXPORT: the IDs of Account, the default for role, no department, and Status with ACTIVE. */
const ANSWERS = [column(1), column(1), ENTER, LAST, column(3), ` ${ENTER}`];

function writeExport(content = EXPORT): string {
  writeFileSync(cli.file('export.csv'), content);
  return cli.file('export.csv');
}

function answer(
  run: ServiceRun['run'],
  typed: readonly string[],
  options: readonly string[] = [],
  whenAsked?: () => void,
): Promise<CliResult> {
  // A question that no answer is for ends the command.
  const terminal = new MemoryTerminal([...typed, '\u0003'], whenAsked);
  return run(['people', 'bulk-add', cli.file('export.csv'), ...options], {
    terminal,
    env: DRAWN_PROMPTS,
  });
}

describe('the questions about a list with columns that are not fields', () => {
  it('show the columns, and lead to the confirmation and the import', async () => {
    writeExport();
    const { service, run } = await cli.scripted(addsMembers());
    const { code, stdout, stderr } = await answer(run, [...ANSWERS, ENTER, `y${ENTER}`]);
    expect({ code, stdout, sent: service.requests.flatMap(membersOf) }, drawnText(stderr)).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^✓ 3 /),
      sent: SENT,
    });
    const shown = drawnText(stderr);
    for (const text of [
      ' Account usr_0101, usr_0102, usr_0103 Full name Anna Castillo, Ben Jansen, Chloe Okafor role employee, admin Status ACTIVE, SUSPENDED',
      'Which column has the user IDs?',
      'Which column has the roles?',
      'Which column has the departments?',
      'Which column says who is active?',
      'Which values of "Status" mean active?',
      'Your answers: User IDs "Account" Roles "role" Departments none Status "Status" (active: ACTIVE; inactive: SUSPENDED) Ignored "Full name"',
      'columns: userId ← "Account", role, isActive ← "Status" (ACTIVE → true, SUSPENDED → false)',
      'ignored: "Full name"',
      'totals: 2 active, 1 inactive; employee 2, admin 1',
      'first and last: usr_0101 (employee, active), usr_0102 (admin, inactive) … usr_0103 (employee, active)',
      '[y/N]',
    ])
      expect(shown).toContain(text);
  });

  it('give the same run as the options and the mapping file that orgadm prints and saves', async () => {
    const list = writeExport();
    const mapping = cli.file('mapping.json');
    const { service, run } = await cli.scripted(addsMembers());
    const { code } = await answer(run, [...ANSWERS, ...save(mapping), `y${ENTER}`]);
    expect(code).toBe(0);
    expect(JSON.parse(readFileSync(mapping, 'utf8'))).toEqual({
      columns: { userId: 'Account', role: 'role', isActive: 'Status' },
      values: { isActive: { ACTIVE: 'true', SUSPENDED: 'false' } },
      omit: ['department'],
      ignored: ['Full name'],
    });
    const printed =
      '--map userId=Account --map isActive=Status --map-value isActive:ACTIVE=true --map-value isActive:SUSPENDED=false --omit department --ignore-extra-columns';
    const { stderr } = await answer(run, [...ANSWERS, ENTER]);
    expect(drawnText(stderr)).toContain('To skip the questions next time: orgadm people bulk-add ');
    expect(drawnText(stderr).replaceAll(' \\ ', ' ')).toContain(`orgadm people bulk-add ${list} ${printed} `);
    for (const options of [printed.split(' '), ['--mapping', mapping]]) {
      const again = await run(['people', 'bulk-add', list, ...options]);
      expect(again.stderr).toContain('--restart');
    }
    expect((await run(['runs', 'list', '--json'])).json()).toHaveLength(1);
    expect(service.requests).toHaveLength(1);
  });

  it('are not asked again to continue a run of the same list, nor is the confirmation: orgadm offers its mapping', async () => {
    writeExport();
    const { service, run } = await cli.scripted(addsMembers());
    await answer(run, [...ANSWERS, ENTER, `y${ENTER}`], ['--limit', '1']);
    const { code, stdout, stderr } = await answer(run, [column(1)]);
    expect({ code, stdout }, drawnText(stderr)).toEqual({ code: 0, stdout: expect.stringMatching(/^✓ 3 /) });
    expect(service.requests.flatMap(membersOf)).toEqual(SENT);
    const shown = drawnText(stderr);
    expect(shown).toMatch(
      /Run [0-9a-f]{8} of 2026-01-01 00:00 UTC has not finished this list: 1 of 3 rows is done columns: userId ← "Account", role, isActive ← "Status" \(ACTIVE → true, SUSPENDED → false\) ignored: "Full name" totals: 1 active, 1 inactive; admin 1, employee 1 first and last: usr_0102 .*Continue run [0-9a-f]{8}: import the remaining 2 people from .*export\.csv into http:.*\? /,
    );
    expect(shown.match(/columns: /g)).toHaveLength(1);
    expect(shown).not.toContain('Which column');
  });

  it('send nothing if another process has continued the run since the user accepted its mapping', async () => {
    writeExport();
    const { service, run } = await cli.scripted(addsMembers());
    await answer(run, [...ANSWERS, ENTER, `y${ENTER}`], ['--limit', '1']);
    let asked = 0;
    const terminal = new MemoryTerminal([], async () => {
      if (asked++ > 0) return;
      const options = ['userId=Account', 'isActive=Status'].flatMap((pair) => ['--map', pair]);
      const values = ['isActive:ACTIVE=true', 'isActive:SUSPENDED=false'].flatMap((pair) => ['--map-value', pair]);
      const rest = ['--omit', 'department', '--ignore-extra-columns', '--yes'];
      await run(['people', 'bulk-add', cli.file('export.csv'), ...options, ...values, ...rest]);
      terminal.write(column(1));
    });
    const { code, stderr } = await run(['people', 'bulk-add', cli.file('export.csv')], {
      terminal,
      env: DRAWN_PROMPTS,
    });
    expect({ code, sent: service.requests.flatMap(membersOf) }).toEqual({ code: 2, sent: SENT });
    expect(drawnText(stderr)).toMatch(/error: another process has imported \S+ since you confirmed/);
  });

  it('are asked if the user does not want the mapping of the unfinished run', async () => {
    writeExport();
    const { service, run } = await cli.scripted(addsMembers());
    await answer(run, [...ANSWERS, ENTER, `y${ENTER}`], ['--limit', '1']);
    const everyone = [column(1), column(1), ENTER, LAST, EVERYONE];
    const { code, stderr } = await answer(run, [column(2), ...everyone, ENTER, `y${ENTER}`]);
    expect(code, drawnText(stderr)).toBe(0);
    expect(service.requests.slice(1).flatMap(membersOf)).toEqual(SENT.map((entry) => ({ ...entry, isActive: true })));
  });

  it.each<[string, { content?: string; key?: string; options?: string[] }]>([
    ['the list has changed', { content: `${EXPORT}usr_0104,Dana Reyes,employee,ACTIVE\n` }],
    ['the key is another one', { key: 'key_of_another_admin_88' }],
    ['the options contradict its mapping', { options: ['--map', 'userId=Full name'] }],
    ['the list is imported again with --restart', { options: ['--restart'] }],
  ])('are asked if %s', async (_, { content, key, options = [] }) => {
    writeExport();
    const { run } = await cli.scripted(addsMembers());
    await answer(run, [...ANSWERS, ENTER, `y${ENTER}`], ['--limit', '1']);
    writeExport(content);
    const env = { ...DRAWN_PROMPTS, ...(key !== undefined && { ORGADM_API_KEY: key }) };
    const terminal = new MemoryTerminal(['\u0003']);
    const result = await run(['people', 'bulk-add', cli.file('export.csv'), ...options], { terminal, env });
    expect(drawnText(result.stderr)).toContain('Which column');
    expect(drawnText(result.stderr)).not.toContain('with this mapping');
  });

  it('send nothing with --dry-run, which shows the mapping', async () => {
    writeExport();
    const { service, run } = await cli.scripted(addsMembers());
    const { code, stdout } = await answer(run, [...ANSWERS, ENTER], ['--dry-run']);
    expect({ code, requests: service.requests }).toEqual({ code: 0, requests: [] });
    expect(stdout).toContain('isActive ← "Status" (ACTIVE → true, SUSPENDED → false)\nignored: "Full name"\n');
  });

  it('do not accept Enter where the name of a column leaves a doubt, and never for the status', async () => {
    writeExport('User ID,role,Active,Team\nu1,m,yes,a\nu2,m,,b\n');
    const { service, run } = await cli.scripted(addsMembers());
    const typed = [
      ENTER,
      ...[ENTER, ENTER, column(1)],
      ENTER,
      ...[ENTER, ENTER, column(3)],
      ...[ENTER, ENTER, column(2)],
      ` ${ENTER}`,
      ...[ENTER, column(2)],
      ...[ENTER, `y${ENTER}`],
    ];
    const { code, stderr } = await answer(run, typed);
    expect(code, drawnText(stderr)).toBe(0);
    expect(drawnText(stderr)).toContain('Which column says who is active? Choose one of the answers.');
    expect(service.requests.flatMap(membersOf)).toEqual([
      { userId: 'u1', role: 'm', department: 'a', isActive: true },
      { userId: 'u2', role: 'm', department: 'b', isActive: false },
    ]);
  });

  it('leave out the column of a field that no column has, or that is the same for everyone', async () => {
    writeExport('User ID,Role,Dept,Active,Name\nu1,owner,it,no,Ada\nu2,admin,hr,yes,Bo\n');
    const mapping = cli.file('mapping.json');
    const { service, run } = await cli.scripted(addsMembers());
    const everyone = `${DOWN.repeat(4)}${ENTER}`;
    const none = `${DOWN.repeat(3)}${ENTER}`;
    const typed = [ENTER, column(1), everyone, `employee${ENTER}`, none, EVERYONE];
    const { code, stderr } = await answer(run, [...typed, ...save(mapping), `y${ENTER}`]);
    expect(code, drawnText(stderr)).toBe(0);
    expect(service.requests.flatMap(membersOf)).toEqual([
      { userId: 'u1', role: 'employee', isActive: true },
      { userId: 'u2', role: 'employee', isActive: true },
    ]);
    expect(JSON.parse(readFileSync(mapping, 'utf8'))).toEqual({
      columns: { userId: 'User ID' },
      defaults: { role: 'employee', isActive: 'true' },
      omit: ['role', 'department', 'isActive'],
      ignored: ['Name'],
    });
    const printed =
      '--default role=employee --default isActive=true --omit role --omit department --omit isActive --ignore-extra-columns';
    const again = await answer(run, [...typed, ENTER]);
    expect(drawnText(again.stderr)).toContain(`${printed} `);
    for (const options of [printed.split(' '), ['--mapping', mapping]]) {
      const again = await run(['people', 'bulk-add', cli.file('export.csv'), ...options]);
      expect(again.stderr).toContain('--restart');
    }
  });

  it('ask only what a blank status means if the options have decided the rest', async () => {
    writeExport('userId,role,Is Active,Team\nu1,m,yes,a\nu2,m,,b\n');
    const { service, run } = await cli.scripted(addsMembers());
    const { code, stderr } = await answer(run, [column(2), ENTER, `y${ENTER}`], ['--ignore-extra-columns']);
    expect(code, drawnText(stderr)).toBe(0);
    expect(drawnText(stderr)).toContain('"Is Active" is blank for 1 person. Is that person active?');
    expect(drawnText(stderr)).not.toContain('Which column');
    expect(service.requests.flatMap(membersOf)).toEqual([
      { userId: 'u1', role: 'm', isActive: true },
      { userId: 'u2', role: 'm', isActive: false },
    ]);
  });

  it('ask only whether blank means active if the status has more than 12 values', async () => {
    const rows = Array.from({ length: 14 }, (_, at) => `u${at},m,${at === 0 ? '' : `2026-01-${10 + at}`}\n`);
    writeExport(`userId,role,Left on\n${rows.join('')}`);
    const { service, run } = await cli.scripted(addsMembers());
    const { code, stderr } = await answer(run, [
      ENTER,
      column(1),
      ENTER,
      LAST,
      column(2),
      column(1),
      ENTER,
      `y${ENTER}`,
    ]);
    expect(code, drawnText(stderr)).toBe(0);
    expect(drawnText(stderr)).toContain('"Left on" has more than 12 values. Who is active?');
    expect(service.requests.flatMap(membersOf).map(({ isActive }) => isActive)).toEqual([
      true,
      ...Array.from({ length: 13 }, () => false),
    ]);
  });

  it('end with the options that are missing if a status of more than 12 values depends on the value', async () => {
    const rows = Array.from({ length: 14 }, (_, at) => `u${at},m,S${at}\n`);
    writeExport(`userId,role,State\n${rows.join('')}`);
    const { service, run } = await cli.scripted(addsMembers());
    const { code, stderr } = await answer(run, [ENTER, column(1), ENTER, LAST, column(2), LAST]);
    expect({ code, requests: service.requests }).toEqual({ code: 2, requests: [] });
    expect(drawnText(stderr)).toContain(
      'error: orgadm asks about at most 12 values, and "State" has more; nothing was sent',
    );
    const [, command = ''] = /(people bulk-add .* --dry-run)/.exec(drawnText(stderr).replaceAll(' \\ ', ' ')) ?? [];
    expect(command).toContain(
      "--map isActive=State --map-value 'isActive:<value>=true' --map-value 'isActive:*=false'",
    );
    const rejected = await run(['people', 'bulk-add', cli.file('export.csv'), '--map-value', 'isActive:<value>=true']);
    expect({ code: rejected.code, requests: service.requests }).toEqual({ code: 2, requests: [] });
    expect(rejected.stderr).toContain('<value> is a placeholder');
  });

  it('need an answer about the values of a status: Enter alone accepts none of them', async () => {
    writeExport();
    const { service, run } = await cli.scripted(addsMembers());
    const none = `${UP} ${ENTER}`;
    const typed = [...ANSWERS.slice(0, -1), ENTER, none, ENTER, `y${ENTER}`];
    const { code, stderr } = await answer(run, typed);
    expect(code, drawnText(stderr)).toBe(0);
    expect(drawnText(stderr)).toContain('totals: 0 active, 3 inactive; employee 2, admin 1');
    expect(service.requests.flatMap(membersOf).map(({ isActive }) => isActive)).toEqual([false, false, false]);
  });

  it('ask for a second list if all IDs are email addresses, and again after a wrong file name', async () => {
    writeExport('E-Mail,Rank\nada@example.com,x\nbo@example.com,y\n');
    const directory = cli.file('ids.csv');
    writeFileSync(directory, 'mail,id\nada@example.com,usr_1\nbo@example.com,usr_2\n');
    const { service, run } = await cli.scripted(addsMembers());
    const typed = [
      ...[column(1), column(1), column(1), `nowhere.csv${ENTER}`, `\u0015${directory}${ENTER}`, column(1)],
      ...[LAST, `${ENTER}<role>${ENTER}\u0015member${ENTER}`],
      ...[LAST, EVERYONE, ENTER, `y${ENTER}`],
    ];
    const { code, stderr } = await answer(run, typed);
    const shown = drawnText(stderr);
    expect(code, shown).toBe(0);
    expect(shown).toContain('nowhere.csv. ');
    expect(service.requests.flatMap(membersOf)).toEqual([
      { userId: 'usr_1', role: 'member', isActive: true },
      { userId: 'usr_2', role: 'member', isActive: true },
    ]);
  });

  it('send no row without a decision about who is active, whatever the answers', async () => {
    writeExport('Account,role,Status,Left\nusr_0101,employee,ACTIVE,\nusr_0102,admin,,2026-01-01\n');
    let sent = 0;
    const move = fc.tuple(fc.nat({ max: 6 }), fc.boolean());
    const property = fc.asyncProperty(fc.array(move, { minLength: 24, maxLength: 24 }), async (moves) => {
      // The text answers questions for a line, and only moves through answers to choose from.
      const keys = moves.map(
        ([down, space], at) => `${DOWN.repeat(down)}${space ? ' ' : ''}${cli.file(`answer-${at}`)}${ENTER}`,
      );
      const terminal = new MemoryTerminal([...keys, '\u0003']);
      // No path of a second list would be right.
      const options = ['--map', 'userId=Account', '--restart', '--invalid', 'skip', '--json'];
      const argv = ['people', 'bulk-add', cli.file('export.csv'), ...options];
      const { stdout } = await cli.sandbox(argv, { terminal, env: DRAWN_PROMPTS });
      for (const file of readdirSync(cli.file('.'))) if (file.startsWith('answer-')) rmSync(cli.file(file));
      if (stdout === '') return;
      const { mapping } = JSON.parse(stdout) as {
        mapping: { totals: { active: number; inactive: number; unset: number } };
      };
      sent += mapping.totals.active + mapping.totals.inactive;
      expect(mapping.totals.unset).toBe(0);
    });
    await fc.assert(property, { numRuns: randomCases(40), timeout: 5000 });
    expect(sent).toBeGreaterThan(0);
  });

  it('offer no answer that orgadm rejects at the end, whatever the columns are called and the options say', async () => {
    const names = 'role active !active left !left !isActive a=b #2 a.b <column>'.split(' ');
    writeFileSync(cli.file('codes.csv'), 'code,active\nyes,true\nno,false\n');
    const lookup = ['--lookup', `isActive=${cli.file('codes.csv')}:code=active`];
    const options = [
      [],
      ['--map-value', 'isActive:yes=false'],
      ['--map-value', 'role:yes=m'],
      ['--omit', 'department'],
    ];
    const property = fc.asyncProperty(
      fc.shuffledSubarray(names, { minLength: 1 }),
      fc.boolean(),
      fc.constantFrom(...options, lookup),
      fc.array(fc.tuple(fc.nat({ max: 6 }), fc.boolean()), { minLength: 24, maxLength: 24 }),
      async (columns, isJson, given, moves) => {
        // Without such a column, a second list for the status is an error before the first question.
        const all = ['Account', ...columns, ...(given === lookup && !columns.includes('active') ? ['active'] : [])];
        const rows = ['yes', 'no', ''].map((text, at) => all.map((_, column) => (column === 0 ? `usr_${at}` : text)));
        const records = rows.map((row) => Object.fromEntries(row.map((text, at) => [all[at], text])));
        writeExport(isJson ? JSON.stringify(records) : [all, ...rows].map((row) => `${row.join(',')}\n`).join(''));
        const keys = moves.map(
          ([down, space], at) => `${DOWN.repeat(down)}${space ? ' ' : ''}${cli.file(`answer-${at}`)}${ENTER}`,
        );
        const terminal = new MemoryTerminal([...keys, '\u0003']);
        const rest = ['--map', 'userId=Account', '--restart', '--invalid', 'skip', '--format', isJson ? 'json' : 'csv'];
        const argv = ['people', 'bulk-add', cli.file('export.csv'), ...rest, ...given];
        const { code, stderr } = await cli.sandbox(argv, { terminal, env: DRAWN_PROMPTS });
        for (const file of readdirSync(cli.file('.'))) if (file.startsWith('answer-')) rmSync(cli.file(file));
        expect(code, drawnText(stderr)).not.toBe(2);
      },
    );
    await fc.assert(property, { numRuns: randomCases(40), timeout: 5000 });
  });

  it.each([0, 1, 2, 3, 4, 5, 6, 7])('end at Ctrl-C after %i answers, with nothing sent', async (answered) => {
    writeExport();
    const { service, run } = await cli.scripted(addsMembers());
    const { code, stdout, stderr } = await answer(run, [...[...ANSWERS, ENTER].slice(0, answered), '\u0003']);
    expect({ code, stdout, requests: service.requests }).toEqual({ code: 130, stdout: '', requests: [] });
    expect(drawnText(stderr)).toMatch(/error: interrupted.* $/);
  });

  it('end at Ctrl-D, and if the terminal closes', async () => {
    writeExport();
    const { service, run } = await cli.scripted(addsMembers());
    for (const typed of ['\u0004', `${DOWN}\u0004`]) {
      const { code, stdout, stderr } = await answer(run, [typed]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(drawnText(stderr)).toMatch(/error: no answer.* $/);
    }
    expect(service.requests).toEqual([]);
  });

  it('do not show the API key, even if the list has it', async () => {
    writeExport(`Account,${CANARY_KEY},role\nu1,${CANARY_KEY},m\n`);
    const { run } = await cli.scripted(addsMembers());
    const { stderr } = await answer(run, [column(2), column(1), ENTER]);
    expect(drawnText(stderr)).toContain('departments?');
    expect(drawnText(stderr)).not.toContain(CANARY_KEY);
  });

  it('show names and values of the list as text', async () => {
    writeExport('Account,"\u001b[31mx\u202ey\nz",role\nu1,"\u001b]0;t\u0007\u202e,v",m\n');
    const { run } = await cli.scripted(addsMembers());
    const { stderr } = await answer(run, ['\u0003']);
    expect(stderr).not.toContain('\u001b[31m');
    expect(stderr).not.toContain('\u001b]0');
    expect(stderr).not.toContain('\u202e');
    expect(drawnText(stderr)).toContain('○ #2 (<U+001B>[31mx<U+202E>y z)');
  });

  it.each([
    ['--yes', {}],
    ['--no-input', {}],
    ['--invalid=abort', { ORGADM_NO_INPUT: '1' }],
  ])('are an error with the missing options instead with %s', async (option, env) => {
    const list = writeExport();
    const { service, run } = await cli.scripted(addsMembers());
    const { code, stdout, stderr } = await run(['people', 'bulk-add', list, option], {
      terminal: new MemoryTerminal([]),
      env: { ...DRAWN_PROMPTS, ...env },
    });
    expect({ code, stdout, requests: service.requests }).toEqual({ code: 2, stdout: '', requests: [] });
    expect(drawnText(stderr)).toMatch(/error: .* Account usr_0101,.* --map 'userId=<column>' .* --dry-run /);
  });
});
