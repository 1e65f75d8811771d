import type { RunState } from '../../../import/journal/run-state.ts';
import type { Layout } from '../../../import/list/layout.ts';
import type { ListRow } from '../../../import/list-row.ts';
import { type Outcome, ROW_STATES, type RowState } from '../../../import/outcome.ts';
import { countOf, formatCount } from '../../../util/units.ts';
import type { ImportSummary, ReportRow } from './document.ts';
import { type Ending, stopReasonOf } from './ending.ts';

/** A row of a report, the outcome that it tells, and the row of the list; undefined if that is unreadable now. */
export interface ListedRow {
  row: ReportRow;
  outcome: Outcome;
  listRow: ListRow | undefined;
}

export interface ReportSource {
  readonly run: RunState;
  /** A pass over the list. Yields nothing if orgadm can no longer read it. */
  rows(): AsyncIterable<readonly ListRow[]>;
  /** Format and columns of the list; undefined if orgadm can no longer read it. */
  readonly layout: Layout | undefined;
  /** Whether to report created rows too, with their member IDs. */
  readonly allRows: boolean;
}

/** Whether people find the rows of a report by their line in the list, or by their number. */
export type RowPosition = 'line' | 'row';

/** Returns `row` for a list that is one line of JSON, and for one that orgadm can no longer read. */
export function positionIn({ layout }: Pick<ReportSource, 'layout'>): RowPosition {
  return layout === undefined || ('isOneLine' in layout && layout.isOneLine) ? 'row' : 'line';
}

/** Counts the rows of a report; the unsent ones of a dry run are valid. */
export function summarize(run: RunState, ending: Ending): ImportSummary {
  const { unsent, ...counts } = run.counts();
  const isDryRun = ending.kind === 'checked' && ending.isDryRun;
  return {
    total: run.total,
    ...counts,
    ...(isDryRun ? { unsent: 0, valid: unsent } : { unsent }),
    duplicates: run.duplicates.length,
    stopped: stopReasonOf(ending),
  };
}

/**
 * Renders `1 failed, 12 created, 1 existing`, without the states that no row has.
 *
 * @param first states to name before the others
 */
export function renderCounts(
  { total, valid = 0, ...counts }: Pick<ImportSummary, 'total' | 'valid' | RowState>,
  first: readonly RowState[] = [],
): string {
  const states = [...first, ...ROW_STATES.filter((state) => !first.includes(state))];
  const parts = [['valid', valid] as const, ...states.map((state) => [state, counts[state]] as const)]
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${formatCount(count)} ${state}`);
  return parts.length === 0 ? countOf(total, 'row') : parts.join(', ');
}
