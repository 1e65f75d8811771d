import { Option } from 'commander';
import { UsageError } from '../util/errors.ts';
import { suggest } from '../util/suggest.ts';

/** Commander's parser for an option that may be given more than once. */
export function collectValues(value: string, previous: string[] | undefined): string[] {
  return [...(previous ?? []), value];
}

/**
 * Reads a whole number of at least `least`.
 *
 * @param name the flag, for the error
 * @throws UsageError for anything else, `10abc` included
 */
export function parseCount(text: string, name: string, least: number): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) < least) {
    throw new UsageError(`${name}: "${text}" is not a whole number of at least ${least}`);
  }
  return Number(text);
}

/** An option that takes one of a few values: for help and completion. The value is checked by `choiceParser`. */
export function choiceOption(flags: string, description: string, allowed: readonly string[]): Option {
  const option = new Option(flags, description);
  option.argChoices = [...allowed];
  return option;
}

/**
 * Checks that a value is one of those allowed.
 *
 * @param name the flag, for the error
 * @throws UsageError that lists the allowed ones, and names the nearest
 */
export function choiceParser<T extends string>(text: string, name: string, allowed: readonly T[]): T {
  const found = allowed.find((value) => value === text);
  if (found !== undefined) return found;
  const near = suggest(text, allowed);
  const hint = `Allowed: ${allowed.join(', ')}.`;
  throw new UsageError(
    `${name}: "${text}" is not allowed`,
    near === undefined ? hint : `Did you mean ${near}? ${hint}`,
  );
}
