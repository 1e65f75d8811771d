import { setMaxListeners } from 'node:events';
import { ServiceError } from '../../client/http/service-error.ts';
import { EXIT, OrgadmError } from '../../util/errors.ts';
import { countOf } from '../../util/units.ts';
import type { ListRow } from '../list-row.ts';
import type { FailedNote } from '../outcome.ts';
import {
  acceptPart,
  type Batch,
  type BatchPart,
  createBatch,
  cutPart,
  type NamedRow,
  returnNamed,
  returnPart,
  splitRejected,
  takePart,
} from './batch.ts';
import { BatchSize } from './batch-size.ts';
import { messageOfFailure } from './classify-error.ts';
import { gaveUp, Pace, type PaceOptions, type Pause } from './pace.ts';
import { failRows, type RequestContext, type RequestResult, sendRequest } from './request.ts';
import { LimitReached, type PendingRow, type SendEvent, type WaitReason } from './send-events.ts';

/**
 * Requests of unknown outcome in a row that show that the service is failing; fewer may be chance. So many pause the run until
 * they are over, so many more end it, and so many end the rounds in which rows are sent again.
 */
const MAX_UNKNOWN_IN_A_ROW = 5;
/** A request of unknown outcome is sent again in so many parts: 500 rows end as single ones after three rounds. */
const PARTS_PER_ROUND = 10;
/** Requests of one row in a row whose outcome is unknown, too, after which no other row is sent again. */
const MAX_UNKNOWN_PROBES = 3;

export interface SendOptions extends PaceOptions, RequestContext {
  /** A pass over the list: every row in order. */
  readonly rows: () => AsyncIterable<readonly ListRow[]>;
  /** Rows in one request at most. */
  readonly batchSize: number;
  /** Rows to send at most that were never sent before; undefined for all. */
  readonly limit: number | undefined;
  /** Whether to send the failed rows again, too: they stay failed until a response says something else. */
  readonly resendsFailed: boolean;
  /** Ends the run early: requests in flight are finished, nothing more is sent, nothing is waited for. */
  readonly signal: AbortSignal;
}

/**
 * Sends the unsent rows of a run, then resolves those of unknown outcome (interface 4.2). Yields what happens; the last
 * event is `stopped` if the run ends early.
 *
 * The outcome of a request is in the journal before its event, and nothing is sent while the consumer processes an event. A
 * consumer that leaves the iteration ends the run as the signal does.
 */
export async function* send(options: SendOptions): AsyncGenerator<SendEvent, void> {
  const sender = new Sender(options);
  try {
    yield* sender.run();
  } finally {
    await sender.settle();
  }
}

/** Ends a run whose first batch was rejected: its rows have a mistake that the others have, too. */
export class FirstBatchRejected extends OrgadmError {
  /** The message on all of its rows; undefined if they have several. */
  readonly sharedMessage: string | undefined;
  /** Says how many rows orgadm did not send. */
  readonly notSent: string;

  /** @param messages the different messages on its rows, without the positions of the rows */
  constructor(
    rejection: OrgadmError | undefined,
    messages: readonly string[],
    { rejected, unsent }: { rejected: number; unsent: number },
  ) {
    const [first = 'no message', ...others] = messages;
    const reason = others.length === 0 ? `: ${first}` : `, for example: ${first}`;
    super(
      rejection?.code ?? 'rejected',
      rejection?.exitCode ?? EXIT.failure,
      `the service rejected all ${countOf(rejected, 'row')} of the first batch${reason}`,
      {
        hint: `Fix the list and import it again. ${notSentText(unsent)}`,
        status: rejection?.status,
        requestId: rejection?.requestId,
        cause: rejection,
      },
    );
    this.sharedMessage = others.length === 0 ? first : undefined;
    this.notSent = notSentText(unsent);
  }
}

function notSentText(unsent: number): string {
  return `orgadm did not send the other ${unsent === 1 ? 'row' : countOf(unsent, 'row')}.`;
}

/** A request that has ended. */
interface Finished {
  readonly batch: Batch;
  readonly part: BatchPart;
  readonly result: RequestResult | { kind: 'broken'; error: unknown };
}

/** The state of one process that sends a list. */
class Sender {
  readonly #options: SendOptions;
  readonly #pace: Pace;
  readonly #inFlight = new Map<Batch, Promise<Finished>>();
  readonly #batchSize: BatchSize;
  /** Batches with parts left to send, the next one first. */
  #ready: Batch[] = [];
  #stopReason: unknown;
  /** Whether the rows in flight are sent again after a request of unknown outcome. */
  #isConfirming = false;
  /** Whether the row in flight is sent again to see whether the service is stalled. */
  #isProbing = false;
  /** Whether the service may be stalled: then requests of unknown outcome may be running, however long ago they were sent. */
  #mayBeStalled = true;
  /** Rows that were sent first, alone, and made the service fail: that may be chance, so they are sent again with the others. */
  readonly #failedProbes = new Set<number>();
  /** The batch that was sent first, until each of its rows has an outcome: nothing else is sent meanwhile. */
  #firstBatch: Batch | undefined;
  /** Whether the service has sent a usable response, or a rejection, to this process. Until then, requests go one at a time. */
  #isUnderstood = false;
  /** Requests of unknown outcome in a row. */
  #unknownInARow = 0;
  /** When so many were in a row that the run paused, in milliseconds since the epoch; undefined after a usable response. */
  #pausedAtMs: number | undefined;
  /** The last rejection of members, for the error of a first batch of which no row was added. */
  #rejection: OrgadmError | undefined;
  #lastPause: Pause | undefined;
  /** The number of the first request of this process. */
  readonly #firstRequest: number;

  constructor(options: SendOptions) {
    this.#options = options;
    this.#firstRequest = options.run.state.lastRequest + 1;
    this.#pace = new Pace(options, options.client.outages);
    this.#batchSize = new BatchSize(options.batchSize);
    // Every wait listens to it.
    setMaxListeners(0, options.signal);
  }

  async *run(): AsyncGenerator<SendEvent, void> {
    const { run, limit, signal } = this.#options;
    try {
      if (run.state.isUnfinished || this.#options.resendsFailed) yield* this.#wait('earlier-requests', run.othersMs());
      yield* this.#sendUnsent();
      yield* this.#confirm();
    } catch (error) {
      this.#stop(error);
    }
    if (this.#stopReason === undefined && signal.aborted) this.#stop(signal.reason);
    if (limit !== undefined && run.state.counts().unsent > 0) this.#stop(new LimitReached(limit));
    if (this.#stopReason !== undefined) yield { type: 'stopped', reason: this.#stopReason };
  }

  async *#sendUnsent(): AsyncGenerator<SendEvent, void> {
    const { run, resendsFailed, limit = Number.POSITIVE_INFINITY } = this.#options;
    const { unsent, failed } = run.state.counts();
    const rows = Math.min(limit, unsent + (resendsFailed ? failed : 0));
    if (rows === 0 || this.#hasEnded) return;
    yield { type: 'phase', rows };
    yield* this.#deliver(this.#unsentBatches(rows));
  }

  /**
   * Sends the rows of unknown outcome again, once all of their requests are over: one row first, then the others in rounds, each
   * in parts of a tenth of the round before. A row that makes the service fail is then alone in a request. Rounds go on until one
   * resolves nothing, unless it had so few requests that this may be chance.
   */
  async *#confirm(): AsyncGenerator<SendEvent, void> {
    const { run } = this.#options;
    this.#isConfirming = true;
    this.#unknownInARow = 0;
    for (;;) {
      if (this.#mayBeStalled && !(yield* this.#confirmOneRow())) return;
      const { unknown } = run.state.counts();
      const rows = unknown - this.#failingRows().length;
      if (rows === 0 || this.#hasEnded) return;
      yield* this.#wait('confirming', run.unknownMs());
      if (this.#hasEnded) return;
      yield { type: 'phase', rows };
      const unknownBefore = this.#unknownInARow;
      yield* this.#deliver(this.#confirmingBatches());
      this.#failedProbes.clear();
      if (run.state.counts().unknown < unknown) continue;
      const hasSent = this.#unknownInARow > unknownBefore;
      if (!hasSent || this.#unknownInARow >= MAX_UNKNOWN_IN_A_ROW) return;
    }
  }

  /**
   * Sends single rows again until a fast response shows that the service is not stalled. A locked table, for example, stalls the
   * first request of a row and this one alike, and then adds the person twice: so it is one person, not all of them.
   *
   * @returns whether the other rows may be sent again
   */
  async *#confirmOneRow(): AsyncGenerator<SendEvent, boolean> {
    const { run } = this.#options;
    for (let unknown = 0; unknown < MAX_UNKNOWN_PROBES; ) {
      const number = this.#nextProbe();
      if (number === undefined) return false;
      yield* this.#wait('confirming', run.unknownMs());
      if (this.#hasEnded) return false;
      yield { type: 'phase', rows: 1 };
      this.#isProbing = true;
      this.#mayBeStalled = false;
      yield* this.#deliver(this.#batchOf(number));
      this.#isProbing = false;
      if (this.#hasEnded) return false;
      const isUnknown = run.state.stateOf(number) === 'unknown';
      if (run.state.failing.has(number)) this.#failedProbes.add(number);
      if (!isUnknown && !this.#mayBeStalled) return true;
      unknown = isUnknown ? unknown + 1 : 0;
      if (!isUnknown) yield* this.#wait('stalled', run.longestLifetimeMs());
    }
    return false;
  }

  /**
   * Returns the row to send first: one that was sent again during a stall, so that no other is at risk, or else the first one.
   * Undefined if all of them make the service fail.
   */
  #nextProbe(): number | undefined {
    const { state } = this.#options.run;
    const { failing, stalled } = state;
    const rows = state.unknownRows().filter((number) => (failing.get(number) ?? 0) < this.#firstRequest);
    return rows.find((number) => stalled.has(number)) ?? rows.find((number) => !failing.has(number)) ?? rows[0];
  }

  /** Resolves when no request is in flight, also if the consumer has left. */
  async settle(): Promise<void> {
    await Promise.all(this.#inFlight.values());
  }

  get #hasEnded(): boolean {
    return this.#stopReason !== undefined || this.#options.signal.aborted;
  }

  /** Ends the run early. The first reason is reported. */
  #stop(reason: unknown): void {
    this.#stopReason ??= reason;
  }

  /** Sends batches, several at a time, until each of their rows has an outcome. */
  async *#deliver(batches: AsyncGenerator<PendingRow[], void>): AsyncGenerator<SendEvent, void> {
    let areAllTaken = false;
    try {
      for (;;) {
        while (!this.#hasEnded && !areAllTaken && this.#ready.length === 0 && this.#mayTakeBatch()) {
          const next = await batches.next();
          if (next.done) areAllTaken = true;
          else this.#addBatch(next.value);
        }
        const pause = this.#pace.pause();
        if (!this.#hasEnded && this.#ready.length > 0 && this.#mayTakeBatch() && pause === undefined) {
          yield* this.#sendNext();
        } else if (this.#inFlight.size === 0 && (this.#hasEnded || (areAllTaken && this.#ready.length === 0))) {
          return;
        } else {
          if (pause !== undefined && this.#ready.length > 0) yield* this.#report(pause);
          const finished = await this.#nextFinished(pause);
          if (finished !== undefined) yield* this.#apply(finished);
        }
      }
    } finally {
      this.#ready = [];
      await batches.return();
    }
  }

  /** Adds a batch. The first one of a process is sent to its end before any other, so that a wrong list is noticed early. */
  #addBatch(rows: readonly PendingRow[]): void {
    const batch = createBatch(rows, this.#isProbing ? 'probe' : this.#isConfirming ? 'again' : 'first');
    if (this.#firstBatch === undefined && !this.#isUnderstood && !this.#isConfirming) this.#firstBatch = batch;
    this.#ready.push(batch);
  }

  #mayTakeBatch(): boolean {
    const isAlone = !this.#isUnderstood || this.#firstBatch !== undefined;
    return this.#inFlight.size < (isAlone ? 1 : this.#pace.concurrency);
  }

  /** Sends the next part of the next batch. */
  async *#sendNext(): AsyncGenerator<SendEvent, void> {
    const batch = this.#ready.shift();
    if (batch === undefined) return;
    const part = takePart(batch, this.#batchSize.rows);
    if (part === undefined) return this.#finishBatch(batch);
    if (part.rejected !== undefined && batch.guesses-- <= 0) {
      const message = part.rejected;
      yield* this.#fail([...part.rows.map((row) => ({ row, message })), ...(part.named ?? [])], 'not-alone');
      this.#ready.unshift(batch);
      return;
    }
    const sent = sendRequest(part, this.#options)
      .catch((error: unknown) => ({ kind: 'broken', error }) as const)
      .then((result) => ({ batch, part, result }));
    this.#inFlight.set(batch, sent);
    yield { type: 'sending', inFlight: this.#inFlight.size };
  }

  /** Waits for a request to end, or for a pause to be over. Returns undefined for the latter, and when the run is ended. */
  async #nextFinished(pause: Pause | undefined): Promise<Finished | undefined> {
    const { clock, signal } = this.#options;
    const isWaiting = !this.#hasEnded && pause !== undefined;
    const awake = new AbortController();
    const wakeUp = () => awake.abort();
    signal.addEventListener('abort', wakeUp, { once: true });
    const requests = [...this.#inFlight.values()];
    try {
      const sleep = isWaiting ? [clock.sleep(pause.untilMs - clock.now(), awake.signal)] : [];
      const finished = await Promise.race([...requests, ...sleep]);
      if (finished === undefined) return undefined;
      this.#inFlight.delete(finished.batch);
      return finished;
    } finally {
      signal.removeEventListener('abort', wakeUp);
      awake.abort();
    }
  }

  async *#report(pause: Pause): AsyncGenerator<SendEvent, void> {
    const { reason, untilMs } = pause;
    if (this.#lastPause?.reason === reason && this.#lastPause.untilMs === untilMs) return;
    this.#lastPause = pause;
    yield { type: 'waiting', reason, untilMs };
  }

  /** Waits although nothing is in flight. The signal ends the wait. */
  async *#wait(reason: WaitReason, ms: number): AsyncGenerator<SendEvent, void> {
    const { clock, signal } = this.#options;
    if (ms <= 0 || this.#hasEnded) return;
    yield { type: 'waiting', reason, untilMs: clock.now() + ms };
    await clock.sleep(ms, signal);
    this.#pace.resetPatience();
  }

  /** Decides what follows from the result of a request, for its batch and for the run. */
  async *#apply({ batch, part, result }: Finished): AsyncGenerator<SendEvent, void> {
    if (result.kind === 'broken') {
      this.#stop(result.error);
      return;
    }
    if (result.isSlow) this.#mayBeStalled = true;
    yield { type: 'outcomes', inFlight: this.#inFlight.size };
    if (result.kind === 'failure') yield* this.#applyFailure(batch, part, result);
    else yield* this.#applyResponse(batch, part, result);
    if (batch.parts.length > 0) this.#ready.unshift(batch);
    else this.#finishBatch(batch);
  }

  async *#applyResponse(
    batch: Batch,
    part: BatchPart,
    {
      isUsable,
      listsMembers,
      isSlow,
      sentAtMs,
      inconsistencies,
      activated,
    }: Extract<RequestResult, { kind: 'response' }>,
  ): AsyncGenerator<SendEvent, void> {
    for (const message of inconsistencies) yield { type: 'inconsistency', message };
    if (activated > 0) this.#stop(storedAsActive(activated));
    // A response that lists members shows that the service works, although none of them is certain.
    if (!isUsable && (!listsMembers || this.#isConfirming)) {
      this.#unknown(batch, part, noUsableResponse(), sentAtMs);
      return;
    }
    this.#understood();
    if (!isSlow && this.#batchSize.wasFast(part.rows.length)) yield this.#batchSizeChanged();
    if (isUsable) acceptPart(batch);
    else returnNamed(batch, part);
  }

  #batchSizeChanged(): SendEvent {
    return { type: 'batch-size', rows: this.#batchSize.rows, isReduced: this.#batchSize.isReduced };
  }

  async *#applyFailure(
    batch: Batch,
    part: BatchPart,
    { failure, error, sentAtMs }: Extract<RequestResult, { kind: 'failure' }>,
  ): AsyncGenerator<SendEvent, void> {
    const message = messageOfFailure(error);
    switch (failure.kind) {
      case 'rate-limited':
        returnPart(batch, part);
        this.#stop(this.#pace.limited(error, sentAtMs));
        break;
      case 'not-sent':
      case 'fatal':
        returnPart(batch, part);
        this.#stop(this.#pace.failed(error));
        break;
      case 'too-large': {
        this.#rejected(error);
        if (part.rows.length === 1) {
          returnNamed(batch, part);
          break;
        }
        const size = failure.limit ?? Math.ceil(part.rows.length / 2);
        // Only a complete batch shows how many rows fit: the rows of a part may be unusually long.
        if (part.rows === batch.rows) this.#batchSize.limitTo(size);
        cutPart(batch, part, size, failure.isCertain ? undefined : message);
        break;
      }
      case 'rejected':
        this.#rejected(error);
        if (part.rows.length > 1) yield* this.#fail(splitRejected(batch, part, failure.named, message));
        else returnNamed(batch, part);
        break;
      case 'unknown': {
        // Every other request would be redirected, too.
        if (error.kind === 'redirect') this.#stop(error);
        if (failure.timedOut && this.#batchSize.timedOut(part.rows.length)) yield this.#batchSizeChanged();
        this.#unknown(batch, part, error, sentAtMs);
      }
    }
  }

  /** Records a response that orgadm understands: the base URL is that of the API. */
  #understood(): void {
    this.#pace.accepted();
    this.#isUnderstood = true;
    this.#unknownInARow = 0;
    this.#pausedAtMs = undefined;
  }

  #rejected(error: ServiceError): void {
    this.#understood();
    this.#rejection = error;
  }

  /** Records a request of unknown outcome. */
  #unknown(batch: Batch, part: BatchPart, error: OrgadmError, sentAtMs: number): void {
    returnNamed(batch, part);
    if (this.#isConfirming) this.#unknownInARow++;
    // A timeout of several rows does not count, because smaller batches may help.
    else if (part.rows.length === 1 || !isTimeout(error)) this.#countUnknown(error, sentAtMs);
  }

  /**
   * Counts a request of unknown outcome that sent rows for the first time. Several in a row pause the run until they are over;
   * then it goes on with a tenth of the batch size, and as many more end it. A request that was in flight when the run paused
   * only extends the pause.
   */
  #countUnknown(error: OrgadmError, sentAtMs: number): void {
    const { clock, run } = this.#options;
    const wasInFlight = this.#pausedAtMs !== undefined && sentAtMs <= this.#pausedAtMs;
    if (!wasInFlight) this.#unknownInARow++;
    if (this.#unknownInARow >= 2 * MAX_UNKNOWN_IN_A_ROW) this.#stop(this.#tooManyUnknown(error));
    const isReached = this.#pausedAtMs === undefined && this.#unknownInARow >= MAX_UNKNOWN_IN_A_ROW;
    if (isReached) {
      this.#pausedAtMs = clock.now();
      // After timeouts, the size is small already, and grows when the service is fast again.
      if (!isTimeout(error)) this.#batchSize.limitTo(Math.ceil(this.#batchSize.rows / PARTS_PER_ROUND));
    }
    if (!isReached && !wasInFlight) return;
    this.#pace.pauseUntil('unknown', clock.now() + run.unknownMs());
    this.#pace.resetPatience();
  }

  /** Returns the error of a run that ends because the outcome of too many requests in a row is unknown. */
  #tooManyUnknown(error: OrgadmError): OrgadmError {
    const reason = `the outcome of ${this.#unknownInARow} requests in a row is unknown`;
    return gaveUp(error, reason);
  }

  /** Fails rows without a request of their own. */
  async *#fail(failed: readonly NamedRow[], note?: FailedNote): AsyncGenerator<SendEvent, void> {
    if (failed.length === 0) return;
    failRows(failed, this.#options, note);
    yield { type: 'outcomes', inFlight: this.#inFlight.size };
  }

  /** Ends the run if the service rejected every row of the first batch: one message is more useful than thousands. */
  #finishBatch(batch: Batch): void {
    if (batch !== this.#firstBatch) return;
    this.#firstBatch = undefined;
    const { state } = this.#options.run;
    const { created, existing, recovered, unsent } = state.counts();
    if (batch.rows.length < 2 || created + existing + recovered > 0 || unsent === 0) return;
    if (batch.rows.every(({ number }) => state.stateOf(number) === 'failed'))
      this.#stop(
        new FirstBatchRejected(this.#rejection, this.#messagesOn(batch), { rejected: batch.rows.length, unsent }),
      );
  }

  /** Returns the different messages on the rows of a batch. */
  #messagesOn({ rows }: Batch): string[] {
    const outcomes = rows.map(({ number }) => this.#options.run.state.outcomeOf(number));
    return [...new Set(outcomes.flatMap((outcome) => ('message' in outcome ? outcome.message : [])))];
  }

  /** Returns the rows of which this process has seen that they make the service fail: sending them again would not help. */
  #failingRows(): number[] {
    return [...this.#options.run.state.failing].flatMap(([number, request]) =>
      request >= this.#firstRequest && !this.#failedProbes.has(number) ? number : [],
    );
  }

  #isToSend(number: number): boolean {
    const { run, resendsFailed } = this.#options;
    const state = run.state.stateOf(number);
    return state === 'unsent' || (resendsFailed && state === 'failed');
  }

  /** Yields the unsent rows in batches, up to a number of rows. Each row at most once: it may fail again. */
  async *#unsentBatches(limit: number): AsyncGenerator<PendingRow[], void> {
    const { rows } = this.#options;
    let left = limit;
    let batch: PendingRow[] = [];
    for await (const chunk of rows()) {
      for (const { number, line, member } of chunk) {
        if (left === 0) break;
        if (member === undefined || !this.#isToSend(number)) continue;
        batch.push({ number, line, member });
        left--;
        if (batch.length < this.#batchSize.rows && left > 0) continue;
        yield batch;
        batch = [];
      }
      if (left === 0) return;
    }
    if (batch.length > 0) yield batch;
  }

  /** Yields one row. */
  async *#batchOf(wanted: number): AsyncGenerator<PendingRow[], void> {
    for await (const chunk of this.#options.rows()) {
      for (const { number, line, member } of chunk) {
        if (number !== wanted || member === undefined) continue;
        yield [{ number, line, member }];
        return;
      }
    }
  }

  /** Yields the rows of each request of unknown outcome in parts of a tenth. */
  async *#confirmingBatches(): AsyncGenerator<PendingRow[], void> {
    const { run, rows } = this.#options;
    const parts = new Map<number, PendingRow[]>();
    const failing = new Set(this.#failingRows());
    for await (const chunk of rows()) {
      for (const { number, line, member } of chunk) {
        const unknown = failing.has(number) ? undefined : run.state.unknownRequest(number);
        if (unknown === undefined || member === undefined) continue;
        const part = parts.get(unknown.request) ?? [];
        parts.set(unknown.request, part);
        part.push({ number, line, member });
        if (part.length < Math.ceil(unknown.size / PARTS_PER_ROUND)) continue;
        parts.delete(unknown.request);
        yield part;
      }
    }
    yield* parts.values();
  }
}

function isTimeout(error: OrgadmError): boolean {
  return error instanceof ServiceError && error.kind === 'timeout';
}

function noUsableResponse(): OrgadmError {
  return new OrgadmError('invalid-response', EXIT.failure, 'the response settles none of the rows in the request');
}

/** The error of a run into a service that ignores `isActive`: the other people would be active, too. */
function storedAsActive(people: number): OrgadmError {
  const message = `the service stored ${countOf(people, 'person', 'people')} as active whom orgadm sent as inactive`;
  return new OrgadmError('stored-as-active', EXIT.incomplete, message, {
    hint: 'Deactivate them in your organization. orgadm cannot.',
  });
}
