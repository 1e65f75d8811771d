import { comparableText } from '../../util/visible-text.ts';
import type { GivenMapping } from '../mapping.ts';
import { type Cell, type Table, Unreadable } from '../table/table.ts';
import type { Binding } from './bind-columns.ts';
import { Rejected, readCellText } from './read-cell-text.ts';

/** What a column has: for a person who decides what it means. */
export interface ColumnSample {
  readonly name: string;
  /** The number of its cells that are not blank. */
  readonly filled: number;
  /** Its first different values. */
  readonly samples: readonly string[];
  /** Its values with their counts, the most frequent first; undefined if it has too many. A blank cell is `''`. */
  readonly counts: readonly (readonly [value: string, count: number])[] | undefined;
}

/**
 * Something that the mapping leaves open, and that only the user knows.
 *
 * - `userId`, `role`: no column is this field. `columns` may be
 * - `department`: likewise; a list may also have none
 * - `columns`: columns with values that are no fields, and that the mapping neither names nor ignores
 * - `active`: the list has columns that are no fields, and the mapping does not say who is active
 * - `values`: values of a status column that a mapping file does not explain
 * - `addresses`: all user IDs are email addresses, and there is no second list
 */
export type Decision =
  | {
      readonly kind: 'userId' | 'role' | 'department' | 'columns' | 'active';
      readonly columns: readonly ColumnSample[];
    }
  | { readonly kind: 'values'; readonly column: string; readonly values: readonly (readonly [string, number])[] }
  | { readonly kind: 'addresses'; readonly samples: readonly string[] };

/** Whether nobody can be sent before the user has decided. */
export function isRequired({ kind }: Decision): boolean {
  return kind !== 'department' && kind !== 'addresses';
}

const MAX_SAMPLES = 3;
/** Different values that are counted. A column with more is no status. */
const MAX_VALUES = 100;

/** Counts the values of a column. */
class ColumnCounter {
  readonly name: string;
  readonly column: number;
  filled = 0;
  readonly #counts = new Map<string, number>();
  #hasTooMany = false;

  constructor(name: string, column: number) {
    this.name = name;
    this.column = column;
  }

  add(cell: Cell): void {
    const text = shownText(cell);
    if (text !== '') this.filled++;
    if (this.#hasTooMany) return;
    const count = this.#counts.get(text);
    if (count === undefined && this.#counts.size === MAX_VALUES) this.#hasTooMany = true;
    else this.#counts.set(text, (count ?? 0) + 1);
  }

  get sample(): ColumnSample {
    const counts = [...this.#counts].sort(([, a], [, b]) => b - a);
    return {
      name: this.name,
      filled: this.filled,
      samples: [...this.#counts.keys()].filter((text) => text !== '').slice(0, MAX_SAMPLES),
      counts: this.#hasTooMany ? undefined : counts,
    };
  }
}

function shownText(cell: Cell): string {
  const text = readCellText(cell, '', true);
  if (!(text instanceof Rejected)) return text ?? '';
  const shown = cell instanceof Unreadable ? cell.text : (text.text ?? '');
  return shown.trim() === '' ? '(a formula without a result)' : shown;
}

/** Returns what a column has, whether or not a field is read from it. */
export async function sampleColumn(table: Table, name: string): Promise<ColumnSample> {
  const counter = new ColumnCounter(name, table.columns.indexOf(name));
  for await (const rows of table.chunks()) for (const { cells } of rows) counter.add(cells[counter.column]);
  return counter.sample;
}

/** Observes the columns that no field is read from, while a list is checked. */
export class OpenColumns {
  readonly #binding: Binding;
  readonly #others: readonly ColumnCounter[];
  readonly #ignored: readonly ColumnCounter[];
  readonly #isActive: readonly ColumnCounter[];

  /** @param names the columns of the list */
  constructor(binding: Binding, names: readonly string[]) {
    const counters = (columns: readonly number[]) => columns.map((at) => new ColumnCounter(names[at] ?? '', at));
    const { fields, others, ignored, active } = binding;
    this.#binding = binding;
    this.#others = counters(others);
    // Whether the list has only fields matters only if nothing says who is active.
    this.#ignored = active === undefined ? counters(ignored) : [];
    const hasOthers = active === undefined && others.length + ignored.length > 0;
    this.#isActive = hasOthers && fields.isActive !== undefined ? counters([fields.isActive]) : [];
  }

  add(cells: readonly Cell[]): void {
    for (const counter of this.#others) counter.add(cells[counter.column]);
    for (const counter of this.#ignored) counter.add(cells[counter.column]);
    for (const counter of this.#isActive) counter.add(cells[counter.column]);
  }

  /** Returns what the columns of a list leave open, once all rows are read. */
  decisions({ mapping }: GivenMapping): Decision[] {
    const { fields, active } = this.#binding;
    const filled = (counters: readonly ColumnCounter[]) =>
      counters.filter((counter) => counter.filled > 0).map(({ sample }) => sample);
    const others = filled(this.#others);
    const isOpen = { userId: fields.userId === undefined, role: fields.role === undefined && !mapping.default?.role };
    const noFields = [...others, ...filled(this.#ignored)];
    const decisions: Decision[] = [];
    for (const kind of ['userId', 'role'] as const) if (isOpen[kind]) decisions.push({ kind, columns: others });
    if (others.length > 0) {
      if (fields.department === undefined && mapping.columns?.department !== null)
        decisions.push({ kind: 'department', columns: others });
      decisions.push({ kind: 'columns', columns: others });
    }
    if (active === undefined && noFields.length > 0)
      decisions.push({ kind: 'active', columns: [...noFields, ...filled(this.#isActive)] });
    return decisions;
  }
}

/** Whether the mapping says what every row needs, so that rows can be read. */
export function canReadRows({ fields }: Binding, { mapping }: GivenMapping): boolean {
  return fields.userId !== undefined && (fields.role !== undefined || mapping.default?.role !== undefined);
}

/** Returns the names of the ignored columns that a mapping names, as the list spells them, shortest cover first. */
export function ignoredNames({ columns }: Pick<Table, 'columns'>, { ignored }: Binding): string[] {
  const seen = new Set<string>();
  return ignored.flatMap((at) => {
    const name = columns[at] ?? '';
    const key = comparableText(name);
    if (seen.has(key)) return [];
    seen.add(key);
    return [name];
  });
}
