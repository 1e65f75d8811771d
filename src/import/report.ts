import { ERROR_CODES, type ErrorCode } from '../util/errors.ts';
import { countOf, formatCount } from '../util/units.ts';
import type { Duplicate } from './journal/records.ts';
import { ROW_STATES, type RowState, type RowStates } from './journal/row-states.ts';
import type { ListRow, ValidationIssue } from './list/open-list.ts';

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

/** Reasons of a run's state that are not errors. */
export const STOP_CODES = ['limit', 'running'] as const;

/** Why a run ended early, or why nothing was sent. */
export interface StopReason {
  /** `interrupted` by a signal, `limit`, or the code of the error that ended the run. */
  code: ErrorCode | (typeof STOP_CODES)[number];
  message: string;
}

/** Whether a text is a code of `StopReason`: a journal of another version may hold others. */
export function isStopCode(code: string): code is StopReason['code'] {
  return Object.hasOwn(ERROR_CODES, code) || STOP_CODES.some((known) => known === code);
}

/** A user with two or more active memberships, as a report shows it. */
export interface ReportDuplicate extends Duplicate {
  /** Physical line in the list, from 1; null if the list has changed or is unreadable. */
  line: number | null;
  userId: string | null;
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

export interface ReportSource {
  /** A pass over the list. */
  rows(): AsyncIterable<readonly ListRow[]>;
  readonly rowStates: RowStates;
  /** Returns the message on a row that is final or of unknown outcome. */
  messageFor(entry: number): string | undefined;
  /** The same without our own notes. */
  plainMessageFor?: (entry: number) => string | undefined;
  /** Returns the member ID of a created row. Without it, the report shows none. */
  memberIdFor?: ((entry: number) => string | undefined) | undefined;
}

/** Counts the rows of a report; the unsent ones of a dry run are valid. */
export function summarize(
  rowStates: RowStates,
  { duplicates, stopped, isDryRun }: { duplicates: number; stopped: StopReason | null; isDryRun: boolean },
): ImportSummary {
  const { unsent, ...counts } = rowStates.counts();
  return {
    total: rowStates.total,
    ...counts,
    ...(isDryRun ? { unsent: 0, valid: unsent } : { unsent }),
    ...{ duplicates, stopped },
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

/** Returns the duplicates in the order of the list, which is read no further than to the last of them. */
export async function reportDuplicates(
  source: Pick<ReportSource, 'rows'>,
  duplicates: readonly Duplicate[],
): Promise<ReportDuplicate[]> {
  const left = new Map(duplicates.map((duplicate) => [duplicate.entry, duplicate]));
  const found: ReportDuplicate[] = [];
  const add = (entry: number, line: number | null, userId: string | null) => {
    const { memberIds = [] } = left.get(entry) ?? {};
    if (left.delete(entry)) found.push({ line, entry, userId, memberIds });
  };
  if (left.size > 0)
    for await (const chunk of source.rows()) {
      for (const { entry, line, userId } of chunk) add(entry, line, userId ?? null);
      if (left.size === 0) break;
    }
  for (const entry of [...left.keys()]) add(entry, null, null);
  return found;
}

/**
 * Yields the rows whose state `wanted` accepts, in the order of the list, which is read no further than to the last of
 * them. If the list is no longer at hand (`source.rows` yields nothing), the rows are reported by their place alone.
 */
export async function* reportRows(
  source: ReportSource,
  wanted: (state: RowState) => boolean,
): AsyncGenerator<ListedRow> {
  const { rowStates } = source;
  const counts = rowStates.counts();
  let left = ROW_STATES.filter(wanted).reduce((sum, state) => sum + counts[state], 0);
  if (left === 0) return;
  let last = 0;
  for await (const chunk of source.rows()) {
    for (const listRow of chunk) {
      last = listRow.entry;
      const state = rowStates.stateOf(last);
      if (!wanted(state)) continue;
      yield { row: describeRow(listRow, state, source), listRow };
      if (--left === 0) return;
    }
  }
  for (let entry = last + 1; entry <= rowStates.total; entry++) {
    const state = rowStates.stateOf(entry);
    if (!wanted(state)) continue;
    const unread = { entry, line: null, userId: undefined, issues: [] };
    yield { row: describeRow(unread, state, source), listRow: undefined };
  }
}

/** Renders everything that is wrong with a row as one message. */
export function describeIssues(issues: readonly ValidationIssue[]): string {
  return issues.map(({ message }) => message).join('; ');
}

function describeRow(
  { entry, line, userId, issues }: Pick<ListRow, 'entry' | 'userId' | 'issues'> & Pick<ReportRow, 'line'>,
  state: RowState,
  { messageFor, memberIdFor }: Pick<ReportSource, 'messageFor' | 'memberIdFor'>,
): ReportRow {
  const message = issues.length > 0 ? describeIssues(issues) : messageFor(entry);
  const row = reportRow({ entry, line, userId, state, message });
  return memberIdFor === undefined ? row : { ...row, memberId: memberIdFor(entry) ?? null };
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
