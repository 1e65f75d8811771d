import { cleanCell, escapeCommands } from './sanitize.ts';

/**
 * Encodes one CSV record (RFC 4180), ended by `\n`. Cells are quoted only if necessary. Formulas are escaped (see
 * `escapeFormulas`), and so are control characters other than line breaks and tabs, and commands of CI systems.
 */
export function encodeCsvRow(cells: readonly string[]): string {
  const encoded = cells.map(encodeCell);
  // A single empty cell would be an empty line, which readers skip.
  if (encoded.length === 1 && encoded[0] === '') return '""\n';
  const [first = ''] = encoded;
  // Within quotation marks, it is no command of a CI system.
  if (!first.startsWith('"') && escapeCommands(first) !== first) encoded[0] = `"${first}"`;
  return `${encoded.join(DELIMITER)}\n`;
}

const DELIMITER = ',';

/** Matches most cells, in which there is nothing to escape. */
const SIMPLE = /^\w[ !#-:<-~]*$/;

function encodeCell(cell: string): string {
  if (cell === '') return '';
  if (SIMPLE.test(cell)) return cell.includes(DELIMITER) || cell.endsWith(' ') ? `"${cell}"` : cell;
  return quoteCell(safeCell(cell));
}

function safeCell(cell: string): string {
  const escaped = escapeFormulas(cleanCell(cell), DELIMITER).replace(/\n.*/s, escapeCommands);
  // A CR becomes visible text, but a spreadsheet may restore it.
  return cell.startsWith('\r') && !escaped.startsWith("'") ? `'${escaped}` : escaped;
}

function quoteCell(cell: string): string {
  const needed = cell.includes(DELIMITER) || /["\n\r]|^\s|\s$/.test(cell);
  return needed ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Characters that make a spreadsheet evaluate a cell, including the full-width forms of an Asian keyboard. */
const TRIGGER = '=+\\-@＝＋－＠';
const PLAIN_NUMBER = /^[+-](?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** Positions in a cell that need a `'`; group 1 ends with the existing ones. */
interface Places {
  start: RegExp;
  /** After a character at which a spreadsheet may split the cell, regardless of quotes. */
  inner: RegExp;
}

const DELIMITERS = [',', ';', '\t'];
const placesByDelimiter = new Map<string, Places>();

/**
 * Prevents a spreadsheet from evaluating a CSV cell as a formula: writes a `'` before `= + - @` and their full-width
 * forms at the start of the cell, also after spaces and quotes, and before a tab, CR or LF there; within the cell also after
 * a line break and after `,` `;` or tab if these are not the file's delimiter, because the delimiter of a spreadsheet
 * depends on its locale. Plain numbers are unchanged.
 */
export function escapeFormulas(cell: string, delimiter: string): string {
  const { start, inner } = placesOf(delimiter);
  const escaped = cell.replace(inner, "$1'");
  return PLAIN_NUMBER.test(cell) ? escaped : escaped.replace(start, "$1'");
}

function placesOf(delimiter: string): Places {
  const known = placesByDelimiter.get(delimiter);
  if (known !== undefined) return known;
  const others = DELIMITERS.filter((other) => other !== delimiter).join('');
  const places = {
    start: new RegExp(`^([ "]*'*)(?=[${TRIGGER}\\t\\r\\n])`),
    inner: new RegExp(`([${others}\\r\\n][ "]*'*)(?=[${TRIGGER}])`, 'g'),
  };
  placesByDelimiter.set(delimiter, places);
  return places;
}
