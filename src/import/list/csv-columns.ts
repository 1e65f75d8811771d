import { UsageError } from '../../util/errors.ts';
import {
  ERROR_COLUMN,
  fieldForSpelling,
  isForbiddenKey,
  MEMBER_FIELDS,
  type MemberField,
  normalizeSpelling,
  suggestField,
} from '../entry.ts';
import type { CsvColumns, ListOptions } from './list-options.ts';
import { enumerate, quote, quoteAll } from './list-row.ts';
/** Of a list without a header. */
export const NO_CSV_COLUMNS: CsvColumns = { header: [], fields: [], unnamed: [], errorColumn: undefined };

/** Finds the fields in a header. Throws one `UsageError` that names everything that does not fit, and the way out. */
export function planCsvColumns(header: readonly string[], options: ListOptions): CsvColumns {
  const plan = new Plan(header, options);
  plan.takeMapped();
  plan.takeNamed();
  return plan.finish();
}

class Plan {
  readonly #header: readonly string[];
  readonly #options: ListOptions;
  readonly #columnOf = new Map<MemberField, number>();
  readonly #unnamed: number[] = [];
  readonly #unknown: string[] = [];
  readonly #faults: string[] = [];
  readonly #hints = new Set<string>();
  #errorColumn: number | undefined;

  constructor(header: readonly string[], options: ListOptions) {
    this.#header = header;
    this.#options = options;
  }

  /** The columns that `--map` names, by exact text first, else by spelling. */
  takeMapped(): void {
    for (const [field, wanted] of this.#options.map) {
      const exact = this.#find((name) => name.trim() === wanted.trim());
      const found =
        exact.length > 0 ? exact : this.#find((name) => normalizeSpelling(name) === normalizeSpelling(wanted));
      const [column, second] = found;
      if (column === undefined) {
        this.#fault(`--map ${field}=${wanted}: there is no such column`, `The columns are ${quoteAll(this.#header)}.`);
      } else if (second !== undefined) {
        this.#fault(`--map ${field}=${wanted}: columns ${column + 1} and ${second + 1} both have that name`);
      } else {
        this.#columnOf.set(field, column);
      }
    }
  }

  /** The columns whose own names tell their field. */
  takeNamed(): void {
    const mapped = new Set(this.#columnOf.values());
    for (const [column, name] of this.#header.entries()) {
      if (isForbiddenKey(name)) {
        this.#fault(`column ${quote(name)} has a name that cannot be used`, 'Rename or remove it.');
      } else if (!mapped.has(column)) {
        this.#takeColumn(column, name);
      }
    }
  }

  /** What was found, if nothing is wrong with it. */
  finish(): CsvColumns {
    // An errors file of ours has the columns that its list had; they were left unread then too.
    if (this.#unknown.length > 0 && this.#errorColumn === undefined) {
      this.#fault(
        `unknown ${this.#unknown.length === 1 ? 'column' : 'columns'} ${enumerate(this.#unknown)}`,
        `The fields are ${MEMBER_FIELDS.join(', ')}. Name a field's column with --map <field>=<column>, or leave the others unread with --ignore-extra-columns.`,
      );
    }
    this.#require('userId', '--map userId=<column>');
    if (!this.#options.defaults.has('role')) this.#require('role', '--map role=<column> or --default role=<role>');
    if (this.#columnOf.size === 0) this.#hints.add('The first row must be a header.');
    if (this.#faults.length > 0) {
      throw new UsageError(this.#faults.join('; '), [...this.#hints].join(' '), 'bad-columns');
    }
    return {
      header: this.#header,
      fields: [...this.#columnOf],
      unnamed: this.#unnamed,
      errorColumn: this.#errorColumn,
    };
  }

  #takeColumn(column: number, name: string): void {
    const field = fieldForSpelling(name);
    if (name.trim() === '') {
      this.#unnamed.push(column);
    } else if (column === this.#header.length - 1 && normalizeSpelling(name) === ERROR_COLUMN) {
      this.#errorColumn = column;
    } else if (field === undefined) {
      if (!this.#options.ignoreExtraColumns) this.#unknown.push(describeUnknown(name));
    } else {
      this.#takeField(field, column, name);
    }
  }

  #takeField(field: MemberField, column: number, name: string): void {
    const earlier = this.#columnOf.get(field);
    if (earlier === undefined) {
      this.#columnOf.set(field, column);
    } else if (!(this.#options.map.has(field) && this.#options.ignoreExtraColumns)) {
      const first = `${quote(this.#header[earlier] ?? '')} (column ${earlier + 1})`;
      this.#fault(
        `${first} and ${quote(name)} (column ${column + 1}) both stand for ${field}`,
        `Name the right one with --map ${field}=<column> and leave the other unread with --ignore-extra-columns.`,
      );
    }
  }

  #require(field: MemberField, wayOut: string): void {
    if (this.#columnOf.has(field) || this.#options.map.has(field)) return;
    this.#fault(`there is no column for ${field}`, `The columns are ${quoteAll(this.#header)}.`);
    this.#hints.add(`Pass ${wayOut}.`);
  }

  #find(matches: (name: string) => boolean): number[] {
    return [...this.#header.keys()].filter((column) => matches(this.#header[column] ?? ''));
  }

  #fault(message: string, hint?: string): void {
    this.#faults.push(message);
    if (hint !== undefined) this.#hints.add(hint);
  }
}

function describeUnknown(name: string): string {
  const near = suggestField(name);
  return near === undefined ? quote(name) : `${quote(name)} (did you mean ${near}?)`;
}
