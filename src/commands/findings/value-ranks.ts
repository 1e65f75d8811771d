/** The severities, most severe first. */
export const SEVERITIES: readonly string[] = ['critical', 'high', 'medium', 'low'];

/** The rank of a medium severity; lower ranks are more severe. */
export const MEDIUM_SEVERITY = SEVERITIES.indexOf('medium');

/** The usual statuses of a finding. */
export const STATUSES: readonly string[] = ['open', 'needs_revision', 'ready_for_review', 'closed'];

/** Ranks a severity, whatever its case: 0 is the most severe. Undefined for an unknown value. */
export function severityRank(value: unknown): number | undefined {
  const rank = SEVERITIES.indexOf(String(value).trim().toLowerCase());
  return rank < 0 ? undefined : rank;
}
