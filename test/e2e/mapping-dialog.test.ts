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
  [asks('Which column has the user IDs'), 'Down', 'Enter'],
  [asks('Which column has the roles'), 'Enter'],
  [asks('Which column has the dep'), 'Up', 'Enter'],
  [asks('Which column says who is active'), 'Down', 'Down', 'Enter'],
  [asks('Which values of Status'), 'Space', 'Enter'],
  [asks('Save the answers as a mapping'), 'Enter'],
] as const;

describe('the questions about columns in a real terminal', () => {
  it.each([40, 80, 120])('fit %i columns, and are all on standard error', async (columns) => {
    const terminal = await open(`${WRITE}; ${IMPORT} > out; code=$?; cat out; wc -l < out; (exit $code)`, columns);
    await answer(terminal, STEPS);
    await terminal.ended();
    const screen = await terminal.screen();
    const wide = (await terminal.joined()).split('\n').filter((line) => stringWidth(line) > columns);
    // The terminal continues the command.
    expect(wide).toEqual([expect.stringMatching(/^ {2}orgadm people bulk-add export\.csv /)]);
    expect(screen.replace(/\s+/g, ' ')).toContain('totals: 1 active, 1 inactive; employee 1, admin 1');
    expect(screen).toMatch(/\n✓ 2 created\n1\nexit 0$/);
    // A question that continues on a second line has no mark there.
    expect(screen).not.toContain('│');
    expect(await terminal.isCursorVisible()).toBe(true);
  });

  it.each([
    ['C-c', 130, 'interrupted; nothing was sent'],
    ['C-d', 2, 'nothing was sent'],
  ])('end at %s, and restore the terminal', async (key, code, message) => {
    const terminal = await open(
      `${WRITE}; ${IMPORT}; code=$?; orgadm runs list --json; stty | grep -c -- -echo; (exit $code)`,
      80,
    );
    await answer(terminal, [STEPS[0], [asks('Which column has the roles'), key]]);
    await terminal.ended();
    const screen = await terminal.screen();
    expect(screen).toContain(message);
    expect(screen).toMatch(new RegExp(`\\n\\[\\]\\n0\\nexit ${code}$`));
    expect(await terminal.isCursorVisible()).toBe(true);
  });

  it('are drawn again when the terminal becomes narrower', async () => {
    const terminal = await open(`${WRITE}; ${IMPORT}`, 120);
    await answer(terminal, [STEPS[0]]);
    await terminal.untilSeen(asks('Which column has the roles'));
    await terminal.resize(40);
    await answer(terminal, STEPS.slice(1));
    await terminal.ended();
    expect(await terminal.screen()).toMatch(/✓ 2 created\nexit 0$/);
  });

  it('scroll through 60 columns on a small screen', async () => {
    const write = `awk 'BEGIN { for (i = 1; i <= 59; i++) printf "Column %d,", i; print "role"; for (i = 1; i <= 59; i++) printf "usr_0%d,", 200 + i; print "member" }' > export.csv`;
    const terminal = await open(`${write}; ${IMPORT}`, 40, 20);
    await terminal.untilSeen(asks('Which column has the user IDs'));
    await terminal.press('Up');
    await terminal.untilSeen('● role');
    await terminal.press('Up');
    await terminal.untilSeen('● Column 59 (usr_0259)');
    await terminal.press('Enter');
    await answer(terminal, [
      [asks('Which column has the roles'), 'Enter'],
      [asks('Which column has the dep'), 'Up', 'Enter'],
      [asks('Which column says who is active'), 'Up', 'Enter'],
      [asks('Save the answers as a mapping'), 'Enter'],
    ]);
    await terminal.ended();
    expect(await terminal.screen()).toMatch(/✓ 1 created\nexit 0$/);
  });
});
