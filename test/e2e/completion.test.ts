import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeOrgadm } from '../helpers/orgadm-program.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { openTerminal, type Terminal } from '../helpers/terminal.ts';

/** Starts of a shell that waits for words, with the completion loaded. */
const START = {
  bash: `orgadm completion bash > rc; echo "PS1='ready> '; bind 'set show-all-if-ambiguous on'" >> rc; touch list.csv; exec bash --rcfile rc -i`,
  zsh: `orgadm completion zsh > script; { echo 'autoload -U compinit; compinit -u -D; source ./script'; echo "PS1='ready> '"; } > .zshrc; touch list.csv; ZDOTDIR=$PWD exec zsh -i`,
  'zsh without compinit': `orgadm completion zsh > script; { echo 'source ./script'; echo "PS1='ready> '"; } > .zshrc; touch list.csv; ZDOTDIR=$PWD exec zsh -i`,
};

async function type(terminal: Terminal, text: string): Promise<void> {
  await terminal.press(text);
  await terminal.press('Tab');
}

/** A terminal with a shell for all tests of a group. */
function shellForAll(shell: keyof typeof START): { readonly terminal: Terminal } {
  let terminal: Terminal;
  beforeAll(async () => {
    terminal = await openTerminal(START[shell], { columns: 100 });
    await terminal.untilSeen('ready>');
  }, 30_000);
  afterAll(() => terminal.close());
  // Removes the line of the test before, and the screen above it.
  beforeEach(async () => {
    await terminal.press('C-u');
    await terminal.press('C-l');
    await terminal.untilSeen(/^ready>$/);
  });
  return {
    get terminal() {
      return terminal;
    },
  };
}

describe('the Tab key in zsh without compinit', () => {
  const shell = shellForAll('zsh without compinit');

  it('completes a command', async () => {
    await type(shell.terminal, 'orgadm peo');
    expect(await shell.terminal.untilSeen('ready> orgadm people')).toContain('ready> orgadm people');
  });
});

describe.each(['bash', 'zsh'] as const)('the Tab key in %s', (name) => {
  const shell = shellForAll(name);

  it.each([
    { typed: 'orgadm peo', line: 'orgadm people' },
    { typed: 'orgadm people bulk-add --dry', line: 'orgadm people bulk-add --dry-run' },
    { typed: 'orgadm config set ret', line: 'orgadm config set retries' },
    { typed: 'orgadm people bulk-add li', line: 'orgadm people bulk-add list.csv' },
    { typed: 'orgadm people bulk-add --errors-file=li', line: 'orgadm people bulk-add --errors-file=list.csv' },
    { typed: 'orgadm findings list --output=nd', line: 'orgadm findings list --output=ndjson' },
    { typed: 'orgadm --base-url http://127.0.0.1:1 dom', line: 'orgadm --base-url http://127.0.0.1:1 domain' },
  ])('completes $typed to $line', async ({ typed, line }) => {
    await type(shell.terminal, typed);
    expect(await shell.terminal.untilSeen(`ready> ${line}`)).toContain(`ready> ${line}`);
  });

  it('lists the allowed values of an option', async () => {
    await type(shell.terminal, 'orgadm people bulk-add --format ');
    const screen = await shell.terminal.untilSeen('ndjson');
    for (const format of ['csv', 'json', 'xlsx']) expect(screen).toContain(format);
    expect(screen).not.toContain('list.csv');
    // zsh prints -- before a description.
    expect(screen).not.toMatch(/(csv|xlsx|json) *--/);
  });
});

describe('the completion of fish', () => {
  it('offers the candidates for each line', async () => {
    const candidates = {
      'orgadm people bulk-add --dry': ['--dry-run'],
      'orgadm peo': ['people'],
      'orgadm people bulk-add --format ': ['csv', 'json', 'ndjson', 'xlsx'],
      'orgadm people bulk-add li': ['list.csv'],
      'orgadm people bulk-add --errors-file=li': ['--errors-file=list.csv'],
      'orgadm findings list --output=nd': ['--output=ndjson'],
    };
    const folder = temporaryFolder().path;
    writeOrgadm(folder);
    writeFileSync(join(folder, 'list.csv'), '');
    const env = { PATH: `${folder}:${process.env.PATH}`, HOME: folder, LANG: 'C.UTF-8' };
    const lines = Object.keys(candidates);
    const script = 'orgadm completion fish | source; for line in $argv; complete -C $line; echo; end';
    const { stdout } = await promisify(execFile)('fish', ['-c', script, ...lines], { cwd: folder, env });
    const offered = stdout
      .trimEnd()
      .split('\n\n')
      .map((block, at) => [lines[at], block.split('\n').map((line) => line.split('\t')[0])]);
    expect(Object.fromEntries(offered)).toEqual(candidates);
  });
});
