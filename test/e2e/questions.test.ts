import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { closeAfterTests } from '../helpers/opened.ts';
import { addsMembers, membersOf } from '../helpers/people-service.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { openTerminal, type Terminal } from '../helpers/terminal.ts';

const opened = closeAfterTests();
const folder = temporaryFolder();
const KEY = 'canary-key-0123456789abcdef';

/** Opens a terminal with an interactive shell that has job control, and types a line. */
async function typeInShell(line: string, columns: number): Promise<Terminal> {
  const shell = `PS1='shell> ' ORGADM_API_KEY=${KEY} bash --norc --noprofile -i`;
  const terminal = opened(await openTerminal(shell, { columns }));
  await terminal.untilSeen('shell>');
  await type(terminal, line);
  return terminal;
}

async function type(terminal: Terminal, line: string): Promise<void> {
  await terminal.press(line);
  await terminal.press('Enter');
}

/** Returns the exit code of the last command, and whether the terminal is as the shell expects it. */
async function stateAfter(terminal: Terminal): Promise<{ code: string | undefined; isRestored: boolean }> {
  await terminal.untilSeen(/shell>$/);
  await type(terminal, 'echo "code=$?" "modes=$(stty -a | grep -c -e " echo " -e " icanon ")"');
  const [, code, modes] = /^code=(\d+) modes=(\d)$/m.exec(await terminal.untilSeen(/^code=\d+ modes=\d$/m)) ?? [];
  return { code, isRestored: Number(modes) > 0 && (await terminal.isCursorVisible()) };
}

async function importing(columns: number, environment = '') {
  const service = opened(await startScriptedService(addsMembers()));
  writeFileSync(folder.file('members.csv'), 'userId,role\nusr_1,member\n');
  const list = `orgadm people bulk-add ${folder.file('members.csv')} --base-url ${service.url}`;
  return { service, terminal: await typeInShell(`${environment}${list}`, columns) };
}

describe('a confirmation in a shell, at 40 columns', () => {
  it('imports the list after y', async () => {
    const { service, terminal } = await importing(40);
    await terminal.untilSeen('○ Yes');
    await terminal.press('y');
    await terminal.untilSeen('✓ 1 ');
    expect(await stateAfter(terminal)).toEqual({ code: '0', isRestored: true });
    expect(service.requests).toHaveLength(1);
  });

  it.each(['C-c', 'Escape', 'C-d'])('sends nothing after %s, and restores the terminal', async (key) => {
    const { service, terminal } = await importing(40);
    await terminal.untilSeen('○ Yes');
    expect(await terminal.isCursorVisible()).toBe(false);
    await terminal.press(key);
    await terminal.untilSeen('Canceled. Nothing was sent.');
    expect(await stateAfter(terminal)).toEqual({ code: '130', isRestored: true });
    expect(service.requests).toEqual([]);
  });

  it('ignores Ctrl-Z', async () => {
    const { service, terminal } = await importing(40);
    await terminal.untilSeen('○ Yes');
    await terminal.press('C-z');
    await terminal.press('Right');
    await terminal.untilSeen('● Yes');
    await terminal.press('Enter');
    await terminal.untilSeen('✓ 1 ');
    expect(await stateAfter(terminal)).toEqual({ code: '0', isRestored: true });
    expect(service.requests).toHaveLength(1);
  });
});

describe('the questions about a list in a shell, at 44 columns', () => {
  it('import the list as answered, and restore the terminal', async () => {
    const service = opened(await startScriptedService(addsMembers()));
    writeFileSync(folder.file('hr.csv'), 'userId,role,Status\nusr_1,member,On\nusr_2,member,Off\n');
    const list = `orgadm people bulk-add ${folder.file('hr.csv')} --base-url ${service.url}`;
    const terminal = await typeInShell(list, 44);
    const answer = async (question: RegExp, ...keys: string[]) => {
      await terminal.untilSeen(question);
      for (const key of keys) await terminal.press(key);
    };
    await answer(/◆ {2}role: member/, 'Enter');
    await answer(/◆ .*departments/, 'Enter');
    await answer(/◆ .*who is active/, 'Down', 'Space', 'Enter');
    await answer(/◆ .*Status/, 'Space', 'Enter');
    await answer(/◆ {2}Import 2 people/, 'Up', 'Enter');
    await answer(/◆ .*[Ss]ave/, 'n');
    await terminal.untilSeen('✓ 2 ');
    expect(await stateAfter(terminal)).toEqual({ code: '0', isRestored: true });
    expect(service.requests.flatMap(membersOf)).toEqual([
      { userId: 'usr_1', role: 'member', isActive: true },
      { userId: 'usr_2', role: 'member', isActive: false },
    ]);
  });
});

describe('a login in a shell', () => {
  it('never shows the key, not even after Ctrl-Z', async () => {
    const service = opened(await startScriptedService([{ body: [] }], { scriptsFirstRead: true }));
    const terminal = await typeInShell(`orgadm auth login --base-url ${service.url}`, 100);
    await terminal.untilSeen(`API key for ${service.url}`);
    await terminal.press('canary-key-');
    await terminal.press('C-z');
    await type(terminal, '0123456789abcdef');
    const screen = await terminal.untilSeen('stored the key');
    expect(screen).not.toMatch(/canary|0123/);
    expect(service.requests[0]?.headers['x-api-key']).toBe(KEY);
  });
});

describe('a terminal that cannot move the cursor', () => {
  it('is not asked: the error names --yes', async () => {
    const { service, terminal } = await importing(100, 'TERM=dumb ');
    await terminal.untilSeen(/TERM=dumb rules out asking.*\n.*add --yes/);
    expect(await stateAfter(terminal)).toEqual({ code: '2', isRestored: true });
    expect(service.requests).toEqual([]);
  });
});
