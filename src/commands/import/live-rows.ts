import type { RowState } from '../../import/journal/row-states.ts';
import { visitRows } from '../../import/report/fold-report.ts';
import { type ReportSource, reportRow } from '../../import/report/report.ts';
import type { RowOutcome } from '../../import/send/send-events.ts';
import type { Output } from '../../output/output.ts';

const isFinal = (state: RowState) => state !== 'unknown' && state !== 'unsent';

/** Prints each row as soon as it has a final state under `-o ndjson`, and a created one with its member. */
export class LiveRows {
  readonly #output: Output;
  readonly #isLive: boolean;

  /** @param areFinal whether rows with a final state keep it, and need not be printed again */
  constructor(output: Output, areFinal: boolean) {
    this.#output = output;
    this.#isLive = output.format === 'ndjson' && areFinal;
  }

  /** Returns whether rows of this state have been printed when the run is over. */
  readonly hasPrinted = (state: RowState): boolean => this.#isLive && isFinal(state);

  /** Prints the rows that are final before anything is sent: invalid ones, and those of an earlier process. */
  async printEarlier(source: ReportSource): Promise<void> {
    if (!this.#isLive || source.run.rowStates.finalized === 0) return;
    for await (const listed of visitRows(source, isFinal)) await this.#output.ndjson(listed.map(({ row }) => row));
  }

  /** Prints those of the rows that have a final state now. */
  async print(rows: () => readonly RowOutcome[]): Promise<void> {
    if (!this.#isLive) return;
    const final = rows().filter(({ state }) => isFinal(state));
    await this.#output.ndjson(
      final.map((outcome) => {
        const row = reportRow(outcome);
        return outcome.member === undefined ? row : { ...row, member: outcome.member };
      }),
    );
  }
}
