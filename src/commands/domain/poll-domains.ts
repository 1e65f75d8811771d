import { ServiceError, type ServiceErrorKind } from '../../client/service-error.ts';
import type { Clock } from '../../util/clock.ts';
import { concurrently } from '../../util/concurrency.ts';
import type { OrgadmError } from '../../util/errors.ts';
import type { DomainLook } from './check-domain.ts';
import { OUTAGE_PAUSE_MS, OutageTracker } from './outage.ts';

/** Domains that are asked for at the same time. */
export const DOMAINS_AT_ONCE = 4;

/** Each pause is longer than the one before by this factor ... */
export const PAUSE_GROWTH = 1.25;
/** ... up to this, or to the interval where that is longer; milliseconds. */
export const PAUSE_CAP_MS = 60_000;
/** The share of a pause that is added to it at most, so that those who wait do not all ask at once. */
export const PAUSE_JITTER = 0.1;

export interface WaitTimes {
  /** The first pause between two looks, in milliseconds. */
  intervalMs: number;
  /** The whole wait, in milliseconds; the last look is taken at its end. */
  deadlineMs: number;
}

/** A pause between two looks. Times in milliseconds since the epoch. */
export interface Pause {
  waitingFor: readonly DomainLook[];
  nextLookAt: number;
  endsAt: number;
}

export interface WaitTools {
  look(domain: string): Promise<DomainLook>;
  clock: Clock;
  /** Uniform in [0, 1). */
  random: () => number;
  /** Ends the wait; looks under way are expected to end by it too. */
  signal: AbortSignal;
  onPause(pause: Pause): void;
}

/**
 * Looks at domains until each is ready or failed for good, the deadline has passed, or the signal is aborted.
 *
 * @returns the last known state of each, in the order given
 */
export async function waitUntilReady(
  domains: readonly string[],
  { intervalMs, deadlineMs }: WaitTimes,
  { look, clock, random, signal, onPause }: WaitTools,
): Promise<DomainLook[]> {
  const endsAt = clock.now() + deadlineMs;
  const outage = new OutageTracker(clock.now());
  const isFinal = ({ ready, error }: DomainLook) =>
    ready || (error !== undefined && !mayPass(error) && !outage.isRetried(error));
  const lookAgain = async (known: DomainLook): Promise<DomainLook> => {
    const latest = await look(known.domain);
    outage.record(latest, clock.now());
    return joined(known, latest, outage);
  };
  let looks: DomainLook[] = domains.map((domain) => ({ domain, ready: false }));
  for (let round = 0; ; round++) {
    looks = await concurrently(looks, DOMAINS_AT_ONCE, async (known) =>
      isFinal(known) || signal.aborted ? known : lookAgain(known),
    );
    const now = clock.now();
    looks = looks.map((known) => outage.concluded(known, now));
    const waitingFor = looks.filter((known) => !isFinal(known));
    const left = endsAt - now;
    const asked = Math.max(0, ...waitingFor.map(askedToWait));
    // Who asks to be left alone for longer than there is time is not asked again.
    if (waitingFor.length === 0 || signal.aborted || left <= 0 || asked > left) return looks;
    const givenUpAt = waitingFor.map((known) => outage.givenUpAt(known)).filter((at) => at !== undefined);
    const untilGivenUp = givenUpAt.length === 0 ? left : Math.min(OUTAGE_PAUSE_MS, ...givenUpAt.map((at) => at - now));
    const pause = Math.min(left, Math.max(asked, Math.min(pauseMs(round, intervalMs, random()), untilGivenUp)));
    onPause({ waitingFor, nextLookAt: clock.now() + pause, endsAt });
    await clock.sleep(pause, signal);
    if (signal.aborted) return looks;
  }
}

/** The pause after look number `round`, counted from 0, in milliseconds. */
export function pauseMs(round: number, intervalMs: number, random: number): number {
  const grown = Math.min(intervalMs * PAUSE_GROWTH ** round, Math.max(PAUSE_CAP_MS, intervalMs));
  return Math.round(grown * (1 + PAUSE_JITTER * random));
}

const PASSING_KINDS: ReadonlySet<ServiceErrorKind> = new Set(['unreachable', 'interrupted', 'timeout', 'aborted']);
const PASSING_STATUS: ReadonlySet<number> = new Set([408, 425, 429]);

/** Whether a failure may be gone by the next look. */
export function mayPass(error: OrgadmError): boolean {
  if (!(error instanceof ServiceError)) return false;
  if (error.status === undefined) return PASSING_KINDS.has(error.kind);
  return error.status >= 500 || PASSING_STATUS.has(error.status);
}

/** What is known after a further look: a failure that may pass does not undo an earlier status. */
function joined(known: DomainLook, latest: DomainLook, outage: OutageTracker): DomainLook {
  const { error } = latest;
  if (error === undefined || !(mayPass(error) || outage.isRetried(error))) return latest;
  const isAborted = error instanceof ServiceError && error.kind === 'aborted';
  return isAborted ? known : { ...known, error };
}

function askedToWait({ error }: DomainLook): number {
  return error instanceof ServiceError ? (error.retryAfterMs ?? 0) : 0;
}
