import type { Finding, ListedFinding } from '../../client/list-findings.ts';
import { flatten, renderCell } from '../../output/json.ts';
import type { Column } from '../../output/table.ts';
import { displayWidth } from '../../output/text-width.ts';
import { UsageError } from '../../util/errors.ts';
import { formatCount } from '../../util/units.ts';

/** A column: a dotted name in the finding, and its header. */
export interface FindingColumn {
  path: string;
  header: string;
  /** A time of which a terminal shows only the day. */
  isDay?: boolean;
}

/** Fields seen on services, the most useful first. The interface does not fix any (2.5). */
export const KNOWN_COLUMNS: readonly FindingColumn[] = [
  { path: 'id', header: 'id' },
  { path: 'severity', header: 'severity' },
  { path: 'status', header: 'status' },
  { path: 'type', header: 'type' },
  { path: 'content', header: 'content' },
  { path: 'createdAt', header: 'created', isDay: true },
];

/** Whether services are known to have a field of this name. */
export function isKnownField(path: string): boolean {
  return KNOWN_COLUMNS.some((known) => known.path === path);
}

/** Number of columns if a list has none of the known fields. */
const MAX_OTHER_COLUMNS = 6;

/** Parses `--columns a,b.c`. Throws UsageError for an empty name. */
export function parseColumns(text: string): FindingColumn[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes(''))
    throw new UsageError(`--columns: "${text}" has an empty name`, 'Write --columns id,severity,createdBy.user.email');
  return [...new Set(names)].map((path) => ({ path, header: path }));
}

/** Chooses the columns: known fields that some findings have, or else the first fields. */
export function chooseColumns(findings: readonly Finding[]): FindingColumn[] {
  const present = KNOWN_COLUMNS.filter(({ path }) => findings.some((finding) => finding[path] != null));
  if (present.length > 0) return present;
  return allColumns(findings).slice(0, MAX_OTHER_COLUMNS);
}

/** Returns all fields of these findings by dotted name, the known ones first. */
export function allColumns(findings: readonly Finding[]): FindingColumn[] {
  const names = new Set<string>();
  for (const finding of findings) for (const name of flatten(finding).keys()) names.add(name);
  const known = KNOWN_COLUMNS.filter(({ path }) => names.has(path)).map(({ path }) => path);
  return [...new Set([...known, ...names])].map((path) => ({ path, header: path }));
}

/** Returns the keys of a finding that may hold the value at a dotted name. */
export function keysAt(path: string): string[] {
  const [outermost = path] = path.split('.');
  return [...new Set([path, outermost])];
}

/** Returns the value at a dotted name; a key that contains the dots wins over a nested one. */
export function valueAt(finding: Finding, path: string): unknown {
  return readerOf(path)(finding);
}

/** Returns `valueAt` for one dotted name. */
export function readerOf(path: string): (finding: Finding) => unknown {
  const keys = path.split('.');
  return (finding) => {
    if (Object.hasOwn(finding, path)) return finding[path];
    let value: unknown = finding;
    for (const key of keys) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
      value = (value as Record<string, unknown>)[key];
    }
    return value;
  };
}

const TIME = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}/;

/** Renders a finding's cell in a table, not yet sanitized. */
export function findingCell(finding: Finding, { path, isDay }: FindingColumn, medium: 'terminal' | 'pipe'): string {
  const text = renderCell(valueAt(finding, path));
  return isDay && medium === 'terminal' ? (TIME.exec(text)?.[1] ?? text) : text;
}

/** Number of findings by which the columns of a csv are chosen and checked, because its header comes first. */
export const CSV_SAMPLE = 1000;

/**
 * Checks that every requested column is a field of some finding. What is streamed is held back until that is certain, or
 * until 1,000 findings have arrived; anything else is printed only when complete.
 *
 * @throws UsageError for the columns that no finding has
 */
export async function* requireColumns(
  findings: AsyncIterable<readonly ListedFinding[]>,
  columns: readonly FindingColumn[],
  { isStreamed }: { isStreamed: boolean },
): AsyncGenerator<readonly ListedFinding[]> {
  let absent = columns;
  let seen = 0;
  const held: ListedFinding[] = [];
  for await (const some of findings) {
    for (const finding of some) {
      if (absent.length === 0) break;
      const { value } = finding;
      absent = absent.filter(({ path }) => valueAt(value, path) === undefined);
      seen++;
    }
    held.push(...some);
    if (isStreamed && absent.length > 0) {
      if (seen >= CSV_SAMPLE) throw missingColumnsError(absent, seen);
      continue;
    }
    yield held.splice(0);
  }
  if (seen > 0 && absent.length > 0) throw missingColumnsError(absent);
}

function missingColumnsError(absent: readonly FindingColumn[], sample?: number): UsageError {
  const names = absent.map(({ path }) => `"${path}"`).join(', ');
  return sample === undefined
    ? new UsageError(`--columns: no finding has a field ${names}`, 'Use --columns help to see the fields.')
    : new UsageError(
        `--columns: none of the first ${formatCount(sample)} findings has a field ${names}`,
        'Use --columns help to see the fields. If only later findings have it, add --sort: the list is then read before it is printed.',
      );
}

/** Minimum width of the content, in terminal columns. */
const CONTENT_MIN = 30;
/** Minimum width of other fields; a longer value may be cut. */
const WORD_MAX = 16;
const GUTTER = 2;

/** Columns that are dropped first if not all fit; id, severity and content are always kept. */
const DROPPED: readonly string[] = ['createdAt', 'type', 'status'];

/**
 * Chooses the columns that fit a terminal.
 *
 * @param width in terminal columns
 * @returns all of them if not even the minimum fits: the table is then printed as records
 */
export function fitFindingColumns(
  columns: readonly FindingColumn[],
  findings: readonly Finding[],
  width: number,
): readonly FindingColumn[] {
  const needed = new Map(columns.map((column) => [column, neededWidth(column, findings)]));
  const fits = (some: readonly FindingColumn[]) =>
    some.reduce((sum, column) => sum + (needed.get(column) ?? 0) + GUTTER, -GUTTER) <= width;
  let kept = columns;
  for (const path of DROPPED) {
    if (fits(kept)) return kept;
    kept = kept.filter((column) => column.path !== path);
  }
  return fits(kept) ? kept : columns;
}

/** Returns the layout of a column: identifiers are never cut, and content gets the remaining width. */
export function findingColumnLayout({ path, header }: FindingColumn, wrap: boolean): Column {
  if (/(^|\.)id$|Id$/.test(path)) return { header, min: Number.POSITIVE_INFINITY };
  if (path === 'content') return { header, wrap, min: CONTENT_MIN, weight: 4 };
  return { header, wrap, min: WORD_MAX };
}

function neededWidth(column: FindingColumn, findings: readonly Finding[]): number {
  const { min = WORD_MAX } = findingColumnLayout(column, false);
  let widest = displayWidth(column.header);
  for (const finding of findings) {
    if (widest >= min) return min;
    widest = Math.max(widest, displayWidth(findingCell(finding, column, 'terminal'), min));
  }
  return Math.min(widest, min);
}
