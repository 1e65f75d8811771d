import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { closeAfterTests } from '../helpers/opened.ts';
import { openTerminal, type Terminal } from '../helpers/terminal.ts';

const opened = closeAfterTests();

const open = async (line: string, columns: number, rows = 60) => opened(await openTerminal(line, { columns, rows }));

const WRITE =
  "printf 'Account,Full name,role,Status\\nusr_0101,Anna,employee,ACTIVE\\nusr_0102,Ben,admin,SUSPENDED\\n' > export.csv";
const IMPORT = 'orgadm people bulk-add export.csv --sandbox';

/** Presses keys one after another, each when the terminal shows the text before it. */
async function answer(terminal: Terminal, steps: readonly (readonly [seen: string | RegExp, ...keys: string[]])[]) {
  for (const [seen, ...keys] of steps) {
    await terminal.untilSeen(seen);
    for (const key of keys) await terminal.press(key);
  }
}

/** The texts of a question that is answered: its mark is another one then. */
const asks = (question: string) => new RegExp(`◆ {2}${question}`);

/** The answers about `export.csv`. Words that fit 40 columns in one line. */
const STEPS = [
  [asks('.*the user IDs'), 'Down', 'Enter'],
  [asks('.*your service'), 'Down', 'Enter'],
  [asks('.*roles'), 'Enter'],
  [asks('.*dep'), 'Up', 'Enter'],
  [asks('.*active'), 'Down', 'Down', 'Down', 'Enter'],
  [asks('.*"Status"'), 'Space', 'Enter'],
  [asks('.*right'), 'Enter'],
] as const;

/** Writes a list of these rows. */
const write = (name: string, rows: readonly string[]) => `printf '${rows.join('\\n')}\\n' > '${name}'`;

const CHECK = 'orgadm people bulk-add list.csv --sandbox --dry-run';

describe('lists that need an answer from the person at the terminal', () => {
  it.each([40, 80, 120])('keep the first person of a list without a header, at %i columns', async (columns) => {
    const rows = ['usr_0101,Anna,employee,yes', 'usr_0102,Ben,admin,no'];
    const terminal = await open(`${write('list.csv', rows)}; ${CHECK}`, columns, 100);
    await answer(terminal, [
      [asks('Is the first row a header'), 'Down', 'Down', 'Enter'],
      [asks('.*the user IDs'), 'Down', 'Enter'],
      [asks('.*your service'), 'Down', 'Enter'],
      [asks('.*roles'), 'Down', 'Down', 'Enter'],
      [asks('.*dep'), 'Up', 'Enter'],
      [asks('.*active'), 'Down', 'Down', 'Down', 'Enter'],
      [asks('.*"D"'), 'Space', 'Enter'],
      [asks('.*right'), 'Enter'],
    ]);
    await terminal.ended();
    const screen = (await terminal.joined()).replace(/\s+/g, ' ');
    expect(screen).toContain('First row a person');
    expect(screen).toContain('--columns A,B,C,D --map userId=A');
    expect(screen).toMatch(/totals: 1 active, 1 inactive; employee 1, admin 1 .*✓ 2 valid .*exit 0$/);
  });

  it("read the roles and who is active from Slack's status", async () => {
    const rows = [
      'username,email,status,billing-active,userid',
      'anna,anna@example.com,Admin,1,U0001',
      'ben,ben@example.com,Deactivated,0,U0002',
    ];
    const terminal = await open(`${write('list.csv', rows)}; ${CHECK}`, 80, 100);
    await answer(terminal, [
      [asks('.*the user IDs'), 'Enter'],
      [asks('.*your service'), 'Down', 'Enter'],
      [asks('.*roles'), 'Down', 'Down', 'Down', 'Enter'],
      [asks('.*dep'), 'Up', 'Enter'],
      [asks('.*active'), 'Down', 'Down', 'Down', 'Enter'],
      [asks('.*"status"'), 'Space', 'Enter'],
      [asks('.*right'), 'Enter'],
    ]);
    await terminal.ended();
    expect(await terminal.screen()).toContain('totals: 1 active, 1 inactive; Admin 1, Deactivated 1');
  });

  it('are looked up in a second list whose path begins with ~', async () => {
    const files = [
      write('list.csv', ['Email,role', 'anna@example.com,employee']),
      'mkdir "my files"',
      write('my files/ids.csv', ['mail,id', 'anna@example.com,usr_0101']),
    ];
    const terminal = await open(`${files.join('; ')}; ${CHECK}`, 80, 100);
    await answer(terminal, [
      [asks('.*the user IDs'), 'Down', 'Enter'],
      [asks('All user IDs are email addresses'), 'Down', 'Enter'],
      [asks('Path of the second list'), '~/my files/ids.csv', 'Enter'],
      [asks('Which of its columns has the email'), 'Down', 'Enter'],
      [asks('.*roles'), 'Enter'],
      [asks('.*dep'), 'Up', 'Enter'],
      [asks('.*active'), 'Up', 'Up', 'Enter'],
      [asks('.*right'), 'Enter'],
    ]);
    await terminal.ended();
    const screen = await terminal.screen();
    expect(screen).toContain('1 of 1 value found');
    expect(screen).toContain('usr_0101');
  });

  it('have a column that the mapping file does not name: who is active is asked again', async () => {
    const mapping = '{"columns":{"userId":"Account"},"defaults":{"isActive":"true"},"omit":["department"]}';
    const rows = ['Account,role,Status', 'usr_0101,employee,ACTIVE', 'usr_0102,admin,TERMINATED'];
    const files = [write('list.csv', rows), `echo '${mapping}' > m.json`];
    const command = 'orgadm people bulk-add list.csv --sandbox --mapping m.json';
    const terminal = await open(`${files.join('; ')}; ${command}; ${command}; cat m.json`, 80, 100);
    await answer(terminal, [
      [asks('m.json does not name "Status"'), 'Up', 'Enter'],
      [asks('.*active'), 'Down', 'Down', 'Down', 'Enter'],
      [asks('.*"Status"'), 'Space', 'Enter'],
      [asks('.*right'), 'Down', 'Enter'],
      [asks('Name of the mapping file'), 'm.json', 'Enter'],
    ]);
    await terminal.ended();
    const screen = (await terminal.screen()).replace(/\s+/g, ' ');
    expect(screen).toContain('totals: 1 active, 1 inactive');
    expect(screen).toContain('✓ 2 ');
    // The command of next month asks nothing.
    expect(screen).toContain('--restart');
    expect(screen).not.toContain('--ignore-extra-columns');
    expect(screen).toContain('"TERMINATED": "false"');
  });
});

describe('the questions about columns in a real terminal', () => {
  it.each([40, 80, 120])('fit %i columns, and are all on standard error', async (columns) => {
    const terminal = await open(`${WRITE}; ${IMPORT} > out; code=$?; cat out; wc -l < out; (exit $code)`, columns);
    await answer(terminal, STEPS);
    await terminal.ended();
    const screen = await terminal.screen();
    const wide = (await terminal.joined()).split('\n').filter((line) => stringWidth(line) > columns);
    // The terminal continues commands.
    expect(wide[0]).toMatch(/^ {2}orgadm people bulk-add export\.csv /);
    expect(wide.filter((line) => !line.startsWith('  orgadm people bulk-add '))).toEqual([]);
    expect(screen).not.toContain('│');
    expect(screen.replace(/\s+/g, ' ')).toContain('totals: 1 active, 1 inactive; employee 1, admin 1');
    expect(screen).toMatch(/\n✓ 2 .*\n1\nexit 0$/);
    // A question that continues on a second line has no mark there.
    expect(screen).not.toContain('│');
    expect(await terminal.isCursorVisible()).toBe(true);
  });

  it.each([
    ['C-c', 130, 'error: interrupted'],
    ['C-d', 2, 'error: no answer'],
  ])('end at %s, and restore the terminal', async (key, code, message) => {
    const terminal = await open(
      `${WRITE}; ${IMPORT}; code=$?; orgadm runs list --json; stty | grep -c -- -echo; (exit $code)`,
      80,
    );
    await answer(terminal, [...STEPS.slice(0, 2), [asks('.*roles'), key]]);
    await terminal.ended();
    const screen = await terminal.screen();
    expect(screen).toContain(message);
    expect(screen).toMatch(new RegExp(`\\n\\[\\]\\n0\\nexit ${code}$`));
    expect(await terminal.isCursorVisible()).toBe(true);
  });

  it('are drawn again when the terminal becomes narrower', async () => {
    const terminal = await open(`${WRITE}; ${IMPORT}`, 120);
    await answer(terminal, STEPS.slice(0, 2));
    await terminal.untilSeen(asks('.*roles'));
    await terminal.resize(40);
    await answer(terminal, STEPS.slice(2));
    await terminal.ended();
    expect(await terminal.screen()).toMatch(/✓ 2 .*\n(?:.*\n)*exit 0$/);
  });

  it('scroll through 60 columns on a small screen', async () => {
    const write = `awk 'BEGIN { for (i = 1; i <= 59; i++) printf "Column %d,", i; print "role"; for (i = 1; i <= 59; i++) printf "usr_0%d,", 200 + i; print "member" }' > export.csv`;
    const terminal = await open(`${write}; ${IMPORT}`, 40, 20);
    await terminal.untilSeen(asks('.*the user IDs'));
    await terminal.press('Up');
    await terminal.untilSeen('● role');
    await terminal.press('Up');
    await terminal.untilSeen('● Column 59 (usr_0259)');
    await terminal.press('Enter');
    await answer(terminal, [
      [asks('.*your service'), 'Down', 'Enter'],
      [asks('.*roles'), 'Enter'],
      [asks('.*dep'), 'Up', 'Enter'],
      [asks('.*active'), 'Up', 'Up', 'Enter'],
      [asks('.*right'), 'Enter'],
    ]);
    await terminal.ended();
    expect(await terminal.screen()).toMatch(/✓ 1 .*\n(?:.*\n)*exit 0$/);
  });
});
