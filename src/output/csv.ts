import { renderCell } from './json.ts';
import { cleanCell, escapeCommands } from './sanitize.ts';

/** Matches a cell at the start of a line that a CI system would run as a command. Within quotation marks, it is none. */
const COMMAND = /^[ \t]*(?:::|##)/;

/**
 * Renders rows as CSV (RFC 4180), whose lines end with `\n`. A `'` goes in front of a text that a spreadsheet would evaluate as a
 * formula, and controls other than line breaks and tabs become visible.
 *
 * @param redact removes secrets from a cell
 */
export async function renderCsv(
  rows: readonly (readonly unknown[])[],
  redact: (cell: string) => string = (cell) => cell,
): Promise<string> {
  const { stringify } = await import('csv-stringify/sync');
  // A number is no formula.
  const cells = rows.map((row) =>
    row.map((value) => (typeof value === 'number' ? value : safeCell(redact(renderCell(value))))),
  );
  return stringify(cells, { escape_formulas: true, quoted_match: COMMAND });
}

/** Makes the lines of a cell safe. The first one may begin with a command, see above. */
function safeCell(cell: string): string {
  return cleanCell(cell).replace(/\n.*/s, escapeCommands);
}
