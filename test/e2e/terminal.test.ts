import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { closeAfterTests } from '../helpers/opened.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';
import { openTerminal, type TerminalOptions } from '../helpers/terminal.ts';
import { textLike } from '../helpers/text-like.ts';

const MEMBERS = fileURLToPath(new URL('../fixtures/members.csv', import.meta.url));
const ESCAPE = '\u001b';

const opened = closeAfterTests();

const open = async (line: string, options: TerminalOptions) => opened(await openTerminal(line, options));

/** Returns a terminal in which the command line has ended. */
async function finished(line: string, options: TerminalOptions) {
  const terminal = await open(line, options);
  await terminal.ended();
  return terminal;
}

describe('a list of findings in wide letters, emoji and combining marks', () => {
  const LIST = 'orgadm findings list --task tsk_0002 --sandbox';

  it('is cut in its last column at 80 columns', async () => {
    const terminal = await finished(LIST, { columns: 80 });
    expect(await terminal.screen()).toBe(
      `id        severity  status            type      createdAt   content
────────  ────────  ────────────────  ────────  ──────────  ────────────────────
fnd_0004  high      open              soc2      2025-03-06  資産台帳に2台のサー…
fnd_0006  medium    needs_revision    iso27001  2025-03-08  Le proce\u0300s-verbal n’…
fnd_0005  low       ready_for_review  iso27001  2025-03-07  Sign-off 👩‍💻 is miss…
exit 0`,
    );
  });

  it('becomes records at 40 columns, whose lines the terminal continues', async () => {
    const terminal = await finished(LIST, { columns: 40 });
    const screen = await terminal.screen();
    expect(screen).toContain(`id: fnd_0004
severity: high
status: open
type: soc2
createdAt: 2025-03-06
content: 資産台帳に2台のサーバーが記載さ
れていません。棚卸しの日付も確認してくだ
さい。

id: fnd_0006`);
  });
});

describe('the report of people bulk-add', () => {
  it('fits 80 columns, but for messages that the terminal continues', async () => {
    const terminal = await finished(`orgadm people bulk-add ${MEMBERS} --sandbox`, { columns: 80 });
    expect((await terminal.joined()).replace(/[0-9a-f]{8}(?= --errors)/, '<id>')).toMatch(
      textLike(
        `… 14 … the sandbox
  totals: 11 active, 2 inactive, 1 unspecified
  roles: employee 8, auditor 2, contractor 2, admin 1, member 1
line  userId    state   message
────  ────────  ──────  ───────────────────────
  11  usr_9001  failed  User usr_9001 not found

1 …, 12 …, 1 …
…: orgadm runs show <id> --errors-file rejected.csv
exit 3`,
      ),
    );
    expect(await terminal.isCursorVisible()).toBe(true);
  });
});

describe('Ctrl-C while a list is validated', () => {
  it('clears the line and says that nothing was sent', async () => {
    const make = `awk 'BEGIN { print "userId,role"; for (i = 1; i < 1000000; i++) print "usr_" i ",member" }' > many.csv`;
    const terminal = await open(`${make}; orgadm people bulk-add many.csv --sandbox`, { columns: 80 });
    await terminal.untilSeen('checking many.csv:');
    await terminal.press('C-c');
    await terminal.ended();
    expect(await terminal.screen()).toBe('nothing was sent\nexit 130');
    expect(await terminal.isCursorVisible()).toBe(true);
  });
});

describe('Ctrl-C while a command waits for the response to a change', () => {
  it.each([
    [
      'role update rol_1 --name QA --yes',
      'error: interrupted; role rol_1 may have been changed\nhint: To make sure that it is, run the same command again.\nexit 130',
    ],
    [
      'api DELETE v1/people/mem_1',
      'error: interrupted; the service may have processed the request\nhint: Check the current state before you try again.\nexit 130',
    ],
  ])('says that the service may have made it: %s', async (command, text) => {
    const silent = opened(await startScriptedService(() => ({ raw: '', after: 'hang' })));
    const env = `ORGADM_API_KEY=key_123456 ORGADM_BASE_URL=${silent.url}`;
    const terminal = await open(`${env} orgadm ${command}`, { columns: 80 });
    while (silent.requests.length === 0) await terminal.screen();
    await terminal.press('C-c');
    await terminal.ended();
    expect(await terminal.screen()).toContain(text);
  });
});

describe('Ctrl-C while an import waits for the response to its first read', () => {
  it('clears the line and says that nothing was sent', async () => {
    const silent = opened(await startScriptedService(() => ({ raw: '', after: 'hang' }), { scriptsFirstRead: true }));
    const command = `orgadm people bulk-add ${MEMBERS} --yes --base-url ${silent.url}`;
    const terminal = await open(`ORGADM_API_KEY=key_123456 ${command}; orgadm runs list`, { columns: 80 });
    await terminal.untilSeen(`checking ${silent.url}`);
    await terminal.press('C-c');
    await terminal.ended();
    expect(await terminal.screen()).toBe('nothing was sent\nno runs\nexit 0');
  });
});

describe('color', () => {
  const STATUS = 'orgadm domain status trust.example.com --sandbox';

  it('is used in a terminal', async () => {
    const terminal = await finished(STATUS, { columns: 80 });
    // Green, by the terminal's own palette: readable on light and dark.
    expect(await terminal.colored()).toContain(`${ESCAPE}[32myes`);
  });
});

describe('the progress line', () => {
  const SPINNER = /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/;

  it('leaves nothing behind', async () => {
    const line = `orgadm people bulk-add ${MEMBERS} --batch-size 2 --concurrency 1 --sandbox --fault latency=300ms`;
    const terminal = await open(line, { columns: 80 });
    const during = await terminal.untilSeen(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] ━*╸─+ {2}\d+ of 14/);
    expect(during).not.toContain('exit');
    await terminal.ended();
    const after = await terminal.screen();
    expect(after).not.toMatch(SPINNER);
    expect(after).toMatch(/^.* 14 .*\n[^⠋]*\nline {2}userId/);
    expect(await terminal.isCursorVisible()).toBe(true);
  });

  it('shows the wait of a rate-limited bulk-add, which Ctrl-C ends with its report', async () => {
    const line = `orgadm people bulk-add ${MEMBERS} --batch-size 2 --concurrency 1 --sandbox --fault limit=2/min`;
    const terminal = await open(line, { columns: 80 });
    await terminal.untilSeen(/ [\dms ]+ · 4 of 14/);
    await terminal.press('C-c');
    await terminal.ended();
    const screen = await terminal.joined();
    expect(screen).not.toMatch(SPINNER);
    expect(screen).toMatch(/10 \w+, 4 \w+ \(interrupted by SIGINT/);
    expect(screen).toMatch(/To continue, .*: orgadm runs resume [0-9a-f]{8}\nexit 130$/);
    expect(await terminal.isCursorVisible()).toBe(true);
  });

  it('leaves nothing on the screen after a bulk-add that a second Ctrl-C ends at once', async () => {
    const line = `orgadm people bulk-add ${MEMBERS} --batch-size 2 --concurrency 1 --sandbox --fault latency=5s`;
    const terminal = await open(line, { columns: 80 });
    await terminal.untilSeen(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] ─{20} {2}0 of 14/);
    await terminal.press('C-c');
    await terminal.untilSeen('finishing 1 request; interrupt again to stop now');
    await terminal.press('C-c');
    await terminal.ended();
    const screen = await terminal.joined();
    expect(screen).not.toMatch(SPINNER);
    expect(screen).toMatch(/To continue, .*: orgadm runs resume [0-9a-f]{8}\nexit 130$/);
  });

  it('shows the wait of a rate-limited read, and Ctrl-C restores the terminal', async () => {
    const line = 'orgadm domain status trust.example.com pending.example.com --sandbox --fault limit=1/min';
    const terminal = await open(line, { columns: 80 });
    await terminal.untilSeen(/^rate limited, continuing in [\dms ]+$/m);
    await terminal.press('C-c');
    await terminal.ended();
    expect(await terminal.screen()).toMatch(/exit 130$/);
    expect(await terminal.isCursorVisible()).toBe(true);
  });

  it('shows what domain status waits for, and Ctrl-C prints the last known state', async () => {
    const terminal = await open('orgadm domain status pending.example.com --wait --sandbox', { columns: 100 });
    await terminal.untilSeen(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] pending\.example\.com: .* · 14 m \d+ s left$/m);
    await terminal.press('C-c');
    await terminal.ended();
    const screen = await terminal.screen();
    expect(screen).not.toMatch(SPINNER);
    expect(screen).toMatch(/^DNS .*:\n {2}TXT .*\n {2}CNAME .*\ninterrupted by SIGINT: this is the last known state\n/);
    expect(screen).toMatch(/pending\.example\.com {2}no .*exit 130$/s);
    expect(await terminal.isCursorVisible()).toBe(true);
  });

  it('is not animated with TERM=dumb, NO_COLOR or --no-color', async () => {
    const line = (n: number) =>
      `orgadm people bulk-add ${MEMBERS} --restart --batch-size ${n} --concurrency 1 --sandbox --fault latency=50ms`;
    const script = [`TERM=dumb ${line(2)}`, `NO_COLOR=1 ${line(2)}`, `${line(2)} --no-color`];
    // All that was written, and not only what is left of it.
    const terminal = await finished(`script -qec '${script.join('; ')}' /dev/null | tee all >/dev/null; cat -v all`, {
      columns: 80,
      rows: 400,
    });
    const screen = await terminal.screen();
    expect(screen.match(/ (?:12|13) \w+/g)).toHaveLength(3);
    expect(screen).not.toMatch(SPINNER);
    expect(screen).not.toMatch(/\^\[\[\d*[A-JKS]/);
  });
});

describe('an error', () => {
  const LINE = 'orgadm domain status intranet --sandbox';

  it('prints what happened and what to do on separate lines', async () => {
    const terminal = await finished(LINE, { columns: 80 });
    expect(await terminal.screen()).toMatch(textLike('error: "intranet" …\nhint: …\nexit 2'));
    const colored = await terminal.colored();
    expect(colored).toContain(`${ESCAPE}[31merror:`);
    expect(colored).toContain(`${ESCAPE}[1mhint:`);
    expect(colored).not.toContain(`${ESCAPE}[2m`);
  });
});
