import type { Finding } from '../../client/list-findings.ts';
import { renderCell } from '../../output/json.ts';
import type { Column } from '../../output/table.ts';
import { displayWidth } from '../../output/text-width.ts';
import { readerOf } from './field-reader.ts';
import type { FindingColumn } from './finding-columns.ts';

const TIME = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}/;

/** Returns a function that renders a finding's cell in a column of a table, not yet sanitized. */
export function cellReader({ path, isDay }: FindingColumn, medium: 'terminal' | 'pipe'): (finding: Finding) => string {
  const read = readerOf(path);
  if (!isDay || medium === 'pipe') return (finding) => renderCell(read(finding));
  return (finding) => {
    const time = renderCell(read(finding));
    return TIME.exec(time)?.[1] ?? time;
  };
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
  const readCell = cellReader(column, 'terminal');
  let widest = displayWidth(column.header);
  for (const finding of findings) {
    if (widest >= min) return min;
    widest = Math.max(widest, displayWidth(readCell(finding)));
  }
  return Math.min(widest, min);
}
