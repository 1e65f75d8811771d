import { UsageError } from '../util/errors.ts';
import { HIDDEN_CHARACTER, showHidden } from '../util/hidden-characters.ts';
import { countOf } from '../util/units.ts';
import { isPrintedNothing, isReference } from '../util/unresolved.ts';

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

const UNRESOLVED = 'Pass the value itself. In single quotes, a shell does not replace variables.';

/** Longer values are not shown. They are not cut, because a part of a key would not be recognized as one. */
const MAX_SHOWN = 200;

/**
 * Checks an ID or a domain of the command line. What scripts leave behind it would name something that does not exist: a
 * service has no findings for it, and a gate would pass.
 *
 * @param name the option or argument, for the error: `--task`
 * @param separate how to pass several of them, for the hint
 * @returns the text
 * @throws UsageError for spaces, quotation marks, commas, and hidden characters, which the message shows as `<U+200B>`, for a
 *   reference such as `$TASK`, and for null, which jq prints for a missing value
 */
export function checkIdentifier(
  text: string,
  name: string,
  separate = 'Pass one, and run the command once for each.',
): string {
  const commas = { pattern: /,/, what: 'commas', hint: separate };
  if (isPrintedNothing(text))
    throw new UsageError(
      `${name} must not be ${text}`,
      'Programs such as jq print this for a missing value. Check the command that returns the value.',
    );
  // No ID begins with a dollar sign, but variables do.
  if (isReference(text) || text.startsWith('$'))
    throw new UsageError(`${name} must be a value, not a reference to one (got ${describe(text)})`, UNRESOLVED);
  return rejectAny([...NOT_IN_IDENTIFIERS, commas], text, name);
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
  throw new UsageError(
    `${name} must not contain ${found.what} (got ${describe(text, '<U+0020>')})`,
    found.hint ?? hintFor(text),
  );
}

/** @param space how to show a space, where it is the mistake */
function describe(text: string, space = ' '): string {
  return text.length > MAX_SHOWN ? countOf(text.length, 'character') : showHidden(text).replaceAll(' ', space);
}

function hintFor(text: string): string {
  return /\r\n?$/.test(text)
    ? "Remove them. Lines of a file with Windows line ends end in U+000D; tr -d '\\r' removes it."
    : 'Remove them.';
}
