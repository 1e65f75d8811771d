import type { Clock } from '../../clock.ts';
import { EXIT, OrgadmError } from '../../errors.ts';
import type { Run } from '../journal/run.ts';
import type { ListRow } from '../list.ts';
import { type AttemptContext, type Attempted, attempt, refusedOutcome, type SendRow } from './attempt.ts';
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

export interface SendContext extends Pick<AttemptContext, 'post' | 'onCreated'> {
  readonly run: Run;
  /** A pass over the list: every row in order. */
  readonly rows: () => AsyncIterable<readonly ListRow[]>;
  readonly clock: Clock;
  readonly random: () => number;
  /** Is told after each request that these rows may have new states. */
  readonly onRows: (rows: readonly SendRow[]) => Promise<void>;
  readonly onWait: (reason: WaitReason | 'settling', untilMs: number) => void;
  /** Is told of what cannot be right in an answer. */
  readonly onContradiction: (text: string) => void;
}

/** Sends the rows of a list that are not settled, then confirms those of unclear fate. Used once. */
export class Sender {
  readonly #options: SendOptions;
  readonly #context: SendContext;
  readonly #attempt: AttemptContext;
  readonly #settle: SettleTime;
  readonly #traffic: Traffic;
  readonly #halt = new AbortController();
  #stopped: unknown;
  #batchSize: number;
  #underWay = 0;
  #anyAnswer = false;

  constructor(options: SendOptions, context: SendContext) {
    const { clock, random, run } = context;
    this.#options = options;
    this.#context = context;
    this.#batchSize = options.batchSize;
    this.#settle = new SettleTime(options.settleMs, options.timeoutMs);
    this.#traffic = new Traffic({
      clock,
      random,
      retries: options.retries,
      settle: this.#settle,
      onWait: context.onWait,
      signal: this.#halt.signal,
    });
    this.#attempt = {
      run,
      clock,
      existingWords: options.existingWords,
      post: context.post,
      onAnswer: (ms) => this.#settle.answered(ms),
      onCreated: context.onCreated,
    };
    // What an earlier process left unclear may still be going on: it gets the whole settle time from now on.
    if (run.ledger.counts().unknown > 0) this.#settle.unclear(clock.now(), false);
  }

  /** Requests that are under way. */
  get underWay(): number {
    return this.#underWay;
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
    const { ledger } = this.#context.run;
    await this.#sweep((entry) => ledger.isUnsent(entry));
    for (let round = 1; this.#options.confirm && round <= CONFIRM_ROUNDS && ledger.counts().unknown > 0; round++) {
      await this.#waitToSettle();
      await this.#sweep((entry) => ledger.isUnknown(entry));
    }
    return this.#stopped;
  }

  /** One pass over the list, for the rows that `wanted` names: the first batch alone, then several at a time. */
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
    const { run } = this.#context;
    const groups: Group[] = [{ rows: batch }];
    let budget = splitBudget(batch.length);
    let refusal: OrgadmError | undefined;
    for (let group = groups.pop(); group !== undefined; group = groups.pop()) {
      if (group.refused !== undefined && budget-- <= 0) {
        await run.finish(
          0,
          refusedOutcome(
            group.rows.map(({ entry }) => entry),
            group.refused,
            run,
          ),
        );
        await this.#context.onRows(group.rows);
        continue;
      }
      const result = await this.#send(group.rows);
      if (result === undefined) return;
      if (result.kind === 'answered') {
        if (group.cut !== undefined) this.#batchSize = Math.min(this.#batchSize, group.cut);
        continue;
      }
      const { verdict, error } = result;
      if (verdict.kind !== 'refused' && verdict.kind !== 'too-large') continue;
      if (verdict.kind === 'refused') refusal = error;
      if (group.rows.length > 1) groups.push(...split(group, verdict).reverse());
    }
    // Nobody on this list would be taken either: the service's words now are worth more than the same a thousand times.
    if (refusal !== undefined && !this.#anyAnswer && run.ledger.counts().unsent > 0) this.stop(refusal);
  }

  /**
   * Sends rows in one request, as often as it takes to have it processed.
   *
   * @returns undefined where the run ended before
   */
  async #send(rows: readonly SendRow[]): Promise<Attempted | undefined> {
    for (let failures = 1; ; failures++) {
      const probe = await this.#traffic.pass();
      if (this.#halt.signal.aborted) {
        this.#traffic.unused(probe);
        return undefined;
      }
      const result = await this.#once(rows, probe);
      const end = await this.#learn(result, probe, failures);
      if (end !== undefined) this.stop(end);
      if (result.kind === 'answered' || (result.verdict.kind !== 'limited' && result.verdict.kind !== 'not-sent'))
        return result;
      if (result.verdict.kind === 'limited') failures = 0;
    }
  }

  async #once(rows: readonly SendRow[], probe: boolean): Promise<Attempted> {
    this.#underWay++;
    try {
      const result = await attempt(rows, this.#attempt);
      await this.#context.onRows(rows);
      return result;
    } catch (error) {
      this.#traffic.unused(probe);
      throw error;
    } finally {
      this.#underWay--;
    }
  }

  /** Draws the conclusions of one request for all that follow. Returns why the run should end, where it should. */
  async #learn(result: Attempted, probe: boolean, failures: number): Promise<unknown> {
    if (result.kind === 'answered') {
      this.#anyAnswer = true;
      this.#traffic.answered(probe);
      for (const text of result.contradictions) this.#context.onContradiction(text);
      return result.otherOrganization === undefined ? undefined : this.#otherOrganization(result.otherOrganization);
    }
    const { verdict, error } = result;
    switch (verdict.kind) {
      case 'limited':
        return this.#traffic.limited(probe, verdict.retryAfterMs, error);
      case 'not-sent':
        return this.#traffic.notSent(probe, failures, error);
      case 'unclear':
        this.#settle.unclear(this.#context.clock.now(), verdict.timedOut);
        return this.#traffic.unclear(probe, error);
      case 'stop':
        this.#traffic.unused(probe);
        return error;
      default:
        this.#traffic.answered(probe);
        return undefined;
    }
  }

  async #waitToSettle(): Promise<void> {
    const { clock, onWait } = this.#context;
    const until = this.#settle.until();
    const wait = until - clock.now();
    if (wait <= 0 || this.#halt.signal.aborted) return;
    onWait('settling', until);
    await clock.sleep(wait, this.#halt.signal);
  }

  #otherOrganization(found: string): OrgadmError {
    const expected = this.#context.run.facts.organizationId;
    return new OrgadmError(
      'other-organization',
      EXIT.refused,
      `the service added people to organization ${found}, after it had added others of this list to ${expected}`,
      { hint: 'Check which organization the key belongs to before you go on.' },
    );
  }
}
