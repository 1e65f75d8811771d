import { cleanLine } from '../../output/sanitize.ts';

/** The rank of a medium severity; lower ranks are more severe. */
export const MEDIUM_SEVERITY = 3;

const SEVERITY_RANKS: ReadonlyMap<string, number> = new Map([
  ['blocker', 0],
  ['critical', 1],
  ['high', 2],
  ['medium', MEDIUM_SEVERITY],
  ['moderate', MEDIUM_SEVERITY],
  ['low', 4],
  ['info', 5],
  ['informational', 5],
]);

/** The severities with a rank, most severe first. */
export const SEVERITIES: readonly string[] = [...SEVERITY_RANKS.keys()];

/** The states of a finding in their usual order. */
export const STATUSES: readonly string[] = ['open', 'needs_revision', 'ready_for_review', 'closed'];

/** Ranks a severity, whatever its case: 0 is the most severe. Undefined for an unknown value. */
export function severityRank(value: unknown): number | undefined {
  return SEVERITY_RANKS.get(normalizeValue(value));
}

/** Returns how values of a field are ranked; undefined for a field that is sorted alphabetically. */
export function rankerOf(path: string): ((value: unknown) => number | undefined) | undefined {
  if (path === 'severity') return severityRank;
  if (path !== 'status') return undefined;
  return (value) => {
    const rank = STATUSES.indexOf(normalizeValue(value));
    return rank < 0 ? undefined : rank;
  };
}

/** Normalizes a value for comparison with what a user typed. */
export function normalizeValue(value: unknown): string {
  return String(value).trim().toLowerCase();
}

/** Number of values that a message lists, and their length. */
const NAMED_VALUES = 5;
const NAMED_CHARACTERS = 60;

/** Renders `"P1", "P2" and 3 more`. */
export function listValues(values: readonly string[]): string {
  const named = values.slice(0, NAMED_VALUES).map((value) => `"${cleanLine(value).slice(0, NAMED_CHARACTERS)}"`);
  const rest = values.length - named.length;
  return `${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
