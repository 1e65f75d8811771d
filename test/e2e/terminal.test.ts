import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { closeAfterTests } from '../helpers/opened.ts';
import { createCommandRunner } from '../helpers/service-run.ts';
import { openTerminal, type TerminalOptions } from '../helpers/terminal.ts';

const MEMBERS = fileURLToPath(new URL('../fixtures/members.csv', import.meta.url));
const ESCAPE = '\u001b';

const cli = createCommandRunner();
const opened = closeAfterTests();

const open = async (line: string, options: TerminalOptions) => opened(await openTerminal(line, options));

/** A terminal in which the line has come to its end. */
async function finished(line: string, options: TerminalOptions) {
  const terminal = await open(line, options);
  await terminal.ended();
  return terminal;
}

describe('a list of findings in wide letters, emoji and combining marks', () => {
  const LIST = 'orgadm findings list --task tsk_0002 --sandbox';

  it('fills 80 columns with what matters most', async () => {
    const terminal = await finished(LIST, { columns: 80 });
    expect(await terminal.screen()).toBe(
      `id        severity  status            type      content
────────  ────────  ────────────────  ────────  ────────────────────────────────
fnd_0006  high      ready_for_review  iso27001  資産台帳に2台のサーバーが記載さ…
fnd_0007  critical  needs_revision    soc2      Sign-off 👩‍💻 is missing: the che…
fnd_0008  low       closed            iso27001  Le proce\u0300s-verbal n’a pas e\u0301te\u0301 si…
fnd_0009  high      open              iso27001  The list of leavers for March h…
fnd_0010  critical  ready_for_review  soc2      The screenshot shows the settin…
exit 0`,
    );
  });

  it('becomes records at 40 columns, each line within them', async () => {
    const terminal = await finished(LIST, { columns: 40 });
    const screen = await terminal.screen();
    expect(screen).toContain(`id: fnd_0006
severity: high
status: ready_for_review
type: iso27001
content: 資産台帳に2台のサーバーが記載…
created: 2025-03-08

id: fnd_0007`);
    expect(await terminal.joined()).toBe(screen);
  });

  it('lines up behind them at 200 columns', async () => {
    const terminal = await finished(LIST, { columns: 200 });
    const rows = (await terminal.screen()).split('\n').filter((line) => line.startsWith('fnd_'));
    expect(rows.map((line) => stringWidth(line.slice(0, line.search(/2025-\d\d-\d\d$/))))).toEqual(
      Array.from({ length: 5 }, () => 188),
    );
  });

  it('wraps cells, and never the terminal', async () => {
    const terminal = await finished(`${LIST} --wrap`, { columns: 70 });
    const screen = await terminal.screen();
    expect(await terminal.joined()).toBe(screen);
    expect(screen).not.toContain('…');
    for (const end of ['ください。', 'left', 'comite\u0301.', 'stay.', 'five.']) expect(screen).toContain(end);
  });
});

describe('the report of people bulk-add', () => {
  it('fits 80 columns without cutting the reasons', async () => {
    const terminal = await finished(`orgadm people bulk-add ${MEMBERS} --sandbox 2>/dev/null`, { columns: 80 });
    expect(await terminal.screen()).toBe(
      `line  userId    state     message
────  ────────  ────────  ──────────────────────────────────────────────────────
   6  usr_0003  existing  User chloe.okafor@berlin.example.com is already a
                          member of this organization
  11  usr_9001  failed    User usr_9001 not found

14 rows: 12 created, 1 existing, 1 failed
exit 3`,
    );
    expect(await terminal.isCursorVisible()).toBe(true);
  });
});

describe('a role', () => {
  it('shows its permissions as a grid, within 40 columns', async () => {
    const terminal = await finished(
      'orgadm role update rol_custom_1 --permission control=read,update --permission risk=read --sandbox 2>/dev/null',
      { columns: 40 },
    );
    expect(await terminal.screen()).toContain(`
resource  read  update
────────  ────  ──────
control   yes   yes
risk      yes   -
exit 0`);
  });
});

describe('the records of a domain', () => {
  it.each([40, 200])('are whole at %i columns', async (columns) => {
    const terminal = await finished('orgadm domain status pending.example.com --sandbox', { columns });
    const screen = await terminal.joined();
    for (const value of [
      '_verify.pending.example.com',
      'domain-verify=pending.example.com,7f3a9c1e5b',
      'cname.hosting.example.net.',
      'pending_domain_verification',
    ]) {
      expect(screen).toContain(value);
    }
    expect(screen).not.toContain('…');
  });

  it('stand one below the other where they do not fit side by side', async () => {
    const terminal = await finished('orgadm domain status pending.example.com --sandbox', { columns: 80 });
    expect(await terminal.screen()).toBe(
      `domain               ready  verified  misconfigured  CNAME target
───────────────────  ─────  ────────  ─────────────  ──────────────────────────
pending.example.com  no     no        yes            cname.hosting.example.net.

DNS records to add:

type: TXT
name: _verify.pending.example.com
value: domain-verify=pending.example.com,7f3a9c1e5b
reason: pending_domain_verification

type: CNAME
name: pending.example.com
value: cname.hosting.example.net.
reason: missing_cname
exit 0`,
    );
  });
});

describe('the help of the program', () => {
  it.each([60, 100])('is wrapped at the width of a terminal of %d columns', async (columns) => {
    const terminal = await finished('orgadm --help', { columns });
    const { stdout } = await cli.plain(['--help'], { columns });
    expect(await terminal.screen()).toBe(`${stripVTControlCharacters(stdout)}exit 0`);
  });
});

describe('color', () => {
  const STATUS = 'orgadm domain status trust.example.com --sandbox';

  it('is there in a terminal', async () => {
    const terminal = await finished(STATUS, { columns: 80 });
    // Green, by the terminal's own palette: readable on light and dark.
    expect(await terminal.colored()).toContain(`${ESCAPE}[32myes`);
  });

  it('is not there with --no-color, NO_COLOR, TERM=dumb or a pipe', async () => {
    const line = `${STATUS} --no-color; NO_COLOR=1 ${STATUS}; TERM=dumb ${STATUS}; ${STATUS} | cat`;
    const terminal = await finished(line, { columns: 80 });
    expect(await terminal.colored()).not.toContain(ESCAPE);
    expect((await terminal.screen()).match(/^trust\.example\.com {2}yes/gm)).toHaveLength(4);
  });

  it('is there through a pipe with FORCE_COLOR', async () => {
    const terminal = await finished(`FORCE_COLOR=1 ${STATUS} | cat`, { columns: 80 });
    expect(await terminal.colored()).toContain(`${ESCAPE}[32myes`);
  });
});

describe('the progress line', () => {
  const SPINNER = /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/;

  it('leaves nothing behind', async () => {
    const line = `orgadm people bulk-add ${MEMBERS} --batch-size 2 --concurrency 1 --sandbox --fault latency=150ms`;
    const terminal = await open(line, { columns: 80 });
    const during = await terminal.untilSeen(/⠋.* of 14 rows/);
    expect(during).not.toContain('exit');
    await terminal.ended();
    const after = await terminal.screen();
    expect(after).not.toMatch(SPINNER);
    expect(after).toMatch(/^Importing 14 people into the sandbox\nline {2}userId/);
    expect(await terminal.isCursorVisible()).toBe(true);
  });

  it('names the wait of a limited bulk-add; Ctrl-C ends it in good order', async () => {
    const line = `orgadm people bulk-add ${MEMBERS} --batch-size 2 --concurrency 1 --sandbox --fault limit=2/min`;
    const terminal = await open(line, { columns: 80 });
    await terminal.untilSeen(/rate limited, continuing in [\dms ]+ · 4 of 14 rows/);
    await terminal.press('C-c');
    await terminal.ended();
    const screen = await terminal.joined();
    expect(screen).not.toMatch(SPINNER);
    expect(screen).toContain('14 rows: 4 created, 10 unsent (interrupted by SIGINT');
    expect(screen).toMatch(/to continue: orgadm people bulk-add .* --resume\nexit 130$/);
    expect(await terminal.isCursorVisible()).toBe(true);
  });

  it('shows the wait of a rate-limited read; Ctrl-C restores the terminal', async () => {
    const line = 'orgadm domain status trust.example.com pending.example.com --sandbox --fault limit=1/min';
    const terminal = await open(line, { columns: 80 });
    await terminal.untilSeen(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] rate limited, continuing in [\dms ]+/);
    await terminal.press('C-c');
    await terminal.ended();
    expect(await terminal.screen()).toMatch(/exit 130$/);
    expect(await terminal.isCursorVisible()).toBe(true);
  });

  it('names what domain status waits for; Ctrl-C prints what is known', async () => {
    const terminal = await open('orgadm domain status pending.example.com --wait --sandbox', { columns: 100 });
    await terminal.untilSeen(
      /waiting · next check in \d+s · 14m \d\ds left · pending\.example\.com: not verified, misc/,
    );
    await terminal.press('C-c');
    await terminal.ended();
    const screen = await terminal.screen();
    expect(screen).not.toMatch(SPINNER);
    expect(screen.split('\n')[0]).toBe('interrupted by SIGINT: this is the last known state');
    expect(screen).toMatch(/pending\.example\.com {2}no .*exit 130$/s);
    expect(await terminal.isCursorVisible()).toBe(true);
  });

  it('is not there with TERM=dumb', async () => {
    const line = `orgadm people bulk-add ${MEMBERS} --batch-size 2 --concurrency 1 --sandbox --fault latency=50ms`;
    const terminal = await finished(`TERM=dumb ${line}`, { columns: 80 });
    expect(await terminal.screen()).toMatch(/^Importing 14 people into the sandbox\nline {2}userId/);
  });
});

describe('an error', () => {
  it('prints what happened and what to do on separate lines', async () => {
    const terminal = await finished('orgadm domain status intranet --sandbox', { columns: 80 });
    expect(await terminal.screen()).toBe(
      `error: "intranet" is not a domain name: it has a single label
hint: Use a name such as trust.example.com.
exit 2`,
    );
    expect(await terminal.colored()).toContain(`${ESCAPE}[31merror:`);
  });
});
