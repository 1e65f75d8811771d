import { quote } from '../../../output/sanitize.ts';
import { formatCount } from '../../../util/units.ts';
import type { ValidationIssue } from '../../list-row.ts';
import type { SourceRecord } from '../source/source-record.ts';

/**
 * Finds the rows of a CSV list that have more cells than other rows, although the cells beyond the header are blank. If a cell such as
 * `Berg, Ada` lacks its quotes, the columns after it have the values of other ones.
 */
export class RowWidth {
  /** The number of cells that every row so far has; that of the header if they differ. */
  #common: number | undefined;

  /**
   * Returns an issue if a row has cells beyond the header that not every row above has, or, for the first row, the one below, or if a
   * delimiter seems to belong to a cell. Rows with filled cells beyond the header have an issue anyway.
   */
  check({ raw, next }: SourceRecord, columns: number): ValidationIssue | undefined {
    if (!('cells' in raw)) return undefined;
    const { cells } = raw;
    const { length } = cells;
    this.#common ??= next === undefined || next.cells.length === length ? length : columns;
    if (length <= columns) this.#common = columns;
    const isWide = length > columns;
    if (isWide && cells.slice(columns).some((cell) => cell.trim() !== '')) return undefined;
    if (isWide && length !== this.#common)
      return {
        message: `${formatCount(length)} cells, but the header has ${formatCount(columns)}, as other rows do (quote a cell that contains the delimiter, or remove the blank cells at the end)`,
      };
    const split = splitCell(cells, isWide);
    if (split === undefined) return undefined;
    return { message: `${split.map(quote).join(' and ')} may be one cell (quote a cell that contains the delimiter)` };
  }
}

/**
 * Returns the two parts of a cell whose delimiter lacks quotes; undefined if there is none. A space follows the delimiter, or a
 * backslash comes before it, as in `Berg\, Ada`. With one of them, it may also be the end of a path, or somebody writes a space
 * after every delimiter: then only a row with more cells than the header has such a cell.
 *
 * @param isWide whether the row has more cells than the header
 */
function splitCell(cells: readonly string[], isWide: boolean): readonly [string, string] | undefined {
  for (let at = 1; at < cells.length; at++) {
    const first = cells[at - 1] ?? '';
    const isEscaped = first.endsWith('\\');
    if (!isEscaped && !isWide) continue;
    const rest = cells[at] ?? '';
    const isSpaced = rest.startsWith(' ');
    const isSplit = isEscaped ? isSpaced || isWide : isSpaced && !isSpacedOut(cells);
    if (isSplit && rest.trim() !== '') return [first, rest];
  }
  return undefined;
}

/** Whether a space follows every delimiter. */
function isSpacedOut([, ...others]: readonly string[]): boolean {
  return others.every((cell) => cell === '' || cell.startsWith(' '));
}
