import { setMaxListeners } from 'node:events';
import { OrgadmError } from '../../errors.ts';
import type { ServiceError } from '../../service/errors.ts';
import type { ListRow } from '../list.ts';
import { type AttemptContext, refusedOutcome, type SendRow } from './attempt.ts';
import { addedElsewhere, Courier, type CourierContext } from './courier.ts';
import type { WaitReason } from './gate.ts';
import { CONFIRM_ROUNDS, splitBudget } from './limits.ts';
import { SettleTime } from './settle.ts';
import { type Group, split } from './split.ts';
import { Traffic } from './traffic.ts';

export interface SendOptions {
  batchSize: number;
  concurrency: number;
  retries: number;
  timeoutMs: number;
  settleMs: number;
  /** Send rows of unclear fate once more. */
  confirm: boolean;
  existingWords: readonly string[];
}

export interface SendContext
  extends Pick<AttemptContext, 'run' | 'clock' | 'post' | 'onCreated'>,
    Pick<CourierContext, 'onRows' | 'onContradiction'> {
  /** A pass over the list: every row in order. */
  readonly rows: () => AsyncIterable<readonly ListRow[]>;
  readonly random: () => number;
  readonly onWait: (reason: WaitReason | 'settling', untilMs: number) => void;
}

/** Sends the rows of a list that are not settled, then confirms those of unclear fate. Used once. */
export class Sender {
  readonly #options: SendOptions;
  readonly #context: SendContext;
  readonly #settle: SettleTime;
  readonly #courier: Courier;
  readonly #halt = new AbortController();
  #stopped: unknown;
  #anyBatch = false;
  #batchSize: number;

  constructor(options: SendOptions, context: SendContext) {
    const { clock, random, run, onWait } = context;
    const { retries, settleMs, timeoutMs, existingWords } = options;
    const { signal } = this.#halt;
    this.#options = options;
    this.#context = context;
    setMaxListeners(0, signal);
    this.#batchSize = options.batchSize;
    this.#settle = new SettleTime(settleMs, timeoutMs);
    this.#courier = new Courier({
      ...context,
      existingWords,
      settle: this.#settle,
      traffic: new Traffic({ clock, random, retries, settle: this.#settle, onWait, signal }),
      onAnswer: (ms) => this.#settle.answered(ms),
      stop: (why) => this.stop(why),
      signal,
    });
    // What an earlier process left unclear may still be going on: it gets the whole settle time from now on.
    this.#settle.answered(run.facts.slowestMs);
    if (run.ledger.counts().unknown > 0) this.#settle.unclear(clock.now(), run.facts.timedOut);
  }

  /** Requests that are under way. */
  get underWay(): number {
    return this.#courier.underWay;
  }

  /** Ends the run early: what is under way is finished, nothing further is sent, nothing is waited for. */
  stop(why: unknown): void {
    this.#stopped ??= why;
    this.#halt.abort();
  }

  /**
   * Sends until every row is settled, or nothing more can be done for it.
   *
   * @returns why it ended early; undefined where it did not
   */
  async send(): Promise<unknown> {
    const { ledger, facts, unfinished } = this.#context.run;
    // A finished run ends once more as it ended.
    if (!unfinished && facts.otherOrganization !== undefined) return addedElsewhere(facts);
    await this.#sweep((entry) => ledger.isUnsent(entry));
    for (let round = 1; this.#options.confirm && round <= CONFIRM_ROUNDS && ledger.counts().unknown > 0; round++) {
      await this.#waitToSettle();
      await this.#sweep((entry) => ledger.isUnknown(entry));
    }
    return this.#stopped;
  }

  /**
   * One pass over the list, for the rows that `wanted` names. The first batch goes alone, so that a wrong key or a list
   * that nobody takes costs one request, not several; then several are under way at a time.
   */
  async #sweep(wanted: (entry: number) => boolean): Promise<void> {
    if (this.#halt.signal.aborted) return;
    const batches = this.#batches(wanted);
    const work = async () => {
      try {
        for (let next = await batches.next(); !next.done && !this.#halt.signal.aborted; next = await batches.next()) {
          await this.#deliver(next.value);
        }
      } catch (error) {
        this.stop(error);
      }
    };
    try {
      const first = await batches.next();
      if (first.done) return;
      await this.#deliver(first.value);
      await Promise.all(Array.from({ length: this.#options.concurrency }, work));
    } catch (error) {
      this.stop(error);
    } finally {
      await batches.return();
    }
  }

  async *#batches(wanted: (entry: number) => boolean): AsyncGenerator<SendRow[], void> {
    let batch: SendRow[] = [];
    for await (const chunk of this.#context.rows()) {
      for (const { entry, line, value } of chunk) {
        if (value === undefined || !wanted(entry)) continue;
        batch.push({ entry, line, value });
        if (batch.length >= this.#batchSize) {
          yield batch;
          batch = [];
        }
      }
    }
    if (batch.length > 0) yield batch;
  }

  /** Sends a batch until each of its rows is settled or unclear: as it is, or taken apart where it is refused. */
  async #deliver(batch: readonly SendRow[]): Promise<void> {
    const groups: Group[] = [{ rows: batch }];
    let budget = splitBudget(batch.length);
    let refusal: ServiceError | undefined;
    const isFirst = !this.#anyBatch;
    this.#anyBatch = true;
    for (let group = groups.pop(); group !== undefined; group = groups.pop()) {
      const guess = group.refused !== undefined && !group.named;
      if (guess && budget-- <= 0) {
        await this.#giveUp(group.rows, group.refused ?? '');
        continue;
      }
      const result = await this.#courier.send(group.rows);
      if (result === undefined) return;
      if (result.kind === 'answered') {
        // Taking the batch apart gets somewhere: it may go on.
        budget = splitBudget(batch.length);
        if (group.cut !== undefined) this.#batchSize = Math.min(this.#batchSize, group.cut);
        continue;
      }
      const { verdict, error } = result;
      if (verdict.kind !== 'refused' && verdict.kind !== 'too-large') continue;
      refusal = error;
      if (group.rows.length > 1) groups.push(...split(group, verdict).reverse());
    }
    if (isFirst && refusal !== undefined && this.#isHopeless(batch)) this.stop(nobodyTaken(refusal));
  }

  /** Whether a whole batch was refused row by row, nobody of the list was ever taken, and there are others to send. */
  #isHopeless(batch: readonly SendRow[]): boolean {
    const { ledger } = this.#context.run;
    const { created, existing, recovered, unsent } = ledger.counts();
    if (batch.length < 2 || this.#courier.anyAnswer || created + existing + recovered > 0 || unsent === 0) return false;
    return batch.every(({ entry }) => ledger.stateOf(entry) === 'failed');
  }

  /** The requests that may be spent on guesses are used up: what is left was refused, but not alone. */
  async #giveUp(rows: readonly SendRow[], words: string): Promise<void> {
    const { run, onRows } = this.#context;
    const entries = rows.map(({ entry }) => entry);
    run.finish(0, refusedOutcome(entries, `refused together with other rows, not tried alone: ${words}`, run));
    await onRows(rows);
  }

  async #waitToSettle(): Promise<void> {
    const { clock, onWait } = this.#context;
    const until = this.#settle.until();
    const wait = until - clock.now();
    if (wait <= 0 || this.#halt.signal.aborted) return;
    onWait('settling', until);
    await clock.sleep(wait, this.#halt.signal);
  }
}

/** The others of the list would not be taken either: the service's words now are worth more than a thousand times later. */
function nobodyTaken(refusal: ServiceError): OrgadmError {
  return new OrgadmError(refusal.code, refusal.exitCode, `nobody of the first batch was taken: ${refusal.message}`, {
    hint: 'Mend the list and add it again, or add --resume to send the other rows as they are.',
    status: refusal.status,
    requestId: refusal.requestId,
    cause: refusal,
  });
}
