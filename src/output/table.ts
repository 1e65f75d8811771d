import type { Redact } from './redact.ts';
import { cleanLine } from './sanitize.ts';
import type { Paint } from './style.ts';
import { joinText, paintCell, plainText, redactText, type Text, text } from './text.ts';
import { cutToWidth, displayWidth } from './text-width.ts';
import { longestWord, wrapCell, wrapWords } from './wrap.ts';

export interface Column {
  header: string;
  /** Default `left`. */
  align?: 'left' | 'right';
  /**
   * Minimum width in terminal columns, default 8. Narrower content needs no more than its own width. Infinity: cells are never
   * cut, because people copy them.
   */
  min?: number;
  /** Share of the width when not all columns fit, default 1. */
  weight?: number;
  /** Breaks long cells into lines, at spaces where possible, instead of cutting them. */
  wrap?: boolean;
  /** Left out of a terminal that is too narrow for all columns, the lowest number first. Default: never. */
  dropOrder?: number | undefined;
}

/** A string is untrusted. A text may have lines of its own; a cell is shown in the style that all of it has. */
export type Cell = string | Text;

/** A table for people. An empty cell is shown as `-`. */
export interface Table {
  /** A column may be just its header. */
  readonly columns: readonly (Column | string)[];
  /** Iterated twice, so that they may be created on demand. */
  readonly rows: Iterable<readonly Cell[]>;
  /** The rows continue the table before them, without another header. */
  readonly isContinued?: boolean;
}

/** Where text for people goes. */
export interface TextTarget {
  /** Terminal columns; undefined when piped: then nothing is cut or wrapped, and a table has no rule. */
  readonly width: number | undefined;
  readonly paint: Paint;
  /** Removes secrets from a cell before it is cut. */
  readonly redact: Redact;
  /** Writes a note next to the text. */
  note(message: Text): void;
}

/** Where the lines of a table go. */
type LineTarget = Pick<TextTarget, 'width' | 'paint'>;

/** Returns the columns of a table, and its rows with a cell for each of them. */
export function completeTable(
  { columns, rows }: Table,
  redact: Redact,
): { columns: readonly Column[]; rows: Iterable<Cell[]> } {
  return {
    columns: columns.map((column) => (typeof column === 'string' ? { header: column } : column)),
    rows: {
      *[Symbol.iterator]() {
        for (const row of rows) yield columns.map((_, at) => completeCell(redactText(row[at] ?? '', redact)));
      },
    },
  };
}

function completeCell(cell: Text): Cell {
  return plainText(cell).trim() === '' ? '-' : cell;
}

/** Rows that are laid out at a time: no more of a long table is held as text. */
const BLOCK_ROWS = 500;

/**
 * Yields a table in pieces: a header line, a rule and the rows, columns two spaces apart, each line ended by `\n`. With a
 * width no line is wider: columns shrink, wrapping ones down to their longest word, and then those with a `dropOrder` are left
 * out, which a note says. If not even that fits, each row becomes a record of `header: value` lines for all columns. These are
 * wrapped at spaces; the terminal continues longer words, and cells to copy.
 */
export async function* renderTable(table: Table, { width, paint, redact, note }: TextTarget): AsyncGenerator<string> {
  const complete = completeTable(table, redact);
  if (complete.columns.length === 0) return;
  const { columns, hidden, rows, widths } = fitTable(complete.columns, complete.rows, width);
  let isFirst = table.isContinued !== true;
  for (const block of blocksOf(rows)) {
    if (block.length === 0 && !isFirst) return;
    if (widths === undefined) {
      yield (isFirst ? '' : '\n') + block.map((row) => renderRecord(columns, row, width ?? 1, paint)).join('\n');
    } else {
      const lines = block.flatMap((row) => rowLines(columns, row, widths, { width, paint }));
      const header = isFirst ? headerLine(columns, widths, { width, paint }) : undefined;
      yield width === undefined
        ? renderPlain(columns, header === undefined ? lines : [header, ...lines], widths)
        : await drawTable(columns, header, lines, widths, paint);
    }
    isFirst = false;
  }
  if (hidden.length > 0)
    note(text`columns that do not fit the terminal: ${joinText(hidden, text`, `)}. To see them, use -o csv.`);
}

/** Yields the rows in blocks; one block without rows if there are none. */
export function* blocksOf(rows: Iterable<readonly Cell[]>): Generator<(readonly Cell[])[]> {
  let block: (readonly Cell[])[] = [];
  let isFirst = true;
  for (const row of rows) {
    block.push(row);
    if (block.length < BLOCK_ROWS) continue;
    yield block;
    isFirst = false;
    block = [];
  }
  if (isFirst || block.length > 0) yield block;
}

const DEFAULT_MIN = 8;

/** In a pipe, a wider cell only makes its own line longer, in columns: the other rows do not grow with it. */
const MAX_ALIGNED = 200;

/** Space between two columns. */
const GUTTER = '  ';

interface FittedTable {
  columns: readonly Column[];
  /** The headers of the columns that are left out. */
  hidden: readonly string[];
  rows: Iterable<readonly Cell[]>;
  /** The width of each column, 1 or more; undefined if they do not fit next to each other. */
  widths: readonly number[] | undefined;
}

/** Leaves out columns that may be dropped until the others fit. Keeps all if not even that is enough. */
function fitTable(columns: readonly Column[], rows: Iterable<readonly Cell[]>, width: number | undefined): FittedTable {
  const constraints = measureColumns(columns, rows, width);
  if (width === undefined) return { columns, hidden: [], rows, widths: constraints.map(({ natural }) => natural) };
  const orders = columns.flatMap(({ dropOrder }) => dropOrder ?? []).sort((a, b) => a - b);
  for (const dropped of [Number.NEGATIVE_INFINITY, ...orders]) {
    const isKept = (_: unknown, at: number) => (columns[at]?.dropOrder ?? Number.POSITIVE_INFINITY) > dropped;
    const kept = columns.filter(isKept);
    const widths = fitColumnWidths(constraints.filter(isKept), width - GUTTER.length * (kept.length - 1));
    if (widths === undefined) continue;
    const keptRows = {
      *[Symbol.iterator]() {
        for (const row of rows) yield row.filter(isKept);
      },
    };
    const hidden = columns.filter((column) => !kept.includes(column)).map(({ header }) => header);
    return { columns: kept, hidden, rows: keptRows, widths };
  }
  return { columns, hidden: [], rows, widths: undefined };
}

/** Widths of a column in terminal columns. */
interface ColumnConstraint {
  /** Width of its widest cell or header, 1 or more. */
  natural: number;
  min: number;
  /** A column of weight 2 keeps twice the width of one of weight 1. */
  weight: number;
}

/** Measures the columns, for a pipe if `width` is undefined. */
function measureColumns(
  columns: readonly Column[],
  rows: Iterable<readonly Cell[]>,
  width: number | undefined,
): ColumnConstraint[] {
  // Nothing follows the last column, so without a width its cells need not be measured.
  const lastIsFree = width === undefined && columns.at(-1)?.align !== 'right';
  const measured = lastIsFree ? columns.slice(0, -1) : columns;
  const constraints = columns.map(({ min = DEFAULT_MIN, weight = 1 }) => ({ natural: 1, min, weight }));
  const measure = (at: number, text: string) => {
    const constraint = constraints[at];
    if (constraint === undefined) return;
    for (const line of text.split('\n')) {
      const lineWidth = displayWidth(line);
      if (width !== undefined || lineWidth <= MAX_ALIGNED) constraint.natural = Math.max(constraint.natural, lineWidth);
      if (width !== undefined && columns[at]?.wrap) constraint.min = Math.max(constraint.min, longestWord(line, width));
    }
  };
  for (const [at, { header }] of measured.entries()) measure(at, cleanLine(header));
  for (const row of rows) for (const at of measured.keys()) measure(at, plainText(row[at] ?? ''));
  return constraints;
}

/**
 * Distributes `available` terminal columns: the column that is widest for its weight shrinks first, none below its
 * minimum.
 *
 * @returns undefined if even the minimums do not fit
 */
function fitColumnWidths(constraints: readonly ColumnConstraint[], available: number): number[] | undefined {
  const columns = constraints.map(({ natural, min: wanted, weight }) => {
    const min = Math.min(natural, wanted);
    return { width: Math.max(min, Math.min(natural, available)), min, weight };
  });
  let excess = columns.reduce((sum, column) => sum + column.width, 0) - available;
  for (; excess > 0; excess--) {
    let widest: (typeof columns)[number] | undefined;
    for (const column of columns) {
      if (column.width <= column.min) continue;
      if (widest === undefined || column.width / column.weight >= widest.width / widest.weight) widest = column;
    }
    if (widest === undefined) return undefined;
    widest.width--;
  }
  return columns.map((column) => column.width);
}

function headerLine(columns: readonly Column[], widths: readonly number[], { width, paint }: LineTarget): string[] {
  return columns.map(({ header }, at) => {
    const name = cleanLine(header);
    return paint('strong', width === undefined ? name : cutToWidth(name, widths[at] ?? 1));
  });
}

/** Returns the lines of a row, each with a painted cell for each column. On a terminal, wraps or cuts cells to the widths. */
function rowLines(
  columns: readonly Column[],
  row: readonly Cell[],
  widths: readonly number[],
  { width, paint }: LineTarget,
): string[][] {
  const cells = columns.map(({ wrap }, at) => {
    const cell = row[at] ?? '';
    const room = width === undefined ? undefined : (widths[at] ?? 1);
    return cellLines(plainText(cell), wrap, room).map((line) => paintCell(cell, line, paint));
  });
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, at) => cells.map((lines) => lines[at] ?? ''));
}

/** Wraps or cuts the text of a cell, if it has a width. */
function cellLines(text: string, wrap: boolean | undefined, width: number | undefined): string[] {
  if (width !== undefined && wrap) return wrapCell(text, width);
  const lines = text.split('\n');
  return width === undefined ? lines : lines.map((line) => cutToWidth(line, width));
}

/**
 * Renders lines for a pipe, padded to the widths. Nothing is cut: a wider cell makes its own line longer. cli-table3 would cut
 * it, and takes so long for a row that `findings list` of 1,000 findings would take twice the time.
 */
function renderPlain(columns: readonly Column[], lines: readonly string[][], widths: readonly number[]): string {
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

/** Draws lines of cells, which fit the widths, for a terminal. */
async function drawTable(
  columns: readonly Column[],
  header: readonly string[] | undefined,
  lines: readonly string[][],
  widths: readonly number[],
  paint: Paint,
): Promise<string> {
  const { default: CliTable } = await import('cli-table3');
  const table = new CliTable({
    chars: BORDERS,
    colWidths: [...widths],
    colAligns: columns.map(({ align = 'left' }) => align),
    head: [...(header ?? [])],
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
  });
  table.push(...lines.map((line) => [...line]));
  const drawn = table.toString().split('\n');
  return drawn
    .map((line, at) => `${header !== undefined && at === 1 ? paint('dim', line) : line.trimEnd()}\n`)
    .join('');
}

/** Renders a row as a record, for narrow terminals: a `header: value` line for each cell. */
function renderRecord(columns: readonly Column[], row: readonly Cell[], width: number, paint: Paint): string {
  return columns
    .map(({ header, min }, at) => {
      const cell = row[at] ?? '';
      const label = `${cleanLine(header)}:`;
      const text = plainText(cell);
      const isBelow = displayWidth(`${label} ${text}`) > width;
      // People select the line of a cell to copy, which may be longer than the terminal is wide.
      const isCopied = min === Number.POSITIVE_INFINITY;
      const indent = isCopied ? '' : INDENT;
      const lines = isBelow && !isCopied ? wrapWords(text, Math.max(1, width - indent.length)) : text.split('\n');
      const painted = lines.map((line) => paintCell(cell, line, paint)).join(`\n${indent}`);
      return `${paint('strong', label)}${isBelow ? `\n${indent}` : ' '}${painted}\n`;
    })
    .join('');
}

const INDENT = '  ';
