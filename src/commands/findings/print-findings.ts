import type { Finding, ListedFinding } from '../../client/list-findings.ts';
import { renderCell } from '../../output/json.ts';
import { escapeMarkdown } from '../../output/markdown.ts';
import { type Output, printRecords } from '../../output/output.ts';
import { cleanLine } from '../../output/sanitize.ts';
import { displayWidth } from '../../output/text-width.ts';
import { UsageError } from '../../util/errors.ts';
import {
  allColumns,
  CSV_SAMPLE,
  chooseColumns,
  type FindingColumn,
  findingCell,
  findingColumnLayout,
  fitFindingColumns,
  KNOWN_COLUMNS,
  keysAt,
  readerOf,
} from './finding-columns.ts';
import { listValues, MEDIUM_SEVERITY, rankerOf, severityRank } from './finding-filter.ts';

export interface FindingsLayout {
  /** Undefined to choose them by the findings. */
  columns: readonly FindingColumn[] | undefined;
  sort: string | undefined;
  wrap: boolean;
}

/** Rows of a table beyond which csv is suggested. */
const MANY_ROWS = 100_000;

/** Findings as they arrive, in groups that arrived together. */
type FindingSource = AsyncIterable<readonly ListedFinding[]>;

/** Sorted findings are printed in groups of this size. */
const SORTED_GROUP = 100;

/** Prints findings in the output's format; ndjson and csv as they arrive, unless they are sorted. */
export async function printFindings(findings: FindingSource, layout: FindingsLayout, output: Output): Promise<void> {
  const { sort } = layout;
  if (output.isForPeople) return printTable(findings, layout, output);
  const ordered = sort === undefined ? findings : sorted(findings, sort, output);
  switch (output.format) {
    case 'json':
      // Printed only when complete: a response that is cut off must not leave half a document.
      return void (await output.jsonArray(await collectFindings(ordered)));
    case 'ndjson': {
      const { renderNdjson } = await import('../../client/list-findings.ts');
      for await (const some of whileRead(ordered, output)) await output.bytes(renderNdjson(some));
      return;
    }
    case 'csv':
      return printCsv(whileRead(ordered, output), layout.columns, output);
  }
}

/** Prints the fields of these findings by dotted name. */
export async function printFields(findings: FindingSource, output: Output): Promise<void> {
  const names = allColumns(await collectFindings(findings)).map(({ path }) => path);
  if (names.length === 0) output.note('no findings, so there are no fields to list');
  if (output.format === 'json') return output.json(names);
  for (const name of names) {
    if (output.format === 'ndjson') await output.ndjson(name);
    else if (output.format === 'csv') await output.csvRow([name]);
    else if (output.format === 'markdown') await output.write(`- ${escapeMarkdown(name)}\n`);
    else await output.write(`${cleanLine(name)}\n`);
  }
}

async function printTable(
  findings: FindingSource,
  { columns, sort, wrap }: FindingsLayout,
  output: Output,
): Promise<void> {
  const held = await collectForTable(findings, columns, sort, output);
  if (held.length === 0) return printNoFindings(output);
  const rows = sort === undefined ? held : sortNoting(held, sort, (finding) => finding, output);
  const { width } = output;
  const chosen = columns ?? chooseForTable(rows, width);
  const medium = width === undefined ? 'pipe' : 'terminal';
  await output.table(
    chosen.map((column) => findingColumnLayout(column, wrap)),
    // Created on demand: a table holds its findings, but not the text of all cells.
    {
      *[Symbol.iterator]() {
        for (const finding of rows) {
          yield chosen.map((column) => styleCell(column.path, findingCell(finding, column, medium), output));
        }
      },
    },
  );
}

/**
 * Collects the findings of a table, whose widths depend on all of them, with only the fields that the table shows or is sorted
 * by. Suggests csv for large lists.
 */
async function collectForTable(
  findings: FindingSource,
  columns: readonly FindingColumn[] | undefined,
  sort: string | undefined,
  output: Output,
): Promise<Finding[]> {
  const shown = (columns ?? KNOWN_COLUMNS).map(({ path }) => path);
  const fields = sort === undefined ? shown : [...shown, sort.replace(/^-/, '')];
  const readers = fields.map((path) => [path, readerOf(path)] as const);
  const reduced = (finding: Finding): Finding =>
    Object.fromEntries(
      readers.flatMap(([path, read]) => [[path, read(finding)]].filter(([, value]) => value !== undefined)),
    );
  // Without any known field, the columns are the first fields.
  const isShown = (finding: Finding) => columns !== undefined || shown.some((path) => finding[path] != null);
  let held: Finding[] = [];
  let isReduced = false;
  for await (const some of findings) {
    for (const { value } of some) {
      if (!isReduced && isShown(value)) {
        isReduced = true;
        held = held.map(reduced);
      }
      held.push(isReduced ? reduced(value) : value);
      if (held.length === MANY_ROWS + 1) {
        output.hint('a table holds all its rows in memory; with -o csv they are written as they arrive');
      }
    }
  }
  return held;
}

function chooseForTable(findings: readonly Finding[], width: number | undefined): readonly FindingColumn[] {
  const fitting = chooseColumns(findings);
  return width === undefined ? fitting : fitFindingColumns(fitting, findings, width);
}

function styleCell(path: string, text: string, { style }: Output) {
  const rank = path === 'severity' ? severityRank(text) : undefined;
  if (rank === undefined || rank > MEDIUM_SEVERITY) return text;
  return { text, style: rank < MEDIUM_SEVERITY ? style.error : style.warn };
}

async function printCsv(
  findings: FindingSource,
  columns: readonly FindingColumn[] | undefined,
  output: Output,
): Promise<void> {
  const sample: Finding[] = [];
  let cells: readonly ((finding: Finding) => unknown)[] | undefined;
  const writeRows = (rows: readonly Finding[]) =>
    output.csvRows(rows.map((finding) => (cells ?? []).map((read) => read(finding))));
  const start = async () => {
    const chosen = columns ?? allColumns(sample.slice(0, CSV_SAMPLE));
    cells = chosen.map(({ path }) => readerOf(path));
    if (chosen.length > 0) await output.csvRow(chosen.map(({ path }) => path));
    await writeRows(sample.splice(0));
  };
  for await (const some of findings) {
    const rows = some.map(({ value }) => value);
    if (cells !== undefined) await writeRows(rows);
    else if (sample.push(...rows) >= CSV_SAMPLE) await start();
  }
  if (cells === undefined) await start();
}

async function* sorted(findings: FindingSource, by: string, output: Output): AsyncGenerator<ListedFinding[]> {
  const all: ListedFinding[] = [];
  for await (const some of findings) all.push(...some);
  const ranked = sortNoting(all, by, ({ value }) => value, output);
  for (let at = 0; at < ranked.length; at += SORTED_GROUP) yield ranked.slice(at, at + SORTED_GROUP);
}

/** Sorts findings, and notes which values of the field have no rank. */
function sortNoting<Item>(
  items: readonly Item[],
  by: string,
  findingOf: (item: Item) => Finding,
  output: Output,
): Item[] {
  const { sorted, unranked } = sortFindings(items, by, findingOf);
  if (unranked.length > 0) output.note(`--sort ${by}: no rank is known for ${listValues(unranked)}, sorted last`);
  return sorted;
}

/** Ends when the reader of the output has exited, for example `head`. */
async function* whileRead(findings: FindingSource, output: Output): AsyncGenerator<readonly ListedFinding[]> {
  for await (const some of findings) {
    if (output.closed) return;
    yield some;
  }
}

async function collectFindings(findings: FindingSource): Promise<Finding[]> {
  const all: Finding[] = [];
  for await (const some of findings) for (const { value } of some) all.push(value);
  return all;
}

export interface SortedFindings<Item> {
  sorted: Item[];
  /** The distinct values of a ranked field that have no rank. */
  unranked: string[];
}

interface Keyed<Item> {
  item: Item;
  value: unknown;
  rank: number | undefined;
}

/**
 * Sorts findings by a field, dotted names included; `-field` reverses the order. Values without a rank come after those
 * with one and findings without the field come last, either way. Equal ones keep the service's order.
 *
 * @throws UsageError for a field that none of them has
 */
export function sortFindings<Item>(
  items: readonly Item[],
  by: string,
  findingOf: (item: Item) => Finding,
): SortedFindings<Item> {
  const descending = by.startsWith('-');
  const path = descending ? by.slice(1) : by;
  const read = readerOf(path);
  const rankOf = rankerOf(path);
  const keyed = items.map((item): Keyed<Item> => {
    const value = read(findingOf(item));
    return { item, value, rank: rankOf?.(value) };
  });
  if (items.length > 0 && keyed.every(({ value }) => value === undefined)) {
    throw new UsageError(`--sort: no finding has a field "${path}"`, 'Use --columns help to see the fields.');
  }
  keyed.sort((a, b) => compare(a, b, descending));
  const unranked = rankOf === undefined ? [] : keyed.filter(({ value, rank }) => value != null && rank === undefined);
  return {
    sorted: keyed.map(({ item }) => item),
    unranked: [...new Set(unranked.map(({ value }) => renderCell(value)))],
  };
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
async function printNoFindings(output: Output): Promise<void> {
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
