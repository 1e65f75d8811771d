import { displayWidth } from './display-width.ts';
import type { Column, SafeCell } from './table.ts';
import { cutToWidth, wrapToWidth } from './text-width.ts';

/** Two columns of the header, the colon, a space and one of the value. */
const MIN_WIDTH = 5;
const INDENT = '  ';

/**
 * Rows as records, for terminals too narrow for columns: one `header: value` line a cell, a blank line between rows.
 * No line is wider than `width` (5 or more; Infinity cuts nothing); values of wrapping columns go on below, indented,
 * others are cut.
 */
export function renderRecords(
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
