/** The state of a row, as every report shows it. */
export const ROW_STATES = ['created', 'existing', 'recovered', 'failed', 'invalid', 'unknown', 'unsent'] as const;
export type RowState = (typeof ROW_STATES)[number];

/** The states that are final: such a row is never sent again. */
export type FinalState = Exclude<RowState, 'unknown' | 'unsent'>;

const FINAL_STATES: readonly FinalState[] = ['created', 'existing', 'recovered', 'failed', 'invalid'];
/** Set for a row after an attempt of unknown outcome, and never cleared. */
const ATTEMPTED = 0x80;
const STATE = 0x7f;

/**
 * The state of every row of a list, one byte each, and the journal record of its last outcome. The state belongs to the row,
 * not to its batch. A row that is not final is `unknown` if it was attempted and `unsent` if not, so the counts always add
 * up to the total.
 */
export class RowStates {
  readonly total: number;
  readonly #rows: Uint8Array;
  readonly #records: Uint32Array;
  readonly #counts: Record<RowState, number>;

  /** @param total rows of the list; they are numbered from 1 */
  constructor(total: number) {
    this.total = total;
    this.#rows = new Uint8Array(total + 1);
    this.#records = new Uint32Array(total + 1);
    this.#counts = { created: 0, existing: 0, recovered: 0, failed: 0, invalid: 0, unknown: 0, unsent: total };
  }

  isUnsent(entry: number): boolean {
    return this.#rows[entry] === 0;
  }

  isUnknown(entry: number): boolean {
    return this.#rows[entry] === ATTEMPTED;
  }

  isFinal(entry: number): boolean {
    return ((this.#rows[entry] ?? 0) & STATE) !== 0;
  }

  /** Whether an attempt of unknown outcome may have added it, whatever its state is now. */
  wasAttempted(entry: number): boolean {
    return ((this.#rows[entry] ?? 0) & ATTEMPTED) !== 0;
  }

  stateOf(entry: number): RowState {
    const row = this.#rows[entry] ?? 0;
    const code = row & STATE;
    // Avoids index -1, which deoptimizes the lookup.
    return (code > 0 ? FINAL_STATES[code - 1] : undefined) ?? (row === ATTEMPTED ? 'unknown' : 'unsent');
  }

  /** Returns the number of the journal record with the row's last outcome; 0 if there is none. */
  recordOf(entry: number): number {
    return this.#records[entry] ?? 0;
  }

  finalize(entry: number, state: FinalState, record = 0): void {
    this.#change(entry, (FINAL_STATES.indexOf(state) + 1) | ((this.#rows[entry] ?? 0) & ATTEMPTED), record);
  }

  /** Makes every failed row unsent. It was definitely rejected, so no earlier attempt has added it. */
  reopenFailed(): void {
    for (let entry = 1; entry <= this.total; entry++) {
      if (this.stateOf(entry) !== 'failed') continue;
      this.#change(entry, 0, 0);
      this.#records[entry] = 0;
    }
  }

  /** Marks a row after an attempt of unknown outcome. A final row stays as it is. */
  markAttempted(entry: number, record = 0): void {
    if (!this.isFinal(entry)) this.#change(entry, ATTEMPTED, record);
  }

  counts(): Record<RowState, number> {
    return { ...this.#counts };
  }

  /** Number of rows in a final state. */
  get finalized(): number {
    return this.total - this.#counts.unknown - this.#counts.unsent;
  }

  #change(entry: number, row: number, record: number): void {
    if (!(Number.isInteger(entry) && entry >= 1 && entry <= this.total))
      throw new RangeError(`row ${entry} is not in a list of ${this.total}`);
    this.#counts[this.stateOf(entry)]--;
    this.#rows[entry] = row;
    if (record > 0) this.#records[entry] = record;
    this.#counts[this.stateOf(entry)]++;
  }
}
