import type { Member } from '../../client/bulk-response.ts';
import type { ImportRun } from '../../import/journal/import-run.ts';
import type { RowState } from '../../import/journal/row-states.ts';
import type { MemberList } from '../../import/list/open-list.ts';
import { reportRow, reportRows } from '../../import/report.ts';
import type { PendingRow } from '../../import/send/send-batch.ts';
import type { Output } from '../../output/output.ts';

const isFinalState = (state: RowState) => state !== 'unknown' && state !== 'unsent';

/** Under -o ndjson: tells each row as it is settled, a created one with its member. Does nothing in other formats. */
export class LiveRows {
  readonly #run: ImportRun;
  readonly #list: MemberList;
  readonly #output: Output;
  readonly #live: boolean;
  readonly #members = new Map<number, Member>();

  constructor(run: ImportRun, list: MemberList, output: Output) {
    this.#run = run;
    this.#list = list;
    this.#output = output;
    this.#live = output.format === 'ndjson';
  }

  /** Whether rows of this state were told, when the run is over. */
  readonly hasPrinted = (state: RowState): boolean => this.#live && isFinalState(state);

  /** Tells the rows that are settled before anything is sent: invalid ones, and those of an earlier process. */
  async printFinal(): Promise<void> {
    if (!this.#live || this.#run.rowStates.finalized === 0) return;
    const source = {
      rows: () => this.#list.rows(),
      rowStates: this.#run.rowStates,
      messageFor: (entry: number) => this.#run.messageFor(entry),
    };
    for await (const { row } of reportRows(source, isFinalState)) await this.#output.ndjson(row);
  }

  /** Keeps a member until its row is told. */
  created(row: PendingRow, member: Member): void {
    if (this.#live) this.#members.set(row.entry, member);
  }

  /** Tells those of the rows that are settled now. Each row is given again only as long as it is not. */
  async print(rows: readonly PendingRow[]): Promise<void> {
    if (!this.#live) return;
    for (const { entry, line, value } of rows) {
      const state = this.#run.rowStates.stateOf(entry);
      if (!isFinalState(state)) continue;
      const row = await reportRow({ entry, line, userId: value.userId, issues: [] }, state, this.#run);
      const member = this.#members.get(entry);
      this.#members.delete(entry);
      await this.#output.ndjson(member === undefined ? row : { ...row, member });
    }
  }
}
