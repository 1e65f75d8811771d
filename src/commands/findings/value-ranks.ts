import type { Finding } from '../../client/operations.ts';
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

/**
 * Returns the findings with the most severe first, and the newest first among those of equal severity. Findings without a known
 * severity come last, and so do those without a valid `createdAt` among their equals. Others keep the service's order.
 */
export function mostSevereFirst(findings: readonly Finding[]): Finding[] {
  return findings
    .map((finding) => ({ finding, rank: rankOf(finding), createdMs: createdMs(finding) }))
    .sort((a, b) => a.rank - b.rank || b.createdMs - a.createdMs)
    .map(({ finding }) => finding);
}

function rankOf({ severity }: Finding): number {
  return severityRank(severity) ?? SEVERITIES.length;
}

function createdMs({ createdAt }: Finding): number {
  const ms = typeof createdAt === 'number' ? createdAt : Date.parse(String(createdAt));
  return Number.isNaN(ms) ? 0 : ms;
}
