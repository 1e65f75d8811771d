import type { RowPosition } from '../../../import/checked-row.ts';
import type { RowState } from '../../../import/outcome.ts';
import type { Block } from '../../../output/blocks.ts';
import type { Table } from '../../../output/table.ts';
import { style, type Text, text } from '../../../output/text.ts';
import { formatCount } from '../../../util/units.ts';
import type { CommonMessage } from './common-messages.ts';
import type { ImportSummary, ReportRow } from './document.ts';
import type { ListedRow } from './listed-rows.ts';
import type { TableRows } from './table-rows.ts';

/** Rows of each kind that a terminal shows. */
const SHOWN_ROWS = 50;

interface RowTableOptions {
  allRows: boolean;
  /** The command or option that lists the rows that a table does not show. */
  listAll: string;
  /** Whether the reader is at a terminal, which shows only the first rows of each kind. */
  isTerminal: boolean;
  position: RowPosition;
}

/** Returns a table of the rows that have messages of their own, and how many it leaves out. */
export function rowTables(
  { rows, more }: Pick<TableRows, 'rows' | 'more'>,
  { allRows, listAll, isTerminal, position }: RowTableOptions,
): Block[] {
  // Existing members have a limit of their own, so that thousands of them do not hide the failed rows.
  const room = { created: SHOWN_ROWS, existing: SHOWN_ROWS, others: SHOWN_ROWS };
  const hidden = new Map(more);
  const shown = rows.filter(({ state }) => {
    const kind = state === 'existing' || state === 'created' ? state : 'others';
    if (!isTerminal || room[kind]-- > 0) return true;
    hidden.set(state, (hidden.get(state) ?? 0) + 1);
    return false;
  });
  const counts = [...hidden].map(([state, count]) => `${formatCount(count)} more ${state}`);
  return [
    ...(shown.length > 0 ? [rowTable(shown, { allRows, position })] : []),
    ...(counts.length > 0 ? [text`… and ${counts.join(', ')}: ${listAll} lists them all`] : []),
  ];
}

/** Yields a table of all rows, part by part. */
export async function* streamedTable(
  groups: AsyncIterable<readonly ListedRow[]>,
  position: RowPosition,
): AsyncGenerator<Block[]> {
  let isContinued = false;
  for await (const group of groups) {
    yield [
      rowTable(
        group.map(({ row }) => row),
        { allRows: true, position, isContinued },
      ),
    ];
    isContinued = true;
  }
}

/** `12 failed: Department "finance" is not allowed (lines 3, 5, 7, 9, 11, …)` */
export function commonText(
  { state, message, rows, lines, numbers }: CommonMessage,
  { total }: ImportSummary,
  position: RowPosition,
): Text {
  if (state === 'failed' && rows === total)
    return text`${rows === 2 ? 'Both' : `All ${formatCount(rows)}`} rows failed for the same reason: ${message}`;
  const named = position === 'line' ? lines : numbers;
  const more = rows > named.length ? ', …' : '';
  return text`${formatCount(rows)} ${stateText(state)}: ${message} (${position}s ${named.join(', ')}${more})`;
}

function rowTable(
  rows: readonly ReportRow[],
  { allRows, position, isContinued = false }: { allRows: boolean; position: RowPosition; isContinued?: boolean },
): Table {
  return {
    columns: [
      { header: position, align: 'right' },
      ...['userId', 'state'],
      ...(allRows ? ['memberId'] : []),
      'message',
    ],
    rows: rows.map(({ line, entry, userId, state, error, memberId }) => [
      String(position === 'row' ? entry : line),
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
