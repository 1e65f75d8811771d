/** The rank of a medium severity; lower ranks are more severe. */
export const MEDIUM_SEVERITY = 3;

const RANKS: ReadonlyMap<string, number> = new Map([
  ['blocker', 0],
  ['critical', 1],
  ['high', 2],
  ['medium', MEDIUM_SEVERITY],
  ['moderate', MEDIUM_SEVERITY],
  ['low', 4],
  ['info', 5],
  ['informational', 5],
]);

/** Ranks a severity, whatever its case: 0 is the most severe. Undefined for an unknown value. */
export function severityRank(value: unknown): number | undefined {
  return RANKS.get(String(value).trim().toLowerCase());
}
