import type { OrgadmError } from '../../util/errors.ts';
import type { ImportRun } from '../journal/import-run.ts';
import type { Batch, BatchPart } from './batch.ts';
import { BatchSize } from './batch-size.ts';
import { gaveUp, Pace, type PaceOptions } from './pace.ts';

/**
 * Requests of unknown outcome in a row that show that the service is failing; fewer may be chance. So many pause the run until
 * they are over, so many more end it, and so many end the rounds in which rows are sent again.
 */
const MAX_UNKNOWN_IN_A_ROW = 5;
/** A pause divides the batch size by this. */
const PAUSE_DIVISOR = 10;

export interface ConditionOptions extends PaceOptions {
  /** Rows in one request at most. */
  readonly batchSize: number;
  readonly run: Pick<ImportRun, 'longestLifetimeLeftMs'>;
}

/** The condition of the service, as its responses to this process show it. */
export class ServiceCondition {
  readonly pace: Pace;
  readonly batchSize: BatchSize;
  readonly #options: ConditionOptions;
  #isUnderstood = false;
  #sendsSingleRows = false;
  /** Requests of unknown outcome in a row. */
  #unknownInARow = 0;
  /** When so many were in a row that the run paused, in milliseconds since the epoch; undefined after a usable response. */
  #pausedAtMs: number | undefined;

  constructor(options: ConditionOptions) {
    this.#options = options;
    this.pace = new Pace(options);
    this.batchSize = new BatchSize(options.batchSize);
  }

  /** Whether the service has sent a usable response, or a rejection, to this process: the base URL is that of the API. */
  get isUnderstood(): boolean {
    return this.#isUnderstood;
  }

  /** Rows in one request at most that are sent for the first time: a single one while the service may not be working. */
  get firstRows(): number {
    return this.#sendsSingleRows ? 1 : this.batchSize.rows;
  }

  /** Whether so many requests of unknown outcome are in a row that it is no chance. */
  get isFailing(): boolean {
    return this.#unknownInARow >= MAX_UNKNOWN_IN_A_ROW;
  }

  /** Records a response that orgadm understands. */
  responded(): void {
    this.pace.accepted();
    this.#isUnderstood = true;
    this.#sendsSingleRows = false;
    this.#unknownInARow = 0;
    this.#pausedAtMs = undefined;
  }

  /** Starts to send rows again: requests that sent them for the first time no longer count. */
  startConfirming(): void {
    this.#unknownInARow = 0;
  }

  /**
   * Records a request of unknown outcome.
   *
   * @returns why the run should end, if it should
   */
  unknown(
    error: OrgadmError,
    { batch, part, sentAtMs }: { batch: Batch; part: BatchPart; sentAtMs: number },
  ): OrgadmError | undefined {
    const rows = part.rows.length;
    if (error.status !== undefined) this.pace.reached();
    if (isTimeout(error)) this.batchSize.timedOut(rows);
    // Every other request would be redirected, too.
    if (error.code === 'redirect') return error;
    if (batch.purpose === 'first') return this.#countUnknown(error, sentAtMs);
    this.#unknownInARow++;
    return undefined;
  }

  /**
   * Counts a request of unknown outcome that sent rows for the first time. Several in a row pause the run until they are over;
   * then it goes on with one row, and with a tenth of the batch size once the service responds; as many more end it. A request that was in flight when the run paused
   * only extends the pause.
   */
  #countUnknown(error: OrgadmError, sentAtMs: number): OrgadmError | undefined {
    const { clock, run } = this.#options;
    const wasInFlight = this.#pausedAtMs !== undefined && sentAtMs <= this.#pausedAtMs;
    if (!wasInFlight) this.#unknownInARow++;
    if (this.#unknownInARow >= 2 * MAX_UNKNOWN_IN_A_ROW)
      return gaveUp(error, `the outcome of ${this.#unknownInARow} requests in a row is unknown`);
    // Not even the first batch was understood.
    if (!this.#isUnderstood) this.#sendsSingleRows = true;
    const isReached = this.#pausedAtMs === undefined && this.isFailing;
    if (isReached) {
      this.#sendsSingleRows = true;
      this.#pausedAtMs = clock.now();
      // After timeouts, the size is small already, and grows when the service is fast again.
      if (!isTimeout(error)) this.batchSize.limitTo(Math.ceil(this.batchSize.rows / PAUSE_DIVISOR));
    }
    if (!isReached && !wasInFlight) return undefined;
    this.pace.pauseUntil('unknown', clock.now() + run.longestLifetimeLeftMs());
    this.pace.resetPatience();
    return undefined;
  }
}

function isTimeout(error: OrgadmError): boolean {
  return error.code === 'timeout' && error.status === undefined;
}
