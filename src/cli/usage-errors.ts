import type { CommanderError } from 'commander';
import type { OrgadmCommand } from '../commands/orgadm-command.ts';
import type { TypedWords } from '../commands/typed-command.ts';
import { cleanLine, quoteForShell } from '../output/sanitize.ts';
import { UsageError } from '../util/errors.ts';
import { suggest } from '../util/suggest.ts';
import { emptyValue, optionsInReach, pathOf } from './command-line.ts';
import { renderUsage } from './help-layout.ts';

/** Converts an error of Commander, which `command` reported. */
export function toUsageError(
  { code, message }: CommanderError,
  { words }: TypedWords,
  command: OrgadmCommand,
): UsageError {
  if (code === 'commander.unknownCommand') return unknownCommand(command, command.args[0] ?? '', words);
  // Commander takes any word as the value, so only the last one can lack it.
  if (code === 'commander.optionMissingArgument')
    return new UsageError(`${words.at(-1)} needs a value`, seeHelp(command));
  if (code === 'commander.unknownOption') return unknownOption(command, message);
  if (code === 'commander.excessArguments') return excessArgument(command);
  if (code === 'commander.missingArgument' && pathOf(command) === 'orgadm api') return missingMethod(command);
  const text = message.slice('error: '.length);
  return new UsageError(text, code === 'commander.missingArgument' ? usageOf(command) : seeHelp(command));
}

function usageOf(command: OrgadmCommand): string {
  return `Usage: ${renderUsage(command)}`;
}

/** Returns the error for a word after the last argument. It names only a second list, because other words may be a key. */
function excessArgument(command: OrgadmCommand): UsageError {
  if (pathOf(command) !== `orgadm ${IMPORT}`) return new UsageError('too many arguments', usageOf(command));
  const found = cleanLine(command.args[1] ?? '');
  const message = `orgadm imports one list at a time (unexpected: ${found})`;
  return new UsageError(message, 'Import the lists one after the other.');
}

/** Returns the error for `orgadm api v1/findings`, and for `orgadm api` alone. */
function missingMethod(command: OrgadmCommand): UsageError {
  const [path] = command.args;
  if (path === undefined) return new UsageError('the method and the path are missing', usageOf(command));
  if (!path.includes('/')) return new UsageError('the path is missing', usageOf(command));
  return new UsageError('the method is missing', `Put it before the path: orgadm api GET ${quoteForShell(path)}`);
}

/** Returns the command that lists the options of a command. */
function seeHelp(command: OrgadmCommand): string {
  const help = command.parent === null ? 'orgadm help options' : `${pathOf(command)} --help`;
  return `Run ${help} for the options.`;
}

/** Returns the error for an option that Commander does not know. It leaves out the value, which may be a key: `--token=<key>`. */
function unknownOption(command: OrgadmCommand, message: string): UsageError {
  const [, flag = ''] = /'([^=']+)/.exec(message) ?? [];
  const known = optionsInReach(command);
  if (known.some(({ long, short }) => [long, short].includes(flag))) {
    return new UsageError(`${flag} takes no value`, seeHelp(command));
  }
  // Commander suggests only options that the page of the command shows.
  const names = known.flatMap(({ long }) => long?.replace('--', '') ?? []);
  const near = suggest(flag.replace(/^-+/, ''), names);
  return new UsageError(`unknown option '${flag}'`, near === undefined ? seeHelp(command) : `Did you mean --${near}?`);
}

/**
 * Returns the error for a word that is no command below `command`, with the command that it may refer to.
 *
 * @param words the words after the program's name
 */
export function unknownCommand(command: OrgadmCommand, word: string, words: readonly string[] = []): UsageError {
  if (word === '') return emptyValue('the command');
  return new UsageError(`unknown command '${word}'`, commandHint(command, word, words));
}

function commandHint(command: OrgadmCommand, word: string, words: readonly string[]): string {
  const missing = describeMissingOperation(command, word);
  if (missing !== undefined) return missing;
  const verb = command.commands.find((sub) => word === 'help' && words.includes(sub.name()));
  if (verb !== undefined) return `Did you mean: orgadm help ${command.name()} ${verb.name()}`;
  const near = suggestCommand(command, word);
  return near === undefined ? `Run ${pathOf(command)} --help for the commands.` : `Did you mean ${near}?`;
}

/** Operations that users expect and that the API does not have, and what they would change or show, by noun. */
const MISSING_OPERATIONS: Readonly<Record<string, { verbs: readonly string[]; objects: string }>> = {
  role: { verbs: ['list', 'create', 'delete'], objects: 'roles' },
  people: { verbs: ['list', 'invite', 'update', 'remove', 'delete'], objects: 'people' },
  domain: { verbs: ['list', 'add', 'remove', 'delete'], objects: 'domains' },
  findings: { verbs: ['create', 'update', 'close', 'delete'], objects: 'findings' },
};

/** `The API cannot list roles.` */
function describeMissingOperation(command: OrgadmCommand, word: string): string | undefined {
  const { verbs, objects } = MISSING_OPERATIONS[command.name()] ?? {};
  const verb = LIST_SYNONYMS.has(word) ? 'list' : word;
  return verbs?.includes(verb) ? `The API cannot ${verb} ${objects}.` : undefined;
}

const IMPORT = 'people bulk-add';

/** Words that other tools use for an import. */
const IMPORT_SYNONYMS = new Set(['import', 'members', 'users', 'add']);

/** Words that other tools use for `list`. */
const LIST_SYNONYMS = new Set(['ls', 'get', 'show']);

/**
 * Returns the commands below `command` that a misspelled word, a verb without its noun, or a word of other tools refers to:
 * `auth login` for `login`, `runs list, findings list or config list` for `list`. Undefined if there is none.
 */
export function suggestCommand(command: OrgadmCommand, word: string): string | undefined {
  const wanted = word.toLowerCase();
  if (IMPORT_SYNONYMS.has(wanted) && (command.parent === null || command.name() === 'people')) return IMPORT;
  if (wanted === 'whoami' && command.parent === null) return 'auth status';
  const names = command.commands.map((sub) => sub.name());
  if (LIST_SYNONYMS.has(wanted) && names.includes('list')) return 'list';
  // A verb has to be exact: "upgrade" is not "role update".
  const paths = command.commands.flatMap((sub) =>
    sub.commands.flatMap((verb) => (verb.name() === wanted ? `${sub.name()} ${verb.name()}` : [])),
  );
  return suggest(word, names) ?? (paths.join(', ').replace(/, ([^,]*)$/, ' or $1') || undefined);
}
