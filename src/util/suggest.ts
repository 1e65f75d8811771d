import leven from 'leven';
import { UsageError } from './errors.ts';

const MAX_DISTANCE = 4;

/**
 * Returns the known name whose spelling is nearest to `name`, if one is near enough to be what was meant.
 *
 * @param maxDistance number of letters that may differ
 */
export function suggest(
  name: string,
  known: readonly string[],
  maxDistance = Math.min(MAX_DISTANCE, Math.ceil(Math.min(name.length, 100) / 2)),
): string | undefined {
  const wanted = name.toLowerCase().slice(0, 100);
  let best: string | undefined;
  let bestDistance = maxDistance + 1;
  for (const candidate of known) {
    const distance = leven(wanted, candidate.toLowerCase(), { maxDistance: bestDistance });
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/**
 * The error for a name that is not known, with the nearest that is.
 *
 * @param subject the sentence before the name: `unknown profile`
 */
export async function unknownNameError(subject: string, name: string, known: readonly string[]): Promise<UsageError> {
  const suggestion = suggest(name, known);
  if (suggestion !== undefined) return new UsageError(`${subject} "${name}"`, `Did you mean "${suggestion}"?`);
  return new UsageError(`${subject} "${name}"`, known.length === 0 ? undefined : `Known are: ${known.join(', ')}.`);
}
