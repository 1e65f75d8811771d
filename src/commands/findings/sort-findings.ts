import type { Finding } from '../../client/finding.ts';
import { renderCell } from '../../output/cell-text.ts';
import { UsageError } from '../../util/errors.ts';
import { readerOf } from './finding-columns.ts';
import { severityRank } from './severity.ts';

/** The states in the order in which a finding goes through them. */
const STATUSES: readonly string[] = ['open', 'needs_revision', 'ready_for_review', 'closed'];

/** Fields whose order is not that of the alphabet. A value that is not known has no rank. */
const RANKS: Readonly<Record<string, (value: unknown) => number | undefined>> = {
  severity: severityRank,
  status: (value) => {
    const rank = STATUSES.indexOf(String(value).trim().toLowerCase());
    return rank < 0 ? undefined : rank;
  },
};

export interface SortedFindings {
  findings: Finding[];
  /** The values of a ranked field that have no rank, each once, as they arrived. */
  unranked: string[];
}

interface Keyed {
  finding: Finding;
  value: unknown;
  rank: number | undefined;
}

/**
 * Sorts findings by a field, dotted names included; `-field` reverses the order. Values without a rank come after those
 * with one and findings without the field come last, either way. Equal ones keep the service's order.
 *
 * @throws UsageError for a field that none of them has
 */
export function sortFindings(findings: readonly Finding[], by: string): SortedFindings {
  const descending = by.startsWith('-');
  const path = descending ? by.slice(1) : by;
  const read = readerOf(path);
  const rankOf = Object.hasOwn(RANKS, path) ? RANKS[path] : undefined;
  const keyed = findings.map((finding): Keyed => {
    const value = read(finding);
    return { finding, value, rank: rankOf?.(value) };
  });
  if (findings.length > 0 && keyed.every(({ value }) => value === undefined)) {
    throw new UsageError(`--sort: no finding has a field "${path}"`, 'Use --columns help to see the fields.');
  }
  keyed.sort((a, b) => compare(a, b, descending));
  const unranked = rankOf === undefined ? [] : keyed.filter(({ value, rank }) => value != null && rank === undefined);
  return {
    findings: keyed.map(({ finding }) => finding),
    unranked: [...new Set(unranked.map(({ value }) => renderCell(value)))],
  };
}

function compare(a: Keyed, b: Keyed, descending: boolean): number {
  if (a.value == null || b.value == null) return Number(a.value == null) - Number(b.value == null);
  const sign = descending ? -1 : 1;
  if (a.rank !== undefined && b.rank !== undefined) return sign * (a.rank - b.rank);
  if (a.rank !== undefined || b.rank !== undefined) return a.rank === undefined ? 1 : -1;
  return sign * compareValues(a.value, b.value);
}

function compareValues(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [left, right] = [renderCell(a), renderCell(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}
