import { cleanLine } from '../../output/sanitize.ts';

/** Upper bounds on the values that a message lists, and on their length. */
const [LISTED_VALUES, LISTED_CHARACTERS] = [5, 60];

/** Renders values for a message: `"P1", "P2" and 3 more`. */
export function listValues(values: readonly string[]): string {
  const listed = values.slice(0, LISTED_VALUES).map((value) => `"${cleanLine(value).slice(0, LISTED_CHARACTERS)}"`);
  const rest = values.length - listed.length;
  return `${listed.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
