import type { Duplicate, StoredValue } from '../../../import/journal/records.ts';
import { ROW_STATES, type RowState } from '../../../import/journal/row-states.ts';
import type { RunState } from '../../../import/journal/run-state.ts';
import type { ListLayout } from '../../../import/list-layout.ts';
import type { ListRow } from '../../../import/list-row.ts';
import { countOf, formatCount } from '../../../util/units.ts';

/** The counts of a report: `total` is always the sum of the states that follow it. */
export interface ImportSummary extends Record<RowState, number> {
  total: number;
  /** Of a dry run: the rows that would be sent, which are not counted as unsent. */
  valid?: number;
  /** Users for whom a response listed two or more active memberships; they are counted in the states too. */
  duplicates: number;
  /** Why the run ended early; null if it did not, and for a dry run. */
  stopped: StopReason | null;
}

/** Why a run ended early, or why nothing was sent. */
export interface StopReason {
  /** `limit`, `running`, or the code of the error that ended the run: `interrupted` for a signal. */
  code: string;
  message: string;
}

/** A user with two or more active memberships, as a report shows it. */
export interface ReportDuplicate extends Duplicate {
  /** Physical line in the list, from 1; null if the list has changed or is unreadable. */
  line: number | null;
  userId: string | null;
}

/** A value that the service stored differently from what was sent, as a report shows it. */
export interface ReportMismatch extends StoredValue, RowPlace {
  /** Null if the list has changed or is unreadable. */
  sent: string | boolean | null;
}

/** One row of a report. */
export interface ReportRow {
  /** Physical line in the list, from 1; null if the list has changed or is unreadable. */
  line: number | null;
  /** Place among the rows of the list, from 1. */
  entry: number;
  userId: string | null;
  state: RowState;
  /** The service's message, or what is wrong with the row, or why its outcome is unknown; null if there is nothing to say. */
  error: string | null;
  /** With `--all-rows`: ID of the member that was created; null for other rows, and where the service did not name one. */
  memberId?: string | null;
}

/** A row of a report, and the row of the list that it is about; undefined if that is unreadable now. */
export interface ListedRow {
  row: ReportRow;
  listRow: ListRow | undefined;
}

/** The place of a row in its list. */
export type RowPlace = Pick<ReportRow, 'line' | 'entry' | 'userId'>;

export interface ReportSource {
  readonly run: RunState;
  /** A pass over the list. Yields nothing if orgadm can no longer read it. */
  rows(): AsyncIterable<readonly ListRow[]>;
  /** Format and columns of the list; undefined if orgadm can no longer read it. */
  readonly layout: ListLayout | undefined;
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
export function summarize(
  { rowStates, duplicates }: RunState,
  { stopped, isDryRun }: { stopped: StopReason | null; isDryRun: boolean },
): ImportSummary {
  const { unsent, ...counts } = rowStates.counts();
  return {
    total: rowStates.total,
    ...counts,
    ...(isDryRun ? { unsent: 0, valid: unsent } : { unsent }),
    duplicates: duplicates.length,
    stopped,
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

/** Returns what a report says about a row. */
export function reportRow({
  entry,
  line,
  userId,
  state,
  message,
}: {
  entry: number;
  line: number | null;
  userId: string | undefined;
  state: RowState;
  message: string | undefined;
}): ReportRow {
  return { line, entry, userId: userId ?? null, state, error: message ?? null };
}
