import type { Finding } from '../../client/list-findings.ts';
import { flatten, renderCell } from '../../output/cell-text.ts';
import type { Column } from '../../output/table.ts';
import { displayWidth } from '../../output/text-width.ts';
import { UsageError } from '../../util/errors.ts';

/** A column: a dotted name in the finding, and its header. */
export interface FindingColumn {
  path: string;
  header: string;
  /** A point in time of which a terminal shows the day only. */
  isDay?: boolean;
}

/** Fields seen on services, in the order in which they help most. The interface fixes none (2.5). */
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

/** Columns of a table when none of the known fields is there. */
const MAX_OTHER_COLUMNS = 6;

/** Reads `--columns a,b.c`. Throws UsageError for an empty name. */
export function parseColumns(text: string): FindingColumn[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes(''))
    throw new UsageError(`--columns: "${text}" has an empty name`, 'Write --columns id,severity,createdBy.user.email');
  return [...new Set(names)].map((path) => ({ path, header: path }));
}

/** The columns that fit these findings: known fields that some of them have, else the first fields that arrive. */
export function chooseColumns(findings: readonly Finding[]): FindingColumn[] {
  const present = KNOWN_COLUMNS.filter(({ path }) => findings.some((finding) => finding[path] != null));
  if (present.length > 0) return present;
  return allColumns(findings).slice(0, MAX_OTHER_COLUMNS);
}

/** Every field of these findings by its dotted name: the known ones first, then as they arrive. */
export function allColumns(findings: readonly Finding[]): FindingColumn[] {
  const names = new Set<string>();
  for (const finding of findings) for (const name of flatten(finding).keys()) names.add(name);
  const known = KNOWN_COLUMNS.filter(({ path }) => names.has(path)).map(({ path }) => path);
  return [...new Set([...known, ...names])].map((path) => ({ path, header: path }));
}

/** The keys of a finding that have to do with the value at a dotted name. */
export function keysAt(path: string): string[] {
  const [outermost = path] = path.split('.');
  return [...new Set([path, outermost])];
}

/** The value at a dotted name; a key that has the dots in itself goes before a nested one. */
export function valueAt(finding: Finding, path: string): unknown {
  return readerOf(path)(finding);
}

/** `valueAt` for one dotted name, for many findings. */
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

/** A finding's text in a column of a table, not yet safe for a terminal. */
export function findingCell(finding: Finding, { path, isDay }: FindingColumn, medium: 'terminal' | 'pipe'): string {
  const text = renderCell(valueAt(finding, path));
  return isDay && medium === 'terminal' ? (TIME.exec(text)?.[1] ?? text) : text;
}

/** Finds out which columns that were asked for no finding has: most often a name with a slip in it. */
export class MissingColumns {
  #absent: readonly FindingColumn[];
  #count = 0;

  constructor(columns: readonly FindingColumn[]) {
    this.#absent = columns;
  }

  add(finding: Finding): void {
    this.#count++;
    if (this.#absent.length === 0) return;
    this.#absent = this.#absent.filter(({ path }) => valueAt(finding, path) === undefined);
  }

  /** One sentence where there are any. */
  warning(): string | undefined {
    if (this.#count === 0 || this.#absent.length === 0) return undefined;
    const names = this.#absent.map(({ path }) => `"${path}"`).join(', ');
    return `--columns: no finding has a field ${names}. --columns help lists the fields.`;
  }
}

/** What a finding says needs this much to be worth reading, in terminal columns. */
const CONTENT_MIN = 30;
/** Other fields are words: a longer one is cut. */
const WORD_MAX = 16;
const GUTTER = 2;

/** The columns that go first where not all fit; id, severity and content are never left out. */
const DROPPED: readonly string[] = ['createdAt', 'type', 'status'];

/**
 * As many of the columns as a terminal has room for.
 *
 * @param width in terminal columns
 * @returns all of them where not even the least would fit: such a table is shown as records
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

/** How a column of findings is laid out: identifiers are there to be copied, and content gets what is left. */
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
