import { describe, expect, it } from 'vitest';
import { closeAfterTests } from '../helpers/opened.ts';
import { startShell } from '../helpers/orgadm-process.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { openTerminal } from '../helpers/terminal.ts';

const opened = closeAfterTests();
const folder = temporaryFolder();

/** Shells that wait for words, with the completion loaded. */
const START = {
  bash: `orgadm completion bash > rc; echo "PS1='ready> '; bind 'set show-all-if-ambiguous on'" >> rc; exec bash --rcfile rc -i`,
  zsh: `orgadm completion zsh > script; echo "autoload -U compinit; compinit -u -D; source ./script; PS1='ready> '" > .zshrc; ZDOTDIR=$PWD exec zsh -i`,
  'zsh without compinit': `orgadm completion zsh > script; echo "source ./script; PS1='ready> '" > .zshrc; ZDOTDIR=$PWD exec zsh -i`,
};

/** What is typed, and how the line is completed. */
const COMPLETED = [
  ['orgadm peo', 'orgadm people'],
  ['orgadm people bulk-add --dry', 'orgadm people bulk-add --dry-run'],
  ['orgadm config set ret', 'orgadm config set retries'],
  ['orgadm people bulk-add li', 'orgadm people bulk-add list.csv'],
  ['orgadm people bulk-add --errors-file=li', 'orgadm people bulk-add --errors-file=list.csv'],
  ['orgadm findings list --output=nd', 'orgadm findings list --output=ndjson'],
  ['orgadm --base-url http://127.0.0.1:1 dom', 'orgadm --base-url http://127.0.0.1:1 domain'],
] as const;

const FORMATS = ['csv', 'json', 'ndjson', 'xlsx'];

describe('the Tab key', () => {
  it.each(Object.entries(START))('completes commands, options, values, and files in %s', async (_shell, start) => {
    const terminal = opened(await openTerminal(`touch list.csv; ${start}`, { columns: 100 }));
    await terminal.untilSeen('ready>');
    for (const [typed, line] of COMPLETED) {
      await terminal.press(typed, 'Tab');
      await terminal.untilSeen(new RegExp(`^ready> ${line}`, 'm'));
      // Removes the line, and the screen above it.
      await terminal.press('C-u', 'C-l');
      await terminal.untilSeen(/^ready>$/);
    }
    await terminal.press('orgadm people bulk-add --format ', 'Tab');
    const screen = await terminal.untilSeen('ndjson');
    for (const format of FORMATS) expect(screen).toContain(format);
    expect(screen).not.toContain('list.csv');
    // zsh prints -- before a description.
    expect(screen).not.toMatch(/(csv|xlsx|json) *--/);
  });

  it('completes the same in fish', async () => {
    // Fish has a command that prints the candidates.
    const lines = [...COMPLETED.map(([typed]) => typed), 'orgadm people bulk-add --format '];
    const script = `orgadm completion fish | source; ${lines.map((line) => `complete -C '${line}'; echo`).join('; ')}`;
    const line = `cd ${folder.path}; touch list.csv; fish -c "${script}"`;
    const { stdout } = await startShell(folder.path, line).ended;
    const offered = stdout
      .trimEnd()
      .split('\n\n')
      .map((block) => block.split('\n').map((candidate) => candidate.split('\t')[0]));
    const words = COMPLETED.map(([, completed]) => [completed.split(' ').at(-1)]);
    expect(offered).toEqual([...words, FORMATS]);
  });
});
