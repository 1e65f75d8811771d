import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { closeAfterTests } from '../helpers/opened.ts';
import { ORGADM } from '../helpers/orgadm-program.ts';
import { addsMembers } from '../helpers/people-service.ts';
import { temporaryCliDirectory } from '../helpers/run-cli.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';

import { openTerminal, type Terminal } from '../helpers/terminal.ts';

const opened = closeAfterTests();
const folder = temporaryCliDirectory();
const KEY = 'canary-key-0123456789abcdef';
/** The end of the prompt for the key, which names the service: the typed line has no colon after the port. */
const KEY_PROMPT = /:\d+:/;

/** Opens a terminal with an interactive shell that has job control, and types a line. */
async function typeInShell(line: string, shell = 'bash --norc --noprofile -i'): Promise<Terminal> {
  const terminal = opened(await openTerminal(`PS1='shell> ' ORGADM_API_KEY=${KEY} ${shell}`, { columns: 100 }));
  await terminal.untilSeen('shell>');
  await type(terminal, line);
  return terminal;
}

async function type(terminal: Terminal, line: string): Promise<void> {
  await terminal.press(line);
  await terminal.press('Enter');
}

/** Stops the command with Ctrl-Z, looks at the terminal as the shell has it, and continues the command. */
async function stopAndContinue(terminal: Terminal, question: string | RegExp): Promise<void> {
  await terminal.press('C-z');
  await terminal.untilSeen('Stopped');
  await type(terminal, 'clear; stty -a | grep -c " echo "; stty -a | grep -c " icanon "');
  await terminal.untilSeen(/^1\n1\nshell>/m);
  expect(await terminal.isCursorVisible()).toBe(true);
  await type(terminal, 'clear; fg');
  await terminal.untilSeen(question);
}

async function exitCode(terminal: Terminal): Promise<string> {
  await terminal.untilSeen(/shell>$/);
  await type(terminal, 'echo "code=$?"');
  return /^code=(\d+)$/m.exec(await terminal.untilSeen(/^code=\d+$/m))?.[1] ?? '';
}

describe('Ctrl-Z at a prompt, in a shell with job control', () => {
  it('stops the process, and after fg the confirmation is shown again and imports the list', async () => {
    const service = opened(await startScriptedService(addsMembers()));
    writeFileSync(folder.file('members.csv'), 'userId,role\nusr_1,member\n');
    const terminal = await typeInShell(
      `orgadm people bulk-add ${folder.file('members.csv')} --base-url ${service.url}`,
    );
    await terminal.untilSeen('[y/N]');
    await stopAndContinue(terminal, '[y/N]');
    await type(terminal, 'y');
    await terminal.untilSeen('✓ 1 ');
    expect(await exitCode(terminal)).toBe('0');
    expect(service.requests).toHaveLength(1);
  });

  it('keeps the choice and what was typed in the questions about columns', async () => {
    writeFileSync(folder.file('export.csv'), 'Account,Full name,role,Status\nusr_0101,Anna,employee,ACTIVE\n');
    const terminal = await typeInShell(`orgadm people bulk-add ${folder.file('export.csv')} --sandbox`);
    const ask = async (question: string, keys: readonly string[], chosen: string | RegExp) => {
      await terminal.untilSeen(new RegExp(`◆ {2}${question}`));
      for (const key of keys) await terminal.press(key);
      await terminal.untilSeen(chosen);
    };
    await ask('.*the user IDs', ['Down'], /● .*Account/);
    await stopAndContinue(terminal, 'the user IDs');
    await terminal.untilSeen(/● .*Account/);
    await terminal.press('Enter');
    await ask('.*your service', ['Down'], /● Those/);
    await terminal.press('Enter');
    await ask('.*roles', ['Down', 'Down'], '● The same role for everyone');
    await terminal.press('Enter');
    await ask('Role for everyone', ['empl'], 'empl█');
    await stopAndContinue(terminal, 'Role for everyone');
    await terminal.untilSeen('empl█');
    await type(terminal, 'oyee');
    await ask('.*dep', ['Up'], /● None/);
    await terminal.press('Enter');
    await ask('.*active', ['Down', 'Down', 'Down'], /● .*Status/);
    await terminal.press('Enter');
    await ask('.*"Status"', ['Space'], /◼ .*ACTIVE/);
    await stopAndContinue(terminal, '"Status"');
    await terminal.untilSeen(/◼ .*ACTIVE/);
    await terminal.press('Enter');
    await ask('Is this right', ['Enter'], '✓ 1 ');
  }, 60_000);

  it.each(['bash --norc --noprofile -i', 'dash -i'])('never shows the key, in %s', async (shell) => {
    const service = opened(await startScriptedService([{ body: [] }], { scriptsFirstRead: true }));
    const terminal = await typeInShell(`orgadm auth login --base-url ${service.url}`, shell);
    await terminal.untilSeen(KEY_PROMPT);
    await terminal.press('canary-key-');
    await stopAndContinue(terminal, KEY_PROMPT);
    await type(terminal, '0123456789abcdef');
    const screen = await terminal.untilSeen('stored the key');
    expect(screen).not.toMatch(/canary|0123/);
    expect(service.requests[0]?.headers['x-api-key']).toBe(KEY);
  });

  it('stops the programs that the shell waits for, too, as those of npx', async () => {
    const terminal = await typeInShell('sh -c "orgadm auth login --base-url http://127.0.0.1:9; :"');
    await terminal.untilSeen(KEY_PROMPT);
    await stopAndContinue(terminal, KEY_PROMPT);
    await terminal.press('C-c');
    await terminal.untilSeen('error: interrupted');
  });
});

describe('Ctrl-Z in a terminal without a shell, as in a container or over SSH', () => {
  it('does nothing: the prompt goes on, without echo', async () => {
    const service = opened(await startScriptedService([{ body: [] }], { scriptsFirstRead: true }));
    const terminal = opened(await openTerminal(`orgadm auth login --base-url ${service.url}`, { columns: 100 }));
    await terminal.untilSeen(KEY_PROMPT);
    await terminal.press('C-z');
    await terminal.press('C-z');
    await type(terminal, KEY);
    await terminal.ended();
    const screen = await terminal.screen();
    expect(screen).toMatch(/stored the key[^$]*exit 0$/);
    expect(screen).not.toContain('canary');
  });
});

describe('a process that has nothing left to wait for', () => {
  it('says that the command was not finished, and exits 1', async () => {
    // An input that never ends, and that the event loop does not know.
    const preload = folder.file('preload.cjs');
    writeFileSync(
      preload,
      "Object.defineProperty(process, 'stdin', { value: new (require('node:stream').Readable)({ read() {} }) });",
    );
    const [node, ...program] = ORGADM;
    const argv = [
      '--require',
      preload,
      ...program,
      'auth',
      'login',
      '--key-file',
      '-',
      '--base-url',
      'https://a.test',
      '--json',
    ];
    const ended = promisify(execFile)(node, argv, { env: { PATH: process.env.PATH, HOME: folder.path } });
    await expect(ended).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^\{"error":\{"code":"internal","message":"orgadm stopped before the command was finished"/,
      ),
    });
  });
});
