/** What became of a row, as every report tells it. */
export const ROW_STATES = ['created', 'existing', 'recovered', 'failed', 'invalid', 'unknown', 'unsent'] as const;
export type RowState = (typeof ROW_STATES)[number];

/** The states that are final: nothing is sent for such a row again. */
export type FinalState = Exclude<RowState, 'unknown' | 'unsent'>;

const FINAL_STATES: readonly FinalState[] = ['created', 'existing', 'recovered', 'failed', 'invalid'];
/** Marks a row of which some attempt of ours ended without telling what became of it. Never taken off again. */
const ATTEMPTED = 0x80;
const STATE = 0x7f;

/**
 * The state of every row of a list, one byte each, and the journal record that tells its last outcome. The state
 * belongs to the row, not to the batch it went out in. A row that is not settled is `unknown` when it bears the
 * unclear mark and `unsent` when it does not, so the counts add up to the total at any moment.
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

  /** Neither settled nor of unknown outcome: to be sent. */
  isUnsent(entry: number): boolean {
    return this.#rows[entry] === 0;
  }

  /** Not settled, and some attempt may have added it: to be confirmed. */
  isUnknown(entry: number): boolean {
    return this.#rows[entry] === ATTEMPTED;
  }

  /** Whether nothing is sent for it again. */
  isFinal(entry: number): boolean {
    return ((this.#rows[entry] ?? 0) & STATE) !== 0;
  }

  /** Whether some attempt of ours may have added it, whatever it is now. */
  wasAttempted(entry: number): boolean {
    return ((this.#rows[entry] ?? 0) & ATTEMPTED) !== 0;
  }

  stateOf(entry: number): RowState {
    const row = this.#rows[entry] ?? 0;
    const code = row & STATE;
    // Asked for a place before the first, the array would be many times slower.
    return (code > 0 ? FINAL_STATES[code - 1] : undefined) ?? (row === ATTEMPTED ? 'unknown' : 'unsent');
  }

  /** The number of the journal record that told the row's last outcome; 0 where none did. */
  recordOf(entry: number): number {
    return this.#records[entry] ?? 0;
  }

  /** Settles a row for good. */
  finalize(entry: number, state: FinalState, record = 0): void {
    this.#change(entry, (FINAL_STATES.indexOf(state) + 1) | ((this.#rows[entry] ?? 0) & ATTEMPTED), record);
  }

  /** Marks a row of unknown outcome. A settled row stays as it is. */
  markAttempted(entry: number, record = 0): void {
    if (((this.#rows[entry] ?? 0) & STATE) === 0) this.#change(entry, ATTEMPTED, record);
  }

  counts(): Record<RowState, number> {
    return { ...this.#counts };
  }

  /** Rows that are settled. */
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
