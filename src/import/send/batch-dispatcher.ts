import { EXIT, OrgadmError } from '../../util/errors.ts';
import type { AmbiguousRequest, RunMetadata } from '../journal/import-run.ts';
import type { QuietPeriod } from './quiet-period.ts';
import { type AttemptContext, type AttemptResult, type PendingRow, sendBatch } from './send-batch.ts';
import type { Throttle } from './throttle.ts';

export interface DispatcherContext extends AttemptContext {
  readonly throttle: Throttle;
  readonly quiet: QuietPeriod;
  /** Receives the rows of each request when it ended: they may have new states. */
  readonly onRows: (rows: readonly PendingRow[]) => Promise<void>;
  /** Receives what cannot be right in a response. */
  readonly onInconsistency: (text: string) => void;
  /** Receives the users for whom a response also lists a deactivated membership. */
  readonly onDeactivated: (userIds: readonly string[]) => void;
  /** Ends the run early. */
  readonly stop: (reason: unknown) => void;
  /** Aborted when nothing more is to be sent. */
  readonly signal: AbortSignal;
}

/** Sends batches and updates the state that all workers share: throttle, circuit breaker, quiet period. */
export class BatchDispatcher {
  readonly #context: DispatcherContext;
  #inFlight = 0;
  #anyResponse = false;
  #keyAccepted = false;
  /** Rows sent while a new key was checked: those that are existing members are finalized once it is verified. */
  #sentForCheck: readonly PendingRow[] = [];

  constructor(context: DispatcherContext) {
    this.#context = context;
  }

  /** Number of requests in flight. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Whether the service has processed any request of this process, whatever the outcome of its entries. */
  get anyResponse(): boolean {
    return this.#anyResponse;
  }

  /**
   * Sends rows in one request, as often as it takes to have it processed.
   *
   * @param confirms for a probe: the ambiguous request that it is to resolve
   * @returns undefined where the run ended before
   */
  async send(rows: readonly PendingRow[], confirms?: AmbiguousRequest): Promise<AttemptResult | undefined> {
    const { throttle, signal, stop, run } = this.#context;
    for (;;) {
      const probe = await throttle.acquire();
      if (signal.aborted) {
        throttle.unused(probe);
        return undefined;
      }
      const result = await this.#once(rows, probe, confirms);
      const { end, again } = await this.#learn(result, probe);
      if (end !== undefined) stop(end);
      else if (run.keyState === 'unverified') stop(keyNotVerified(run.metadata));
      if (!again) return result;
    }
  }

  async #once(
    rows: readonly PendingRow[],
    probe: boolean,
    confirms: AmbiguousRequest | undefined,
  ): Promise<AttemptResult> {
    this.#inFlight++;
    try {
      const result = await sendBatch(rows, this.#context, confirms);
      await this.#reportRows(rows);
      return result;
    } catch (error) {
      this.#context.throttle.unused(probe);
      throw error;
    } finally {
      this.#inFlight--;
    }
  }

  async #reportRows(rows: readonly PendingRow[]): Promise<void> {
    const { run, onRows } = this.#context;
    const byEntry = new Map([...this.#sentForCheck, ...rows].map((row) => [row.entry, row]));
    const due = [...byEntry.values()];
    this.#sentForCheck = run.keyChanged ? due.filter(({ entry }) => !run.rowStates.isFinal(entry)) : [];
    await onRows(due);
  }

  /** Returns why the run should end, where it should, and whether the same rows are to be sent again. */
  async #learn(result: AttemptResult, probe: boolean): Promise<{ end?: unknown; again?: boolean }> {
    const { throttle, quiet, clock, onInconsistency, onDeactivated, run } = this.#context;
    if (result.kind === 'response') {
      this.#anyResponse = true;
      this.#keyAccepted = true;
      for (const text of result.inconsistencies) onInconsistency(text);
      if (result.deactivated.length > 0) onDeactivated(result.deactivated);
      // The service may still be working on what a response leaves out: it waits like any other ambiguous row.
      if (result.coverage !== 'all') quiet.ambiguous(clock.now(), false);
      if (result.coverage === 'none') return { end: throttle.ambiguous(probe, emptyResponse()) };
      throttle.responded(probe);
      return { end: result.wrongOrganization ? wrongOrganization(run.metadata) : undefined };
    }
    const { failure, error } = result;
    switch (failure.kind) {
      case 'rate-limited':
        return { end: throttle.rateLimited(probe, failure.retryAfterMs, error), again: true };
      case 'not-sent':
        return { end: await throttle.notSent(probe, error), again: true };
      case 'ambiguous':
        quiet.ambiguous(clock.now(), failure.timedOut);
        return { end: throttle.ambiguous(probe, error) };
      case 'fatal':
        // A service whose database is down may report a key as unknown that it accepted a moment ago.
        if (error.status === 401 && this.#keyAccepted) return { end: throttle.keyRejected(probe, error), again: true };
        throttle.unused(probe);
        return { end: error };
      default:
        // Entries are validated after the key.
        this.#keyAccepted = true;
        throttle.responded(probe);
        return {};
    }
  }
}

/** Of a run whose people were added to two organizations. */
export function wrongOrganization({ organizationId, otherOrganization }: RunMetadata): OrgadmError {
  return new OrgadmError(
    'other-organization',
    EXIT.failure,
    `the service added people to organization ${otherOrganization}, after it had added others of this list to ${organizationId}`,
    { hint: 'Check which organization the key belongs to before you continue.' },
  );
}

/** Of a run that is continued with a key that no response has shown to belong to its organization. */
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

function emptyResponse(): OrgadmError {
  return new OrgadmError('invalid-response', EXIT.failure, 'the response mentions none of the rows that were sent');
}
