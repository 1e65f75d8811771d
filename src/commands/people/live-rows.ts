import type { Member } from '../../client/bulk-response.ts';
import type { Run } from '../../import/journal/import-run.ts';
import type { RowState } from '../../import/journal/row-states.ts';
import type { MemberList } from '../../import/list/open-list.ts';
import { reportRow, reportRows } from '../../import/report.ts';
import type { SendRow } from '../../import/send/send-batch.ts';
import type { Output } from '../../output/output.ts';

const isSettled = (state: RowState) => state !== 'unknown' && state !== 'unsent';

/** Under -o ndjson: tells each row as it is settled, a created one with its member. Does nothing in other formats. */
export class LiveRows {
  readonly #run: Run;
  readonly #list: MemberList;
  readonly #output: Output;
  readonly #live: boolean;
  readonly #members = new Map<number, Member>();

  constructor(run: Run, list: MemberList, output: Output) {
    this.#run = run;
    this.#list = list;
    this.#output = output;
    this.#live = output.format === 'ndjson';
  }

  /** Whether rows of this state were told, when the run is over. */
  readonly hasTold = (state: RowState): boolean => this.#live && isSettled(state);

  /** Tells the rows that are settled before anything is sent: invalid ones, and those of an earlier process. */
  async tellSettled(): Promise<void> {
    if (!this.#live || this.#run.ledger.settled === 0) return;
    const source = {
      rows: () => this.#list.rows(),
      ledger: this.#run.ledger,
      wordsOf: (entry: number) => this.#run.wordsOf(entry),
    };
    for await (const { row } of reportRows(source, isSettled)) await this.#output.ndjson(row);
  }

  /** Keeps a member until its row is told. */
  created(row: SendRow, member: Member): void {
    if (this.#live) this.#members.set(row.entry, member);
  }

  /** Tells those of the rows that are settled now. Each row is given again only as long as it is not. */
  async tell(rows: readonly SendRow[]): Promise<void> {
    if (!this.#live) return;
    for (const { entry, line, value } of rows) {
      const state = this.#run.ledger.stateOf(entry);
      if (!isSettled(state)) continue;
      const row = await reportRow({ entry, line, userId: value.userId, problems: [] }, state, this.#run);
      const member = this.#members.get(entry);
      this.#members.delete(entry);
      await this.#output.ndjson(member === undefined ? row : { ...row, member });
    }
  }
}
