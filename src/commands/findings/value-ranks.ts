/** The severities, most severe first. */
export const SEVERITIES: readonly string[] = ['critical', 'high', 'medium', 'low'];

/** The rank of a medium severity; lower ranks are more severe. */
export const MEDIUM_SEVERITY = SEVERITIES.indexOf('medium');

/** The states of a finding in their usual order. */
export const STATUSES: readonly string[] = ['open', 'needs_revision', 'ready_for_review', 'closed'];

/** Ranks a severity, whatever its case: 0 is the most severe. Undefined for an unknown value. */
export function severityRank(value: unknown): number | undefined {
  return rankIn(SEVERITIES, value);
}

/** Returns how values of a field are ranked; undefined for a field that is sorted by its text. */
export function rankerOf(path: string): ((value: unknown) => number | undefined) | undefined {
  if (path === 'severity') return severityRank;
  return path === 'status' ? (value) => rankIn(STATUSES, value) : undefined;
}

function rankIn(values: readonly string[], value: unknown): number | undefined {
  const rank = values.indexOf(String(value).trim().toLowerCase());
  return rank < 0 ? undefined : rank;
}
