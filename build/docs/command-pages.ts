import type { Command } from 'commander';
import { findCommand } from '../../src/cli/command-line.ts';
import { COMMANDS, type CommandEntry } from '../../src/cli/command-table.ts';
import { renderUsage } from '../../src/cli/help-layout.ts';
import { createProgram } from '../../src/cli/program.ts';
import { helpTextOf, helpTopicOf } from '../../src/commands/define-command.ts';
import { type HelpBlock, type Item, parseHelpText, type Section } from './help-text.ts';
import { runCommand } from './run-command.ts';

/** Options under one heading of the help, such as `Sending`. */
export interface OptionGroup {
  heading: string;
  items: Item[];
}

/** The help of a command, in parts. */
export interface CommandPage {
  /** The words of the command, `orgadm` first. */
  words: readonly string[];
  summary: string;
  description: string;
  usage: string;
  arguments: Item[];
  /** The command's own options; for the program, the global ones. */
  options: OptionGroup[];
  /** The text after the options, such as the examples. */
  sections: Section[];
}

/** The text of `orgadm help <topic>`. */
export interface Topic {
  name: string;
  blocks: HelpBlock[];
}

/** The content of the generated documentation. */
export interface Documentation {
  program: CommandPage;
  /** In the order of the command table, without hidden ones. */
  commands: CommandPage[];
  topics: Topic[];
}

/** Reads the help of the program and its commands. Only this file of the generator depends on how commands are registered. */
export async function readDocumentation(): Promise<Documentation> {
  const listed = COMMANDS.filter((entry) => !entry.isHidden);
  const commands = await Promise.all(listed.map(readCommand));
  const topics = (await topicNames()).map(async (name) => ({
    name,
    blocks: parseHelpText(await runCommand(['help', name])).flatMap(({ heading, blocks }): HelpBlock[] =>
      heading === undefined ? blocks : [{ type: 'heading', text: heading }, ...blocks],
    ),
  }));
  const root = emptyProgram();
  const program = readPage(root, root.description().replace(/\.$/, ''));
  return { program, commands, topics: await Promise.all(topics) };
}

async function readCommand(entry: CommandEntry): Promise<CommandPage> {
  return readPage(await loadCommand(entry), entry.summary);
}

/** Loads one command of the table, as typing it does. */
async function loadCommand({ noun, verb }: CommandEntry): Promise<Command> {
  const words = noun === undefined ? [verb] : [noun, verb];
  const command = await findCommand(emptyProgram(), words);
  if (command === undefined) throw new Error(`the command table has "${words.join(' ')}", the program does not`);
  return command;
}

function emptyProgram(): Command {
  return createProgram({ argv: [], write: () => {} }, () => {
    throw new Error('documentation runs no command');
  });
}

/** The topics of `orgadm help`, except `options` and `import`: the pages of the program and of the command have them. */
async function topicNames(): Promise<string[]> {
  const help = COMMANDS.find(({ noun, verb }) => noun === undefined && verb === 'help');
  const names = help === undefined ? [] : ((await loadCommand(help)).registeredArguments[0]?.argChoices ?? []);
  if (names.length === 0) throw new Error('the help command names no topics');
  return names.filter((name) => name !== 'options' && name !== 'import');
}

function readPage(command: Command, summary: string): CommandPage {
  const helper = command.createHelp();
  const options = command.options.filter(({ hidden }) => !hidden);
  const groups = helper.groupItems([], options, (option) => option.helpGroupHeading ?? 'Options:');
  return {
    words: wordsOf(command),
    summary,
    description: command.description(),
    usage: renderUsage(command),
    arguments: helper.visibleArguments(command).map((argument) => ({
      term: helper.argumentTerm(argument),
      description: helper.argumentDescription(argument),
    })),
    options: [...groups].map(([heading, members]) => ({
      heading: heading.replace(/:$/, ''),
      items: members.map((option) => ({
        term: helper.optionTerm(option),
        description: helper.optionDescription(option),
      })),
    })),
    sections: parseHelpText([helpTextOf(command), helpTopicOf(command)?.text ?? ''].join('\n\n').trim()),
  };
}

function wordsOf(command: Command): string[] {
  return command.parent === null ? [command.name()] : [...wordsOf(command.parent), command.name()];
}
