import type { Finding } from '../../client/list-findings.ts';
import { renderCell } from '../../output/cell-text.ts';
import { type Output, printRecords } from '../../output/output.ts';
import { cleanLine } from '../../output/sanitize.ts';
import { displayWidth } from '../../output/text-width.ts';
import { UsageError } from '../../util/errors.ts';
import { keysAt, readerOf } from './finding-columns.ts';
import { rankerOf } from './finding-filter.ts';

/** The number of findings with one value of a field. */
interface ValueCount {
  /** As the service sent it; null also for findings without the field. */
  value: unknown;
  count: number;
}

/** Counts findings by the values of a field, for `--count --group-by`. */
export class ValueCounter {
  readonly path: string;
  /** Names of the members that `add` reads. */
  readonly fields: readonly string[];
  readonly #read: (finding: Finding) => unknown;
  readonly #counts = new Map<string, ValueCount>();
  #isPresent = false;

  constructor(path: string) {
    this.path = path;
    this.fields = keysAt(path);
    this.#read = readerOf(path);
  }

  /** Adds `count` findings with the same `fields`. */
  add(fields: Finding, count: number): void {
    const value = this.#read(fields);
    if (value !== undefined) this.#isPresent = true;
    const key = JSON.stringify(value ?? null);
    const group = this.#counts.get(key);
    if (group === undefined) this.#counts.set(key, { value: value ?? null, count });
    else group.count += count;
  }

  /**
   * Returns the counts: values with a rank in its order, others by their number, and at last findings without the field.
   *
   * @throws UsageError for a field that no finding has
   */
  counts(): ValueCount[] {
    if (this.#counts.size > 0 && !this.#isPresent) {
      throw new UsageError(
        `--group-by: no finding has a field "${this.path}"`,
        'Use --columns help to see the fields.',
      );
    }
    const rankOf = rankerOf(this.path) ?? (() => undefined);
    const orderOf = ({ value }: ValueCount) =>
      value === null ? Number.POSITIVE_INFINITY : (rankOf(value) ?? Number.MAX_SAFE_INTEGER);
    return [...this.#counts.values()].sort((a, b) => {
      const [left, right] = [orderOf(a), orderOf(b)];
      return left === right ? b.count - a.count : left - right;
    });
  }
}

/** Prints the counts in the output's format; a terminal shows proportional bars. */
export async function printValueCounts(counter: ValueCounter, output: Output): Promise<void> {
  const counts = counter.counts();
  const csv = [[counter.path, 'count'], ...counts.map(({ value, count }) => [value, count])];
  const table = () => (counts.length === 0 ? printNoFindings(output) : printCountTable(counter.path, counts, output));
  await printRecords({ json: counts, ndjson: counts, csv, table }, output);
}

/** Prints that there are no findings: on stderr, or in a Markdown report that would be empty without it. */
export async function printNoFindings(output: Output): Promise<void> {
  if (output.format === 'markdown') return output.write('No findings.\n');
  output.note('no findings');
}

/** Columns of the longest bar, and the fewest that are worth showing. */
const LONGEST_BAR = 40;
const SHORTEST_BAR = 10;
const GUTTER = 2;

async function printCountTable(path: string, counts: readonly ValueCount[], output: Output): Promise<void> {
  const rows = counts.map(
    ({ value, count }) => [value === null ? '(none)' : renderCell(value), String(count)] as const,
  );
  const columns = [{ header: path }, { header: 'count', align: 'right' as const }];
  const widthOf = (index: 0 | 1) =>
    Math.max(
      ...[columns[index]?.header ?? '', ...rows.map((row) => row[index])].map((text) => displayWidth(cleanLine(text))),
    );
  const room = (output.width ?? 0) - widthOf(0) - widthOf(1) - 2 * GUTTER;
  if (room < SHORTEST_BAR) return output.table(columns, rows);
  const largest = Math.max(...counts.map(({ count }) => count));
  const barOf = (count: number) => '█'.repeat(Math.max(1, Math.round((count / largest) * Math.min(room, LONGEST_BAR))));
  await output.table(
    [...columns, { header: '' }],
    rows.map((row, at) => [...row, { text: barOf(counts[at]?.count ?? 0), style: output.style.accent }]),
  );
}
