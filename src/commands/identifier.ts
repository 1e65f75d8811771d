import { UsageError } from '../util/errors.ts';
import { HIDDEN_CHARACTER, showHidden } from '../util/hidden-characters.ts';
import { countOf } from '../util/units.ts';

/** Creates Commander's parser for an option or argument whose value is an ID; see `checkIdentifier`. */
export function identifierParser(name: string): (text: string) => string {
  return (text) => checkIdentifier(text, name);
}

const HIDDEN = { pattern: HIDDEN_CHARACTER, what: 'hidden characters' };

/** What an ID or a domain does not contain. */
const NOT_IN_IDENTIFIERS = [
  HIDDEN,
  { pattern: /[\p{Quotation_Mark}`]/u, what: 'quotation marks' },
  { pattern: /\s/, what: 'spaces' },
] as const;

/** Longer values are not shown. They are not cut, because a part of a key would not be recognized as one. */
const MAX_SHOWN = 200;

/**
 * Checks an ID or a domain of the command line. What scripts leave behind it would name something that does not exist: a
 * service has no findings for it, and a gate would pass.
 *
 * @param name the option or argument, for the error: `--task`
 * @param separate how to pass several of them, for the hint
 * @returns the text
 * @throws UsageError for spaces, quotation marks, commas, and hidden characters, which the message shows as `<U+200B>`, and for
 *   null, which jq prints for a missing value
 */
export function checkIdentifier(
  text: string,
  name: string,
  separate = 'Pass one, and run the command once for each.',
): string {
  const commas = { pattern: /,/, what: 'commas', hint: separate };
  if (text !== 'null') return rejectAny([...NOT_IN_IDENTIFIERS, commas], text, name);
  throw new UsageError(`${name} must not be null`, 'jq prints null for a value that a document does not have.');
}

/**
 * Checks a name of the command line, which may have spaces and quotation marks.
 *
 * @throws UsageError for hidden characters
 */
export function checkName(text: string, name: string): string {
  return rejectAny([HIDDEN], text, name);
}

interface Rejected {
  readonly pattern: RegExp;
  readonly what: string;
  /** Default: how to remove it. */
  readonly hint?: string;
}

function rejectAny(rejected: readonly Rejected[], text: string, name: string): string {
  const found = rejected.find(({ pattern }) => pattern.test(text));
  if (found === undefined) return text;
  const shown =
    text.length > MAX_SHOWN ? countOf(text.length, 'character') : showHidden(text).replaceAll(' ', '<U+0020>');
  throw new UsageError(`${name} must not contain ${found.what} (got ${shown})`, found.hint ?? hintFor(text));
}

function hintFor(text: string): string {
  return /\r\n?$/.test(text)
    ? "Remove them. Lines of a file with Windows line ends end in U+000D; tr -d '\\r' removes it."
    : 'Remove them.';
}
