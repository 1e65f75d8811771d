import type { RowState } from '../../../import/outcome.ts';
import { type CommonMessage, MessageCounts, messagesOf } from './common-messages.ts';
import type { ReportRow } from './document.ts';
import { type ListedRow, listedRows, type ReportSource } from './listed-rows.ts';

/** Rows that a table holds at most; the formats for programs have all of them. */
const MAX_TABLE_ROWS = 10_000;

/** The rows of a table, and the messages that it prints once. */
export interface TableRows {
  /** The first rows of those that have messages of their own. */
  readonly rows: readonly ReportRow[];
  /** How many other rows have messages of their own, by state. */
  readonly more: ReadonlyMap<RowState, number>;
  /** Messages of many rows, and one that all rows have, the most frequent first. */
  readonly common: readonly CommonMessage[];
}

/** Collects the rows of a table in one pass over the rows: a list of any size needs no more memory than its table. */
export async function collectTableRows(
  source: ReportSource,
  isShown: (state: RowState) => boolean,
): Promise<TableRows> {
  const messages = new MessageCounts();
  /** Rows that the table may show, until all messages are counted. */
  const kept: ListedRow[] = [];
  const more = new Map<RowState, number>();
  for await (const group of listedRows(source, isShown))
    for (const listed of group) {
      const { state } = listed.row;
      if (messages.add(listed)) continue;
      if (kept.length < MAX_TABLE_ROWS) kept.push(listed);
      else more.set(state, (more.get(state) ?? 0) + 1);
    }
  const common = messages.common(source.run.total);
  return { rows: withoutCommon(kept, common), more, common };
}

/** Returns the rows without common messages, and without the rows that have no others. */
function withoutCommon(kept: readonly ListedRow[], common: readonly CommonMessage[]): ReportRow[] {
  const isCommon = new Set(common.map(({ state, message }) => `${state} ${message}`));
  return kept.flatMap((listed) => {
    const { row } = listed;
    const messages = messagesOf(listed);
    const rare = messages.filter((message) => !isCommon.has(`${row.state} ${message}`));
    if (rare.length === messages.length) return [row];
    return rare.length === 0 ? [] : [{ ...row, error: rare.join('; ') }];
  });
}
