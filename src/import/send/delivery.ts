import { setMaxListeners } from 'node:events';
import { EXIT, OrgadmError } from '../../util/errors.ts';
import { countOf } from '../../util/units.ts';
import type { FailedNote } from '../outcome.ts';
import type { Batch, BatchPart, NamedRow } from './batch.ts';
import { CONSEQUENCES, type FailedRequest } from './consequences.ts';
import { FirstBatchRejected } from './first-batch-rejected.ts';
import type { PaceOptions, Pause } from './pace.ts';
import { failRows, type RequestContext, type RequestResult, type ResponseResult, sendRequest } from './request.ts';
import type { SendEvent, WaitReason } from './send-events.ts';
import { ServiceCondition } from './service-condition.ts';

export interface DeliveryOptions extends PaceOptions, RequestContext {
  /** Rows in one request at most. */
  readonly batchSize: number;
  /** Ends the run early: requests in flight are finished, nothing more is sent, nothing is waited for. */
  readonly signal: AbortSignal;
}

/** A request that has ended. */
interface Finished {
  readonly batch: Batch;
  readonly part: BatchPart;
  readonly result: RequestResult | { kind: 'broken'; error: unknown };
}

/**
 * Sends batches of rows, several at a time, until each of their rows has an outcome. The first batch is sent to its end before
 * any other, so that a wrong list is noticed early.
 */
export class Delivery {
  readonly service: ServiceCondition;
  readonly #options: DeliveryOptions;
  readonly #inFlight = new Map<Batch, Promise<Finished>>();
  /** Batches with parts left to send, the next one first. */
  #ready: Batch[] = [];
  /** The batch that was sent first, until each of its rows has an outcome: nothing else is sent meanwhile. */
  #firstBatch: Batch | undefined;
  #lastPause: Pause | undefined;
  #stopReason: unknown;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.service = new ServiceCondition(options);
    // Every wait listens to it.
    setMaxListeners(0, options.signal);
  }

  /** Why the run ends early; undefined if it does not, or if the signal ends it. */
  get stopReason(): unknown {
    return this.#stopReason;
  }

  get hasEnded(): boolean {
    return this.#stopReason !== undefined || this.#options.signal.aborted;
  }

  /** Ends the run early if there is a reason. The first one is reported. */
  stop(reason: unknown): void {
    this.#stopReason ??= reason;
  }

  /** Resolves when no request is in flight, also if the consumer has left. */
  async settle(): Promise<void> {
    await Promise.all(this.#inFlight.values());
  }

  /** Waits although nothing is in flight. The signal ends the wait. */
  async *wait(reason: WaitReason, ms: number): AsyncGenerator<SendEvent, void> {
    const { clock, signal } = this.#options;
    if (ms <= 0 || this.hasEnded) return;
    await this.#options.run.rest();
    yield { type: 'waiting', reason, untilMs: clock.now() + ms };
    await clock.sleep(ms, signal);
    this.service.pace.resetPatience();
  }

  /** Sends batches until each of their rows has an outcome, or the run has ended. */
  async *deliver(batches: AsyncGenerator<Batch, void>): AsyncGenerator<SendEvent, void> {
    let areAllTaken = false;
    try {
      for (;;) {
        while (!this.hasEnded && !areAllTaken && this.#ready.length === 0 && this.#maySend()) {
          const next = await batches.next();
          if (next.done) areAllTaken = true;
          else this.#add(next.value);
        }
        const pause = this.service.pace.pause();
        if (!this.hasEnded && this.#ready.length > 0 && this.#maySend() && pause === undefined) {
          yield* this.#sendNext();
        } else if (this.#inFlight.size === 0 && (this.hasEnded || (areAllTaken && this.#ready.length === 0))) {
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

  #add(batch: Batch): void {
    if (batch.purpose === 'first' && !this.service.isUnderstood) this.#firstBatch ??= batch;
    this.#ready.push(batch);
  }

  #maySend(): boolean {
    return this.#inFlight.size < (this.#firstBatch === undefined ? this.service.pace.concurrency : 1);
  }

  /** Sends the next part of the next batch. */
  async *#sendNext(): AsyncGenerator<SendEvent, void> {
    const batch = this.#ready.shift();
    const part = batch?.take(batch.purpose === 'first' ? this.service.firstRows : this.service.batchSize.rows);
    if (batch === undefined || part === undefined) return;
    const givenUp = batch.givenUp(part);
    if (givenUp.length > 0) {
      yield* this.#fail(givenUp, 'not-alone');
      this.#continue(batch);
      return;
    }
    const sent = sendRequest(batch, part, this.#options)
      .catch((error: unknown) => ({ kind: 'broken', error }) as const)
      .then((result) => ({ batch, part, result }));
    this.#inFlight.set(batch, sent);
    yield { type: 'sending', inFlight: this.#inFlight.size };
  }

  /** Waits for a request to end, or for a pause to be over. Returns undefined for the latter, and when the run is ended. */
  async #nextFinished(pause: Pause | undefined): Promise<Finished | undefined> {
    const { clock, signal } = this.#options;
    const isWaiting = !this.hasEnded && pause !== undefined;
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

  /** Applies what follows from the result of a request to its batch and to the run. */
  async *#apply({ batch, part, result }: Finished): AsyncGenerator<SendEvent, void> {
    if (result.kind === 'broken') {
      this.stop(result.error);
      return;
    }
    yield { type: 'outcomes', inFlight: this.#inFlight.size };
    if (result.kind === 'failure') yield* this.#applyFailure({ ...result, batch, part });
    else yield* this.#applyResponse(batch, part, result);
    this.#continue(batch);
  }

  async *#applyFailure(request: FailedRequest): AsyncGenerator<SendEvent, void> {
    const consequences = CONSEQUENCES[request.failure.kind];
    this.stop(consequences.run(request, this.service));
    yield* this.#fail(consequences.batch(request));
  }

  async *#applyResponse(batch: Batch, part: BatchPart, response: ResponseResult): AsyncGenerator<SendEvent, void> {
    const { isUsable, listsMembers, isSlow, inconsistencies, activated, sentAtMs } = response;
    for (const message of inconsistencies) yield { type: 'inconsistency', message };
    if (activated > 0) this.stop(storedAsActive(activated));
    if (isUsable) this.service.batchSize.limitTo(batch.accept(part) ?? Number.POSITIVE_INFINITY);
    else batch.end(part);
    // A response that lists members shows that the service works, although none of them is certain.
    if (isUsable || (listsMembers && batch.purpose === 'first')) {
      this.service.responded();
      if (!isSlow) this.service.batchSize.wasFast(part.rows.length);
    } else this.stop(this.service.unknown(noUsableResponse(), { batch, part, sentAtMs }));
  }

  /** Fails rows without a request of their own. */
  async *#fail(failed: readonly NamedRow[], note?: FailedNote): AsyncGenerator<SendEvent, void> {
    if (failed.length === 0) return;
    failRows(failed, this.#options, note);
    yield { type: 'outcomes', inFlight: this.#inFlight.size };
  }

  /** Goes on with a batch. Ends the run if the service rejected every row of the first one: one message is more useful than thousands. */
  #continue(batch: Batch): void {
    if (!batch.isDone) {
      this.#ready.unshift(batch);
      return;
    }
    if (batch !== this.#firstBatch) return;
    this.#firstBatch = undefined;
    const { created, existing, recovered, unsent } = this.#options.run.state.counts();
    const messages = this.#messagesIfAllFailed(batch);
    if (messages === undefined || batch.rows.length < 2 || created + existing + recovered > 0 || unsent === 0) return;
    this.stop(new FirstBatchRejected(batch.rejection, messages, { rejected: batch.rows.length, unsent }));
  }

  /** Returns the different messages on the rows of a batch if all of them have failed; undefined otherwise. */
  #messagesIfAllFailed({ rows }: Batch): string[] | undefined {
    const messages = new Set<string>();
    for (const { number } of rows) {
      const outcome = this.#options.run.state.outcomeOf(number);
      if (outcome.state !== 'failed') return undefined;
      messages.add(outcome.message);
    }
    return [...messages];
  }
}

function noUsableResponse(): OrgadmError {
  return new OrgadmError('invalid-response', EXIT.failure, 'the response settles none of the rows in the request');
}

/** The error of a run into a service that ignores `isActive`: the other people would be active, too. */
function storedAsActive(people: number): OrgadmError {
  const message = `the service stored ${countOf(people, 'person', 'people')} as active whom orgadm sent as inactive`;
  return new OrgadmError('stored-as-active', EXIT.incomplete, message, {
    hint: 'Deactivate them in your service; orgadm cannot do that.',
  });
}
