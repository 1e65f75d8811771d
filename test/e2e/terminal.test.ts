import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { API_KEY } from '../helpers/api-key.ts';
import { closeAfterTests } from '../helpers/opened.ts';
import { addsMembers, membersOf } from '../helpers/people-service.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { openTerminal, type Terminal } from '../helpers/terminal.ts';

/* What people see and type on a real terminal, which runs the built program. */

const MEMBERS = fileURLToPath(new URL('../fixtures/members.csv', import.meta.url));
const IMPORT = `orgadm people bulk-add ${MEMBERS} --batch-size 2 --concurrency 1 --sandbox`;
const SPINNER = /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/;
/** Such as the terminal of `script` in a CI job. */
const WITHOUT_SIZE = 'stty rows 0 cols 0; ';

const opened = closeAfterTests();
const folder = temporaryFolder();

const open = async (line: string, columns = 80, rows?: number) =>
  opened(await openTerminal(line, { columns, ...(rows !== undefined && { rows }) }));

/** Expects a terminal as the program found it: with a cursor, with echo, and without the rest of a progress line. */
async function expectRestored(terminal: Terminal): Promise<void> {
  const state = { isCursorVisible: await terminal.isCursorVisible(), echoes: await terminal.echoes() };
  expect(state).toEqual({ isCursorVisible: true, echoes: true });
  expect(await terminal.screen()).not.toMatch(SPINNER);
}

describe('a table', () => {
  it.each([
    ['of 80 columns', 80, ''],
    ['without a size, as if it had 80 columns', 120, WITHOUT_SIZE],
  ])(
    'is colored, and cut in its last column whatever the script, on a terminal %s',
    async (_name, columns, prepare) => {
      const terminal = await open(`${prepare}orgadm findings list --task tsk_0002 --sandbox`, columns);
      await terminal.ended();
      expect(await terminal.screen()).toBe(
        `id        severity  status            type      createdAt   content
────────  ────────  ────────────────  ────────  ──────────  ────────────────────
fnd_0004  high      open              soc2      2025-03-06  資産台帳に2台のサー…
fnd_0006  medium    needs_revision    iso27001  2025-03-08  Le proce\u0300s-verbal n’…
fnd_0005  low       ready_for_review  iso27001  2025-03-07  Sign-off 👩‍💻 is miss…
exit 0`,
      );
      expect(await terminal.colored()).toContain('\u001b[1mid');
    },
  );
});

describe('the progress line', () => {
  it('shows the progress, and leaves nothing behind', async () => {
    const terminal = await open(`${IMPORT} --fault latency=300ms`);
    expect(await terminal.untilSeen(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] ━*╸─+ {2}\d+ of 14/)).not.toContain('exit');
    await terminal.ended();
    expect(await terminal.screen()).toMatch(/^.* 14 .*\n[^⠋]*\nline {2}userId/);
    await expectRestored(terminal);
  });

  it.each([
    ['TERM=dumb', 'TERM=dumb ', ''],
    ['NO_COLOR', 'NO_COLOR=1 ', ''],
    ['--no-color', '', ' --no-color'],
    ['a terminal without a size', WITHOUT_SIZE, ''],
  ])('is never drawn with %s', async (_name, before, after) => {
    // All that was written, and not only what is left of it.
    const line = `script -qec '${before}${IMPORT} --fault latency=50ms${after}' all >/dev/null; cat -v all`;
    const terminal = await open(line, 80, 100);
    await terminal.ended();
    const screen = await terminal.screen();
    expect(screen).toMatch(/12 \w+, 1 \w+/);
    expect(screen).not.toMatch(SPINNER);
    expect(screen).not.toMatch(/\^\[\[\d*[A-JKS]/);
  });
});

describe('Ctrl-C', () => {
  const many = `awk 'BEGIN { print "userId,role"; for (i = 1; i < 1000000; i++) print "usr_" i ",member" }' > many.csv`;
  const report = /10 \w+, 4 \w+ \(.* SIGINT[\s\S]*: orgadm runs resume [0-9a-f]{8}\nexit 130$/;

  it.each([
    [
      'while a list is checked, says that nothing was sent',
      `${many}; orgadm people bulk-add many.csv --sandbox`,
      'many.csv:',
      /^nothing was sent\nexit 130$/,
    ],
    [
      'while an import waits for a rate limit, ends with the report',
      `${IMPORT} --fault limit=2/min`,
      / [\dms ]+ · 4 of 14/,
      report,
    ],
    [
      'while a read waits for a rate limit, ends it',
      'orgadm domain status trust.example.com pending.example.com --sandbox --fault limit=1/min',
      / \d+ s$/m,
      /exit 130$/,
    ],
    [
      'while a command waits for a domain, prints the last known state',
      'orgadm domain status pending.example.com --wait --sandbox',
      /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] pending\.example\.com: .* · 14 m \d+ s left$/m,
      /^DNS .*:\n {2}TXT .*\n {2}CNAME .*\n.*SIGINT.*\n[\s\S]*pending\.example\.com {2}no [\s\S]*exit 130$/,
    ],
  ])('%s', async (_name, line, seen, last) => {
    const terminal = await open(line, 100);
    await terminal.untilSeen(seen);
    await terminal.press('C-c');
    await terminal.ended();
    expect(await terminal.joined()).toMatch(last);
    await expectRestored(terminal);
  });

  it('for the second time, ends an import at once', async () => {
    const terminal = await open(`${IMPORT} --fault latency=5s`);
    await terminal.untilSeen(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] ─{20} {2}0 of 14/);
    await terminal.press('C-c');
    await terminal.untilSeen('1 request;');
    await terminal.press('C-c');
    await terminal.ended();
    expect(await terminal.joined()).toMatch(/: orgadm runs resume [0-9a-f]{8}\nexit 130$/);
    await expectRestored(terminal);
  });

  it.each([
    ['people bulk-add list.csv --yes', 'the first read of an import', /^.*\nexit 130$/],
    [
      'role update rol_1 --name QA --yes',
      'a change of a role',
      /error: interrupted; role rol_1 may have been changed\nhint: To make sure that it is, run the same command again\.\nexit 130$/,
    ],
    [
      'api DELETE v1/people/mem_1',
      'a change',
      /error: interrupted; the service may have processed the request\nhint: Check the current state before you try again\.\nexit 130$/,
    ],
  ])('during %s says what became of %s', async (command, _name, last) => {
    const silent = opened(await startScriptedService(() => ({ raw: '', after: 'hang' }), { scriptsFirstRead: true }));
    const env = `ORGADM_API_KEY=${API_KEY} ORGADM_BASE_URL=${silent.url}`;
    const terminal = await open(`printf 'userId,role\\nusr_1,member\\n' > list.csv; ${env} orgadm ${command}`);
    while (silent.requests.length === 0) await terminal.screen();
    await terminal.press('C-c');
    await terminal.ended();
    expect(await terminal.screen()).toMatch(last);
    await expectRestored(terminal);
  });
});

describe('the questions about a list', () => {
  /** Starts an import on a terminal of 44 columns. */
  async function importing(prepare = '') {
    const service = opened(await startScriptedService(addsMembers()));
    writeFileSync(folder.file('hr.csv'), 'userId,role,Status\nusr_1,member,On\nusr_2,member,Off\n');
    const line = `orgadm people bulk-add ${folder.file('hr.csv')} --base-url ${service.url}`;
    return { service, terminal: await open(`export ORGADM_API_KEY=${API_KEY}; ${prepare}${line}`, 44) };
  }

  it('import the list as answered, ignore Ctrl-Z, and restore the terminal', async () => {
    const { service, terminal } = await importing();
    const answer = async (question: RegExp, ...keys: string[]) => {
      await terminal.untilSeen(question);
      await terminal.press(...keys);
    };
    await answer(/◆ {2}role: member/, 'C-z', 'Enter');
    await answer(/◆ .*departments/, 'Enter');
    await answer(/◆ .*who is active/, 'Down', 'Space', 'Enter');
    await answer(/◆ .*Status/, 'Space', 'Enter');
    await answer(/◆ {2}Import 2 people/, 'Up', 'Enter');
    await answer(/◆ .*[Ss]ave/, 'n');
    await terminal.ended();
    expect(await terminal.joined()).toMatch(/✓ 2 .*\nexit 0$/);
    await expectRestored(terminal);
    expect(service.requests.flatMap(membersOf)).toEqual([
      { userId: 'usr_1', role: 'member', isActive: true },
      { userId: 'usr_2', role: 'member', isActive: false },
    ]);
  });

  it.each([
    ['', ''],
    [' on a terminal without a size', WITHOUT_SIZE],
  ])('send nothing after Ctrl-C, and restore the terminal%s', async (_name, prepare) => {
    const { service, terminal } = await importing(prepare);
    await terminal.untilSeen(/◆ {2}role: member/);
    expect(await terminal.isCursorVisible()).toBe(false);
    await terminal.press('C-c');
    await terminal.ended();
    expect(await terminal.screen()).toMatch(/\nexit 130$/);
    await expectRestored(terminal);
    expect(service.requests).toEqual([]);
  });
});

describe('the prompt for the key', () => {
  /** Starts a login, whose key is asked for. */
  async function login() {
    const service = opened(await startScriptedService(() => ({ body: [] }), { scriptsFirstRead: true }));
    const config = `export ORGADM_CONFIG_DIR=${folder.file('config')}`;
    const terminal = await open(`${config}; orgadm auth login --base-url ${service.url}`, 100);
    await terminal.untilSeen(service.url);
    return { service, terminal };
  }

  it('does not echo the key, typed or pasted, not even after Ctrl-Z, and restores the terminal', async () => {
    const { service, terminal } = await login();
    await terminal.press('canary', 'C-z', '-key-');
    await terminal.paste('0123456789abcdef');
    expect(await terminal.echoes()).toBe(false);
    await terminal.press('Enter');
    await terminal.ended();
    const screen = await terminal.screen();
    expect(screen).toMatch(/exit 0$/);
    expect(screen).not.toMatch(/canary|key-|0123/);
    await expectRestored(terminal);
    expect(service.requests.map(({ headers }) => headers['x-api-key'])).toEqual([API_KEY]);
    expect(readFileSync(folder.file('config/credentials.json'), 'utf8')).toContain(API_KEY);
  });

  it('restores the terminal after Ctrl-C, and shows and sends nothing of the key', async () => {
    const { service, terminal } = await login();
    await terminal.press('canary', 'C-c');
    await terminal.ended();
    const screen = await terminal.screen();
    expect(screen).toMatch(/\nexit 130$/);
    expect(screen).not.toContain('canary');
    await expectRestored(terminal);
    expect(service.requests).toEqual([]);
  });
});
