import { elapsedSince, type Moment } from '../../util/moment.ts';
import type { RequestEnd } from './outcome-record.ts';
import type { IntentRecord, OthersRecord } from './records.ts';

/** Why a request was sent, or that requests of other runs are meant. */
export type UnknownPurpose = 'first' | 'again' | 'probe' | 'others';

/** A request of unknown outcome. */
export interface UnknownRequest extends RequestEnd {
  readonly request: number;
  readonly purpose: UnknownPurpose;
  /** The request that a probe probes; the request itself otherwise. */
  readonly probed: number;
  /** Rows whose outcome it left unknown. */
  readonly size: number;
  /** When it ended; its intent, if orgadm died. */
  readonly at: Moment;
  /** When it had ended at the latest, in milliseconds after `at`. */
  readonly timeoutMs: number;
  /** How long the service may process it after that, in milliseconds. */
  readonly lifetimeMs: number;
  /** The end of the first request, sent after this one had ended, that created somebody. */
  readonly proof: Moment | undefined;
}

/** When a wait for a lifetime starts anew. */
export interface Restart {
  readonly at: Moment;
  readonly lifetimeMs: number;
}

/**
 * Returns until when a request of unknown outcome is not even probed, in milliseconds from now: its lifetime since its end.
 *
 * @param lifetimeMs the present `--request-lifetime`; the longer of this one and that of the intent counts
 */
export function lifetimeLeftMs(request: UnknownRequest, lifetimeMs: number, present: Moment): number {
  const longestMs = request.timeoutMs + Math.max(request.lifetimeMs, lifetimeMs);
  return Math.max(0, longestMs - elapsedSince(request.at, present));
}

/** Returns until when a request of unknown outcome may still be running, in milliseconds from now; Infinity without a proof. */
export function remainingMs(request: UnknownRequest, lifetimeMs: number, present: Moment): number {
  if (request.proof === undefined) return Number.POSITIVE_INFINITY;
  const sinceProofMs = Math.max(request.lifetimeMs, lifetimeMs) - elapsedSince(request.proof, present);
  return Math.max(0, sinceProofMs, lifetimeLeftMs(request, lifetimeMs, present));
}

/** An intent without an outcome, and its place among the records. */
interface Open {
  readonly intent: IntentRecord;
  readonly place: number;
}

/** The requests of a run that are in flight, or ended with an unknown outcome, and what proves that the latter are over. */
export class UnknownRequests {
  readonly #open = new Map<number, Open>();
  readonly #ended = new Map<number, { request: UnknownRequest; place: number }>();
  /** Those without a proof. */
  readonly #unproven = new Set<number>();
  /** Stuck probes, until one of their rows turns out to be a member. */
  readonly #stuckProbes = new Map<number, number>();
  #restart: Restart | undefined;
  #place = 0;

  get openIntents(): IntentRecord[] {
    return Array.from(this.#open.values(), ({ intent }) => intent);
  }

  get hasOpen(): boolean {
    return this.#open.size > 0;
  }

  /** The last time that a row was a member because its probe had been stuck, which shows nothing about the other rows. */
  get restart(): Restart | undefined {
    return this.#restart;
  }

  get(request: number): UnknownRequest | undefined {
    return this.#ended.get(request)?.request;
  }

  intentOf(request: number): IntentRecord | undefined {
    return this.#open.get(request)?.intent;
  }

  begin(intent: IntentRecord): void {
    this.#open.set(intent.request, { intent, place: this.#place++ });
  }

  /**
   * Ends a request.
   *
   * @param end.size rows whose outcome it left unknown
   * @param end.hasCreated whether it created somebody, which proves that the service works
   * @param end.members the rows that it found to be members
   */
  end(
    request: number,
    end: RequestEnd & Pick<UnknownRequest, 'at' | 'timeoutMs' | 'size'> & { hasCreated: boolean },
  ): IntentRecord | undefined {
    const open = this.#open.get(request);
    this.#open.delete(request);
    const { size, at, timeoutMs, isStuck, isTimeout, hasCreated } = end;
    if (hasCreated && open !== undefined) this.#prove(open, at);
    if (size === 0) return open?.intent;
    const { lifetimeMs = 0, probe, again } = open?.intent ?? {};
    const purpose = probe !== undefined ? 'probe' : again ? 'again' : 'first';
    const times = { at, timeoutMs, lifetimeMs, proof: undefined };
    this.#add({ request, purpose, probed: probe ?? request, size, isStuck, isTimeout, ...times });
    return open?.intent;
  }

  /** Adds requests of other runs. */
  addOthers(record: OthersRecord, size: number): void {
    const { request, at, timeoutMs, lifetimeMs, stuck: isStuck = false, proof, atRisk } = record;
    const times = { at, timeoutMs, lifetimeMs, proof };
    this.#add({ request, purpose: 'others', probed: request, size, isStuck, isTimeout: false, ...times });
    if (atRisk !== undefined) this.#stuckProbes.set(request, lifetimeMs);
  }

  /**
   * Records that a row is a member whose last request was this one. After a stuck probe, that proves nothing: the probe itself
   * may have added the person a moment ago.
   */
  foundMember(last: number, at: Moment): void {
    const lifetimeMs = this.#stuckProbes.get(last);
    if (lifetimeMs === undefined) return;
    this.#stuckProbes.delete(last);
    this.#restart = { at, lifetimeMs };
  }

  #add(request: UnknownRequest): void {
    this.#ended.set(request.request, { request, place: this.#place++ });
    if (request.proof === undefined) this.#unproven.add(request.request);
    if (request.purpose === 'probe' && request.isStuck) this.#stuckProbes.set(request.request, request.lifetimeMs);
  }

  /** Applies the proof of a request that created somebody: all requests that had ended before it was sent are over a lifetime later. */
  #prove({ intent, place }: Open, at: Moment): void {
    for (const number of this.#unproven) {
      const ended = this.#ended.get(number);
      if (ended === undefined || ended.place > place) continue;
      if (elapsedSince(ended.request.at, intent.at) < ended.request.timeoutMs) continue;
      ended.request = { ...ended.request, proof: at };
      this.#unproven.delete(number);
    }
  }
}
