import type { RowState } from '../../import/journal/row-states.ts';
import { type ListedRow, type ReportSource, reportRows } from '../../import/report/report.ts';

/** A message on several rows of the same state. */
export interface CommonMessage {
  state: RowState;
  message: string;
  /** Number of rows. */
  rows: number;
  /** Lines of the first ones. */
  lines: number[];
  /** Their numbers. */
  entries: number[];
}

/** A message on more rows than this is reported once, with its count and its first lines. */
const MAX_REPEATED = 3;
/** Rows to name. */
const NAMED_ROWS = 5;
/** Different messages that are counted; of a list with more, the others are reported row by row. */
const MAX_COUNTED_MESSAGES = 1000;

/** Returns the messages of many rows, and one that all rows have, the most frequent first. */
export async function commonMessages(source: ReportSource): Promise<CommonMessage[]> {
  const found = new Map<string, CommonMessage>();
  for await (const listed of reportRows(
    source,
    (state) => state !== 'created' && state !== 'recovered' && state !== 'unsent',
  )) {
    const { state, line, entry } = listed.row;
    for (const message of messagesOf(listed)) {
      const key = keyOf(state, message);
      const known = found.get(key);
      if (known === undefined && found.size >= MAX_COUNTED_MESSAGES) continue;
      const common = known ?? { state, message, rows: 0, lines: [], entries: [] };
      found.set(key, common);
      common.rows++;
      if (common.entries.length === NAMED_ROWS) continue;
      common.entries.push(entry);
      if (line !== null) common.lines.push(line);
    }
  }
  const { total } = source.run.rowStates;
  return [...found.values()]
    .filter(({ rows }) => rows > MAX_REPEATED || (rows > 1 && rows === total))
    .sort((a, b) => b.rows - a.rows);
}

/** Returns what a report says about a row: each issue of an invalid one. */
export function messagesOf({ row, listRow }: ListedRow): string[] {
  const issues = listRow?.issues ?? [];
  if (issues.length > 0) return issues.map(({ message }) => message);
  return row.error === null ? [] : [row.error];
}

/** Identifies a common message. */
export function keyOf(state: RowState, message: string): string {
  return `${state} ${message}`;
}
