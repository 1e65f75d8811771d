import { quote } from '../../output/sanitize.ts';
import { UsageError } from '../../util/errors.ts';
import { formatCount } from '../../util/units.ts';
import { comparableText } from '../../util/visible-text.ts';
import type { Cell } from '../table/table.ts';
import type { StatusColumn } from './bind-columns.ts';
import type { Decision } from './decisions.ts';
import { Rejected, readCellText } from './read-cell-text.ts';
import { notBoolean, readBoolean } from './read-field.ts';
import { Counter, MAX_COUNTED, type StatusValue, type Totals } from './totals.ts';

/** How totals call the values of a column of which only blank or not is asked. */
const NOT_BLANK = '(not blank)';

/** Values that an error names. */
const MAX_NAMED = 10;

/** Reads a column that says who is active (rule 9), and counts its values. */
export class StatusReader {
  readonly #status: StatusColumn;
  /** Whether only blank or not is asked. */
  readonly #asksBlank: boolean;
  /** By comparable text, as the list spells the value first. */
  readonly #values = new Map<string, { value: string; count: number; isActive: boolean }>();
  /** Values in neither list of a mapping file. */
  readonly #unknown = new Counter();
  #hasActive = false;
  /** The value of the present row; undefined if it could not be read. */
  #present: { readonly key: string; readonly value: string; readonly isActive: boolean } | undefined;

  constructor(status: StatusColumn) {
    this.#status = status;
    this.#asksBlank = status.active.size === 1 && status.active.has('') && status.inactive === undefined;
  }

  /** Reads the status of a row: whether the column says that the person is active. */
  read(cells: readonly Cell[]): boolean | Rejected {
    this.#present = undefined;
    const { name, column, active, isBoolean } = this.#status;
    const cell = cells[column];
    // Such as a date: what it says does not matter.
    const isFilled = this.#asksBlank && typeof cell === 'object' && !cell.mayBeBlank;
    const text = isFilled ? NOT_BLANK : readCellText(cell, name, true);
    if (text instanceof Rejected) return text;
    const value = text === undefined ? '' : this.#asksBlank ? NOT_BLANK : text;
    const boolean = isBoolean ? readBoolean(value) : undefined;
    if (isBoolean && boolean === undefined) return notBoolean(value);
    const key = boolean === undefined ? comparableText(value) : String(boolean);
    const isActive = active.has(key);
    this.#present = { key, value, isActive };
    return isActive;
  }

  /** Notices the value of the present row, which may be invalid for another reason. */
  observe(): void {
    if (this.#present === undefined) return;
    const { key, value, isActive } = this.#present;
    if (isActive) this.#hasActive = true;
    else if (this.#status.inactive?.has(key) === false) this.#unknown.add(value);
  }

  /** Counts the value of the present row, which is valid. */
  count(): void {
    if (this.#present === undefined) return;
    const { key, value, isActive } = this.#present;
    const known = this.#values.get(key);
    if (known !== undefined) known.count++;
    else if (this.#values.size < MAX_COUNTED) this.#values.set(key, { value, count: 1, isActive });
  }

  get total(): Totals['statuses'][number] {
    const values: StatusValue[] = [...this.#values.values()].sort((a, b) => b.count - a.count);
    return { column: this.#status.name, values };
  }

  /**
   * Returns what the values leave open.
   *
   * @throws UsageError if no row has one of the values of active people
   */
  decisions(): Decision[] {
    const values = this.#unknown.sorted;
    if (values.length > 0) return [{ kind: 'values', column: this.#status.name, values }];
    if (!this.#hasActive && this.#values.size > 0) throw this.#nobodyActive();
    return [];
  }

  #nobodyActive(): UsageError {
    const { name, activeValues } = this.#status;
    const wanted = activeValues.map((value) => (value === '' ? 'a blank' : quote(value))).join(' or ');
    const shown = this.total.values
      .slice(0, MAX_NAMED)
      .map(({ value, count }) => `${value === '' ? 'blank' : quote(value)} (${formatCount(count)})`);
    return new UsageError(
      `no row has ${wanted} in ${quote(name)}, so nobody would be active`,
      `Its values are ${shown.join(', ')}. Name those of active people: --active ${quote(`${name}=<value>`)}`,
      'bad-columns',
    );
  }
}
