import { quote } from '../output/sanitize.ts';
import { UsageError } from '../util/errors.ts';
import { HIDDEN_CHARACTER } from '../util/hidden-characters.ts';

/** Creates Commander's parser for an option or argument whose value is an ID; see `checkIdentifier`. */
export function identifierParser(name: string): (text: string) => string {
  return (text) => checkIdentifier(text, name);
}

/** The characters of IDs and domains: letters of any script, digits, and a few signs. */
const ALLOWED = /[\p{L}\p{M}\p{N}._~:@/+=|-]/u;

/**
 * Checks an ID or a domain of the command line. What scripts leave behind it, such as a carriage return, would name something that
 * does not exist: a service has no findings for it, and a gate would pass. The error shows only the character, because the rest may
 * be a key.
 *
 * @param name the option or argument, for the error: `--task`
 * @returns the text
 * @throws UsageError for any other character, and for what programs print for a missing value
 */
export function checkIdentifier(text: string, name: string): string {
  if (['null', 'undefined', 'None'].includes(text))
    throw new UsageError(
      `${name} must not be ${text}`,
      'Programs such as jq print this for a missing value. Check the command that returns the value.',
    );
  const wrong = [...text].find((character) => !ALLOWED.test(character));
  if (wrong === undefined) return text;
  throw new UsageError(
    `${name} must not contain ${/\s/.test(wrong) || HIDDEN_CHARACTER.test(wrong) ? codeOf(wrong) : quote(wrong)}`,
    'IDs and domains contain only letters, digits, and ._~:@/+=|-',
  );
}

/** `U+000D`. */
function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
