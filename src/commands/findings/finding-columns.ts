import type { Finding } from '../../client/list-findings.ts';
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

/**
 * Returns a function that reads the value at a dotted name. A key that contains the dots wins over a nested one, and a field
 * over the header under which a table shows another one (`created`).
 */
export function readerOf(path: string): (finding: Finding) => unknown {
  const read = pathReader(path);
  const shown = KNOWN_COLUMNS.find((column) => column.header === path && column.path !== path);
  if (shown === undefined) return read;
  const readShown = pathReader(shown.path);
  return (finding) => {
    const value = read(finding);
    return value === undefined ? readShown(finding) : value;
  };
}

function pathReader(path: string): (finding: Finding) => unknown {
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
  const text = renderCell(readerOf(path)(finding));
  return isDay && medium === 'terminal' ? (TIME.exec(text)?.[1] ?? text) : text;
}

/** Finds requested columns that are not a field of any finding. */
export class ColumnCheck {
  #missing: readonly { path: string; read: (finding: Finding) => unknown }[];
  #total = 0;

  constructor(columns: readonly FindingColumn[]) {
    this.#missing = columns.map(({ path }) => ({ path, read: readerOf(path) }));
  }

  add(finding: Finding): void {
    this.#total++;
    if (this.#missing.length > 0) this.#missing = this.#missing.filter(({ read }) => read(finding) === undefined);
  }

  /**
   * Checks the columns against the findings so far.
   *
   * @param isComplete whether there are no more findings
   * @throws UsageError that names the columns
   */
  check({ isComplete }: { isComplete: boolean }): void {
    if (this.#total === 0 || this.#missing.length === 0) return;
    const names = this.#missing.map(({ path }) => `"${path}"`).join(', ');
    const sample = isComplete ? 'no finding' : `none of the first ${formatCount(this.#total)} findings`;
    const later = ' If only later findings have it, add --sort: the list is then read before it is printed.';
    throw new UsageError(
      `--columns: ${sample} has a field ${names}`,
      `Use --columns help to see the fields.${isComplete ? '' : later}`,
    );
  }
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
    widest = Math.max(widest, displayWidth(findingCell(finding, column, 'terminal')));
  }
  return Math.min(widest, min);
}
