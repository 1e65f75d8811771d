import type { Finding } from '../../client/list-findings.ts';
import { renderCell } from '../../output/json.ts';
import { readerOf, requireFields } from './finding-columns.ts';
import { rankerOf } from './value-ranks.ts';

interface Keyed<Item> {
  item: Item;
  value: unknown;
  rank: number | undefined;
}

/**
 * Sorts findings by a field, which may be a dotted name; `-field` reverses the order. Values without a rank come after those
 * with one and findings without the field come last, either way. Equal ones keep the service's order.
 *
 * @throws UsageError for a field that none of them has
 */
export function sortFindings<Item extends { value: Finding }>(items: readonly Item[], by: string): Item[] {
  const descending = by.startsWith('-');
  const path = descending ? by.slice(1) : by;
  const read = readerOf(path);
  const rankOf = rankerOf(path);
  requireFields(
    '--sort',
    [path],
    items.map(({ value }) => value),
  );
  const keyed = items.map((item): Keyed<Item> => {
    const value = read(item.value);
    return { item, value, rank: rankOf?.(value) };
  });
  keyed.sort((a, b) => compare(a, b, descending));
  return keyed.map(({ item }) => item);
}

function compare(a: Keyed<unknown>, b: Keyed<unknown>, descending: boolean): number {
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
