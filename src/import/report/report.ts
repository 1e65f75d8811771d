import { countOf, formatCount } from '../../util/units.ts';
import type { ImportRun } from '../journal/import-run.ts';
import type { Duplicate, StoredValue } from '../journal/records.ts';
import { ROW_STATES, type RowState } from '../journal/row-states.ts';
import type { ListLayout, ListRow } from '../list/open-list.ts';

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

/** A run as a report describes it: an open one, or one in a journal. */
export type ReportedRun = Pick<
  ImportRun,
  'rowStates' | 'facts' | 'duplicates' | 'mismatches' | 'failedAlone' | 'messageFor' | 'plainMessageFor' | 'memberIdFor'
>;

export interface ReportSource {
  readonly run: ReportedRun;
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
  { rowStates, duplicates }: ReportedRun,
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

/** Returns the duplicates in the order of the list. */
export async function reportDuplicates(source: ReportSource): Promise<ReportDuplicate[]> {
  const duplicates = inOrder(source.run.duplicates);
  const rowOf = await findRows(duplicates, source);
  return duplicates.map(({ entry, memberIds }) => ({ ...placeOf(entry, rowOf(entry)), memberIds }));
}

/** Returns what the service stored differently from what was sent, in the order of the list. */
export async function reportMismatches(source: ReportSource): Promise<ReportMismatch[]> {
  const mismatches = inOrder(source.run.mismatches);
  const rowOf = await findRows(mismatches, source);
  return mismatches.map(({ entry, path, stored }) => {
    const row = rowOf(entry);
    return { ...placeOf(entry, row), path, sent: row?.value?.[path] ?? null, stored };
  });
}

function inOrder<T extends { readonly entry: number }>(items: readonly T[]): T[] {
  return items.toSorted((a, b) => a.entry - b.entry);
}

type RowPlace = Pick<ReportRow, 'line' | 'entry' | 'userId'>;

function placeOf(entry: number, row: ListRow | undefined): RowPlace {
  return { line: row?.line ?? null, entry, userId: row?.userId ?? null };
}

/** Returns a function that returns each of these rows of the list, which is read no further than to the last of them. */
async function findRows(
  wanted: readonly { readonly entry: number }[],
  source: ReportSource,
): Promise<(entry: number) => ListRow | undefined> {
  const left = new Set(wanted.map(({ entry }) => entry));
  const found = new Map<number, ListRow>();
  if (left.size > 0)
    for await (const chunk of source.rows()) {
      for (const row of chunk) if (left.delete(row.entry)) found.set(row.entry, row);
      if (left.size === 0) break;
    }
  return (entry) => found.get(entry);
}

/**
 * Yields the rows whose state `wanted` accepts, in the order of the list, which is read no further than to the last of
 * them. If orgadm can no longer read the list, it reports the rows by their place alone.
 */
export async function* reportRows(
  source: ReportSource,
  wanted: (state: RowState) => boolean,
): AsyncGenerator<ListedRow> {
  const { rowStates } = source.run;
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

function describeRow(
  { entry, line, userId, issues }: Pick<ListRow, 'entry' | 'userId' | 'issues'> & Pick<ReportRow, 'line'>,
  state: RowState,
  { run, allRows }: ReportSource,
): ReportRow {
  const message = issues.length > 0 ? issues.map((issue) => issue.message).join('; ') : run.messageFor(entry);
  const row = reportRow({ entry, line, userId, state, message });
  return allRows ? { ...row, memberId: run.memberIdFor(entry) ?? null } : row;
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
