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
