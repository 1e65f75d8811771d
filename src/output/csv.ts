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

/** What makes a spreadsheet evaluate a cell, the full-width forms of an Asian keyboard among them. */
const TRIGGER = '=+\\-@＝＋－＠';
const PLAIN_NUMBER = /^[+-](?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** The places of one cell before which a `'` belongs; group 1 ends with those that are there already. */
interface Places {
  start: RegExp;
  /** After a character at which a spreadsheet may split the cell in two, whatever quotes are around it. */
  inner: RegExp;
}

const PLACES: Readonly<Record<string, Places>> = {
  ',': placesFor(';\t'),
  ';': placesFor(',\t'),
  '\t': placesFor(',;'),
};

/**
 * Prevents a spreadsheet from evaluating a CSV cell as a formula: writes a `'` before `= + - @` and their full-width
 * forms at the start of the cell, also after blanks and quotes, and before a tab, CR or LF there. The same within the
 * cell after a line break and after `,` `;` or tab where these are not the file's own delimiter: which of them separates
 * cells depends on the reader's locale, and there the quotes around this cell mean nothing. Plain numbers stay as they
 * are. `unescapeFormulas` undoes it exactly.
 */
export function escapeFormulas(cell: string, delimiter: string): string {
  const { start, inner } = placesOf(delimiter);
  const escaped = cell.replace(inner, "$1'");
  return PLAIN_NUMBER.test(cell) ? escaped : escaped.replace(start, "$1'");
}

/** Returns the cell that `escapeFormulas` was given. */
export function unescapeFormulas(cell: string, delimiter: string): string {
  if (!cell.includes("'")) return cell;
  const { start, inner } = placesOf(delimiter);
  const withoutLast = (_: string, before: string) => (before.endsWith("'") ? before.slice(0, -1) : before);
  return cell.replace(inner, withoutLast).replace(start, withoutLast);
}

function placesOf(delimiter: string): Places {
  return PLACES[delimiter] ?? placesFor(',;\t');
}

function placesFor(delimiters: string): Places {
  return {
    start: new RegExp(`^([ "]*'*)(?=[${TRIGGER}\\t\\r\\n])`),
    inner: new RegExp(`([${delimiters}\\r\\n][ "]*'*)(?=[${TRIGGER}])`, 'g'),
  };
}
