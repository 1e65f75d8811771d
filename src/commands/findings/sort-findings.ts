import type { Finding } from '../../client/operations.ts';
import { SEVERITIES, severityRank } from './value-ranks.ts';

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
