import type { Entry, Field } from '../entry.ts';
import { normalise } from '../field-names.ts';
import { readBoolean, readInteger, unprintable } from './field-values.ts';
import type { Problem } from './list-row.ts';
import { quote } from './quote.ts';

/** Fields that are known so far, typed as they go out. */
export type Values = { -readonly [F in Field]?: Entry[F] };

const KINDS: Record<Field, string> = {
  userId: 'a text',
  role: 'a text',
  department: 'a text',
  isActive: 'a boolean (use true/false, yes/no or 1/0)',
  deviceMgmtLabelId: 'an integer within ±9007199254740991 written in digits',
};

const NO_PROBLEMS: readonly Problem[] = [];

/**
 * One entry in the making: takes values field by field, and collects everything that is wrong with them. It can be used
 * for one entry after another, and keeps the values that are not taken anew.
 */
export class Draft {
  /** All fields from the start: objects of one shape are made and read faster. */
  readonly values: Values = {
    userId: undefined,
    role: undefined,
    department: undefined,
    isActive: undefined,
    deviceMgmtLabelId: undefined,
  };
  #problems: Problem[] | undefined;

  get problems(): readonly Problem[] {
    return this.#problems ?? NO_PROBLEMS;
  }

  /**
   * Takes `value`, a cell's text or a JSON value, for `field`. Blank text and null are absent. `column` is the name
   * under which the list holds it. Tells whether it is fine.
   */
  set(field: Field, value: unknown, column: string): boolean {
    if (value === null || value === undefined) return true;
    if (typeof value === 'string') return this.#setText(field, value.trim(), column);
    if (field === 'isActive' && typeof value === 'boolean') {
      this.values.isActive = value;
    } else if (field === 'deviceMgmtLabelId' && Number.isSafeInteger(value)) {
      this.values.deviceMgmtLabelId = Number(value);
    } else {
      const shown = typeof value === 'object' ? (Array.isArray(value) ? 'an array' : 'an object') : String(value);
      return this.#refuse(field, column, shown, shown, wrongType(field, value));
    }
    return true;
  }

  /** Begins the next entry: forgets what was wrong with the one before. */
  next(): void {
    this.#problems = undefined;
  }

  /** Forgets the value of `field`. */
  clear(field: Field): void {
    this.values[field] = undefined;
  }

  /** Adds what is wrong with the row beyond a single field's value. */
  report(problem: Problem): void {
    this.#problems ??= [];
    this.#problems.push(problem);
  }

  /** Fills what is absent, tells what is required and missing, and gives the entry if nothing is wrong. */
  finish(defaults: Values): Entry | undefined {
    const { values } = this;
    const userId = values.userId;
    const role = values.role ?? defaults.role;
    if (userId === undefined) this.#missing('userId');
    if (role === undefined) this.#missing('role');
    if (userId === undefined || role === undefined || this.problems.length > 0) return undefined;
    const entry: Entry = { userId, role };
    const department = values.department ?? defaults.department;
    const isActive = values.isActive ?? defaults.isActive;
    const deviceMgmtLabelId = values.deviceMgmtLabelId ?? defaults.deviceMgmtLabelId;
    if (department !== undefined) entry.department = department;
    if (isActive !== undefined) entry.isActive = isActive;
    if (deviceMgmtLabelId !== undefined) entry.deviceMgmtLabelId = deviceMgmtLabelId;
    return entry;
  }

  #setText(field: Field, text: string, column: string): boolean {
    if (text === '') return true;
    const odd = unprintable(text);
    if (odd !== undefined)
      return this.#refuse(field, column, text, quote(text), `holds ${odd}, which is no printable character`);
    if (field === 'isActive') {
      const value = readBoolean(text);
      if (value === undefined) return this.#refuse(field, column, text, quote(text), `is not ${KINDS.isActive}`);
      this.values.isActive = value;
    } else if (field === 'deviceMgmtLabelId') {
      const value = readInteger(text);
      if (value === undefined)
        return this.#refuse(field, column, text, quote(text), `is not ${KINDS.deviceMgmtLabelId}`);
      this.values.deviceMgmtLabelId = value;
    } else {
      this.values[field] = text;
    }
    return true;
  }

  #refuse(field: Field, column: string, value: string, shown: string, what: string): false {
    this.report({ field, column, value, message: `${label(field, column)}: ${shown} ${what}` });
    return false;
  }

  #missing(field: Field): void {
    // A value that was refused is not missing.
    if (this.problems.some((problem) => problem.field === field)) return;
    this.report({ field, message: `${field} is missing` });
  }
}

function wrongType(field: Field, value: unknown): string {
  const text = field === 'userId' || field === 'role' || field === 'department';
  if (text && typeof value === 'number') return 'is a number (write it in quotes)';
  return `is not ${KINDS[field]}`;
}

/** A field, with the column's own name where that is more than another spelling. */
function label(field: Field, column: string): string {
  return normalise(column) === normalise(field) ? field : `${field} (column ${quote(column)})`;
}
