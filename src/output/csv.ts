import { cleanCell } from './sanitize.ts';

export interface CsvOptions {
  /** One character; `,` unless told. */
  delimiter?: string;
  /** Write cells exactly as they are: no guard against formulas, control characters kept. */
  raw?: boolean;
}

const FORMULA = /^[=+\-@\t\r]/;
const PLAIN_NUMBER = /^[+-](?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * One CSV record (RFC 4180), ended by `\n`. Cells are quoted only where a reader needs it. Unless `raw`, a cell that a
 * spreadsheet would run as a formula gets a `'` before it (plain numbers do not), and control characters other than
 * line breaks and tabs are written visibly.
 */
export function encodeCsvRow(cells: readonly string[], options: CsvOptions = {}): string {
  const { delimiter = ',', raw = false } = options;
  const encoded = cells.map((cell) => quote(raw ? cell : defuse(cell), delimiter));
  // A lone empty cell would be an empty line, which readers skip.
  if (encoded.length === 1 && encoded[0] === '') return '""\n';
  return `${encoded.join(delimiter)}\n`;
}

function defuse(cell: string): string {
  const cleaned = cleanCell(cell);
  // Both are tested: cleaning may uncover a formula, and it turns a leading CR into text.
  const runs = (FORMULA.test(cell) || FORMULA.test(cleaned)) && !PLAIN_NUMBER.test(cleaned);
  return runs ? `'${cleaned}` : cleaned;
}

function quote(cell: string, delimiter: string): string {
  const needed = cell.includes(delimiter) || /["\n\r]|^\s|\s$/.test(cell);
  return needed ? `"${cell.replaceAll('"', '""')}"` : cell;
}
