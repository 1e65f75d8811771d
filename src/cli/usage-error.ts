import type { CommanderError } from 'commander';
import { notAllowedError } from '../commands/option-parsers.ts';
import { UsageError } from '../util/errors.ts';

const SEE_HELP = 'Run the command with --help for its options.';

/** Converts an error of Commander; undefined if it only showed help or the version. */
export function toUsageError({ exitCode, message }: CommanderError): UsageError | undefined {
  if (exitCode === 0) return undefined;
  const text = message.replace(/^error: /, '');
  return invalidChoice(text) ?? conflict(text) ?? withHint(text);
}

/** `option '--scope <scope>' argument 'x' is invalid. Allowed choices are a, b.`, and the same for an argument. */
function invalidChoice(text: string): UsageError | undefined {
  const ofOption = /^option '(?:-\w, )?(--[\w-]+) .*' argument '(.*)' is invalid\. Allowed choices are (.*)\.$/s;
  const ofArgument = /^command-argument value '(.*)' is invalid for argument '(.*)'\. Allowed choices are (.*)\.$/s;
  const [, flag, given, choices] = ofOption.exec(text) ?? [];
  const [, argumentValue, argument, argumentChoices] = ofArgument.exec(text) ?? [];
  const name = flag ?? (argument === undefined ? undefined : `<${argument}>`);
  const value = given ?? argumentValue;
  const allowed = (choices ?? argumentChoices)?.split(', ');
  if (name === undefined || value === undefined || allowed === undefined) return undefined;
  return notAllowedError(value, name, allowed);
}

/** `option '-a, --all' cannot be used with option '--task <id>'`. */
function conflict(text: string): UsageError | undefined {
  const [, first, second] = /^option '(.*)' cannot be used with option '(.*)'$/.exec(text) ?? [];
  if (first === undefined || second === undefined) return undefined;
  const long = (flags: string) => /--[\w-]+/.exec(flags)?.[0] ?? flags;
  return new UsageError(`${long(first)} cannot be used with ${long(second)}`);
}

/** Commander puts a suggestion on a line of its own, in parentheses. */
function withHint(text: string): UsageError {
  const [message = '', suggestion] = text.split('\n');
  return new UsageError(message, suggestion?.replace(/^\((.*)\)$/, '$1') ?? SEE_HELP);
}
