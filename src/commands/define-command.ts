import { Option } from 'commander';
import { UsageError } from '../util/errors.ts';
import { notAllowedError } from '../util/unknown-name.ts';

/** An option that may be given several times: `addValue` adds each value to those before it. */
export class RepeatableOption<T> extends Option {
  constructor(flags: string, description: string, addValue: (text: string, previous: T) => T) {
    super(flags, `${description} (repeatable)`);
    this.argParser(addValue);
  }
}

/** Adds a value to those of a repeatable option. */
export function collectValues(value: string, previous: string[] | undefined): string[] {
  return [...(previous ?? []), value];
}

/**
 * Creates Commander's parser for an option whose value is an integer. The parser throws UsageError for anything else, such as
 * `10abc`.
 */
export function countParser({ option, least, most, example }: CountRange): (text: string) => number {
  return (text) => {
    const count = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (count >= least && count <= (most ?? count)) return count;
    const range = most === undefined ? `of at least ${least}` : `from ${least} to ${most}`;
    throw new UsageError(`${option} must be an integer ${range} (got ${text})`, `For example: ${option} ${example}`);
  };
}

/** The values that an option accepts. */
interface CountRange {
  option: string;
  least: number;
  most?: number;
  /** A value to type. */
  example: number;
}

/** Creates an option whose values are listed in help and completion; `choiceParser` checks them. */
export function choiceOption(flags: string, description: string, allowed: readonly string[]): Option {
  const option = new Option(flags, description);
  option.argChoices = [...allowed];
  return option;
}

/**
 * Checks that a value is one of those allowed.
 *
 * @param name the option, for the error
 * @throws UsageError that lists the allowed values
 */
export function choiceParser<T extends string>(text: string, name: string, allowed: readonly T[]): T {
  const found = allowed.find((value) => value === text);
  if (found === undefined) throw notAllowedError(text, name, allowed);
  return found;
}
