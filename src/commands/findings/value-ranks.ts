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
  return SEVERITY_RANKS.get(String(value).trim().toLowerCase());
}

/** Returns how values of a field are ranked; undefined for a field that is sorted by its text. */
export function rankerOf(path: string): ((value: unknown) => number | undefined) | undefined {
  if (path === 'severity') return severityRank;
  if (path !== 'status') return undefined;
  return (value) => {
    const rank = STATUSES.indexOf(String(value).trim().toLowerCase());
    return rank < 0 ? undefined : rank;
  };
}
