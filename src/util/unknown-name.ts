import { UsageError } from './errors.ts';
import { showHidden } from './hidden-characters.ts';

/**
 * Returns the error for an unknown name, with the known ones.
 *
 * @param subject text before the name: `unknown setting`
 */
export function unknownNameError(subject: string, name: string, known: readonly string[]): UsageError {
  const hint = known.length === 0 ? undefined : `Known: ${known.join(', ')}.`;
  return new UsageError(`${subject} "${showHidden(name)}"`, hint);
}

/**
 * Returns the error for a value that is not one of those allowed.
 *
 * @param name the option, variable or setting
 */
export function notAllowedError(text: string, name: string, allowed: readonly string[]): UsageError {
  return new UsageError(`${name}: "${showHidden(text)}" is not allowed`, `Allowed: ${allowed.join(', ')}.`);
}
