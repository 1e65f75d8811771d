import type { CheckedRow } from '../../../import/checked-row.ts';
import type { RunState } from '../../../import/journal/run-state.ts';
import { type Outcome, ROW_STATES, type RowState } from '../../../import/outcome.ts';
import { type CommonMessage, MessageCounts, messagesOf } from './common-messages.ts';
import type { ReportDuplicate, ReportMismatch, ReportRow, RowPlace } from './document.ts';
import type { ListedRow, ReportSource } from './report.ts';

/** Rows that a table holds at most; the formats for programs have all of them. */
const MAX_TABLE_ROWS = 10_000;

/**
 * Rows that are yielded at a time. With all rows of a chunk of the list, their objects and text live long enough to fill the
 * heap: 400,000 rejected rows take 215 MB instead of 180.
 */
const GROUP_ROWS = 250;

/** The rows and messages of a run that its report shows. */
export interface ReportDetails {
  /** Messages of many rows, and one that all rows have, the most frequent first. */
  readonly common: readonly CommonMessage[];
  /** The rows of a table: the first of those that have messages of their own. */
  readonly rows: readonly ReportRow[];
  /** How many other rows have messages of their own, by state. */
  readonly more: ReadonlyMap<RowState, number>;
  readonly duplicates: readonly ReportDuplicate[];
  /** The rows that were sent again during a stall. */
  readonly possibleDuplicates: readonly RowPlace[];
  readonly mismatches: readonly ReportMismatch[];
  /** The existing members whom the list calls inactive. */
  readonly existingInactive: readonly RowPlace[];
}

export interface FoldOptions {
  /** Whether to list unsent rows. A table only counts them: there is nothing to say about each of them. */
  readonly listsUnsent: boolean;
  /** Whether a table shows rows of this state. */
  readonly isShown: (state: RowState) => boolean;
  /** Called with each listed row, to write or count it elsewhere. */
  readonly onRow?: (listed: ListedRow) => Promise<void> | void;
}

/**
 * Folds a run into what its report says, in one pass over the list, which is read no further than to the last row that the
 * report is about. Yields the rows to list on the way, so that a report of any size needs no more memory than its table. The
 * created rows are listed only with their member IDs.
 */
export class ReportFold {
  readonly #source: ReportSource;
  readonly #options: FoldOptions;
  readonly #pass: AsyncGenerator<readonly ListedRow[]>;
  readonly #messages = new MessageCounts();
  /** Rows that a table may show, until all messages are counted. */
  readonly #kept: ListedRow[] = [];
  readonly #more = new Map<RowState, number>();
  readonly #existingInactive: RowPlace[] = [];
  /** The rows of duplicates, stalls, and mismatches; undefined until the pass has found them. */
  readonly #places: Map<number, CheckedRow | undefined>;

  constructor(source: ReportSource, options: FoldOptions) {
    this.#source = source;
    this.#options = options;
    const { duplicates, stalled, mismatches } = source.run;
    const numbers = [...[...duplicates, ...mismatches].map(({ number }) => number), ...stalled];
    this.#places = new Map(numbers.map((number) => [number, undefined]));
    this.#pass = this.#readRows();
  }

  /** Yields the rows to list, in the order of the list. Whoever leaves the iteration early does not end the pass. */
  rows(): AsyncIterable<readonly ListedRow[]> {
    return { [Symbol.asyncIterator]: () => ({ next: () => this.#pass.next() }) };
  }

  /** Reads the rows that are left, and returns the details. */
  async finish(): Promise<ReportDetails> {
    for await (const _ of this.#pass);
    const { run } = this.#source;
    const common = this.#messages.common(run.total);
    return {
      common: common.filter(({ state }) => this.#options.isShown(state)),
      rows: this.#tableRows(common),
      more: this.#more,
      duplicates: inOrder(run.duplicates).map(({ number, memberIds }) => ({
        ...this.#placeOf(number),
        memberIds: [...memberIds],
      })),
      possibleDuplicates: [...run.stalled].sort((a, b) => a - b).map((number) => this.#placeOf(number)),
      mismatches: inOrder(lastOfEach(run.mismatches)).map(({ number, path, stored }) => {
        const sent = path === 'organizationId' ? run.facts[path] : this.#places.get(number)?.member?.[path];
        return { ...this.#placeOf(number), path, sent: sent ?? null, stored };
      }),
      existingInactive: this.#existingInactive,
    };
  }

  async *#readRows(): AsyncGenerator<readonly ListedRow[]> {
    const { allRows } = this.#source;
    const { listsUnsent, onRow } = this.#options;
    const isListed = (state: RowState) => (state === 'created' ? allRows : state !== 'unsent' || listsUnsent);
    for await (const visited of visitRows(this.#source, isListed, this.#places)) {
      const listed = visited.filter(({ row }) => isListed(row.state));
      for (const each of listed) {
        this.#keep(each);
        await onRow?.(each);
      }
      for (const { row, checked } of visited) if (this.#places.has(row.entry)) this.#places.set(row.entry, checked);
      if (listed.length > 0) yield listed;
    }
  }

  #keep(listed: ListedRow): void {
    const { state, line, entry, userId } = listed.row;
    if (state === 'existing' && listed.checked.member?.isActive === false)
      this.#existingInactive.push({ line, entry, userId });
    const isRepeated = this.#messages.add(listed);
    if (!this.#options.isShown(state) || isRepeated) return;
    if (this.#kept.length < MAX_TABLE_ROWS) this.#kept.push(listed);
    else this.#more.set(state, (this.#more.get(state) ?? 0) + 1);
  }

  /** Returns the kept rows without common messages, and without the rows that have no others. */
  #tableRows(common: readonly CommonMessage[]): ReportRow[] {
    const isCommon = new Set(common.map(({ state, message }) => `${state} ${message}`));
    return this.#kept.flatMap((listed) => {
      const { row } = listed;
      const messages = messagesOf(listed);
      const rare = messages.filter((message) => !isCommon.has(`${row.state} ${message}`));
      if (rare.length === messages.length) return [row];
      return rare.length === 0 ? [] : [{ ...row, error: rare.join('; ') }];
    });
  }

  #placeOf(number: number): RowPlace {
    const row = this.#places.get(number);
    return { line: row?.line ?? number, entry: number, userId: row === undefined ? null : userIdOf(row) };
  }
}

/** Returns the last value of each field: a row whose first response was not certain may have two. */
function lastOfEach(values: RunState['mismatches']): RunState['mismatches'] {
  return [...new Map(values.map((value) => [`${value.number} ${value.path}`, value])).values()];
}

function inOrder<T extends { readonly number: number }>(items: readonly T[]): T[] {
  return items.toSorted((a, b) => a.number - b.number);
}

/**
 * Yields the rows whose state `isWanted` accepts, and others by their number, in the order of the list, which is read no further
 * than to the last of them.
 */
async function* visitRows(
  source: ReportSource,
  isWanted: (state: RowState) => boolean,
  others: ReadonlyMap<number, unknown>,
): AsyncGenerator<readonly ListedRow[]> {
  const { run } = source;
  const counts = run.counts();
  const wantedStates = new Set(ROW_STATES.filter(isWanted));
  let left = [...wantedStates].reduce((sum, state) => sum + counts[state], 0);
  for (const number of others.keys()) if (!wantedStates.has(run.stateOf(number))) left++;
  if (left > 0)
    for await (const chunk of source.rows.read()) {
      let group: ListedRow[] = [];
      for (const checked of chunk) {
        const { number } = checked;
        if (!wantedStates.has(run.stateOf(number)) && !others.has(number)) continue;
        group.push(describeRow(checked, source));
        left--;
        if (group.length < GROUP_ROWS) continue;
        yield group;
        group = [];
      }
      if (group.length > 0) yield group;
      if (left === 0) return;
    }
}

function describeRow(checked: CheckedRow, { run, allRows }: ReportSource): ListedRow {
  const { line, number, issues } = checked;
  const outcome = run.outcomeOf(number);
  const error = issues.length > 0 ? issues.map(({ message }) => message).join('; ') : reportedMessage(outcome);
  const memberId = outcome.state === 'created' ? (outcome.memberId ?? null) : null;
  const userId = userIdOf(checked);
  const row = { line, entry: number, userId, state: outcome.state, error, ...(allRows && { memberId }) };
  return { row, outcome, checked };
}

/** Returns the user ID of a row, as it is in the list if it cannot be read; null if it has none. */
function userIdOf({ fields: { userId } }: CheckedRow): string | null {
  return userId === undefined ? null : String(userId);
}

/** Returns what a report says about the outcome of a row; null for one without a message. */
function reportedMessage(outcome: Outcome): string | null {
  if (!('message' in outcome)) return null;
  const { message } = outcome;
  if (outcome.state !== 'failed') return message;
  if (outcome.note === 'maybe-added') return `${message} (an earlier request may have added this person)`;
  return outcome.note === 'not-alone' ? `rejected together with other rows, not tried alone: ${message}` : message;
}
