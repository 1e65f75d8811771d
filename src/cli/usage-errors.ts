import type { Command, CommanderError, Option } from 'commander';
import { UsageError } from '../util/errors.ts';
import { suggest } from '../util/suggest.ts';
import { emptyValue, optionsInReach, pathOf } from './command-line.ts';
import { renderUsage } from './help-layout.ts';

/**
 * Converts an error of Commander.
 *
 * @param words the words after the program's name
 * @param command the command that reported it
 */
export function toUsageError(
  { code, message }: CommanderError,
  words: readonly string[],
  command: Command,
): UsageError {
  if (code === 'commander.unknownCommand') return unknownCommand(command, command.args[0] ?? '');
  if (code === 'commander.conflictingOption') return conflictingOptions(command);
  // Commander takes any word as the value, so only the last one can lack it.
  if (code === 'commander.optionMissingArgument')
    return new UsageError(`${words.at(-1)} needs a value`, seeHelp(command));
  const [text = '', suggestion] = message.slice('error: '.length).split('\n');
  // Commander puts a suggestion on a line of its own, in parentheses.
  if (suggestion !== undefined) return new UsageError(text, suggestion.slice(1, -1));
  const isAboutArguments = code === 'commander.missingArgument' || code === 'commander.excessArguments';
  return new UsageError(text, isAboutArguments ? `Usage: ${renderUsage(command)}` : seeHelp(command));
}

/** Returns the command that lists the options of a command. */
function seeHelp(command: Command): string {
  const help = command.parent === null ? 'orgadm help options' : `${pathOf(command)} --help`;
  return `Run ${help} for the options.`;
}

function conflictingOptions(command: Command): UsageError {
  const set = optionsInReach(command).filter(
    (option) => command.getOptionValueSourceWithGlobals(option.attributeName()) === 'cli',
  );
  for (const option of set) {
    const { conflictsWith } = option as Option & { readonly conflictsWith: readonly string[] };
    const other = set.find((one) => conflictsWith.includes(one.attributeName()));
    if (other !== undefined)
      return new UsageError(
        `${option.long} cannot be used with ${other.long}`,
        `Remove ${option.long} or ${other.long}.`,
      );
  }
  return new UsageError('you cannot use these options together', seeHelp(command));
}

/** Returns the error for a word that is no command below `command`, with the command that it may refer to. */
export function unknownCommand(command: Command, word: string): UsageError {
  if (word === '') return emptyValue('the command');
  const near = suggestCommand(command, word);
  const hint = near === undefined ? `Run ${pathOf(command)} --help for the commands.` : `Did you mean ${near}?`;
  return new UsageError(`unknown command '${word}'`, hint);
}

/** Words that other tools use for a command. */
const SYNONYMS = new Map([
  ['import', 'people bulk-add'],
  ['members', 'people bulk-add'],
  ['users', 'people bulk-add'],
  ['add', 'people bulk-add'],
]);

/**
 * Returns the commands below `command` that a misspelled word, a verb without its noun, or a word of other tools refers to:
 * `auth login` for `login`, `runs list, findings list or config list` for `list`. Undefined if there is none.
 */
export function suggestCommand(command: Command, word: string): string | undefined {
  const synonym = SYNONYMS.get(word.toLowerCase());
  if (synonym !== undefined && (command.parent === null || command.name() === 'people')) return synonym;
  const visible = (parent: Command) => parent.createHelp().visibleCommands(parent);
  const near = suggest(
    word,
    visible(command).map((sub) => sub.name()),
  );
  // A verb has to be exact: "upgrade" is not "role update".
  const paths = visible(command).flatMap((sub) =>
    visible(sub).flatMap((verb) => (verb.name() === word.toLowerCase() ? `${sub.name()} ${verb.name()}` : [])),
  );
  return near ?? (paths.join(', ').replace(/, ([^,]*)$/, ' or $1') || undefined);
}
