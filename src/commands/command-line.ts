import { type Command, Option } from 'commander';
import { UsageError } from '../util/errors.ts';

/** An option on a command line. */
export interface OptionUse {
  /** As it was written, without a value attached to it: `--output`, `-o`. */
  flag: string;
  /** Undefined for an option that the command does not have. */
  option: Option | undefined;
  /** Undefined where the option has none. */
  value: string | undefined;
  /** The word where the value should be, which is an option itself. Undefined at the end of the line. */
  instead?: string | undefined;
}

export interface Positional {
  word: string;
  /** Index in the command line. */
  at: number;
}

/** A command line as Commander will read it, except that an option is never the value of another one. */
export interface CommandLine {
  /** The command that is named, as far as its name goes. */
  command: Command;
  options: OptionUse[];
  /** The words that are neither commands nor options nor values. */
  positionals: Positional[];
  /** Whether `--` has ended the options. */
  optionsEnded: boolean;
}

const HELP = new Option('-h, --help', 'print help');

/**
 * Splits a command line into commands, options with their values, and positional arguments. Knows the options of the
 * commands that are registered in full, and of those above them.
 *
 * A word that starts with `--` or with one of the short options is never the value of the option before it: an empty
 * shell variable would otherwise swallow the next option. `util.parseArgs` accepts such words as values.
 *
 * @param message the words after the program's name
 */
export function readCommandLine(program: Command, message: readonly string[]): CommandLine {
  const line: CommandLine = { command: program, options: [], positionals: [], optionsEnded: false };
  let known = optionsInReach(program);
  for (let at = 0; at < message.length; at++) {
    const word = message[at] ?? '';
    if (!line.optionsEnded && word === '--') line.optionsEnded = true;
    else if (!line.optionsEnded && word.startsWith('-') && word !== '-') {
      const uses = readOptionWord(word, known);
      line.options.push(...uses);
      const last = uses.at(-1);
      const next = message[at + 1];
      if (!last?.option?.required || last.value !== undefined || next === undefined) continue;
      if (looksLikeOption(next, known)) last.instead = next;
      else {
        last.value = next;
        at++;
      }
    } else {
      const named = line.positionals.length === 0 && line.command.commands.find((sub) => sub.name() === word);
      if (named) {
        line.command = named;
        known = optionsInReach(named);
      } else line.positionals.push({ word, at });
    }
  }
  return line;
}

/** The command's own options, then those of the nouns and the program above it. */
export function optionsInReach(command: Command): Option[] {
  const above = command.parent === null ? [] : optionsInReach(command.parent);
  return [...command.options, ...above];
}

/**
 * Checks that each option that takes a value has one, and that no value is empty.
 *
 * @throws UsageError that names the first option without a value
 */
export function checkOptionValues({ options }: CommandLine): void {
  for (const { flag, option, value, instead } of options) {
    if (!option?.required) continue;
    if (instead !== undefined) {
      throw new UsageError(`${flag} needs a value; write ${option.long}=${instead} if you mean that`);
    }
    if (value === undefined) throw missingValue(flag);
    if (value === '') throw emptyValue(flag);
  }
}

/**
 * Checks that no positional argument of a command is empty.
 *
 * @throws UsageError that names the argument
 */
export function checkPositionals(command: Command): void {
  const at = command.args.indexOf('');
  if (at < 0) return;
  const argument = command.registeredArguments[at] ?? command.registeredArguments.at(-1);
  throw emptyValue(`<${argument?.name() ?? 'argument'}>`);
}

export function missingValue(flag: string): UsageError {
  return new UsageError(`${flag} needs a value`, 'Add --help to see what the command takes.');
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
  const whole = find(word, known);
  if (whole !== undefined) return [{ flag: word, option: whole, value: undefined }];
  const [, flag = word, attached] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
  if (word.startsWith('--')) return [{ flag, option: find(flag, known), value: attached }];
  const short = word.slice(0, 2);
  const option = find(short, known);
  const rest = word.slice(2);
  if (option?.required) return [{ flag: short, option, value: rest }];
  const use = { flag: short, option, value: undefined };
  return option === undefined || rest === '' ? [use] : [use, ...readOptionWord(`-${rest}`, known)];
}
