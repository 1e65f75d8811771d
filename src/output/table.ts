import { cleanLine } from './sanitize.ts';
import type { Style, StyleText } from './style.ts';
import { cutToWidth, displayWidth } from './text-width.ts';
import { longestWord, wrapCell } from './wrap.ts';

export interface Column {
  header: string;
  /** Default `left`. */
  align?: 'left' | 'right';
  /** Minimum width in terminal columns, default 8. Narrower content needs no more than its own width. */
  min?: number;
  /** Share of the width when not all columns fit, default 1. */
  weight?: number;
  /** Break long cells into lines, at spaces where possible, instead of cutting them. */
  wrap?: boolean;
}

/** The text may be untrusted; `style` is applied after cutting. */
export type Cell = string | { text: string; style?: StyleText | undefined };

/** Options that a command sets for each table. */
export interface TableChoices {
  /** `false` omits header and rule: the rows continue a table that has been printed already. */
  header?: boolean;
  /** `false` never cuts a cell, for values that will be copied. Columns that wrap do so still. */
  cut?: boolean;
}

export interface TableOptions extends TableChoices {
  /** Terminal columns; `undefined` when piped: then nothing is cut or wrapped and no rule is drawn. */
  width?: number | undefined;
  style: Style;
}

/** A cell whose text is safe for a terminal. */
interface SafeCell {
  text: string;
  style: StyleText | undefined;
}

const EMPTY: SafeCell = { text: '', style: undefined };

const DEFAULT_MIN = 8;

/** Space between two columns. */
const GUTTER = '  ';

/** Rows that are rendered at a time, because the layout time of cli-table3 grows with the square of the rows. */
const BLOCK_ROWS = 50;

const BORDERLESS = {
  top: '',
  'top-left': '',
  'top-mid': '',
  'top-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  middle: GUTTER,
  right: '',
  'right-mid': '',
  bottom: '',
  'bottom-left': '',
  'bottom-mid': '',
  'bottom-right': '',
};
const RULE_BELOW = { ...BORDERLESS, bottom: '─', 'bottom-mid': GUTTER };

/**
 * Marks text that cli-table3 cuts. It cuts none of ours, but shortens each cell to 10 columns for a debug message, which takes
 * seconds for long Japanese text. A mark of 10 columns leaves nothing to shorten.
 */
const TRUNCATE = ' '.repeat(10);

/**
 * Renders a header line, a rule and the rows, columns two spaces apart, each line ended by `\n`. With a width no line is
 * wider: columns shrink, wrapping ones down to their longest word. If not even that fits, each row becomes a record of
 * `header: value` lines, where only a word longer than a line is wider. Cells that may not be cut do not shrink either; as
 * records their lines are as long as they are.
 */
export async function renderTable(
  columns: readonly Column[],
  rows: Iterable<readonly Cell[]>,
  options: TableOptions,
): Promise<string> {
  let text = '';
  for await (const block of tableBlocks(columns, rows, options)) text += block;
  return text;
}

/** Yields the text of `renderTable` in pieces. The rows are iterated twice: first to measure, then to render them. */
export async function* tableBlocks(
  columns: readonly Column[],
  rows: Iterable<readonly Cell[]>,
  options: TableOptions,
): AsyncGenerator<string> {
  if (columns.length === 0) return;
  const { width, style, header: withHeader = true, cut = true } = options;
  const header = columns.map((column) => ({ text: cleanLine(column.header), style: style.strong }));
  const widths = columnWidths(columns, header, rows, { width, cut });
  if (widths === undefined) {
    let before = withHeader ? '' : '\n';
    for (const block of blocksOf(columns, rows)) {
      yield before + renderRecords(columns, header, block, { width: Math.max(width ?? 0, MIN_WIDTH), cut });
      before = '\n';
    }
    return;
  }

  if (width === undefined) {
    if (withHeader) yield renderPlainRow(columns, header, widths);
    for (const block of blocksOf(columns, rows))
      yield block.map((row) => renderPlainRow(columns, row, widths)).join('');
    return;
  }

  if (withHeader) {
    const lines = await drawRows(columns, [header], widths, RULE_BELOW);
    const rule = lines.pop() ?? '';
    yield joinLines([...lines, style.dim(rule)]);
  }
  for (const block of blocksOf(columns, rows)) yield joinLines(await drawRows(columns, block, widths));
}

function joinLines(lines: readonly string[]): string {
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

/** Returns the width of each column, 1 or more; undefined if they do not fit next to each other. */
function columnWidths(
  columns: readonly Column[],
  header: readonly SafeCell[],
  rows: Iterable<readonly Cell[]>,
  { width, cut }: { width: number | undefined; cut: boolean },
): number[] | undefined {
  // Nothing follows the last column, so without a width its cells need not be measured.
  const lastIsFree = width === undefined && columns.at(-1)?.align !== 'right';
  const measured = lastIsFree ? columns.length - 1 : columns.length;
  const naturals = columns.map((_, index) =>
    index < measured ? Math.max(1, displayWidth(header[index]?.text ?? '', width)) : 1,
  );
  const words: number[] = [];
  for (const row of rows) {
    for (let index = 0; index < measured; index++) {
      const { text } = safeCell(row[index] ?? '');
      naturals[index] = Math.max(naturals[index] ?? 1, displayWidth(text, width));
      if (width !== undefined && columns[index]?.wrap)
        words[index] = Math.max(words[index] ?? 0, longestWord(text, width - INDENT.length));
    }
  }
  if (width === undefined) return naturals;
  const constraints = columns.map(({ min = DEFAULT_MIN, weight = 1, wrap }, index) => ({
    natural: naturals[index] ?? 1,
    min: cut || wrap ? Math.max(min, words[index] ?? 0) : Number.POSITIVE_INFINITY,
    weight,
  }));
  return fitColumnWidths(constraints, width - GUTTER.length * (columns.length - 1));
}

/**
 * Renders a row as one padded line, for pipes. Not by cli-table3, which measures each cell several times: thousands of rows
 * with long cells, which nothing cuts here, would take ten times longer.
 */
function renderPlainRow(columns: readonly Column[], row: readonly SafeCell[], widths: readonly number[]): string {
  const cells = columns.map(({ align }, index) => {
    const { text, style } = row[index] ?? EMPTY;
    const space = ' '.repeat(Math.max(0, (widths[index] ?? 1) - displayWidth(text, widths[index])));
    const styled = text === '' ? '' : (style?.(text) ?? text);
    return align === 'right' ? space + styled : styled + space;
  });
  return `${cells.join(GUTTER).trimEnd()}\n`;
}

/** Returns the lines of the rows, without trailing spaces. Cells are cut or wrapped to their widths. */
async function drawRows(
  columns: readonly Column[],
  rows: readonly (readonly SafeCell[])[],
  widths: readonly number[],
  chars = BORDERLESS,
): Promise<string[]> {
  const { default: Table } = await import('cli-table3');
  const table = new Table({
    chars,
    colWidths: [...widths],
    colAligns: columns.map(({ align = 'left' }) => align),
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    truncate: TRUNCATE,
  });
  for (const row of rows) {
    table.push(columns.map((column, index) => cellText(column, row[index], widths[index] ?? 1)));
  }
  const lines = table.toString().split('\n');
  return lines.map((line) => line.trimEnd());
}

/** Returns the styled lines of a cell, joined by `\n`, cut or wrapped to `width`. */
function cellText(column: Column, cell: SafeCell | undefined, width: number): string {
  const { text, style } = cell ?? EMPTY;
  if (text === '') return '';
  const lines = column.wrap ? wrapCell(text, width) : [cutToWidth(text, width)];
  return lines.map((line) => style?.(line) ?? line).join('\n');
}

/** Widths of a column in terminal columns. */
export interface ColumnConstraint {
  /** Width of its widest cell or header. */
  natural: number;
  min: number;
  /** A column of weight 2 keeps twice the width of one of weight 1. */
  weight: number;
}

/**
 * Distributes `available` terminal columns: the column that is widest for its weight shrinks first, none below its
 * minimum.
 *
 * @returns undefined if even the minimums do not fit
 */
export function fitColumnWidths(constraints: readonly ColumnConstraint[], available: number): number[] | undefined {
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

/** Two columns of the header, a colon, a space and one column of the value. */
const MIN_WIDTH = 5;
const INDENT = '  ';

/**
 * Renders rows as records, for narrow terminals: a `header: value` line for each cell, a blank line between rows. A value
 * that has no room next to its header is wrapped below it, or cut, or with `cut: false` below it without a cut.
 */
function renderRecords(
  columns: readonly Column[],
  header: readonly SafeCell[],
  rows: readonly (readonly SafeCell[])[],
  layout: { width: number; cut: boolean },
): string {
  const renderRecord = (row: readonly SafeCell[]) =>
    columns.map((column, index) => renderField(column, header[index], row[index], layout)).join('');
  return rows.map(renderRecord).join('\n');
}

function renderField(
  column: Column,
  name: SafeCell | undefined,
  value: SafeCell | undefined,
  { width, cut }: { width: number; cut: boolean },
): string {
  const label = `${cutToWidth(name?.text ?? '', Math.floor(width / 2))}:`;
  const styledLabel = name?.style?.(label) ?? label;
  const text = value?.text ?? '';
  if (text === '') return `${styledLabel}\n`;

  const styled = value?.style ?? ((line: string) => line);
  const room = width - displayWidth(label) - 1;
  if (displayWidth(text, room) <= room) return `${styledLabel} ${styled(text)}\n`;
  if (cut && !column.wrap) return `${styledLabel} ${styled(cutToWidth(text, room))}\n`;
  const lines = column.wrap ? wrapCell(text, width - INDENT.length, { keepWords: true }) : [text];
  return `${styledLabel}\n${lines.map((line) => `${INDENT}${styled(line)}\n`).join('')}`;
}
