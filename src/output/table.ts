import stringWidth from 'string-width';
import type { Redact } from './redact.ts';
import type { Paint } from './style.ts';
import { paintCell, plainText, style, type Text } from './text.ts';

export interface Column {
  readonly header: string;
  /** Default `left`. */
  readonly align?: 'left' | 'right';
  /** Whether the last column is never cut, because people copy it or need all of it. */
  readonly isWhole?: boolean;
}

/** A string is untrusted. A text may have lines of its own; a cell is shown in the style that all of it has. */
export type Cell = string | Text;

/** A table for people. An empty cell is shown as `-`. */
export interface Table {
  /** A column may be just its header. The longest is the last. */
  readonly columns: readonly (Column | string)[];
  readonly rows: Iterable<readonly Cell[]>;
  /** The rows continue the table before them, without another header. */
  readonly isContinued?: boolean;
}

/** Where text for people goes. */
export interface TextTarget {
  /** Terminal columns; undefined when piped: then nothing is cut, and a table has no rule. */
  readonly width: number | undefined;
  readonly paint: Paint;
  /** Removes secrets from a cell before it is cut. */
  readonly redact: Redact;
}

/** Rows that are drawn at a time: cli-table3 takes more than twice the time for 10,000 rows at once. */
const BLOCK_ROWS = 500;

/**
 * Yields a table in pieces: a header line, a rule and the rows, columns two spaces apart, each line ended by `\n`. On a terminal,
 * the last column is cut to the room that the others leave. If that is too little, each row becomes a record of `header: value`
 * lines.
 */
export async function* renderTable(table: Table, { width, paint, redact }: TextTarget): AsyncGenerator<string> {
  const columns = table.columns.map((column) => (typeof column === 'string' ? { header: column } : column));
  if (columns.length === 0) return;
  const header = columns.map((column) => shownCell(style.strong(column.header), redact));
  const rows = Array.from(table.rows, (row) => columns.map((_, at) => shownCell(row[at] ?? '', redact)));
  const widths = fitWidths(columns, [header, ...rows], width);
  if (widths === undefined) {
    const records = rows.map((row) => renderRecord(header, row, paint)).join('\n');
    yield table.isContinued && records !== '' ? `\n${records}` : records;
    return;
  }
  for (let at = 0; at === 0 || at < rows.length; at += BLOCK_ROWS) {
    const block = rows.slice(at, at + BLOCK_ROWS);
    const shown = at === 0 && !table.isContinued ? [header, ...block] : block;
    const lines = shown.flatMap((row) => rowLines(row, widths, width !== undefined, paint));
    if (lines.length === 0) return;
    yield width === undefined
      ? padLines(columns, lines, widths)
      : await drawLines(columns, lines, { widths, paint, hasHeader: shown !== block });
  }
}

/** The lines of a cell, which are safe and have no secrets, and the cell for its style. */
interface ShownCell {
  readonly lines: readonly string[];
  readonly cell: Cell;
}

function shownCell(cell: Cell, redact: Redact): ShownCell {
  const text = redact(plainText(cell));
  return { lines: text.trim() === '' ? ['-'] : text.split('\n'), cell };
}

/** Space between two columns. */
const GUTTER = '  ';

/** The least room for a last column that is cut, in columns. */
const MIN_LAST = 16;

/** In a pipe, a wider cell only makes its own line longer, in columns: the other rows do not grow with it. */
const MAX_ALIGNED = 200;

/** Returns the width of each column, 1 or more; undefined if they do not fit next to each other. */
function fitWidths(
  columns: readonly Column[],
  rows: readonly (readonly ShownCell[])[],
  width: number | undefined,
): number[] | undefined {
  const natural = columns.map(() => 1);
  const last = columns.length - 1;
  // In a pipe, nothing follows the last column.
  const measured = width === undefined && columns[last]?.align !== 'right' ? last : columns.length;
  for (const row of rows) {
    for (let at = 0; at < measured; at++) {
      for (const line of row[at]?.lines ?? []) {
        const lineWidth = displayWidth(line);
        if (width !== undefined || lineWidth <= MAX_ALIGNED) natural[at] = Math.max(natural[at] ?? 1, lineWidth);
      }
    }
  }
  if (width === undefined) return natural;
  const others = natural.slice(0, last);
  const room = width - others.reduce((sum, other) => sum + other + GUTTER.length, 0);
  if ((natural[last] ?? 1) <= room) return natural;
  return columns[last]?.isWhole || room < MIN_LAST ? undefined : [...others, room];
}

/** Returns the lines of a row, each with a painted cell for each column. On a terminal, cuts the last one. */
function rowLines(row: readonly ShownCell[], widths: readonly number[], isCut: boolean, paint: Paint): string[][] {
  const height = Math.max(...row.map(({ lines }) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    row.map(({ lines, cell }, at) => {
      const text = lines[line] ?? '';
      return paintCell(cell, isCut && at === row.length - 1 ? cutToWidth(text, widths[at] ?? 1) : text, paint);
    }),
  );
}

/** Renders lines for a pipe, padded to the widths. cli-table3 would take twice the time for the findings of a command. */
function padLines(columns: readonly Column[], lines: readonly string[][], widths: readonly number[]): string {
  return lines
    .map((line) => {
      const cells = columns.map(({ align }, at) => {
        const cell = line[at] ?? '';
        const space = ' '.repeat(Math.max(0, (widths[at] ?? 1) - displayWidth(cell)));
        return align === 'right' ? space + cell : cell + space;
      });
      return `${cells.join(GUTTER).trimEnd()}\n`;
    })
    .join('');
}

/** The characters that cli-table3 draws around cells: a rule below the header, and nothing else. */
const BORDERS = {
  ...{ top: '', 'top-left': '', 'top-mid': '', 'top-right': '' },
  ...{ mid: '─', 'left-mid': '', 'mid-mid': GUTTER, 'right-mid': '' },
  ...{ left: '', middle: GUTTER, right: '' },
  ...{ bottom: '', 'bottom-left': '', 'bottom-mid': '', 'bottom-right': '' },
};

interface Drawing {
  readonly widths: readonly number[];
  readonly paint: Paint;
  /** Whether the first line is the header. */
  readonly hasHeader: boolean;
}

/** Draws lines of cells, which fit the widths, for a terminal. */
async function drawLines(
  columns: readonly Column[],
  lines: readonly string[][],
  { widths, paint, hasHeader }: Drawing,
): Promise<string> {
  const { default: CliTable } = await import('cli-table3');
  const table = new CliTable({
    chars: BORDERS,
    colWidths: [...widths],
    colAligns: columns.map(({ align = 'left' }) => align),
    head: (hasHeader && lines[0]) || [],
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
  });
  table.push(...lines.slice(hasHeader ? 1 : 0));
  const drawn = table.toString().split('\n');
  return drawn.map((line, at) => `${hasHeader && at === 1 ? paint('dim', line) : line.trimEnd()}\n`).join('');
}

/** Renders a row that does not fit as a record: a `header: value` line for each cell. The terminal wraps it. */
function renderRecord(header: readonly ShownCell[], row: readonly ShownCell[], paint: Paint): string {
  return row
    .map(({ lines, cell }, at) => {
      const label = paint('strong', `${header[at]?.lines.join(' ')}:`);
      return `${label} ${lines.map((line) => paintCell(cell, line, paint)).join('\n  ')}\n`;
    })
    .join('');
}

const ASCII = /^[\x20-\x7e]*$/;

/** Returns the terminal columns of one line of text, as cli-table3 measures them. Colors have none. */
export function displayWidth(text: string): number {
  // Most text is ASCII, and the cells of a long table may hold megabytes of it.
  return ASCII.test(text) ? text.length : stringWidth(text);
}

/** Cuts `text` to `width` columns (1 or more), ending in `…`. */
export function cutToWidth(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  if (ASCII.test(text)) return `${text.slice(0, width - 1).trimEnd()}…`;
  let cut = '';
  // The characters that readers see: an emoji or a letter with its marks is one.
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (displayWidth(cut + segment) >= width) break;
    cut += segment;
  }
  return `${cut.trimEnd()}…`;
}
