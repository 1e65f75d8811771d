import { cleanLine } from './sanitize.ts';
import type { Style, StyleText } from './style.ts';
import { drawGrid, type GridCell, GUTTER } from './table-grid.ts';
import { cutToWidth, displayWidth, wrapToWidth } from './text-width.ts';

export interface Column {
  header: string;
  /** `left` unless told. */
  align?: 'left' | 'right';
  /** The least useful width in terminal columns, 8 unless told. Narrower content needs no more than its own width. */
  min?: number;
  /** Share of the width when not all fits; 1 unless told. */
  weight?: number;
  /** Break long cells into lines instead of cutting them. */
  wrap?: boolean;
}

/** The text may be untrusted; only `paint` brings colour, and it is applied after cutting. */
export type Cell = string | { text: string; style?: StyleText | undefined };

/** What a command may choose for each table. */
export interface TableChoices {
  /** `false` leaves header and rule out: the rows go on with a table that has been printed already. */
  header?: boolean;
  /** `false` keeps every cell whole, as for values that are there to be copied. */
  cut?: boolean;
}

export interface TableOptions extends TableChoices {
  /** Terminal columns; `undefined` when piped: then nothing is cut or wrapped and no rule is drawn. */
  width?: number | undefined;
  style: Style;
}

/** A cell whose text is safe for a terminal. */
export interface SafeCell {
  text: string;
  style: StyleText | undefined;
}

const DEFAULT_MIN = 8;

/** Rows that are drawn at a time: no more of a long table is held as text. */
const BLOCK_ROWS = 200;

/**
 * A header line, a rule and the rows, columns two spaces apart, each line ended by `\n`. With a width no line is wider:
 * columns shrink, and where not even their minimums fit, each row becomes a record of `header: value` lines. Cells that
 * may not be cut do not shrink either; as records their lines are as long as they are.
 */
export function renderTable(
  columns: readonly Column[],
  rows: Iterable<readonly Cell[]>,
  options: TableOptions,
): string {
  return [...tableBlocks(columns, rows, options)].join('');
}

/** The text of `renderTable` piece by piece. The rows are iterated twice: first they are measured, then drawn. */
export function* tableBlocks(
  columns: readonly Column[],
  rows: Iterable<readonly Cell[]>,
  options: TableOptions,
): Generator<string> {
  if (columns.length === 0) return;
  const { width, style, header: withHeader = true, cut = true } = options;
  const header = columns.map((column) => ({ text: cleanLine(column.header), style: style.strong }));
  const widths = columnWidths(columns, header, rows, { width, cut });
  if (widths === undefined) {
    let before = withHeader ? '' : '\n';
    for (const block of blocksOf(columns, rows)) {
      yield before + renderRecords(columns, header, block, cut ? (width ?? 0) : Number.POSITIVE_INFINITY);
      before = '\n';
    }
    return;
  }

  const grid = columns.map(({ align = 'left' }, index) => ({ width: widths[index] ?? 1, align }));
  const linesOf = (row: readonly SafeCell[]) => rowLines(columns, row, width !== undefined && cut ? widths : undefined);
  const top = withHeader ? drawGrid(grid, linesOf(header), { rule: width !== undefined }) : [];
  if (withHeader && width !== undefined) top.push(style.dim(top.pop() ?? ''));
  yield textOf(top);
  for (const block of blocksOf(columns, rows)) yield textOf(drawGrid(grid, block.flatMap(linesOf)));
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function* blocksOf(columns: readonly Column[], rows: Iterable<readonly Cell[]>): Generator<SafeCell[][]> {
  let block: SafeCell[][] = [];
  for (const row of rows) {
    block.push(columns.map((_, index) => safeCell(row[index] ?? '')));
    if (block.length < BLOCK_ROWS) continue;
    yield block;
    block = [];
  }
  if (block.length > 0) yield block;
}

function safeCell(cell: Cell): SafeCell {
  return typeof cell === 'string'
    ? { text: cleanLine(cell), style: undefined }
    : { text: cleanLine(cell.text), style: cell.style };
}

/** The width of each column, 1 or more; `undefined` when they do not fit next to each other. */
function columnWidths(
  columns: readonly Column[],
  header: readonly SafeCell[],
  rows: Iterable<readonly Cell[]>,
  { width, cut }: { width: number | undefined; cut: boolean },
): number[] | undefined {
  // Nothing follows a last column: when it need not fit either, its cells need not be measured.
  const lastIsFree = width === undefined && columns.at(-1)?.align !== 'right';
  const measured = lastIsFree ? columns.length - 1 : columns.length;
  const naturals = columns.map((_, index) =>
    index < measured ? Math.max(1, displayWidth(header[index]?.text ?? '', width)) : 1,
  );
  for (const row of rows) {
    for (let index = 0; index < measured; index++) {
      const { text } = safeCell(row[index] ?? '');
      naturals[index] = Math.max(naturals[index] ?? 1, displayWidth(text, width));
    }
  }
  if (width === undefined) return naturals;
  const demands = columns.map(({ min = DEFAULT_MIN, weight = 1 }, index) => ({
    natural: naturals[index] ?? 1,
    min: cut ? min : Number.POSITIVE_INFINITY,
    weight,
  }));
  return fitColumnWidths(demands, width - GUTTER.length * (columns.length - 1));
}

/** A row as the lines that it takes: each cell cut or wrapped to its column's width, or whole when there are no widths. */
function rowLines(
  columns: readonly Column[],
  row: readonly SafeCell[],
  widths: readonly number[] | undefined,
): GridCell[][] {
  const cells = columns.map((column, index) => {
    const text = row[index]?.text ?? '';
    const width = widths?.[index];
    if (width === undefined) return [text];
    return column.wrap ? wrapToWidth(text, width) : [cutToWidth(text, width)];
  });
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, at) =>
    cells.map((lines, index) => {
      const text = lines[at] ?? '';
      return { text, painted: text === '' ? text : (row[index]?.style?.(text) ?? text) };
    }),
  );
}

/** What a column wants and how little it can live with, in terminal columns. */
export interface ColumnConstraint {
  /** Width of its widest cell or header. */
  natural: number;
  min: number;
  /** Its share of what is left when not all fits: a column of weight 2 keeps twice the width of one of weight 1. */
  weight: number;
}

/**
 * Shares `available` terminal columns out. Whoever is widest for its weight gives way first, none below its minimum.
 * `undefined` when even the minimums do not fit.
 */
export function fitColumnWidths(constraints: readonly ColumnConstraint[], available: number): number[] | undefined {
  const columns = constraints.map((demand) => {
    const min = Math.min(demand.natural, demand.min);
    return { width: Math.max(min, Math.min(demand.natural, available)), min, weight: demand.weight };
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

/** Two columns of the header, the colon, a space and one of the value. */
const MIN_WIDTH = 5;
const INDENT = '  ';

/**
 * Rows as records, for terminals too narrow for columns: one `header: value` line a cell, a blank line between rows.
 * No line is wider than `width` (5 or more; Infinity cuts nothing); values of wrapping columns go on below, indented,
 * others are cut.
 */
function renderRecords(
  columns: readonly Column[],
  header: readonly SafeCell[],
  rows: readonly (readonly SafeCell[])[],
  width: number,
): string {
  const room = Math.max(width, MIN_WIDTH);
  const renderRecord = (row: readonly SafeCell[]) =>
    columns.map((column, index) => renderField(column, header[index], row[index], room)).join('');
  return rows.map(renderRecord).join('\n');
}

function renderField(column: Column, name: SafeCell | undefined, value: SafeCell | undefined, width: number): string {
  const label = `${cutToWidth(name?.text ?? '', Math.floor(width / 2))}:`;
  const paintedLabel = name?.style?.(label) ?? label;
  const text = value?.text ?? '';
  if (text === '') return `${paintedLabel}\n`;

  const paint = value?.style ?? ((line: string) => line);
  const room = width - displayWidth(label) - 1;
  if (!column.wrap || displayWidth(text, room) <= room) return `${paintedLabel} ${paint(cutToWidth(text, room))}\n`;
  const lines = wrapToWidth(text, width - INDENT.length).map((line) => `${INDENT}${paint(line)}\n`);
  return `${paintedLabel}\n${lines.join('')}`;
}
