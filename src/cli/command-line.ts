import type { Option } from 'commander';
import { ListOption, RepeatableOption } from '../commands/define-command.ts';
import type { OrgadmCommand } from '../commands/orgadm-command.ts';
import type { TypedWords } from '../commands/typed-command.ts';
import { quoteForShell } from '../output/sanitize.ts';
import { UsageError } from '../util/errors.ts';

/** Reads the words after the program's name. */
export function readArgv(words: readonly string[]): TypedWords {
  const end = words.indexOf('--');
  return { words, end: end < 0 ? words.length : end };
}

/**
 * Returns the command that these words name, with its arguments and options: `people`, `bulk-add`.
 *
 * @param from the command that the first word is below
 * @returns undefined if a word names no command
 */
export async function findCommand(from: OrgadmCommand, words: readonly string[]): Promise<OrgadmCommand | undefined> {
  let command: OrgadmCommand | undefined = from;
  for (const word of words) command = command?.commands.find((sub) => sub.name() === word);
  await command?.load();
  return command;
}

/** Returns the words that call a command: `orgadm people bulk-add`. */
export function pathOf(command: OrgadmCommand): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** The command's own options, then those of the nouns and the program above it. */
export function optionsInReach(command: OrgadmCommand): Option[] {
  const above = command.parent === null ? [] : optionsInReach(command.parent);
  return [...command.options, ...above];
}

/** Whether a word is an option, or short ones written together or with a value: `--x`, `-q`, `-qr`, `-ojson`. */
function looksLikeOption(word: string, known: readonly Option[]): boolean {
  const short = word.slice(0, 2);
  return word.startsWith('--') || short === '-h' || known.some((option) => option.short === short);
}

/**
 * Checks that no option becomes the value of the option before it, and that no value and no argument is empty. Commander
 * accepts both, so an empty shell variable would swallow `--dry-run`. Checks that no option of the command has two values, of
 * which Commander would take the last one: a gate would check one task of two. Of a global option, the last one counts, so that
 * a script can set it.
 *
 * @throws UsageError that names the option, or the word before an empty argument
 */
export function checkOptionValues({ words, end }: TypedWords, command: OrgadmCommand): void {
  const known = optionsInReach(command);
  const values = new Map<Option, string>();
  for (const [at, word] of words.slice(0, end).entries()) {
    const [, flag = word, attached] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
    const option = known.find(({ required, long, short }) => required && [long, short].includes(flag));
    if (option === undefined) continue;
    const value = attached ?? words[at + 1];
    if (value === '') throw emptyValue(flag);
    if (attached === undefined && value !== undefined && looksLikeOption(value, known)) {
      throw new UsageError(`${flag} needs a value; if the value is ${value}, write ${option.long}=${value}`);
    }
    const first = values.get(option);
    if (first !== undefined && value !== undefined && first !== value) throw twoValues(option, first, value);
    if (value !== undefined && command.options.includes(option) && !(option instanceof RepeatableOption))
      values.set(option, value);
  }
  const empty = words.indexOf('');
  // The value of an option that does not exist may be a key.
  if (empty >= 0) throw emptyValue(`the argument after ${words[empty - 1]?.replace(/^(-[^=]*)=.*$/s, '$1')}`);
}

function twoValues(option: Option, first: string, second: string): UsageError {
  const { long } = option;
  const hint =
    option instanceof ListOption
      ? `Put a comma between the values: ${long} ${quoteForShell(`${first},${second}`)}`
      : 'Keep one of them.';
  return new UsageError(`${long} has two values: ${first} and ${second}`, hint);
}

/** Returns the error for a word that is empty, as an unset shell variable is. */
export function emptyValue(name: string): UsageError {
  return new UsageError(`${name} must not be empty`, 'If this is a shell variable, check that it is set.');
}
