import type { Clock } from '../../clock.ts';
import { renderDuration } from '../../duration.ts';
import { EXIT, OrgadmError } from '../../errors.ts';
import type { ServiceError } from '../../service/errors.ts';
import { Gate, type WaitReason } from './gate.ts';
import {
  BACKOFF_BASE_MS,
  BACKOFF_CAP_MS,
  BREAKER_PROBES,
  BREAKER_THRESHOLD,
  LIMIT_JITTER,
  LONGEST_RETRY_AFTER_MS,
} from './limits.ts';
import type { SettleTime } from './settle.ts';

export interface TrafficOptions {
  clock: Clock;
  random: () => number;
  /** Further attempts after the first, of a request known not to have been processed. */
  retries: number;
  settle: SettleTime;
  onWait: (reason: WaitReason, untilMs: number) => void;
  /** Aborted when nothing more is to be sent. */
  signal: AbortSignal;
}

/**
 * When the next request may go out, and when it is no use to go on. All workers share it: what one of them learns of the
 * service's state holds for the others.
 */
export class Traffic {
  readonly #options: TrafficOptions;
  readonly #gate: Gate;
  #limitedProbes = 0;
  #unclearInARow = 0;
  #unclearProbes = 0;
  #tripped = false;

  constructor(options: TrafficOptions) {
    this.#options = options;
    this.#gate = new Gate(options.clock, options.onWait);
  }

  /** Waits until a request may go out. The end of every request that did go out must be told by one of the calls below. */
  pass(): Promise<boolean> {
    return this.#gate.pass(this.#options.signal);
  }

  /** Nothing was sent after all, or it ended in a way that tells nothing of the service's state. */
  unused(probe: boolean): void {
    if (probe) this.#gate.probed(false);
  }

  /** The service answered, whatever it said. */
  answered(probe: boolean): void {
    this.#limitedProbes = 0;
    this.#unclearInARow = 0;
    this.#unclearProbes = 0;
    this.#tripped = false;
    if (probe) this.#gate.probed(true);
  }

  /**
   * The service limits (429). Costs no retry as long as anything else is answered.
   *
   * @returns why the run should end, where it should
   */
  limited(probe: boolean, retryAfterMs: number | undefined, error: ServiceError): OrgadmError | undefined {
    const { clock, random, retries } = this.#options;
    if (probe) this.#limitedProbes++;
    if (retryAfterMs !== undefined && retryAfterMs > LONGEST_RETRY_AFTER_MS) {
      if (probe) this.#gate.probed(false);
      return ended(error, `the service limits, and asks to wait ${renderDuration(retryAfterMs)}`);
    }
    if (this.#limitedProbes > retries) {
      if (probe) this.#gate.probed(false);
      return ended(error, `the service still limits after ${this.#limitedProbes} waits`);
    }
    // A time that is over already says nothing of when to come back: then the back-off does.
    const wait = retryAfterMs ? retryAfterMs * (1 + LIMIT_JITTER * random()) : backoff(this.#limitedProbes, random);
    this.#gate.close(clock.now() + wait, 'limited');
    if (probe) this.#gate.probed(false);
    return undefined;
  }

  /**
   * There was no connection; the request was not sent. Waits before it is tried again.
   *
   * @param failures times in a row that this has happened to the request
   * @returns why the run should end, where it should
   */
  async notSent(probe: boolean, failures: number, error: ServiceError): Promise<OrgadmError | undefined> {
    const { clock, random, retries, onWait, signal } = this.#options;
    if (probe) this.#gate.probed(false);
    if (failures > retries) return error;
    const wait = backoff(failures, random);
    onWait('unreachable', clock.now() + wait);
    await clock.sleep(wait, signal);
    return undefined;
  }

  /**
   * Nothing tells what became of a request. Several in a row close the gate for the settle time; then single probes go.
   *
   * @returns why the run should end, where it should
   */
  unclear(probe: boolean, error: OrgadmError): OrgadmError | undefined {
    this.#unclearInARow++;
    if (this.#tripped && probe) this.#unclearProbes++;
    if (this.#unclearProbes >= BREAKER_PROBES) {
      if (probe) this.#gate.probed(false);
      return ended(error, `${this.#unclearInARow} requests in a row brought no clear answer`);
    }
    if (this.#unclearInARow >= BREAKER_THRESHOLD) {
      this.#tripped = true;
      this.#gate.close(this.#options.settle.until(), 'unclear');
    }
    if (probe) this.#gate.probed(false);
    return undefined;
  }
}

/** Full jitter below a cap that doubles with every failure (from 1). */
function backoff(failures: number, random: () => number): number {
  return random() * Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** Math.max(0, failures - 1));
}

function ended(error: OrgadmError, why: string): OrgadmError {
  return new OrgadmError(error.code, EXIT.unreachable, `${why}: ${error.message}`, {
    status: error.status,
    requestId: error.requestId,
    hint: 'Try again later: --resume goes on where this run stopped.',
    cause: error,
  });
}
