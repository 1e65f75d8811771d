import { DAY_MS } from '../../../util/units.ts';
import { latestDay } from './dates.ts';
import { type StatusName, statusName } from './status-names.ts';

/** Rows with one value in a column. */
export interface ValueUse {
  rows: number;
  /** Those of the rows whose people countUse as active. */
  activeRows: number;
  /** Places of the first ones in the list. */
  readonly activePlaces: number[];
}

/** Values to keep; a column with more does not describe groups of people. */
const MAX_VALUES = 50;
/** Places of a value to keep for messages. */
const KEPT_PLACES = 5;
/** Texts of a column to compare with each other. */
const MAX_COMPARED = 200_000;

interface UnreadColumnOptions {
  /** The name of rows' places in messages. */
  readonly places: 'lines' | 'entries';
  /** Whether to find out if two rows have the same text, which takes memory. */
  readonly isCompared: boolean;
  /** The current time: earlier days are in the past. */
  readonly nowMs: number;
}

/** The values of a column, or of a path in JSON, that matches no field. */
export class UnreadColumn {
  readonly name: string;
  readonly places: 'lines' | 'entries';
  /** The subject by its name; undefined for most columns. */
  readonly statusName: StatusName | undefined;
  /** Rows in which it is not blank. */
  filled = 0;
  /** Whether two rows have the same text; only known of columns that are compared. */
  hasRepeats = false;
  /** Whether there are more different values than `values` holds. */
  hasManyValues = false;
  readonly values = new Map<string, ValueUse>();
  /** Rows with a day in the past, if the name is that of a day on which a person left. */
  readonly pastDays = createUse();
  readonly #compared: Set<string> | undefined;
  readonly #nowMs: number;

  constructor(name: string, { places, isCompared, nowMs }: UnreadColumnOptions) {
    this.name = name;
    this.places = places;
    this.statusName = statusName(name);
    this.#compared = isCompared ? new Set() : undefined;
    this.#nowMs = nowMs;
  }

  /**
   * Adds the value of a row.
   *
   * @param place the line of the row, or its number among the entries
   * @param isActive whether the person of this row counts as active
   */
  add(text: string, place: number, isActive: boolean): void {
    this.filled++;
    this.#compare(text);
    // Most columns hold names and addresses.
    if (this.hasManyValues && this.statusName === undefined) return;
    const use = this.#isPastDay(text) ? this.pastDays : this.#useOf(text);
    if (use !== undefined) countUse(use, place, isActive);
  }

  /** Returns the use of a value; undefined for a value beyond the first 50. */
  #useOf(text: string): ValueUse | undefined {
    const known = this.values.get(text);
    if (known !== undefined) return known;
    this.hasManyValues ||= this.values.size === MAX_VALUES;
    if (this.hasManyValues) return undefined;
    const use = createUse();
    this.values.set(text, use);
    return use;
  }

  #compare(text: string): void {
    if (this.#compared === undefined || this.hasRepeats || this.#compared.size === MAX_COMPARED) return;
    this.hasRepeats = this.#compared.has(text);
    this.#compared.add(text);
  }

  #isPastDay(text: string): boolean {
    if (this.statusName !== 'leaving' && this.statusName !== 'inactive') return false;
    const day = latestDay(text);
    return day !== undefined && day + DAY_MS <= this.#nowMs;
  }
}

function createUse(): ValueUse {
  return { rows: 0, activeRows: 0, activePlaces: [] };
}

function countUse(use: ValueUse, place: number, isActive: boolean): void {
  use.rows++;
  if (!isActive) return;
  use.activeRows++;
  if (use.activePlaces.length < KEPT_PLACES) use.activePlaces.push(place);
}
