import { setMaxListeners } from 'node:events';
import type { ServiceError } from '../../client/service-error.ts';
import { OrgadmError } from '../../util/errors.ts';
import { emptyBatchOutcome } from '../journal/journal-records.ts';
import type { RowState } from '../journal/row-states.ts';
import type { ListRow } from '../list/open-list.ts';
import { BatchDispatcher, type DispatcherContext, keyNotVerified, wrongOrganization } from './batch-dispatcher.ts';
import type { WaitReason } from './circuit-breaker.ts';
import { messageOfFailure } from './classify-error.ts';
import { confirmAmbiguous } from './confirm.ts';
import { QuietPeriod } from './quiet-period.ts';
import { NOT_TRIED_ALONE, shortenMessage } from './row-messages.ts';
import { type AttemptContext, addRejected, type PendingRow } from './send-batch.ts';
import { maxBisectRequests } from './send-limits.ts';
import { type BatchPart, bisect, cutToSize, type NamedRow } from './split-batch.ts';
import { Throttle } from './throttle.ts';

export interface SchedulerOptions {
  batchSize: number;
  concurrency: number;
  retries: number;
  timeoutMs: number;
  quietPeriodMs: number;
  requestLifetimeMs: number;
  /** Resolve the rows of unknown outcome. */
  confirm: boolean;
  existingPhrases: readonly string[];
}

export interface SchedulerContext
  extends Pick<AttemptContext, 'run' | 'clock' | 'post' | 'onCreated'>,
    Pick<DispatcherContext, 'onRows' | 'onInconsistency' | 'onDeactivated'> {
  /** A pass over the list: every row in order. */
  readonly rows: () => AsyncIterable<readonly ListRow[]>;
  readonly random: () => number;
  readonly onWait: (reason: SendWaitReason, untilMs: number) => void;
}

export type SendWaitReason = WaitReason | 'quiet-period' | 'request-lifetime';

/** Sends the rows of a list that are not finalized, then resolves those of unknown outcome. Used once. */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #context: SchedulerContext;
  readonly #quiet: QuietPeriod;
  readonly #dispatcher: BatchDispatcher;
  readonly #halt = new AbortController();
  #stopped: unknown;
  #anyBatch = false;
  #batchSize: number;
  /** Whether the positions that messages name can be relied on: until one of them proves wrong. */
  #usesNames = true;

  constructor(options: SchedulerOptions, context: SchedulerContext) {
    const { clock, random, run, onWait } = context;
    const { retries, quietPeriodMs, timeoutMs, existingPhrases } = options;
    const { signal } = this.#halt;
    this.#options = options;
    this.#context = context;
    setMaxListeners(0, signal);
    this.#batchSize = options.batchSize;
    this.#quiet = new QuietPeriod(quietPeriodMs, timeoutMs);
    this.#dispatcher = new BatchDispatcher({
      ...context,
      existingPhrases,
      quiet: this.#quiet,
      throttle: new Throttle({ clock, random, retries, quiet: this.#quiet, onWait, signal }),
      onResponse: (ms) => this.#quiet.responded(ms),
      stop: (reason) => this.stop(reason),
      signal,
    });
    // Requests of an earlier process may still be running: the quiet period begins now.
    this.#quiet.responded(run.metadata.slowestMs);
    if (run.rowStates.counts().unknown > 0) this.#quiet.ambiguous(clock.now(), run.metadata.timedOut);
  }

  /** Number of requests in flight. */
  get inFlight(): number {
    return this.#dispatcher.inFlight;
  }

  /** Ends the run early: requests in flight are finished, nothing further is sent, nothing is waited for. */
  stop(reason: unknown): void {
    this.#stopped ??= reason;
    this.#halt.abort();
  }

  /**
   * Sends until every row is finalized, or nothing more can be done for it.
   *
   * @returns why it ended early; undefined where it did not
   */
  async send(): Promise<unknown> {
    const { run } = this.#context;
    const { rowStates, metadata, unfinished } = run;
    // A finished run ends once more as it ended.
    if (!unfinished && metadata.otherOrganization !== undefined) return wrongOrganization(metadata);
    await this.#forEach(this.#pendingBatches(), (batch) => this.#sendBatch(batch));
    if (this.#options.confirm && rowStates.counts().unknown > 0 && !this.#halt.signal.aborted) await this.#confirm();
    if (this.#stopped !== undefined) return this.#stopped;
    if (metadata.otherOrganization !== undefined) return wrongOrganization(metadata);
    return run.keyChanged && run.hasHeldBack ? keyNotVerified(metadata) : undefined;
  }

  #confirm(): Promise<void> {
    const { run, clock, rows } = this.#context;
    return confirmAmbiguous({
      run,
      clock,
      rows,
      quiet: this.#quiet,
      requestLifetimeMs: this.#options.requestLifetimeMs,
      batchSize: this.#batchSize,
      sendProbe: (row, request) => this.#dispatcher.send([row], request),
      deliver: (batch) => this.#sendBatch(batch),
      forEach: (items, work) => this.#forEach(items, work),
      waitUntil: (reason, untilMs) => this.#waitUntil(reason, untilMs),
    }).catch((error: unknown) => this.stop(error));
  }

  /**
   * Works on the first item alone, so that a wrong key or a list that the service rejects costs one request; then on
   * several at a time. A failure ends the run.
   */
  async #forEach<T>(items: AsyncGenerator<T, void>, work: (item: T) => Promise<void>): Promise<void> {
    const { signal } = this.#halt;
    const worker = async () => {
      try {
        for (let next = await items.next(); !next.done && !signal.aborted; next = await items.next())
          await work(next.value);
      } catch (error) {
        this.stop(error);
      }
    };
    try {
      if (signal.aborted) return;
      do {
        const first = await items.next();
        if (first.done) return;
        await work(first.value);
      } while (this.#context.run.keyChanged && !signal.aborted);
      await Promise.all(Array.from({ length: this.#options.concurrency }, worker));
    } catch (error) {
      this.stop(error);
    } finally {
      await items.return();
    }
  }

  async *#pendingBatches(): AsyncGenerator<PendingRow[], void> {
    const { rowStates } = this.#context.run;
    let batch: PendingRow[] = [];
    for await (const chunk of this.#context.rows()) {
      for (const { entry, line, value } of chunk) {
        if (value === undefined || !rowStates.isUnsent(entry)) continue;
        batch.push({ entry, line, value });
        if (batch.length >= this.#batchSize) {
          yield batch;
          batch = [];
        }
      }
    }
    if (batch.length > 0) yield batch;
  }

  /** Sends a batch until each of its rows is finalized or unknown: as it is, or in parts where it is rejected. */
  async #sendBatch(batch: readonly PendingRow[]): Promise<void> {
    const parts: BatchPart[] = [{ rows: batch }];
    const maxGuesses = maxBisectRequests(batch.length);
    let guesses = maxGuesses;
    let rejection: ServiceError | undefined;
    const isFirst = !this.#anyBatch;
    this.#anyBatch = true;
    const next = () => (guesses > maxGuesses / 2 ? parts.pop() : takeLargest(parts));
    for (let part = next(); part !== undefined; part = next()) {
      // With a new key, single rows are sent until it is known to belong to the run's organization.
      if (this.#context.run.keyChanged && part.rows.length > 1) {
        parts.push({ ...part, rows: part.rows.slice(1) }, { rows: part.rows.slice(0, 1) });
        continue;
      }
      if (part.rejected !== undefined && guesses-- <= 0) {
        await this.#giveUp(part);
        continue;
      }
      const result = await this.#dispatcher.send(part.rows);
      if (result === undefined) return;
      if (result.kind === 'response') {
        // Something was accepted: bisecting makes progress.
        guesses = maxGuesses;
        if (part.splitSize !== undefined) this.#batchSize = Math.min(this.#batchSize, part.splitSize);
        // The request without the named rows was accepted, which proves the names.
        await this.#rejectNamed(part.named ?? []);
        continue;
      }
      const { failure, error } = result;
      if (part.rows.every(({ entry }) => isMember(this.#context.run.rowStates.stateOf(entry)))) guesses = maxGuesses;
      if (failure.kind === 'rejected' || failure.kind === 'too-large') rejection = error;
      if (failure.kind === 'too-large') {
        if (part.rows.length > 1) parts.push(...cutToSize(part, failure, messageOfFailure(error)).reverse());
        else if (part.named !== undefined) parts.push(withoutNames(part.named, error));
      } else if (failure.kind === 'rejected') {
        parts.push(...(await this.#takeApart(part, failure.named, error)).reverse());
      } else if (part.named !== undefined) parts.push(withoutNames(part.named, error));
    }
    if (isFirst && rejection !== undefined && this.#isFirstBatchRejected(batch))
      this.stop(firstBatchRejected(rejection));
  }

  /**
   * Decides how to continue after a rejected request. Its message may name the invalid entries by their positions: then the
   * others are sent without them. If these are rejected again, the names were wrong, and are not used any more.
   */
  async #takeApart(part: BatchPart, named: ReadonlyMap<number, string>, error: ServiceError): Promise<BatchPart[]> {
    const { rows } = part;
    if (part.named !== undefined) {
      this.#usesNames = false;
      return bisect(part, messageOfFailure(error));
    }
    // Rejected alone: it is finalized already.
    if (rows.length === 1) return [];
    // A position beyond the request shows that they are not counted from zero.
    if (!this.#usesNames || named.size === 0 || [...named.keys()].some((at) => at >= rows.length))
      return bisect(part, messageOfFailure(error));
    const namedRows = rows.flatMap((row, at) => {
      const message = named.get(at);
      return message === undefined ? [] : [{ row, message }];
    });
    // Every row is named: there is no other reading.
    if (namedRows.length === rows.length) {
      await this.#rejectNamed(namedRows);
      return [];
    }
    return [{ ...part, rows: rows.filter((_, at) => !named.has(at)), named: namedRows }];
  }

  /** Finalizes rows that the service rejected by name. */
  async #rejectNamed(named: readonly NamedRow[]): Promise<void> {
    if (named.length === 0) return;
    const { run, onRows } = this.#context;
    const outcome = emptyBatchOutcome();
    const { existingPhrases } = this.#options;
    for (const { row, message } of named) addRejected(outcome, row.entry, message, { run, existingPhrases });
    run.finish(0, outcome);
    await onRows(named.map(({ row }) => row));
  }

  /** Whether a whole batch was rejected row by row, nobody of the list was ever accepted, and there are others to send. */
  #isFirstBatchRejected(batch: readonly PendingRow[]): boolean {
    const { rowStates } = this.#context.run;
    const { created, existing, recovered, unsent } = rowStates.counts();
    if (batch.length < 2 || this.#dispatcher.anyResponse || created + existing + recovered > 0 || unsent === 0)
      return false;
    return batch.every(({ entry }) => rowStates.stateOf(entry) === 'failed');
  }

  /** The requests that may be spent on guesses are used up: the rest was rejected, but not alone. */
  async #giveUp({ rows, rejected = '' }: BatchPart): Promise<void> {
    const { run, onRows } = this.#context;
    const message = shortenMessage(`${NOT_TRIED_ALONE}: ${rejected}`);
    const entries = rows.map(({ entry }) => entry);
    // This does not prove that a row of unknown outcome was not added before.
    const wasAttempted = (entry: number) => run.rowStates.wasAttempted(entry);
    const outcome = emptyBatchOutcome();
    outcome.failed = entries.filter((entry) => !wasAttempted(entry)).map((entry) => [entry, message]);
    if (entries.some(wasAttempted)) outcome.unclear = [[entries.filter(wasAttempted), message]];
    run.finish(0, outcome);
    await onRows(rows);
  }

  async #waitUntil(reason: SendWaitReason, untilMs: number): Promise<void> {
    const { clock, onWait } = this.#context;
    const wait = untilMs - clock.now();
    if (wait <= 0 || this.#halt.signal.aborted) return;
    onWait(reason, untilMs);
    await clock.sleep(wait, this.#halt.signal);
  }
}

/**
 * Removes the part with the most rows. Of rejected rows that are next to each other the valid ones are in a large part:
 * taking it before the guesses are used up keeps them from failing with the others.
 */
function takeLargest(parts: BatchPart[]): BatchPart | undefined {
  const largest = Math.max(...parts.map(({ rows }) => rows.length));
  return parts.splice(
    parts.findLastIndex(({ rows }) => rows.length === largest),
    1,
  )[0];
}

function isMember(state: RowState): boolean {
  return state === 'existing' || state === 'recovered';
}

/** Named rows of which nothing is proven: they are sent by themselves. */
function withoutNames(named: readonly NamedRow[], error: ServiceError): BatchPart {
  return { rows: named.map(({ row }) => row), rejected: messageOfFailure(error) };
}

/** The others of the list would be rejected too: the service's message now is worth more than a thousand times later. */
function firstBatchRejected(rejection: ServiceError): OrgadmError {
  return new OrgadmError(
    rejection.code,
    rejection.exitCode,
    `the service rejected every row of the first batch: ${rejection.message}`,
    {
      hint: 'Fix the list and import it again, or add --resume to send the other rows as they are.',
      status: rejection.status,
      requestId: rejection.requestId,
      cause: rejection,
    },
  );
}
