import { Argument, type Command } from 'commander';
import type { Context } from '../../cli/context.ts';
import { UsageError } from '../../util/errors.ts';
import { TOPICS } from './help-topics.ts';

const HELP = `
Examples:
  $ orgadm help people bulk-add
  $ orgadm help exit-codes
`;

/** Registers `help` under the program. */
export function registerHelp(program: Command, context: () => Context): void {
  const names = new Argument('[words...]', 'the words of a command, or a topic');
  names.argChoices = Object.keys(TOPICS);
  program
    .command('help')
    .description('Print the help of a command, or on a topic.')
    .addArgument(names)
    .addHelpText('after', HELP)
    .action((names: string[]) => runHelp(names, program, context()));
}

/** Prints the help that the words ask for. Throws UsageError, with the nearest name, for words that name nothing. */
export async function runHelp(names: readonly string[], program: Command, { output }: Context): Promise<void> {
  const [first = ''] = names;
  if (names.length === 1 && Object.hasOwn(TOPICS, first)) {
    return output.write(TOPICS[first]?.(program) ?? '');
  }
  (await findCommand(program, names)).outputHelp();
}

async function findCommand(program: Command, names: readonly string[]): Promise<Command> {
  let command = program;
  for (const word of names) {
    const names = command.commands.map((sub) => sub.name());
    const next = command.commands.find((sub) => sub.name() === word);
    if (next === undefined) throw await unknown(word, command === program ? [...names, ...Object.keys(TOPICS)] : names);
    command = next;
  }
  return command;
}

async function unknown(word: string, known: readonly string[]): Promise<UsageError> {
  const { suggest } = await import('../../util/suggest.ts');
  const near = suggest(word, known);
  return new UsageError(
    `no help on "${word}"`,
    near === undefined ? 'orgadm --help lists the commands.' : `Did you mean ${near}?`,
  );
}
