import { displayWidth } from './display-width.ts';
import type { Column, SafeCell } from './table.ts';
import { cutToWidth, wrapToWidth } from './text-width.ts';

/**
 * Rows as records, for terminals too narrow for columns: one `header: value` line a cell, a blank line between rows.
 * No line is wider than `width`; values of wrapping columns go on below, indented, others are cut.
 */
export function renderRecords(
  columns: readonly Column[],
  header: readonly SafeCell[],
  rows: readonly (readonly SafeCell[])[],
  width: number,
): string {
  const records = rows.map((row) =>
    columns.map((column, index) => renderField(column, header[index], row[index], width).join('')),
  );
  return records.map((fields) => fields.join('')).join('\n');
}

const INDENT = '  ';

function renderField(column: Column, name: SafeCell | undefined, value: SafeCell | undefined, width: number): string[] {
  const label = `${cutToWidth(name?.text ?? '', Math.max(1, Math.floor(width / 2)))}:`;
  const room = width - displayWidth(label) - 1;
  const text = value?.text ?? '';
  const lines =
    column.wrap && displayWidth(text, room) > room
      ? ['', ...wrapToWidth(text, Math.max(1, width - INDENT.length))]
      : [cutToWidth(text, Math.max(1, room))];
  return lines.map((line, index) => {
    const painted = line === '' ? line : (value?.paint?.(line) ?? line);
    if (index > 0) return `${INDENT}${painted}\n`;
    return `${name?.paint?.(label) ?? label}${line === '' ? '' : ` ${painted}`}\n`;
  });
}
