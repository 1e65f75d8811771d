import { setMaxListeners } from 'node:events';
import type { ListRow } from '../list/open-list.ts';
import { BatchDispatcher, keyNotVerified, wrongOrganization } from './batch-dispatcher.ts';
import { confirmAmbiguous } from './confirm.ts';
import type { AttemptContext, PendingRow } from './send-batch.ts';
import { EventChannel, type SendEvent, type WaitReason } from './send-events.ts';
import { Throttle } from './throttle.ts';

export interface SendOptions {
  batchSize: number;
  /** Entries in one request at most, under a rate limit. */
  maxBatchSize: number;
  concurrency: number;
  retries: number;
  timeoutMs: number;
  quietPeriodMs: number;
  /** How long the service may keep processing a request whose connection is lost, in milliseconds. */
  requestLifetimeMs: number;
  /** Whether to resolve the rows of unknown outcome. */
  confirm: boolean;
}

export interface SendContext extends AttemptContext {
  /** A pass over the list: every row in order. */
  readonly rows: () => AsyncIterable<readonly ListRow[]>;
  readonly random: () => number;
  /** Ends the run early: requests in flight are finished, nothing further is sent, nothing is waited for. */
  readonly signal: AbortSignal;
}

/**
 * Sends the rows of a list that are not finalized, then resolves those of unknown outcome. Yields what happens; the last
 * event is `stopped` if the run ends early.
 *
 * The outcome of a request is in the journal before its `rows` event, and a worker sends its next request only when that
 * event has been processed. A consumer that leaves the iteration ends the run as the signal does.
 */
export async function* sendRows(options: SendOptions, context: SendContext): AsyncGenerator<SendEvent, void> {
  const events = new EventChannel<SendEvent>();
  const scheduler = new Scheduler(options, context, events);
  const stop = () => scheduler.stop(context.signal.reason);
  context.signal.addEventListener('abort', stop, { once: true });
  if (context.signal.aborted) stop();
  const done = scheduler.run().finally(() => events.close());
  // Awaited below, also when the consumer leaves first.
  done.catch(() => {});
  try {
    yield* events;
  } finally {
    scheduler.stop(undefined);
    context.signal.removeEventListener('abort', stop);
    await done;
  }
}

/** The workers of one run, and what ends it. */
class Scheduler {
  readonly #options: SendOptions;
  readonly #context: SendContext;
  readonly #events: EventChannel<SendEvent>;
  readonly #throttle: Throttle;
  readonly #dispatcher: BatchDispatcher;
  readonly #halt = new AbortController();
  #stopReason: unknown;

  constructor(options: SendOptions, context: SendContext, events: EventChannel<SendEvent>) {
    const { run, clock, random } = context;
    const { signal } = this.#halt;
    this.#options = options;
    this.#context = context;
    this.#events = events;
    // Every waiting worker listens to it.
    setMaxListeners(0, signal);
    this.#throttle = new Throttle({
      ...options,
      clock,
      random,
      onWait: (reason, untilMs) => void events.push({ type: 'waiting', reason, fromMs: clock.now(), untilMs }),
      signal,
    });
    this.#dispatcher = new BatchDispatcher({
      ...context,
      batchSize: options.batchSize,
      maxBatchSize: options.maxBatchSize,
      throttle: this.#throttle,
      emit: (event) => events.push(event),
      stop: (reason) => this.stop(reason),
      signal,
    });
    // Requests of an earlier process may still be running: the quiet period begins now.
    this.#throttle.recordDuration(run.metadata.slowestMs);
    if (run.rowStates.counts().unknown > 0) this.#throttle.recordAmbiguous(run.metadata.timedOut);
  }

  /** Ends the run early. The first reason is reported. */
  stop(reason: unknown): void {
    this.#stopReason ??= reason;
    this.#halt.abort();
  }

  async run(): Promise<void> {
    const reason = await this.#send();
    if (reason !== undefined) void this.#events.push({ type: 'stopped', reason });
  }

  /** Sends until every row is finalized, or nothing more can be done for it. Returns why it ended early, if it did. */
  async #send(): Promise<unknown> {
    const { run } = this.#context;
    const { rowStates, metadata, unfinished } = run;
    // A finished run ends again as it ended.
    if (!unfinished && metadata.otherOrganization !== undefined) return wrongOrganization(metadata);
    await this.#forEach(this.#pendingBatches(), (batch) => this.#dispatcher.sendUntilFinal(batch));
    if (this.#options.confirm && rowStates.counts().unknown > 0 && !this.#halt.signal.aborted) await this.#confirm();
    if (this.#stopReason !== undefined) return this.#stopReason;
    if (metadata.otherOrganization !== undefined) return wrongOrganization(metadata);
    return run.keyChanged && run.hasHeldBack ? keyNotVerified(metadata) : undefined;
  }

  async #confirm(): Promise<void> {
    try {
      await confirmAmbiguous({
        ...this.#context,
        requestLifetimeMs: this.#options.requestLifetimeMs,
        throttle: this.#throttle,
        dispatcher: this.#dispatcher,
        forEach: (items, work) => this.#forEach(items, work),
        waitUntil: (reason, untilMs) => this.#waitUntil(reason, untilMs),
      });
    } catch (error) {
      this.stop(error);
    }
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
        if (batch.length >= this.#dispatcher.batchSize) {
          yield batch;
          batch = [];
        }
      }
    }
    if (batch.length > 0) yield batch;
  }

  async #waitUntil(reason: WaitReason, untilMs: number): Promise<void> {
    const { clock } = this.#context;
    const wait = untilMs - clock.now();
    if (wait <= 0 || this.#halt.signal.aborted) return;
    void this.#events.push({ type: 'waiting', reason, fromMs: clock.now(), untilMs });
    await clock.sleep(wait, this.#halt.signal);
  }
}
