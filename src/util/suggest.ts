import leven from 'leven';
import { UsageError } from './errors.ts';
import { showHidden } from './hidden-characters.ts';

const CHARACTERS_PER_TYPO = 3;
const MAX_DISTANCE = 3;

/**
 * Returns the known name that is closest in spelling to `name`; undefined if none is close enough to be a misspelling:
 * every third character may differ, and the first one only if no other does (`tcsh` is not `bash`). A name with the same
 * characters in another order is close, too, however short it is.
 */
export function suggest(name: string, known: readonly string[]): string | undefined {
  const wanted = name.toLowerCase().slice(0, 100);
  let best: string | undefined;
  const typos = Math.max(1, Math.floor(wanted.length / CHARACTERS_PER_TYPO));
  let bestDistance = Math.min(MAX_DISTANCE, typos) + 1;
  for (const candidate of known) {
    const text = candidate.toLowerCase();
    const isReordered = sortedCharacters(text) === sortedCharacters(wanted);
    const distance = isReordered ? 1 : leven(wanted, text, { maxDistance: bestDistance });
    const isPlausible = distance <= 1 || text[0] === wanted[0];
    if (isPlausible && distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

const sortedCharacters = (text: string) => [...text].sort().join('');

/** Longer lists are shown only if there is no suggestion. */
const MAX_LISTED = 10;

/**
 * Returns the error for an unknown name, with the closest known one and the list of all.
 *
 * @param subject text before the name: `unknown setting`
 */
export function unknownNameError(subject: string, name: string, known: readonly string[]): UsageError {
  const near = suggest(name, known);
  const isListed = near === undefined ? known.length > 0 : known.length > 1 && known.length <= MAX_LISTED;
  const hints = [near && `Did you mean ${near}?`, isListed && `Known: ${known.join(', ')}.`];
  return new UsageError(`${subject} "${showHidden(name)}"`, hints.filter(Boolean).join(' ') || undefined);
}

/**
 * Returns the error for a value that is not one of those allowed.
 *
 * @param name the option, variable or setting
 */
export function notAllowedError(text: string, name: string, allowed: readonly string[]): UsageError {
  const near = suggest(text, allowed);
  const hints = [near && `Did you mean ${near}?`, `Allowed: ${allowed.join(', ')}.`];
  return new UsageError(`${name}: "${showHidden(text)}" is not allowed`, hints.filter(Boolean).join(' '));
}
