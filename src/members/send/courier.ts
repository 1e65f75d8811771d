import { EXIT, OrgadmError } from '../../errors.ts';
import type { RunFacts } from '../journal/run.ts';
import { type AttemptContext, type Attempted, attempt, type SendRow } from './attempt.ts';
import type { SettleTime } from './settle.ts';
import type { Traffic } from './traffic.ts';

export interface CourierContext extends AttemptContext {
  readonly traffic: Traffic;
  readonly settle: SettleTime;
  /** Is told after each request that these rows may have new states. */
  readonly onRows: (rows: readonly SendRow[]) => Promise<void>;
  /** Is told of what cannot be right in an answer. */
  readonly onContradiction: (text: string) => void;
  /** Ends the run early. */
  readonly stop: (why: unknown) => void;
  /** Aborted when nothing more is to be sent. */
  readonly signal: AbortSignal;
}

/** Takes rows to the service, and draws the conclusions of each request for all that follow. Shared by all workers. */
export class Courier {
  readonly #context: CourierContext;
  #underWay = 0;
  #anyAnswer = false;

  constructor(context: CourierContext) {
    this.#context = context;
  }

  /** Requests that are under way. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Whether the service has taken any request of this process, whatever became of its entries. */
  get anyAnswer(): boolean {
    return this.#anyAnswer;
  }

  /**
   * Sends rows in one request, as often as it takes to have it processed.
   *
   * @returns undefined where the run ended before
   */
  async send(rows: readonly SendRow[]): Promise<Attempted | undefined> {
    const { traffic, signal, stop } = this.#context;
    for (let failures = 1; ; failures++) {
      const probe = await traffic.pass();
      if (signal.aborted) {
        traffic.unused(probe);
        return undefined;
      }
      const result = await this.#once(rows, probe);
      const end = await this.#learn(result, probe, failures);
      if (end !== undefined) stop(end);
      if (result.kind === 'answered') return result;
      if (result.verdict.kind === 'limited') failures = 0;
      else if (result.verdict.kind !== 'not-sent') return result;
    }
  }

  async #once(rows: readonly SendRow[], probe: boolean): Promise<Attempted> {
    this.#underWay++;
    try {
      const result = await attempt(rows, this.#context);
      await this.#context.onRows(rows);
      return result;
    } catch (error) {
      this.#context.traffic.unused(probe);
      throw error;
    } finally {
      this.#underWay--;
    }
  }

  /** Returns why the run should end, where it should. */
  async #learn(result: Attempted, probe: boolean, failures: number): Promise<unknown> {
    const { traffic, settle, clock, onContradiction } = this.#context;
    if (result.kind === 'answered') {
      this.#anyAnswer = true;
      for (const text of result.contradictions) onContradiction(text);
      // What an answer leaves out may still be under way: it gets its pause like any other unclear row.
      if (result.untold !== 'none') settle.unclear(clock.now(), false);
      if (result.untold === 'all') return traffic.unclear(probe, nothingTold());
      traffic.answered(probe);
      return result.isElsewhere ? addedElsewhere(this.#context.run.facts) : undefined;
    }
    const { verdict, error } = result;
    switch (verdict.kind) {
      case 'limited':
        return traffic.limited(probe, verdict.retryAfterMs, error);
      case 'not-sent':
        return traffic.notSent(probe, failures, error);
      case 'unclear':
        settle.unclear(clock.now(), verdict.timedOut);
        return traffic.unclear(probe, error);
      case 'stop':
        traffic.unused(probe);
        return error;
      default:
        traffic.answered(probe);
        return undefined;
    }
  }
}

/** Of a run whose people went to two organizations. */
export function addedElsewhere({ organizationId, otherOrganization }: RunFacts): OrgadmError {
  return new OrgadmError(
    'other-organization',
    EXIT.refused,
    `the service added people to organization ${otherOrganization}, after it had added others of this list to ${organizationId}`,
    { hint: 'Check which organization the key belongs to before you go on.' },
  );
}

function nothingTold(): OrgadmError {
  return new OrgadmError('not-understood', EXIT.refused, 'the answer tells of none of the rows that were sent');
}
