import { escapeFormulas } from './formulas.ts';
import { cleanCell } from './sanitize.ts';

export interface CsvOptions {
  /** One character; `,` unless told. */
  delimiter?: string;
  /** Write cells exactly as they are: no guard against formulas, control characters kept. */
  raw?: boolean;
}

/**
 * One CSV record (RFC 4180), ended by `\n`. Cells are quoted only where a reader needs it. Unless `raw`, what
 * a spreadsheet would evaluate as a formula is escaped (see `escapeFormulas`), and control characters other than line
 * breaks and tabs are written visibly.
 */
export function encodeCsvRow(cells: readonly string[], options: CsvOptions = {}): string {
  const { delimiter = ',', raw = false } = options;
  const encoded = cells.map((cell) => quote(raw ? cell : safeCell(cell, delimiter), delimiter));
  // A lone empty cell would be an empty line, which readers skip.
  if (encoded.length === 1 && encoded[0] === '') return '""\n';
  return `${encoded.join(delimiter)}\n`;
}

function safeCell(cell: string, delimiter: string): string {
  const cleaned = cleanCell(cell);
  // A CR becomes visible text, but a spreadsheet may show that text as it was.
  return cell.startsWith('\r') ? `'${cleaned}` : escapeFormulas(cleaned, delimiter);
}

function quote(cell: string, delimiter: string): string {
  const needed = cell.includes(delimiter) || /["\n\r]|^\s|\s$/.test(cell);
  return needed ? `"${cell.replaceAll('"', '""')}"` : cell;
}
