import { quote } from '../../../output/sanitize.ts';
import { countOf, formatCount } from '../../../util/units.ts';
import type { ValidationIssue } from '../../list-row.ts';
import type { FieldRead } from '../columns/binder.ts';
import type { SourceRecord } from '../source/source-record.ts';
import { RepeatedHeader } from './repeated-header.ts';
import { RowWidth } from './row-width.ts';

type Cells = readonly string[];

/** Unusual rows whose lines a warning names. */
const MAX_LINES = 3;
/** In a table with fewer columns, a row with a single filled cell is not unusual. */
const MIN_COLUMNS = 3;

/** Finds the rows of a table that are not one person: the header again, and the parts of a person on two lines. */
export class RowShape {
  /** Whether blank cells at the end of a row are left out, as in workbooks. */
  readonly #isSheet: boolean;
  /** The columns that are read, and the one of the user IDs. */
  #reads: readonly FieldRead[] = [];
  #id: FieldRead | undefined;
  #header: RepeatedHeader | undefined;
  /** The user ID of the last row that continues no other one. */
  #userId = '';
  readonly #width = new RowWidth();
  /** Whether the next row continues the present one. */
  #isContinued = false;
  /** Rows without an issue that lack cells, or have a single filled one. */
  #unusual = 0;
  readonly #lines: number[] = [];

  constructor(isSheet: boolean) {
    this.#isSheet = isSheet;
  }

  /**
   * Returns what is wrong with the next row; undefined if it is complete.
   *
   * @throws UsageError for a second header whose columns are in another order
   */
  check(record: SourceRecord, reads: readonly FieldRead[]): ValidationIssue | undefined {
    const { line, next, raw } = record;
    if (!('cells' in raw)) return undefined;
    const columns = record.keys().length;
    if (reads !== this.#reads) this.#bind(reads, record.keys());
    const id = this.#id;
    const userId = id === undefined ? '' : (raw.cells[id.path as number] ?? '');
    const repeated = this.#header?.check(line, raw.cells);
    if (repeated !== undefined) return repeated;
    if (record.isHidden) return { message: 'hidden in the sheet (show the row, or delete it)' };
    if (this.#isSheet) return undefined;
    const isRest = this.#isContinued;
    if (!isRest) this.#userId = userId;
    this.#isContinued =
      next !== undefined &&
      next.cells.length < columns &&
      next.line === line + 1 &&
      raw.cells.at(-1)?.trim() !== '' &&
      this.#isRest(next.cells, reads, id);
    if (isRest) return onTwoLines(`this line may be the rest of line ${formatCount(line - 1)}`);
    if (this.#isContinued) return onTwoLines(`line ${formatCount(line + 1)} may be the rest of this one`);
    const surplus = this.#width.check(record, columns);
    if (surplus !== undefined) return surplus;
    return raw.cells.length < columns ? endsEarly(raw.cells, columns, reads) : undefined;
  }

  #bind(reads: readonly FieldRead[], keys: readonly string[]): void {
    this.#reads = reads;
    this.#id = reads.find(({ field }) => field.name === 'userId');
    this.#header = this.#id && new RepeatedHeader(keys, Number(this.#id.path), reads);
  }

  /** Whether a short row is the rest of the one above: it has no user ID or role, or a user ID of another kind. */
  #isRest(cells: Cells, reads: readonly FieldRead[], id: FieldRead | undefined): boolean {
    if (firstMissing(cells, reads) !== undefined) return true;
    return id !== undefined && kindOfId(cells[Number(id.path)] ?? '') !== kindOfId(this.#userId);
  }

  /** Counts a row that orgadm would send if it lacks cells, has blank ones beyond the header, or has a single filled one. */
  observe(record: SourceRecord): void {
    const { line, raw } = record;
    if (!('cells' in raw)) return;
    const columns = record.keys().length;
    // Where rows begin with their numbers, and the header does not, the cells are those of other columns.
    const isShifted = !this.#isSheet && raw.cells.length !== columns;
    if (!isShifted && (columns < MIN_COLUMNS || hasTwoFilled(raw.cells))) return;
    this.#unusual++;
    if (this.#lines.length < MAX_LINES) this.#lines.push(line);
  }

  /** Returns a warning about the rows that `observe` has counted; undefined if there are none. */
  warning(): string | undefined {
    if (this.#unusual === 0) return undefined;
    const more = this.#unusual > this.#lines.length ? ', …' : '';
    const lines = `${this.#unusual === 1 ? 'line' : 'lines'} ${this.#lines.map(formatCount).join(', ')}${more}`;
    const have = this.#unusual === 1 ? 'has' : 'have';
    return `${countOf(this.#unusual, 'row')} ${have} more or fewer cells than the header, or only one that is filled (${lines}). Check that each is a person`;
  }
}

function onTwoLines(doubt: string): ValidationIssue {
  return { message: `${doubt}: quote a cell that contains a line break, and write all cells of a row` };
}

function endsEarly(cells: Cells, columns: number, reads: readonly FieldRead[]): ValidationIssue | undefined {
  const missing = firstMissing(cells, reads);
  if (missing === undefined) return undefined;
  const count = `${formatCount(cells.length)} of ${formatCount(columns)} cells`;
  return {
    field: missing.field.name,
    message: `the row has ${count}, and ends before the column ${quote(missing.column)}`,
  };
}

/** Returns the user ID or the role if a row ends before its column. */
function firstMissing(cells: Cells, reads: readonly FieldRead[]): FieldRead | undefined {
  return reads.find(({ field, path }) => ['userId', 'role'].includes(field.name) && Number(path) >= cells.length);
}

/** Returns whether an ID is an address, has digits, or has none. The IDs of a list hardly ever differ in this. */
function kindOfId(text: string): 'address' | 'digits' | 'letters' {
  if (text.includes('@')) return 'address';
  return /\d/.test(text) ? 'digits' : 'letters';
}

function hasTwoFilled(cells: Cells): boolean {
  let filled = 0;
  for (const cell of cells) if (cell !== '' && cell.trim() !== '' && ++filled === 2) return true;
  return false;
}
