import { findCommand, pathOf, readArgv } from '../../src/cli/command-line.ts';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { TOPICS } from '../../src/cli/help.ts';
import { describeArguments, exampleBlocks, optionBlocks, renderUsage } from '../../src/cli/help-layout.ts';
import { createProgram } from '../../src/cli/program.ts';
import type { CommandEntry, HelpBlock, HelpItems, OrgadmCommand } from '../../src/commands/orgadm-command.ts';

/** The help of a command, in parts. */
export interface CommandPage {
  /** The words of the command, `orgadm` first. */
  words: readonly string[];
  summary: string;
  description: string;
  usage: string;
  arguments: HelpItems['items'];
  /** The command's own options; for the program, the global ones. */
  options: HelpItems[];
  /** What follows the options: notes, and the examples at the end. */
  blocks: HelpBlock[];
}

/** The text of `orgadm help <topic>`. */
export interface Topic {
  name: string;
  blocks: readonly HelpBlock[];
}

/** The content of the generated documentation. */
export interface Documentation {
  program: CommandPage;
  /** In the order of the command table. */
  commands: CommandPage[];
  topics: Topic[];
}

/** Reads the help of the program and its commands. Only this file of the generator depends on how commands are registered. */
export async function readDocumentation(): Promise<Documentation> {
  const program = emptyProgram();
  // The pages of the program and of the command have the options of these topics.
  const topics = Object.entries(TOPICS).filter(([name]) => name !== 'options' && name !== 'import');
  return {
    program: readPage(program, program.description().replace(/\.$/, '')),
    commands: await Promise.all(COMMANDS.map(readCommand)),
    topics: await Promise.all(topics.map(async ([name, read]) => ({ name, blocks: await read(program) }))),
  };
}

/** Loads one command of the table, as typing it does. */
async function readCommand({ name, summary }: CommandEntry): Promise<CommandPage> {
  const command = await findCommand(emptyProgram(), name.split(' '));
  if (command === undefined) throw new Error(`the command table has "${name}", the program does not`);
  return readPage(command, summary);
}

function emptyProgram(): OrgadmCommand {
  return createProgram({ argv: readArgv([]), show: () => {} }, () => {
    throw new Error('documentation runs no command');
  });
}

function readPage(command: OrgadmCommand, summary: string): CommandPage {
  const { helpText, topic } = command;
  return {
    words: pathOf(command).split(' '),
    summary,
    description: command.description(),
    usage: renderUsage(command),
    arguments: describeArguments(command),
    options: optionBlocks(command.options),
    blocks: [
      ...(helpText.notes ?? []),
      ...(topic?.notes ?? []),
      ...exampleBlocks([...(helpText.examples ?? []), ...(topic?.examples ?? [])]),
    ],
  };
}
