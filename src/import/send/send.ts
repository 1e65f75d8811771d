import { setMaxListeners } from 'node:events';
import type { Member } from '../../client/bulk-response.ts';
import type { RateLimit } from '../../client/http/rate-limit-headers.ts';
import type { ServiceError } from '../../client/service-error.ts';
import { EXIT, OrgadmError, withHint } from '../../util/errors.ts';
import type { ImportRun } from '../journal/import-run.ts';
import type { RowNote } from '../journal/records.ts';
import type { ListRow } from '../list/open-list.ts';
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
import { messageOfFailure } from './classify-error.ts';
import { gaveUp, Pace, type PaceOptions, type Pause } from './pace.ts';
import { failRows, type RequestContext, type RequestResult, sendRequest } from './request.ts';
import { LimitReached, type PendingRow, type RowOutcome, type SendEvent, type WaitReason } from './send-events.ts';

/** Ambiguous requests in a row after which the run pauses until they are over. */
const MAX_UNKNOWN_IN_A_ROW = 5;
/** Ambiguous requests after which a new run ends if the service has never sent a usable response. */
const MAX_UNKNOWN_AT_START = 2;
/** How often rows of unknown outcome are sent again: in tenths, so that 500 rows end as single ones. */
const CONFIRM_ROUNDS = 3;
const PARTS_PER_ROUND = 10;

export interface SendOptions extends PaceOptions, RequestContext {
  /** A pass over the list: every row in order. */
  readonly rows: () => AsyncIterable<readonly ListRow[]>;
  /** Rows in one request at most. */
  readonly batchSize: number;
  /** Rows to send at most that were never sent before; undefined for all. */
  readonly limit: number | undefined;
  /** Whether to send rows of unknown outcome again, once their requests are over. */
  readonly confirm: boolean;
  /** Whether an earlier process has begun the run: its user knows the service. */
  readonly isResumed: boolean;
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
  #batchSize: number;
  /** Batches with parts left to send, the next one first. */
  #ready: Batch[] = [];
  #stopReason: unknown;
  /** Whether the rows in flight are sent again after a request of unknown outcome. */
  #isConfirming = false;
  /** The batch that was sent first, until each of its rows has an outcome: nothing else is sent meanwhile. */
  #firstBatch: Batch | undefined;
  /** Whether the service has sent a usable response, or a rejection, to this process. Until then, requests go one at a time. */
  #isUnderstood = false;
  /** Requests of unknown outcome in a row, of those that sent rows for the first time. */
  #unknownInARow = 0;
  /** Whether so many were in a row that the run has paused. */
  #isTripped = false;
  /** Whether a round of confirming had any usable response. */
  #hadUsableResponse = false;
  /** Rows that were sent alone to confirm them, with a status from 500 on as the response: sending them again would not help. */
  readonly #failing = new Set<number>();
  /** The last rejection of entries, for the error of a first batch of which no row was added. */
  #rejection: OrgadmError | undefined;
  #lastPause: Pause | undefined;

  constructor(options: SendOptions) {
    this.#options = options;
    this.#pace = new Pace(options);
    this.#batchSize = options.batchSize;
    // Every wait listens to it.
    setMaxListeners(0, options.signal);
  }

  async *run(): AsyncGenerator<SendEvent, void> {
    const { run, confirm, limit, signal } = this.#options;
    try {
      if (run.isUnfinished) yield* this.#wait('other-run', run.othersMs());
      yield* this.#sendUnsent();
      if (confirm) yield* this.#confirm();
    } catch (error) {
      this.#stop(error);
    }
    if (this.#stopReason === undefined && signal.aborted) this.#stop(signal.reason);
    if (run.facts.otherOrganization !== undefined) this.#stop(wrongOrganization(run));
    if (limit !== undefined && run.rowStates.counts().unsent > 0) this.#stop(new LimitReached(limit));
    if (this.#stopReason !== undefined) yield { type: 'stopped', reason: this.#stopReason };
  }

  async *#sendUnsent(): AsyncGenerator<SendEvent, void> {
    const { run, limit = Number.POSITIVE_INFINITY } = this.#options;
    const rows = Math.min(limit, run.rowStates.counts().unsent);
    if (rows === 0 || this.#hasEnded) return;
    yield { type: 'phase', rows };
    yield* this.#deliver(this.#unsentBatches(rows));
  }

  /**
   * Sends the rows of unknown outcome again, once all of their requests are over: in parts of a tenth, in up to three rounds. A
   * row that makes the service fail is then alone in a request.
   */
  async *#confirm(): AsyncGenerator<SendEvent, void> {
    const { run } = this.#options;
    for (let round = 1; round <= CONFIRM_ROUNDS; round++) {
      const rows = run.rowStates.counts().unknown - this.#failing.size;
      if (rows === 0 || this.#hasEnded) return;
      yield* this.#wait('confirming', run.unknownMs());
      if (this.#hasEnded) return;
      yield { type: 'phase', rows };
      this.#isConfirming = true;
      this.#hadUsableResponse = false;
      yield* this.#deliver(this.#confirmingBatches());
      if (!this.#hadUsableResponse) return;
    }
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
          else this.#ready.push(this.#firstOf(createBatch(next.value)));
        }
        const pause = this.#pace.pause(this.#inFlight.size);
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

  /** The first batch of a process is sent to its end before any other, so that a wrong list is noticed early. */
  #firstOf(batch: Batch): Batch {
    if (this.#firstBatch === undefined && !this.#isUnderstood && !this.#isConfirming) this.#firstBatch = batch;
    return batch;
  }

  #mayTakeBatch(): boolean {
    const isAlone = !this.#isUnderstood || this.#firstBatch !== undefined;
    return this.#inFlight.size < (isAlone ? 1 : this.#pace.concurrency);
  }

  /** Sends the next part of the next batch. */
  async *#sendNext(): AsyncGenerator<SendEvent, void> {
    const batch = this.#ready.shift();
    if (batch === undefined) return;
    const part = takePart(batch, this.#options.run.hasNewKey ? 1 : this.#batchSize);
    if (part === undefined) return this.#finishBatch(batch);
    if (part.rejected !== undefined && batch.guesses-- <= 0) {
      const message = part.rejected;
      yield* this.#fail(
        part.rows.map((row) => ({ row, message })),
        'not-alone',
      );
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
    const isWaiting = !this.#hasEnded && pause !== undefined && Number.isFinite(pause.untilMs);
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
    if (!Number.isFinite(untilMs)) return;
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
    yield* this.#outcomes(part, result);
    if (result.kind === 'failure') yield* this.#applyFailure(batch, part, result);
    else if (!result.isUsable) this.#unknown(batch, part, noUsableResponse());
    else {
      this.#understood(result.rateLimit);
      acceptPart(batch);
      for (const message of result.inconsistencies) yield { type: 'inconsistency', message };
      if (result.deactivated.length > 0) yield { type: 'deactivated', userIds: result.deactivated };
      if (result.otherOrganization !== undefined) this.#stop(wrongOrganization(this.#options.run));
    }
    if (batch.parts.length > 0) this.#ready.unshift(batch);
    else this.#finishBatch(batch);
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
        returnPart(batch, part);
        this.#stop(this.#pace.notSent(error, sentAtMs));
        break;
      case 'fatal':
        returnPart(batch, part);
        this.#stop(error.status === 401 ? this.#pace.rejectedKey(error, sentAtMs) : error);
        break;
      case 'too-large': {
        this.#rejected(error);
        if (part.rows.length === 1) break;
        const size = failure.limit ?? Math.ceil(part.rows.length / 2);
        // Only a complete batch shows how many rows fit: the rows of a part may be unusually long.
        if (part.rows === batch.rows) this.#batchSize = Math.min(this.#batchSize, size);
        cutPart(batch, part, size, failure.isCertain ? undefined : message);
        break;
      }
      case 'rejected':
        this.#rejected(error);
        if (part.rows.length > 1) yield* this.#fail(splitRejected(batch, part, failure.named, message));
        else returnNamed(batch, part);
        break;
      case 'unknown': {
        this.#pace.unknown(error);
        // Every other request would be redirected, too.
        if (error.kind === 'redirect') this.#stop(error);
        yield* this.#halveBatch(failure.timedOut, part.rows.length);
        const [row] = part.rows;
        if (this.#isConfirming && row !== undefined && part.rows.length === 1 && (error.status ?? 0) >= 500)
          this.#failing.add(row.entry);
        // Smaller batches may help.
        this.#unknown(batch, part, failure.timedOut && part.rows.length > 1 ? undefined : error);
      }
    }
  }

  /** The service needs longer than the timeout for so many rows: fewer go into each further request. */
  async *#halveBatch(timedOut: boolean, rows: number): AsyncGenerator<SendEvent, void> {
    const half = Math.ceil(rows / 2);
    if (!timedOut || rows === 1 || half >= this.#batchSize) return;
    this.#batchSize = half;
    yield { type: 'batch-halved', batchSize: half };
  }

  /** Records a response that orgadm understands: the base URL is that of the API. */
  #understood(rateLimit: RateLimit | undefined): void {
    this.#pace.accepted(rateLimit);
    this.#isUnderstood = true;
    this.#hadUsableResponse = true;
    this.#unknownInARow = 0;
    this.#isTripped = false;
  }

  #rejected(error: ServiceError): void {
    this.#understood(error.rateLimit);
    this.#rejection = error;
  }

  /**
   * Records a request of unknown outcome. Several in a row pause the run until they are over, and then end it.
   *
   * @param error why; undefined if that does not count, because smaller batches may help
   */
  #unknown(batch: Batch, part: BatchPart, error: OrgadmError | undefined): void {
    returnNamed(batch, part);
    if (this.#isConfirming || error === undefined) return;
    this.#unknownInARow++;
    const { isResumed, run, clock } = this.#options;
    if (!this.#isUnderstood && !isResumed && this.#unknownInARow >= MAX_UNKNOWN_AT_START) {
      this.#stop(notTheApi(error));
    } else if (this.#isTripped) {
      this.#stop(gaveUp(error, `the outcome of ${this.#unknownInARow} requests in a row is unknown`));
    } else if (this.#unknownInARow >= MAX_UNKNOWN_IN_A_ROW) {
      this.#isTripped = true;
      this.#pace.pauseUntil('unknown', clock.now() + run.unknownMs());
      this.#pace.resetPatience();
    }
  }

  /** Fails rows without a request of their own. */
  async *#fail(failed: readonly NamedRow[], note?: RowNote): AsyncGenerator<SendEvent, void> {
    if (failed.length === 0) return;
    failRows(failed, this.#options, note);
    yield { type: 'outcomes', rows: failed.map(({ row }) => this.#outcomeOf(row)), inFlight: this.#inFlight.size };
  }

  async *#outcomes(part: BatchPart, result: RequestResult): AsyncGenerator<SendEvent, void> {
    const created = result.kind === 'response' ? result.created : undefined;
    const isProven = result.kind === 'response' && result.isUsable;
    const rows = [...part.rows, ...(isProven ? (part.named ?? []).map(({ row }) => row) : [])];
    const outcomes = rows.map((row) => this.#outcomeOf(row, created?.get(row.entry)));
    yield { type: 'outcomes', rows: outcomes, inFlight: this.#inFlight.size };
  }

  #outcomeOf({ entry, line, value }: PendingRow, member?: Member): RowOutcome {
    const { run } = this.#options;
    const state = run.rowStates.stateOf(entry);
    return { entry, line, userId: value.userId, state, message: run.messageFor(entry), member };
  }

  /** Ends the run if the service rejected every row of the first batch: one message is more useful than thousands. */
  #finishBatch(batch: Batch): void {
    if (batch !== this.#firstBatch) return;
    this.#firstBatch = undefined;
    const { rowStates } = this.#options.run;
    const { created, existing, recovered, unsent } = rowStates.counts();
    if (batch.rows.length < 2 || created + existing + recovered > 0 || unsent === 0) return;
    if (batch.rows.every(({ entry }) => rowStates.stateOf(entry) === 'failed'))
      this.#stop(firstBatchRejected(this.#rejection, this.#options.run.messageFor(batch.rows[0]?.entry ?? 0)));
  }

  /** Yields the unsent rows in batches, up to a number of rows. */
  async *#unsentBatches(limit: number): AsyncGenerator<PendingRow[], void> {
    const { run, rows } = this.#options;
    let left = limit;
    let batch: PendingRow[] = [];
    for await (const chunk of rows()) {
      for (const { entry, line, value } of chunk) {
        if (left === 0) break;
        if (value === undefined || run.rowStates.stateOf(entry) !== 'unsent') continue;
        batch.push({ entry, line, value });
        left--;
        if (batch.length < this.#batchSize && left > 0) continue;
        yield batch;
        batch = [];
      }
      if (left === 0) return;
    }
    if (batch.length > 0) yield batch;
  }

  /** Yields the rows of each request of unknown outcome in parts of a tenth. */
  async *#confirmingBatches(): AsyncGenerator<PendingRow[], void> {
    const { run, rows } = this.#options;
    const parts = new Map<number, PendingRow[]>();
    for await (const chunk of rows()) {
      for (const { entry, line, value } of chunk) {
        const unknown = this.#failing.has(entry) ? undefined : run.unknownRequest(entry);
        if (unknown === undefined || value === undefined) continue;
        const part = parts.get(unknown.request) ?? [];
        parts.set(unknown.request, part);
        part.push({ entry, line, value });
        if (part.length < Math.ceil(unknown.size / PARTS_PER_ROUND)) continue;
        parts.delete(unknown.request);
        yield part;
      }
    }
    yield* parts.values();
  }
}

function noUsableResponse(): OrgadmError {
  return new OrgadmError('invalid-response', EXIT.failure, 'the response mentions none of the rows in the request');
}

function notTheApi(error: OrgadmError): OrgadmError {
  return withHint(error, 'Check that the base URL is the address of the API: orgadm doctor', {
    message: `the first ${MAX_UNKNOWN_AT_START} requests had no usable response: ${error.message}`,
  });
}

/** The error of a run whose people were added to two organizations. */
function wrongOrganization({ facts }: ImportRun): OrgadmError {
  return new OrgadmError(
    'other-organization',
    EXIT.failure,
    `the service added people to organization ${facts.otherOrganization}, after it had added others of this list to ${facts.organizationId}`,
    { hint: 'Check which organization the key belongs to before you continue.' },
  );
}

/** The error of a run whose other rows would be rejected too. */
function firstBatchRejected(rejection: OrgadmError | undefined, message: string | undefined): OrgadmError {
  return new OrgadmError(
    rejection?.code ?? 'rejected',
    rejection?.exitCode ?? EXIT.failure,
    `the service rejected every row of the first batch: ${rejection?.message ?? message}`,
    {
      hint: 'Fix the list and import it again. To send the other rows anyway, resume the run.',
      status: rejection?.status,
      requestId: rejection?.requestId,
      cause: rejection,
    },
  );
}
