import type { Damage } from '../../list-row.ts';

/** A row of a sheet that has at least one filled cell. */
export interface SheetRow {
  /** The row's number in the sheet, 1-based. Numbers increase; those of blank rows are left out. */
  readonly line: number;
  /** The cells from column A on, up to the last filled one, as text; `''` for a blank cell. */
  readonly cells: readonly string[];
  /** Whether the sheet hides it, as a filter does. */
  readonly isHidden: boolean;
  readonly doubts: readonly CellDoubt[];
}

/** Why the text of a cell may not be what a person sees there. */
export interface CellDoubt {
  /** The cell's column, from 0. */
  readonly column: number;
  readonly kind: DoubtKind;
}

export type DoubtKind = keyof typeof DOUBTS;

const RETYPE = 'format the column as text, and type the ID again';

const SHOWN_DIFFERENTLY = 'is shown differently by its number format (choose the format "Text" or "0")';

interface DoubtDescription extends Damage {
  /** Whether it matters only for a user ID. */
  readonly isForIds: boolean;
}

/** What is wrong with a cell. */
const DOUBTS = {
  formula: {
    issue: 'is a formula without a saved result (open the workbook in Excel and save it)',
    isForIds: false,
  },
  hidden: { issue: 'is hidden by its number format (choose the format "General" to see it)', isForIds: false },
  zero: { issue: 'is a zero, which the sheet does not show (delete it, or let the sheet show zeros)', isForIds: false },
  zeroResult: {
    issue: 'is a formula whose result is 0, as that of a reference to a blank cell (type the value, or delete the row)',
    isForIds: true,
  },
  struck: { issue: 'is struck out in the sheet (remove the line through it, or delete the row)', isForIds: false },
  superscript: {
    issue: 'has a superscript or subscript, such as the mark of a footnote (remove it, or format it as normal text)',
    isForIds: false,
  },
  total: { issue: 'is a total, not a person', isForIds: false },
  totalsRow: { issue: 'is in the totals row of a table, so it is not a person', isForIds: true },
  pivot: { issue: 'is in a pivot table (import the list that it summarizes)', isForIds: true },
  merged: { issue: 'is a merged cell (unmerge it, so that each person has an ID)', isForIds: true },
  date: { issue: `is a date, and not the ID that was typed (${RETYPE})`, isForIds: true },
  digits: {
    issue: `has more than 15 digits, which spreadsheets cannot store as a number (${RETYPE})`,
    isForIds: true,
    isShortened: true,
  },
  fraction: { issue: `is a number with a fraction (${RETYPE})`, isForIds: true },
  format: { issue: SHOWN_DIFFERENTLY, isForIds: true },
  // Such a format can show 1 as "left the company".
  condition: { issue: SHOWN_DIFFERENTLY, isForIds: false },
} as const satisfies Record<string, DoubtDescription>;

const NO_DOUBTS: readonly CellDoubt[] = [];

/**
 * Finds what is wrong with a cell from which a field is read.
 *
 * @returns its issue begins with the cell: `C4 is a formula without a saved result (…)`; undefined if nothing is wrong
 */
export function doubtAbout(
  { line, doubts }: Pick<SheetRow, 'line' | 'doubts'>,
  column: number,
  isUserId: boolean,
): Damage | undefined {
  const found = doubts.find((doubt) => doubt.column === column && (isUserId || !DOUBTS[doubt.kind].isForIds));
  if (found === undefined) return undefined;
  const { issue, ...damage }: DoubtDescription = DOUBTS[found.kind];
  return { ...damage, issue: `${columnName(column + 1)}${line} ${issue}` };
}

/** Whether a row has no text, and no formula whose result is unknown. */
export function isBlankRow({ cells, doubts }: Pick<SheetRow, 'cells' | 'doubts'>): boolean {
  return cells.every((cell) => cell.trim() === '') && !doubts.some(({ kind }) => !DOUBTS[kind].isForIds);
}

/** Renders a row as one line of JSON, without a line end: its number and its cells. Few rows have more. */
export function renderSheetRow({ line, cells, isHidden, doubts }: SheetRow): string {
  return JSON.stringify([isHidden || doubts.length > 0 ? { line, isHidden, doubts } : line, ...cells]);
}

/** Parses a line of `renderSheetRow`. */
export function parseSheetRow(json: string): SheetRow {
  const [head, ...cells] = JSON.parse(json) as [number | Omit<SheetRow, 'cells'>, ...string[]];
  return typeof head === 'number' ? { line: head, cells, isHidden: false, doubts: NO_DOUBTS } : { ...head, cells };
}

/** Returns the letters of a column: `28` → `AB`. */
export function columnName(number: number): string {
  const last = String.fromCharCode(65 + ((number - 1) % 26));
  return number > 26 ? columnName(Math.floor((number - 1) / 26)) + last : last;
}
