import type { NewMember } from '../new-member.ts';
import type { SizeChange } from './batch-size.ts';

/** A row to be sent. */
export interface PendingRow {
  readonly number: number;
  readonly member: NewMember;
}

/**
 * Why nothing is sent at the moment:
 * - `earlier-requests`: requests of other runs may still be running, whose people are on this list
 * - `confirming`: requests of unknown outcome may still be running, whose rows are sent again afterwards
 * - `stalled`: a request was stuck that sent such a row again, so the others may still be running
 * - `unknown`: five requests in a row had an unknown outcome, and may still be running
 * - `rate-limited`: the service limits requests
 * - `unreachable`: there is no connection
 */
export type WaitReason = 'earlier-requests' | 'confirming' | 'stalled' | 'unknown' | 'rate-limited' | 'unreachable';

/** An event while a list is sent. */
export type SendEvent =
  /** This many rows are sent now, or sent again to confirm them. */
  | { type: 'phase'; rows: number }
  /** A request is about to be sent. `inFlight`: number of requests in flight, including this one. */
  | { type: 'sending'; inFlight: number }
  /** A request has ended, and the outcomes of its rows are in the journal. `inFlight`: requests that are still in flight. */
  | { type: 'outcomes'; inFlight: number }
  /** Nothing is sent until this time, in milliseconds since the epoch. */
  | { type: 'waiting'; reason: WaitReason; untilMs: number }
  /** Timeouts have changed the batch size of the run, which is over. */
  | ({ type: 'batch-size' } & SizeChange)
  /** A response contradicts its request or the settings. */
  | { type: 'inconsistency'; message: string }
  /** The last event of a run that ends early: the reason of the abort signal, `LimitReached`, or an error. */
  | { type: 'stopped'; reason: unknown };

/** Why a run ends that has sent as many rows as `--limit` allows. */
export class LimitReached {
  readonly limit: number;
  constructor(limit: number) {
    this.limit = limit;
  }
}
