import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { findCommand } from '../../src/cli/help.ts';
import { createProgram } from '../../src/cli/program.ts';
import { closeAfterTests } from '../helpers/opened.ts';
import { documentedCommands, openShell, refreshOutput } from './console-blocks.ts';

/** Those whose commands have tests of their own: the examples of the help, and recipes that each start afresh. */
const OTHERWISE_TESTED = ['reference.md', 'json.md'];

/** Documents with commands. */
const DOCUMENTS = [
  'README.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md') && !OTHERWISE_TESTED.includes(name))
    .map((name) => join('docs', name)),
].filter((file) => documentedCommands(readFileSync(file, 'utf8')).length > 0);

/** The commands of a document that tests only read. */
function commandsNotRun(file: string): string[] {
  return documentedCommands(readFileSync(file, 'utf8')).flatMap(({ isRun, text }) => (isRun ? [] : [text]));
}

const opened = closeAfterTests();

describe('the commands in documents', () => {
  it.each(DOCUMENTS)(
    '%s shows what its commands print (`npm run docs` rewrites it)',
    async (file) => {
      const markdown = readFileSync(file, 'utf8');
      const commands = documentedCommands(markdown).filter(({ isRun }) => isRun);
      const shell = opened(openShell());
      const executions = await shell.run(commands.map(({ text }) => text));
      for (const [index, { text, exitCode }] of commands.entries()) {
        const { exitCode: actual, printed } = executions[index] ?? {};
        expect({ text, exitCode: actual, printed: actual === exitCode ? '' : printed }).toEqual({
          text,
          exitCode,
          printed: '',
        });
      }
      await expect(refreshOutput(markdown, commands, executions)).toMatchFileSnapshot(resolve(file));
    },
    240_000,
  );

  it.each(DOCUMENTS.filter((file) => commandsNotRun(file).length > 0))(
    '%s has valid options and arguments in the commands that need an account',
    async (file) => {
      const shell = opened(openShell());
      const lines = await shell.argumentsIn(commandsNotRun(file));
      expect(lines).not.toEqual([]);
      for (const words of lines) await checkWords(words);
    },
    60_000,
  );

  it.each(DOCUMENTS)('%s has commands in console blocks only, so that they are tested', (file) => {
    const languages = [...readFileSync(file, 'utf8').matchAll(/^```(\S*)\n(?:(?!```).*\n)*```$/gm)].map(
      ([, name]) => name,
    );
    expect(languages.filter((language) => !/^(?:console|yaml|json|text)$/.test(language ?? ''))).toEqual([]);
  });
});

describe('the options in documents', () => {
  it.each(DOCUMENTS)('exist in the program: %s', async (file) => {
    const text = readFileSync(file, 'utf8').replace(/^```.*?^```$/gms, '');
    const mentioned = [...text.matchAll(/`((?:orgadm |--)[^`]*)`/g)].flatMap(
      ([, code = '']) => code.match(/--[a-z][\w-]*/g) ?? [],
    );
    const known = await knownOptions();
    expect(mentioned.filter((option) => !known.has(option))).toEqual([]);
  });
});

/** The long options of all commands. */
async function knownOptions(): Promise<Set<string>> {
  const program = emptyProgram();
  const known = new Set(['--help']);
  for (const { name } of COMMANDS) {
    const command = await findCommand(program, name.split(' '));
    for (const { long } of command === undefined ? [] : [...command.options, ...program.options]) known.add(long ?? '');
  }
  return known;
}

function emptyProgram(argv: readonly string[] = []) {
  return createProgram({ words: argv, columns: 80, show: () => {} }, () => {
    throw new Error('no command is run');
  });
}

/** @throws Error for an unknown command or option, for a missing value or argument, and for a noun alone */
async function checkWords(words: readonly string[]): Promise<void> {
  const parsed = new Error('the words are a command');
  const program = emptyProgram(words).hook('preAction', () => {
    throw parsed;
  });
  await expect(program.parseAsync(words, { from: 'user' })).rejects.toBe(parsed);
}

describe('the check of commands', () => {
  it('finds commands with their continuation lines, their exit codes and their output', () => {
    const markdown = [
      '```console',
      '$ orgadm people bulk-add a.csv \\',
      '    --sandbox      # exit code 2: nothing was sent',
      'line 1',
      '',
      'line 2',
      '$ orgadm --version',
      '```',
      '<!-- not run: it asks for the key -->',
      '```console',
      '$ orgadm auth login',
      '```',
      '```yaml',
      '$ no command',
      '```',
    ].join('\n');
    expect(documentedCommands(markdown)).toEqual([
      {
        text: 'orgadm people bulk-add a.csv \\\n    --sandbox      # exit code 2: nothing was sent',
        exitCode: 2,
        isRun: true,
        output: [3, 6],
      },
      { text: 'orgadm --version', exitCode: 0, isRun: true, output: [7, 7] },
      { text: 'orgadm auth login', exitCode: 0, isRun: false, output: [11, 11] },
    ]);
  });

  it('replaces output that is no longer true, and keeps what only varies', () => {
    const markdown = '```console\n$ one\nold\n$ two\nid 9f31c2aa07b4\n…\nat 2026-11-21 09:14\n$ three\n```';
    const executions = ['new\nlines', 'id 52e0d7f6b913\nmore\nat 2026-11-22 10:00', 'hidden'];
    expect(
      refreshOutput(
        markdown,
        documentedCommands(markdown),
        executions.map((printed) => ({ exitCode: 0, printed })),
      ),
    ).toBe('```console\n$ one\nnew\nlines\n$ two\nid 9f31c2aa07b4\n…\nat 2026-11-21 09:14\n$ three\n```');
  });

  it.each([
    [['people', 'bulk-add', 'a.csv', '--bogus']],
    [['people', 'bulk-ad', 'a.csv']],
    [['config', 'set', 'timeout', '--profile']],
  ])('rejects %j', async (words) => {
    await expect(checkWords(words)).rejects.toThrow();
  });
});
