import { displayWidth } from './display-width.ts';
import { cleanLine } from './sanitize.ts';
import type { Paint, Style } from './style.ts';
import { fitColumns } from './table-layout.ts';
import { renderRecords } from './table-records.ts';
import { cutToWidth, padToWidth, wrapToWidth } from './text-width.ts';

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
export type Cell = string | { text: string; paint?: Paint | undefined };

export interface TableOptions {
  /** Terminal columns; `undefined` when piped: then nothing is cut or wrapped and no rule is drawn. */
  width?: number | undefined;
  style: Style;
}

/** A cell whose text is safe for a terminal. */
export interface SafeCell {
  text: string;
  paint: Paint | undefined;
}

const GUTTER = '  ';
const DEFAULT_MIN = 8;

/**
 * A header line, a rule and the rows, columns two spaces apart, each line ended by `\n`. With a width no line is wider:
 * columns shrink, and where not even their minimums fit, each row becomes a record of `header: value` lines.
 */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  options: TableOptions,
): string {
  if (columns.length === 0) return '';
  const { width, style } = options;
  const header = columns.map((column) => ({ text: cleanLine(column.header), paint: style.strong }));
  const body = rows.map((row) => columns.map((_, index) => safeCell(row[index] ?? '')));
  const widths = columnWidths(columns, [header, ...body], width);
  if (widths === undefined) return renderRecords(columns, header, body, width ?? 0);

  const shapes = columns.map((column, index) => ({ column, width: widths[index] ?? 0 }));
  const lines = renderRow(shapes, header);
  if (width !== undefined) lines.push(style.dim(widths.map((columnWidth) => '─'.repeat(columnWidth)).join(GUTTER)));
  for (const row of body) lines.push(...renderRow(shapes, row));
  return `${lines.join('\n')}\n`;
}

interface Shape {
  column: Column;
  width: number;
}

function safeCell(cell: Cell): SafeCell {
  return typeof cell === 'string'
    ? { text: cleanLine(cell), paint: undefined }
    : { text: cleanLine(cell.text), paint: cell.paint };
}

/** The width of each column; `undefined` when they cannot stand side by side. Unlimited ones keep their natural width. */
function columnWidths(
  columns: readonly Column[],
  rows: readonly (readonly SafeCell[])[],
  width: number | undefined,
): number[] | undefined {
  const naturals = columns.map((column, index) => {
    // Nothing follows a last column: when it need not fit either, its cells need not be measured.
    if (width === undefined && index === columns.length - 1 && column.align !== 'right')
      return Number.POSITIVE_INFINITY;
    return rows.reduce((widest, row) => Math.max(widest, displayWidth(row[index]?.text ?? '', width)), 0);
  });
  if (width === undefined) return naturals;
  const demands = columns.map(({ min = DEFAULT_MIN, weight = 1 }, index) => ({
    natural: naturals[index] ?? 0,
    min,
    weight,
  }));
  return fitColumns(demands, width - GUTTER.length * (columns.length - 1));
}

function renderRow(shapes: readonly Shape[], row: readonly SafeCell[]): string[] {
  const blocks = shapes.map((shape, index) => cellLines(shape, row[index]?.text ?? ''));
  const height = blocks.reduce((most, block) => Math.max(most, block.length), 1);
  return Array.from({ length: height }, (_, at) =>
    shapes
      .map(({ column, width }, index) => {
        const text = blocks[index]?.[at] ?? '';
        const painted = text === '' ? text : row[index]?.paint?.(text);
        return Number.isFinite(width) ? padToWidth(text, width, column.align ?? 'left', painted) : (painted ?? text);
      })
      .join(GUTTER)
      .trimEnd(),
  );
}

function cellLines({ column, width }: Shape, text: string): string[] {
  if (!Number.isFinite(width)) return [text];
  return column.wrap ? wrapToWidth(text, width) : [cutToWidth(text, width)];
}
