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

  /** Returns an issue if a row has cells beyond the header that not every row above has, or, for the first row, the one below. Rows with filled ones have an issue anyway. */
  check({ raw, next }: SourceRecord, columns: number): ValidationIssue | undefined {
    if (!('cells' in raw)) return undefined;
    const { length } = raw.cells;
    this.#common ??= next === undefined || next.cells.length === length ? length : columns;
    if (length <= columns) this.#common = columns;
    if (length <= columns || length === this.#common) return undefined;
    if (raw.cells.slice(columns).some((cell) => cell.trim() !== '')) return undefined;
    return {
      message: `${formatCount(length)} cells, but the header has ${formatCount(columns)}, as other rows do (quote a cell that contains the delimiter, or remove the blank cells at the end)`,
    };
  }
}
