import type { CheckedRow, RowPosition } from '../../../import/checked-row.ts';
import type { RowSource } from '../../../import/journal/rows.ts';
import type { RunState } from '../../../import/journal/run-state.ts';
import { type Outcome, ROW_STATES, type RowState } from '../../../import/outcome.ts';
import type { ReportRow, RowPlace } from './document.ts';

/** The rows that a report is about, and their states. */
export interface ReportSource {
  readonly run: RunState;
  readonly rows: RowSource;
  readonly position: RowPosition;
  /** Whether to report created rows too, with their member IDs. */
  readonly allRows: boolean;
}

/** A row of a report, the outcome that it tells, and the row as orgadm has checked it. */
export interface ListedRow {
  readonly row: ReportRow;
  readonly outcome: Outcome;
  readonly checked: CheckedRow;
}

/**
 * Rows that are yielded at a time. With all rows of a chunk, their objects and text live long enough to fill the heap: 400,000
 * rejected rows take 215 MB instead of 180.
 */
const GROUP_ROWS = 250;

/** Yields the rows of these states, in the order of the list, and reads no further than to the last of them. */
export async function* listedRows(
  source: ReportSource,
  isListed: (state: RowState) => boolean,
): AsyncGenerator<readonly ListedRow[]> {
  const { run } = source;
  const counts = run.counts();
  const states = new Set(ROW_STATES.filter(isListed));
  const total = [...states].reduce((sum, state) => sum + counts[state], 0);
  let group: ListedRow[] = [];
  for await (const checked of rowsWhere(source, ({ number }) => states.has(run.stateOf(number)), total)) {
    group.push(describeRow(checked, source));
    if (group.length < GROUP_ROWS) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/**
 * Yields the rows that `isWanted` accepts, in the order of the list.
 *
 * @param count how many there are; orgadm reads no further than to the last of them
 */
export async function* rowsWhere(
  { rows }: Pick<ReportSource, 'rows'>,
  isWanted: (row: CheckedRow) => boolean,
  count: number,
): AsyncGenerator<CheckedRow> {
  if (count === 0) return;
  let left = count;
  for await (const chunk of rows.read())
    for (const row of chunk) {
      if (!isWanted(row)) continue;
      yield row;
      if (--left === 0) return;
    }
}

/** Returns the place of a row. Its user ID is as it is in the list if it cannot be read; null if it has none. */
export function placeOf({ line, number, fields: { userId } }: CheckedRow): RowPlace {
  return { line, entry: number, userId: userId === undefined ? null : String(userId) };
}

function describeRow(checked: CheckedRow, { run, allRows }: ReportSource): ListedRow {
  const outcome = run.outcomeOf(checked.number);
  const { issues } = checked;
  const error = issues.length > 0 ? issues.map(({ message }) => message).join('; ') : reportedMessage(outcome);
  const memberId = outcome.state === 'created' ? (outcome.memberId ?? null) : null;
  const row = { ...placeOf(checked), state: outcome.state, error, ...(allRows && { memberId }) };
  return { row, outcome, checked };
}

/** Returns what a report says about the outcome of a row; null for one without a message. */
function reportedMessage(outcome: Outcome): string | null {
  if (!('message' in outcome)) return null;
  const { message } = outcome;
  if (outcome.state !== 'failed') return message;
  if (outcome.note === 'maybe-added') return `${message} (an earlier request may have added this person)`;
  return outcome.note === 'not-alone' ? `rejected together with other rows, not tried alone: ${message}` : message;
}
