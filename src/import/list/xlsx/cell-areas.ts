import { quote } from '../../../output/sanitize.ts';
import { damaged } from './archive.ts';
import { type CellDoubt, columnName, type DoubtKind, isBlankRow, type SheetRow } from './sheet-row.ts';

/** A sheet has at most this many columns. */
export const MAX_COLUMNS = 16_384;

/** Cells with one value: a merged cell, or the results of an array formula that was not calculated. Numbers are 1-based. */
export interface CellArea {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
  readonly kind: DoubtKind;
}

/** `AB12` → 28. */
export function columnNumber(reference: string): number {
  let number = 0;
  for (const letter of reference.match(/^[A-Z]{1,3}/)?.[0] ?? '') number = number * 26 + letter.charCodeAt(0) - 64;
  if (number === 0) throw damaged(`${quote(reference)} is not a cell`);
  return number;
}

/** Parses `C2:C4`, or `C2`. */
export function cellArea(reference: string, kind: DoubtKind): CellArea {
  const [, first, top, last = first, bottom = top] =
    /^([A-Z]{1,3})(\d{1,7})(?::([A-Z]{1,3})(\d{1,7}))?$/.exec(reference) ?? [];
  if (first === undefined || last === undefined) throw damaged(`${quote(reference)} is not a range of cells`);
  return { top: Number(top), bottom: Number(bottom), left: columnNumber(first), right: columnNumber(last), kind };
}

/** A merged cell whose value counts in several rows. */
export interface MergedCell {
  /** Its column, from 0. */
  readonly column: number;
  /** Its range, such as `C2:C4`. */
  readonly range: string;
}

/** An area, and what its first cell has. */
interface OpenArea {
  readonly area: CellArea;
  readonly text: string;
  readonly doubts: readonly CellDoubt[];
  isReported: boolean;
}

/** Fills areas of several cells into the rows of a sheet, which must come in order. */
export class AreaFiller {
  /** The merged cells that filled more rows than their first. */
  readonly mergedDown: MergedCell[] = [];
  readonly #areas: readonly CellArea[];
  #next = 0;
  #open: OpenArea[] = [];

  constructor(areas: readonly CellArea[]) {
    this.#areas = areas.toSorted((a, b) => a.top - b.top);
  }

  /**
   * Returns a row as a person sees it: a merged cell shows its first value in all of its rows, and hides what its other cells
   * contain. Returns undefined for a row that has nothing else.
   */
  fill(row: SheetRow): SheetRow | undefined {
    this.#advance(row);
    if (this.#open.length === 0) return row;
    const cells = [...row.cells];
    let doubts = [...row.doubts];
    for (const { area } of this.#open) {
      if (area.kind !== 'merged') continue;
      const isCovered = (column: number) =>
        column + 1 >= area.left && column + 1 <= area.right && (area.top < row.line || column + 1 > area.left);
      for (const column of cells.keys()) if (isCovered(column)) cells[column] = '';
      doubts = doubts.filter(({ column }) => !isCovered(column));
    }
    if (isBlankRow({ cells, doubts })) return undefined;
    for (const open of this.#open) this.#fillArea(open, row.line, cells, doubts);
    return { ...row, cells, doubts };
  }

  #fillArea(open: OpenArea, line: number, cells: string[], doubts: CellDoubt[]): void {
    const { area, text } = open;
    const { kind, left, right, top } = area;
    if (kind !== 'merged') {
      for (let column = left - 1; column < right; column++) doubts.push({ column, kind });
      return;
    }
    const column = left - 1;
    while (cells.length < left) cells.push('');
    cells[column] = text;
    if (line > top) doubts.push(...open.doubts);
    if (text !== '') doubts.push({ column, kind });
    if (text === '' || line === top || open.isReported) return;
    open.isReported = true;
    this.mergedDown.push({ column, range: `${columnName(left)}${top}:${columnName(right)}${area.bottom}` });
  }

  /** Opens the areas that begin above or in a row, and closes those that end above it. */
  #advance({ line, cells, doubts }: SheetRow): void {
    if (this.#open.length > 0) this.#open = this.#open.filter(({ area }) => area.bottom >= line);
    for (let area = this.#areas[this.#next]; area !== undefined && area.top <= line; area = this.#areas[++this.#next]) {
      const column = area.left - 1;
      const isFirst = area.top === line;
      const text = isFirst ? (cells[column] ?? '') : '';
      const own = isFirst ? doubts.filter((doubt) => doubt.column === column) : [];
      if (area.bottom >= line) this.#open.push({ area, text, doubts: own, isReported: false });
    }
    // A column is in at most one merged cell of a row.
    if (this.#open.length > MAX_COLUMNS) throw damaged('merged cells overlap');
  }
}
