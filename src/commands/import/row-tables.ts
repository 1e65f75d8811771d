import type { RowState } from '../../import/journal/row-states.ts';
import type { ImportSummary, ListedRow, ReportRow, RowPosition } from '../../import/report/report.ts';
import type { Block } from '../../output/blocks.ts';
import type { Table } from '../../output/table.ts';
import { style, type Text, text } from '../../output/text.ts';
import { formatCount } from '../../util/units.ts';
import { type CommonMessage, keyOf, messagesOf } from './common-messages.ts';

/** Rows of a table that are laid out at a time: a report of any size needs no more memory than these. */
const TABLE_ROWS = 1000;

/** Rows that a terminal shows; a pipe gets all of them. */
const SHOWN_ROWS = 50;

interface RowTableOptions {
  allRows: boolean;
  /** The command or option that lists the rows that a terminal does not show. */
  listAll: string;
  /** The columns of the terminal, which shows only the first rows of each kind; undefined for a pipe, which gets all. */
  terminalColumns: number | undefined;
  position: RowPosition;
}

/** Yields tables of the rows that have messages of their own. */
export async function* rowTables(
  rows: AsyncIterable<ListedRow>,
  common: readonly CommonMessage[],
  { allRows, listAll, terminalColumns, position }: RowTableOptions,
): AsyncGenerator<Block[]> {
  const isCommon = new Set(common.map(({ state, message }) => keyOf(state, message)));
  let chunk: ReportRow[] = [];
  let isContinued = false;
  // Existing members have a limit of their own, so that thousands of them do not hide the failed rows.
  const room = { created: SHOWN_ROWS, existing: SHOWN_ROWS, others: SHOWN_ROWS };
  const hidden = new Map<RowState, number>();
  for await (const listed of rows) {
    const { row } = listed;
    const messages = messagesOf(listed);
    const rareMessages = messages.filter((message) => !isCommon.has(keyOf(row.state, message)));
    if (rareMessages.length === 0 && messages.length > 0) continue;
    const kind = row.state === 'existing' || row.state === 'created' ? row.state : 'others';
    if (terminalColumns !== undefined && room[kind]-- <= 0) {
      hidden.set(row.state, (hidden.get(row.state) ?? 0) + 1);
      continue;
    }
    chunk.push(rareMessages.length === 0 ? row : { ...row, error: rareMessages.join('; ') });
    if (chunk.length < TABLE_ROWS) continue;
    yield [rowTable(chunk, { allRows, position, isContinued })];
    isContinued = true;
    chunk = [];
  }
  if (chunk.length > 0) yield [rowTable(chunk, { allRows, position, isContinued })];
  if (hidden.size === 0) return;
  const counts = [...hidden].map(([state, count]) => `${formatCount(count)} more ${state}`);
  yield [text`… and ${counts.join(', ')}: ${listAll} lists them all`];
}

/** `12 failed: Department "finance" is not allowed (lines 3, 5, 7, 9, 11, …)` */
export function commonText(
  { state, message, rows, lines, entries }: CommonMessage,
  { total }: ImportSummary,
  position: RowPosition,
): Text {
  if (state === 'failed' && rows === total)
    return text`All ${formatCount(rows)} rows failed for the same reason: ${message}`;
  const named = position === 'line' ? lines : entries;
  const more = rows > named.length ? ', …' : '';
  return text`${formatCount(rows)} ${stateText(state)}: ${message} (${position}s ${named.join(', ')}${more})`;
}

function rowTable(
  rows: readonly ReportRow[],
  { allRows, position, isContinued }: { allRows: boolean; position: RowPosition; isContinued: boolean },
): Table {
  return {
    columns: [
      { header: position, align: 'right' },
      { header: 'userId', min: 10 },
      { header: 'state', min: 9 },
      ...(allRows ? [{ header: 'memberId' }] : []),
      { header: 'message', min: 16, weight: 4, wrap: true },
    ],
    rows: rows.map(({ line, entry, userId, state, error, memberId }) => [
      String(position === 'row' ? entry : (line ?? entry)),
      userId ?? '',
      stateText(state),
      ...(allRows ? [memberId ?? ''] : []),
      error ?? '',
    ]),
    isContinued,
  };
}

function stateText(state: RowState): Text {
  if (state === 'failed' || state === 'invalid') return style.error(state);
  return state === 'recovered' || state === 'created' ? style.ok(state) : style.warn(state);
}
