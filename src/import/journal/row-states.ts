/** The state of a row, as every report shows it. */
export const ROW_STATES = ['created', 'existing', 'recovered', 'failed', 'invalid', 'unknown', 'unsent'] as const;
export type RowState = (typeof ROW_STATES)[number];

const UNSENT = ROW_STATES.indexOf('unsent');
/** Set for a row that was ever part of a request of unknown outcome, and never cleared. */
const AMBIGUOUS = 0x80;

/**
 * The state of every row of a list, one byte each. The state belongs to the row, not to its request, so the counts always add
 * up to the total.
 */
export class RowStates {
  readonly total: number;
  readonly #rows: Uint8Array;
  /** The request of unknown outcome that each row was part of last. */
  readonly #requests: Uint32Array;
  readonly #counts: Record<RowState, number>;

  /** @param total rows of the list; they are numbered from 1 */
  constructor(total: number) {
    this.total = total;
    this.#rows = new Uint8Array(total + 1).fill(UNSENT);
    this.#requests = new Uint32Array(total + 1);
    this.#counts = { created: 0, existing: 0, recovered: 0, failed: 0, invalid: 0, unknown: 0, unsent: total };
  }

  stateOf(number: number): RowState {
    return ROW_STATES[(this.#rows[number] ?? UNSENT) & ~AMBIGUOUS] ?? 'unsent';
  }

  /** Whether a request of unknown outcome may have added the row, whatever its state is now. */
  wasAmbiguous(number: number): boolean {
    return ((this.#rows[number] ?? 0) & AMBIGUOUS) !== 0;
  }

  /** Returns the number of the request of unknown outcome that the row was part of last; 0 if there is none. */
  requestOf(number: number): number {
    return this.#requests[number] ?? 0;
  }

  /** Sets the state of a row. A row that was ever part of a request of unknown outcome is `recovered`, never `existing`. */
  set(number: number, state: Exclude<RowState, 'unknown'>): void {
    this.#change(number, state === 'existing' && this.wasAmbiguous(number) ? 'recovered' : state);
  }

  /** Makes a row unknown, because the outcome of a request is. */
  setUnknown(number: number, request: number): void {
    this.#change(number, 'unknown');
    this.#rows[number] = (this.#rows[number] ?? 0) | AMBIGUOUS;
    this.#requests[number] = request;
  }

  counts(): Record<RowState, number> {
    return { ...this.#counts };
  }

  /** Number of rows that are neither unsent nor unknown. */
  get finalized(): number {
    return this.total - this.#counts.unknown - this.#counts.unsent;
  }

  #change(number: number, state: RowState): void {
    if (!(Number.isInteger(number) && number >= 1 && number <= this.total))
      throw new RangeError(`row ${number} is not in a list of ${this.total}`);
    this.#counts[this.stateOf(number)]--;
    this.#rows[number] = ROW_STATES.indexOf(state) | ((this.#rows[number] ?? 0) & AMBIGUOUS);
    this.#counts[state]++;
  }
}
