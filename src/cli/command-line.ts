import { type Command, Option } from 'commander';
import { UsageError } from '../util/errors.ts';
import { suggest } from '../util/suggest.ts';

/** An option on a command line. */
export interface OptionUse {
  /** The option as typed, without an attached value: `--output`, `-o`. */
  flag: string;
  /** The complete word, including an attached value. */
  word: string;
  /** Undefined for an option that the command does not have. */
  option: Option | undefined;
  /** Undefined if the option has none. */
  value: string | undefined;
  /** The option that follows instead of the value. */
  instead?: string | undefined;
}

/** A parsed command line. It is parsed once; everything else, including Commander, uses the result. */
export interface CommandLine {
  /** The deepest command or noun that is named; its options are registered. */
  command: Command;
  options: OptionUse[];
  /** The words that are neither commands nor options nor values. */
  positionals: string[];
  /** Whether `--` has ended the options. */
  optionsEnded: boolean;
  /** Whether `help` precedes the command or follows its noun. */
  isHelp: boolean;
}

const loaders = new WeakMap<Command, () => Promise<void>>();

/** Sets the function that registers the arguments, options and action of a command when a command line names it. */
export function setLoader(command: Command, load: () => Promise<void>): void {
  loaders.set(command, load);
}

const HELP = new Option('-h, --help', 'print help');

/**
 * Splits a command line into commands, options with their values, and positional arguments. Loads the command that it
 * names, and no other.
 *
 * A word that starts with `--` or with one of the command's short options is never the value of the option before it: an
 * empty shell variable would otherwise swallow the next option. Commander and `util.parseArgs` accept such words.
 *
 * @param words the words after the program's name
 */
export async function readCommandLine(program: Command, words: readonly string[]): Promise<CommandLine> {
  const line: CommandLine = { command: program, options: [], positionals: [], optionsEnded: false, isHelp: false };
  let known = optionsInReach(program);
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (!line.optionsEnded && word === '--') line.optionsEnded = true;
    else if (!line.optionsEnded && word.startsWith('-') && word !== '-') {
      const uses = readOptionWord(word, known);
      line.options.push(...uses);
      const last = uses.at(-1);
      const next = words[at + 1];
      if (!last?.option?.required || last.value !== undefined || next === undefined) continue;
      if (looksLikeOption(next, known)) last.instead = next;
      else {
        last.value = next;
        at++;
      }
    } else if (await descend(line, word)) known = optionsInReach(line.command);
    else line.positionals.push(word);
  }
  // After `help`, anything but a command is a topic.
  const helpCommand = program.commands.find((command) => command.name() === 'help');
  if (line.isHelp && line.command === program && line.positionals.length > 0 && helpCommand !== undefined) {
    await enter(line, helpCommand);
    line.isHelp = false;
  }
  return line;
}

/** Descends to the subcommand that a word names. Returns false for any other word. */
async function descend(line: CommandLine, word: string): Promise<boolean> {
  const { command, positionals, isHelp } = line;
  if (positionals.length > 0) return false;
  if (word === 'help' && command.commands.length > 0 && !isHelp) {
    line.isHelp = true;
    return true;
  }
  const named = command.commands.find((sub) => sub.name() === word);
  if (named === undefined) return false;
  await enter(line, named);
  return true;
}

async function enter(line: CommandLine, command: Command): Promise<void> {
  await loaders.get(command)?.();
  loaders.delete(command);
  line.command = command;
}

/**
 * Renders a command line in the form that Commander parses unambiguously: each value attached to its option,
 * positional arguments after `--`, and `--help` for a noun alone and for `help` with a command.
 */
export function toArguments({ command, options, positionals, isHelp }: CommandLine): string[] {
  const [, ...path] = pathOf(command).split(' ');
  const isGroup = command.commands.length > 0;
  const hasUnknown = options.some(({ option }) => option === undefined);
  const wantsHelp = isGroup ? positionals.length === 0 && !hasUnknown : isHelp;
  return [
    ...path,
    ...options.map(({ word, option, value }) =>
      option === undefined ? word : `${option.long}${value === undefined ? '' : `=${value}`}`,
    ),
    ...(wantsHelp ? ['--help'] : []),
    ...(positionals.length > 0 ? ['--', ...positionals] : []),
  ];
}

/** Returns the words that call a command: `orgadm people bulk-add`. */
export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** The command's own options, then those of the nouns and the program above it. */
export function optionsInReach(command: Command): Option[] {
  const above = command.parent === null ? [] : optionsInReach(command.parent);
  return [...command.options, ...above];
}

/**
 * Checks that the command exists, that each option that needs a value has one, and that no value and no positional argument
 * is empty.
 *
 * @throws UsageError that names the first unknown command, or option or argument without a value
 */
export function checkCommandLine({ command, options, positionals }: CommandLine): void {
  const [word] = positionals;
  if (command.commands.length > 0 && word) throw unknownCommand(command, word);
  for (const { flag, option, value, instead } of options) {
    if (!option?.required) continue;
    if (instead !== undefined) {
      throw new UsageError(`${flag} needs a value; write ${option.long}=${instead} if that is the value`);
    }
    if (value === undefined) throw new UsageError(`${flag} needs a value`, seeHelp(command));
    if (value === '') throw emptyValue(flag);
  }
  const empty = positionals.indexOf('');
  if (empty < 0 || command.name() === '__complete') return;
  const argument = command.registeredArguments[empty] ?? command.registeredArguments.at(-1);
  throw emptyValue(`<${argument?.name() ?? 'argument'}>`);
}

/** Returns where the options of a command are listed. */
export function seeHelp(command: Command): string {
  const help = command.parent === null ? 'orgadm help options' : `${pathOf(command)} --help`;
  return `Run ${help} for the options.`;
}

function unknownCommand(command: Command, word: string): UsageError {
  const near = suggestCommand(command, word);
  const hint = near === undefined ? `Run ${pathOf(command)} --help for the commands.` : `Did you mean ${near}?`;
  return new UsageError(`unknown command '${word}'`, hint);
}

/**
 * Returns the commands below `command` that a misspelled word, or a verb without its noun, may refer to: `auth login` for
 * `login`, `runs list, findings list or config list` for `list`. Undefined if none is close.
 */
export function suggestCommand(command: Command, word: string): string | undefined {
  const paths = new Map<string, string[]>();
  const add = ({ name, path }: { name: string; path: string }) => paths.set(name, [...(paths.get(name) ?? []), path]);
  const visible = (parent: Command) => parent.createHelp().visibleCommands(parent);
  for (const sub of visible(command)) {
    add({ name: sub.name(), path: sub.name() });
    for (const verb of visible(sub)) add({ name: verb.name(), path: `${sub.name()} ${verb.name()}` });
  }
  const near = paths.get(suggest(word, [...paths.keys()]) ?? '');
  return near?.join(', ').replace(/, ([^,]*)$/, ' or $1');
}

function emptyValue(name: string): UsageError {
  return new UsageError(`${name} must not be empty`, 'If this is a shell variable, check that it is set.');
}

function find(flag: string, known: readonly Option[]): Option | undefined {
  return [...known, HELP].find((option) => option.long === flag || option.short === flag);
}

/** Whether a word is an option, or short ones written together or with a value: `--x`, `-q`, `-qv`, `-ojson`. */
function looksLikeOption(word: string, known: readonly Option[]): boolean {
  return word.startsWith('--') || (/^-[^-]/.test(word) && find(word.slice(0, 2), known) !== undefined);
}

/** The options in one word: one, or several short ones written together. */
function readOptionWord(word: string, known: readonly Option[]): OptionUse[] {
  const exact = find(word, known);
  if (exact !== undefined) return [{ flag: word, word, option: exact, value: undefined }];
  if (word.startsWith('--')) {
    const [, flag = word, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
    const option = find(flag, known);
    // A value attached to an option that has none makes the option unknown, as in Commander.
    return [option?.required ? { flag, word, option, value } : { flag, word, option: undefined, value }];
  }
  const flag = word.slice(0, 2);
  const option = find(flag, known);
  if (option?.required) return [{ flag, word, option, value: word.slice(2) }];
  const use = { flag, word: option === undefined ? word : flag, option, value: undefined };
  return option === undefined || word.length === 2 ? [use] : [use, ...readOptionWord(`-${word.slice(2)}`, known)];
}
