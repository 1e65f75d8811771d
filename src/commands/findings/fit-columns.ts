import type { Finding } from '../../client/finding.ts';
import { displayWidth } from '../../output/display-width.ts';
import type { Column } from '../../output/table.ts';
import { type FindingColumn, findingCell } from './finding-columns.ts';

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
