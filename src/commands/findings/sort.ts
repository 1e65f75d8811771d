import { UsageError } from '../../errors.ts';
import { cellText } from '../../output/values.ts';
import type { Finding } from '../../service/listed-finding.ts';
import { readerOf } from './columns.ts';

/** Orders that are not the alphabet's: the gravest severity first, and the states as a finding goes through them. */
const ORDERS: Readonly<Record<string, readonly string[]>> = {
  severity: ['critical', 'high', 'medium', 'low'],
  status: ['open', 'needs_revision', 'ready_for_review', 'closed'],
};

/**
 * Sorts findings by a field, dotted names included; `-field` turns the order round. Findings without the field come
 * last, equal ones keep the service's order.
 *
 * @throws UsageError for a field that none of them has
 */
export function sortFindings(findings: readonly Finding[], by: string): Finding[] {
  const descending = by.startsWith('-');
  const path = descending ? by.slice(1) : by;
  const read = readerOf(path);
  const keyed = findings.map((finding) => ({ finding, value: read(finding) }));
  if (findings.length > 0 && keyed.every(({ value }) => value === undefined)) {
    throw new UsageError(`--sort: no finding has a field "${path}"`, 'Use --columns help to see the fields.');
  }
  const order = ORDERS[path];
  return keyed.sort((a, b) => compare(a.value, b.value, order, descending)).map(({ finding }) => finding);
}

function compare(a: unknown, b: unknown, order: readonly string[] | undefined, descending: boolean): number {
  if (a == null || b == null) return Number(a == null) - Number(b == null);
  const result = order === undefined ? compareValues(a, b) : rank(a, order) - rank(b, order);
  return descending ? -result : result;
}

function compareValues(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [left, right] = [cellText(a), cellText(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function rank(value: unknown, order: readonly string[]): number {
  const at = order.indexOf(String(value));
  return at < 0 ? order.length : at;
}
