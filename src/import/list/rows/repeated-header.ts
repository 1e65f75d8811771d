import { quote, quoteAll } from '../../../output/sanitize.ts';
import { UsageError } from '../../../util/errors.ts';
import { formatCount } from '../../../util/units.ts';
import type { ValidationIssue } from '../../list-row.ts';
import { fieldForSpelling, normalizeSpelling } from '../../new-member.ts';
import type { FieldRead } from '../columns/binder.ts';

type Cells = readonly string[];

/** Finds the header of a table among its rows, as where several exports were put together. */
export class RepeatedHeader {
  /** The columns by what their names mean, see `meaningOf`. */
  readonly #names: readonly string[];
  /** The position of the user ID. */
  readonly #id: number;
  readonly #reads: readonly FieldRead[];
  /** The last letters, in lower case, of a user ID that may be the name of a column. */
  readonly #endings: string;

  constructor(header: Cells, id: number, reads: readonly FieldRead[]) {
    this.#names = header.map(meaningOf);
    this.#id = id;
    this.#reads = reads;
    this.#endings = `d ${header.map((name) => name.trim().slice(-1)).join('')}`.toLowerCase();
  }

  /**
   * Returns an issue if a row is a header.
   *
   * @throws UsageError if its columns are in another order, because those of the rows below it are, too
   */
  check(line: number, cells: Cells): ValidationIssue | undefined {
    if (!this.#isHeader(cells)) return undefined;
    if (this.#isReordered(cells)) {
      throw new UsageError(
        `line ${formatCount(line)} is a second header, with its columns in another order: ${quoteAll(cells)}`,
        `Split the list at line ${formatCount(line)}, and import each part as a list of its own.`,
        'bad-list',
      );
    }
    const userId = quote(cells[this.#id]?.trim() ?? '');
    return {
      field: 'userId',
      message: `userId: ${userId} is the name of the column: the row repeats the header`,
    };
  }

  /**
   * Whether the user ID is the name of its column or field. Or it is the name of another column, and so are all other cells that
   * are read, each of a different one, or one cell is the name of the user ID.
   */
  #isHeader(cells: Cells): boolean {
    const cell = cells[this.#id] ?? '';
    // Most IDs end otherwise, and normalizing every ID would take much longer.
    if (cell === '' || !this.#endings.includes(cell.slice(-1).toLowerCase())) return false;
    const isIdName = (meaning: string) => meaning === 'userId' || meaning === this.#names[this.#id];
    const userId = meaningOf(cell);
    if (isIdName(userId)) return true;
    if (!this.#isName(userId)) return false;
    const meanings = cells.map(meaningOf);
    if (meanings.some(isIdName)) return true;
    const filled = [...meanings.keys()].filter((at) => at !== this.#id && meanings[at] !== '');
    const read = filled.filter((at) => this.#reads.some(({ path }) => path === at));
    const others = (read.length > 0 ? read : filled).map((at) => meanings[at] ?? '');
    if (others.length === 0 || !others.every((meaning) => this.#isName(meaning))) return false;
    return new Set([userId, ...others]).size === others.length + 1;
  }

  /** Whether a header has the name of a column in the place of another one. */
  #isReordered(cells: Cells): boolean {
    return cells.map(meaningOf).some((meaning, at) => meaning !== this.#names[at] && this.#isName(meaning));
  }

  #isName(meaning: string): boolean {
    return meaning !== '' && this.#names.includes(meaning);
  }
}

/** Returns the field that a name of a column spells, or the name itself, normalized. */
function meaningOf(name: string): string {
  return fieldForSpelling(name) ?? normalizeSpelling(name);
}
