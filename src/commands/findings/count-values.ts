import type { ListedFinding } from '../../client/list-findings.ts';
import { fieldTest, missingFieldError, readerOf } from './field-reader.ts';
import type { ValueCount } from './findings-output.ts';
import { rankerOf } from './value-ranks.ts';

/**
 * Counts findings by the values of a field as they arrive: values with a rank in its order, then the others by their number,
 * and findings without the field at the end.
 *
 * @throws UsageError for a field that no finding has
 */
export async function countValues(
  groups: AsyncIterable<readonly ListedFinding[]>,
  path: string,
): Promise<ValueCount[]> {
  const read = readerOf(path);
  const hasField = fieldTest(path);
  const counts = new Map<string, ValueCount>();
  let isPresent = false;
  for await (const group of groups) {
    for (const finding of group) {
      const value = read(finding.value);
      isPresent ||= hasField(finding.value);
      const key = JSON.stringify(value ?? null);
      const counted = counts.get(key);
      if (counted === undefined) counts.set(key, { value: value ?? null, count: 1 });
      else counted.count++;
    }
  }
  if (counts.size > 0 && !isPresent) throw missingFieldError('--group-by', [path]);
  const rankOf = rankerOf(path);
  const orderOf = ({ value }: ValueCount) =>
    value === null ? Number.POSITIVE_INFINITY : (rankOf?.(value) ?? Number.MAX_SAFE_INTEGER);
  return [...counts.values()].sort((a, b) => {
    const [left, right] = [orderOf(a), orderOf(b)];
    return left === right ? b.count - a.count : left - right;
  });
}
