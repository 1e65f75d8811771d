import type { RowState } from '../../../import/outcome.ts';
import type { ListedRow } from './listed-rows.ts';

/** A message on several rows of the same state. */
export interface CommonMessage {
  state: RowState;
  message: string;
  /** Number of rows. */
  rows: number;
  /** Lines of the first ones. */
  lines: number[];
  /** Their numbers. */
  numbers: number[];
}

/** A message on more rows than this is reported once, with its count and its first lines. */
const MAX_REPEATED = 3;
/** Rows to name. */
const NAMED_ROWS = 5;
/** Different messages that are counted; of a list with more, the others are reported row by row. */
const MAX_COUNTED_MESSAGES = 1000;

/** Counts the messages on the rows of a report. */
export class MessageCounts {
  readonly #found = new Map<string, CommonMessage>();

  /** Returns whether each message of the row is on many rows by now, so that the row need not be shown. */
  add(listed: ListedRow): boolean {
    const { state } = listed.row;
    if (state === 'created' || state === 'recovered' || state === 'unsent') return false;
    const counted = messagesOf(listed).map((message) => this.#count(message, listed));
    return counted.length > 0 && counted.every((rows) => rows > MAX_REPEATED);
  }

  /** Returns the messages of many rows, and one that all rows have, the most frequent first. */
  common(total: number): CommonMessage[] {
    return [...this.#found.values()]
      .filter(({ rows }) => rows > MAX_REPEATED || (rows > 1 && rows === total))
      .sort((a, b) => b.rows - a.rows);
  }

  /** Returns on how many rows the message is by now; 0 if it is not counted. */
  #count(message: string, { row: { state, line, entry } }: ListedRow): number {
    const key = `${state} ${message}`;
    const known = this.#found.get(key);
    if (known === undefined && this.#found.size >= MAX_COUNTED_MESSAGES) return 0;
    const common = known ?? { state, message, rows: 0, lines: [], numbers: [] };
    this.#found.set(key, common);
    common.rows++;
    if (common.numbers.length < NAMED_ROWS) {
      common.numbers.push(entry);
      common.lines.push(line);
    }
    return common.rows;
  }
}

/** Returns what a report says about a row: each issue of an invalid one. */
export function messagesOf({ row, checked: { issues } }: ListedRow): string[] {
  if (issues.length > 0) return issues.map(({ message }) => message);
  return row.error === null ? [] : [row.error];
}
