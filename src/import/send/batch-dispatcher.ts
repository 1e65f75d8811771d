import type { Member } from '../../client/bulk-response.ts';
import type { ServiceError } from '../../client/service-error.ts';
import { EXIT, OrgadmError } from '../../util/errors.ts';
import type { AmbiguousRequest, RunMetadata } from '../journal/import-run.ts';
import { emptyBatchOutcome } from '../journal/journal-records.ts';
import type { RowState } from '../journal/row-states.ts';
import { messageOfFailure } from './classify-error.ts';
import { NOT_TRIED_ALONE, shortenMessage } from './row-messages.ts';
import { type AttemptContext, type AttemptResult, addRejected, type PendingRow, sendBatch } from './send-batch.ts';
import type { SendEvent } from './send-events.ts';
import {
  type BatchPart,
  bisect,
  cutToSize,
  maxBisectRequests,
  type NamedRow,
  namedAlone,
  removeLargest,
} from './split-batch.ts';
import type { Admission, Throttle } from './throttle.ts';

export interface DispatcherContext extends AttemptContext {
  readonly batchSize: number;
  /** Rows in one request at most, under a rate limit: fewer requests then take less time. */
  readonly maxBatchSize: number;
  readonly throttle: Throttle;
  /** Passes an event to the consumer; resolves when it has been processed. */
  readonly emit: (event: SendEvent) => Promise<void>;
  /** Ends the run early. */
  readonly stop: (reason: unknown) => void;
  /** Aborted when nothing more is to be sent. */
  readonly signal: AbortSignal;
}

/** Sends batches, as they are or in parts, and keeps what the workers of a run learn about the list. */
export class BatchDispatcher {
  readonly #context: DispatcherContext;
  #batchSize: number;
  #maxBatchSize: number;
  #inFlight = 0;
  #anyBatch = false;
  /** Whether the service has processed any request of this process, whatever the outcome of its entries. */
  #anyResponse = false;
  /** Whether the positions that messages name can be relied on: until one of them proves wrong. */
  #usesNames = true;
  /** Rows sent while a new key was checked: those that are existing members are finalized once it is verified. */
  #sentForCheck: readonly PendingRow[] = [];

  constructor(context: DispatcherContext) {
    this.#context = context;
    this.#batchSize = context.batchSize;
    this.#maxBatchSize = context.maxBatchSize;
  }

  /** Rows in one request at most: larger under a rate limit, smaller once the service has rejected a request as too large. */
  get batchSize(): number {
    const { batchSize, throttle } = this.#context;
    const mayGrow = throttle.isRateLimited && this.#batchSize === batchSize;
    return mayGrow ? this.#maxBatchSize : this.#batchSize;
  }

  /** Sends a batch until each of its rows is finalized or unknown: as it is, or in parts if it is rejected. */
  async sendUntilFinal(batch: readonly PendingRow[]): Promise<void> {
    const { run } = this.#context;
    const parts: BatchPart[] = [{ rows: batch }];
    const maxGuesses = maxBisectRequests(batch.length);
    let guesses = maxGuesses;
    let rejection: ServiceError | undefined;
    const isFirst = !this.#anyBatch;
    this.#anyBatch = true;
    const next = () => (guesses > maxGuesses / 2 ? parts.pop() : removeLargest(parts));
    for (let part = next(); part !== undefined; part = next()) {
      // With a new key, single rows are sent until it is known to belong to the run's organization.
      if (run.keyChanged && part.rows.length > 1) {
        parts.push({ ...part, rows: part.rows.slice(1) }, { rows: part.rows.slice(0, 1) });
        continue;
      }
      if (part.rejected !== undefined && guesses-- <= 0) {
        await this.#giveUp(part);
        continue;
      }
      const result = await this.sendUntilProcessed(part.rows);
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
      // The larger batch was too large, or took too long.
      if (failure.kind === 'too-large' || failure.kind === 'ambiguous') this.#maxBatchSize = this.#context.batchSize;
      if (part.rows.every(({ entry }) => isMember(run.rowStates.stateOf(entry)))) guesses = maxGuesses;
      if (failure.kind === 'rejected' || failure.kind === 'too-large') rejection = error;
      if (failure.kind === 'too-large' && part.rows.length > 1)
        parts.push(...cutToSize(part, failure, messageOfFailure(error)).reverse());
      else if (failure.kind === 'rejected')
        parts.push(...(await this.#splitRejected(part, failure.named, error)).reverse());
      else if (part.named !== undefined) parts.push(namedAlone(part.named, error));
    }
    if (isFirst && rejection !== undefined && this.#isFirstBatchRejected(batch))
      this.#context.stop(firstBatchRejected(rejection));
  }

  /**
   * Sends rows in one request, as often as it takes to have it processed.
   *
   * @param confirms for a probe: the ambiguous request that it is to resolve
   * @returns undefined if the run ended before
   */
  async sendUntilProcessed(
    rows: readonly PendingRow[],
    confirms?: AmbiguousRequest,
  ): Promise<AttemptResult | undefined> {
    const { throttle, signal, stop, run } = this.#context;
    for (;;) {
      const admission = await throttle.acquire();
      if (admission === undefined) return undefined;
      if (signal.aborted) {
        throttle.unused(admission);
        return undefined;
      }
      const result = await this.#sendOnce(rows, admission, confirms);
      if (result.kind === 'response') {
        this.#anyResponse = true;
        this.#emitFindings(result);
      }
      const { end, again } = await throttle.apply(result, admission);
      if (end !== undefined) stop(end);
      else if (result.kind === 'response' && result.wrongOrganization) stop(wrongOrganization(run.metadata));
      else if (run.keyState === 'unverified') stop(keyNotVerified(run.metadata));
      if (!again) return result;
    }
  }

  async #sendOnce(
    rows: readonly PendingRow[],
    admission: Admission,
    confirms: AmbiguousRequest | undefined,
  ): Promise<AttemptResult> {
    const { throttle, emit } = this.#context;
    this.#inFlight++;
    void emit({ type: 'batch-sent', inFlight: this.#inFlight });
    let result: AttemptResult;
    try {
      result = await sendBatch(rows, this.#context, confirms);
    } catch (error) {
      throttle.unused(admission);
      throw error;
    } finally {
      this.#inFlight--;
    }
    if (result.durationMs !== undefined) throttle.recordDuration(result.durationMs);
    await this.#emitRows(rows, result.kind === 'response' ? result.created : new Map());
    return result;
  }

  async #emitRows(rows: readonly PendingRow[], created: ReadonlyMap<number, Member> = new Map()): Promise<void> {
    const { run, emit } = this.#context;
    const earlier = this.#sentForCheck.filter(({ entry }) => rows.every((row) => row.entry !== entry));
    const due = earlier.length === 0 ? rows : [...earlier, ...rows];
    this.#sentForCheck = run.keyChanged ? due.filter(({ entry }) => !run.rowStates.isFinal(entry)) : [];
    await emit({ type: 'rows', rows: due, created, inFlight: this.#inFlight });
  }

  #emitFindings({ inconsistencies, deactivated }: Extract<AttemptResult, { kind: 'response' }>): void {
    const { emit } = this.#context;
    for (const message of inconsistencies) void emit({ type: 'inconsistency', message });
    if (deactivated.length > 0) void emit({ type: 'deactivated', userIds: deactivated });
  }

  /**
   * Decides how to continue after a rejected request. Its message may name the invalid entries by their positions: then the
   * others are sent without them. If these are rejected again, the names were wrong, and are not used any more.
   */
  async #splitRejected(part: BatchPart, named: ReadonlyMap<number, string>, error: ServiceError): Promise<BatchPart[]> {
    const { rows } = part;
    if (part.named !== undefined) {
      this.#usesNames = false;
      return bisect(part, messageOfFailure(error));
    }
    // Rejected alone: it is finalized already.
    if (rows.length === 1) return [];
    // A position beyond the request shows that they are not counted from 0.
    const isBeyond = (number: number) => number >= rows.length;
    if (!this.#usesNames || named.size === 0 || [...named.keys()].some(isBeyond)) {
      return bisect(part, messageOfFailure(error));
    }
    const messageOf = (at: number) => named.get(at);
    const namedRows = rows.flatMap((row, at) => {
      const message = messageOf(at);
      return message === undefined ? [] : [{ row, message }];
    });
    // Every row is named, so no rows are left to send without them.
    if (namedRows.length === rows.length) {
      await this.#rejectNamed(namedRows);
      return [];
    }
    return [{ ...part, rows: rows.filter((_, at) => messageOf(at) === undefined), named: namedRows }];
  }

  /** Finalizes rows that the service rejected by name. */
  async #rejectNamed(named: readonly NamedRow[]): Promise<void> {
    if (named.length === 0) return;
    const outcome = emptyBatchOutcome();
    for (const { row, message } of named) addRejected(outcome, row.entry, message, this.#context);
    this.#context.run.finish(0, outcome);
    await this.#emitRows(named.map(({ row }) => row));
  }

  /** Finalizes the other rows once the limit for bisection is reached: they were rejected, but not one by one. */
  async #giveUp({ rows, rejected = '' }: BatchPart): Promise<void> {
    const { run } = this.#context;
    const message = shortenMessage(`${NOT_TRIED_ALONE}: ${rejected}`);
    const entries = rows.map(({ entry }) => entry);
    // This does not prove that a row of unknown outcome was not added before.
    const wasAttempted = (entry: number) => run.rowStates.wasAttempted(entry);
    const outcome = emptyBatchOutcome();
    outcome.failed = entries.filter((entry) => !wasAttempted(entry)).map((entry) => [entry, message]);
    if (entries.some(wasAttempted)) outcome.ambiguous = [[entries.filter(wasAttempted), message]];
    run.finish(0, outcome);
    await this.#emitRows(rows);
  }

  /** Whether an entire batch was rejected row by row, no row of the list was ever accepted, and there are others to send. */
  #isFirstBatchRejected(batch: readonly PendingRow[]): boolean {
    const { rowStates } = this.#context.run;
    const { created, existing, recovered, unsent } = rowStates.counts();
    if (batch.length < 2 || this.#anyResponse || created + existing + recovered > 0 || unsent === 0) return false;
    return batch.every(({ entry }) => rowStates.stateOf(entry) === 'failed');
  }
}

function isMember(state: RowState): boolean {
  return state === 'existing' || state === 'recovered';
}

/** The error of a run whose people were added to two organizations. */
export function wrongOrganization({ organizationId, otherOrganization }: RunMetadata): OrgadmError {
  return new OrgadmError(
    'other-organization',
    EXIT.failure,
    `the service added people to organization ${otherOrganization}, after it had added others of this list to ${organizationId}`,
    { hint: 'Check which organization the key belongs to before you continue.' },
  );
}

/** The error of a run that is continued with a key that no response has shown to belong to its organization. */
export function keyNotVerified({ organizationId }: RunMetadata): OrgadmError {
  return new OrgadmError(
    'other-organization',
    EXIT.failure,
    `no response showed that the API key belongs to organization ${organizationId}, in which this run was started`,
    {
      hint: `Nothing further was sent. Continue with --resume and a key of ${organizationId}, or start over with --restart.`,
    },
  );
}

/** Stops the run, because the other rows would be rejected too: one message is more useful than thousands. */
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
