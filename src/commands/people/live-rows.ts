import type { Member } from '../../client/bulk-response.ts';
import type { ImportRun } from '../../import/journal/import-run.ts';
import type { RowState } from '../../import/journal/row-states.ts';
import { type ReportSource, reportRow, reportRows } from '../../import/report.ts';
import type { PendingRow } from '../../import/send/send-batch.ts';
import type { Output } from '../../output/output.ts';

const isFinalState = (state: RowState) => state !== 'unknown' && state !== 'unsent';

/** Prints each row as soon as it is final under `-o ndjson`, a created one with its member. Does nothing in other formats. */
export class LiveRows {
  readonly #run: ImportRun;
  readonly #output: Output;
  readonly #isLive: boolean;

  constructor(run: ImportRun, output: Output) {
    this.#run = run;
    this.#output = output;
    this.#isLive = output.format === 'ndjson';
  }

  /** Returns whether rows of this state have been printed when the run is over. */
  readonly hasPrinted = (state: RowState): boolean => this.#isLive && isFinalState(state);

  /** Prints the rows that are final before anything is sent: invalid ones, and those of an earlier process. */
  async printEarlier(source: ReportSource): Promise<void> {
    if (!this.#isLive || this.#run.rowStates.finalized === 0) return;
    for await (const { row } of reportRows(source, isFinalState)) await this.#output.ndjson(row);
  }

  /**
   * Prints those of the rows that are final now.
   *
   * @param rows each row as often as it is sent, and not again once it is final
   * @param created members, by the number of their row
   */
  async print(rows: readonly PendingRow[], created: ReadonlyMap<number, Member>): Promise<void> {
    if (!this.#isLive) return;
    for (const { entry, line, value } of rows) {
      const state = this.#run.rowStates.stateOf(entry);
      if (!isFinalState(state)) continue;
      const row = await reportRow({ entry, line, userId: value.userId, issues: [] }, state, {
        messageFor: (at) => this.#run.messageFor(at),
      });
      const member = created.get(entry);
      await this.#output.ndjson(member === undefined ? row : { ...row, member });
    }
  }
}
