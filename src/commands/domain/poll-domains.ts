import { isTransientFailure, ServiceError } from '../../client/service-error.ts';
import { showCountdown } from '../../output/progress.ts';
import { EXIT, OrgadmError, withHint } from '../../util/errors.ts';
import { type Clock, SIGNAL_EXIT, type Signal, stopOnSignal } from '../../util/host.ts';
import { mapConcurrently } from '../../util/map-concurrently.ts';
import { renderDuration } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import { CONCURRENT_DOMAINS, checkDomain, type DomainCheck, describeNotReady } from './check-domain.ts';

/** Factor by which each pause is longer than the previous one. */
export const PAUSE_GROWTH = 1.25;
/** Longest pause in milliseconds, unless the interval is longer. */
export const PAUSE_CAP_MS = 60_000;
/** Largest share of a pause that is added at random, so that clients do not poll in step. */
export const PAUSE_JITTER = 0.1;

/** How long before the deadline the last check begins, in milliseconds: the service has this long to respond. */
const LAST_CHECK_MS = 1_000;

export interface PollTimes {
  /** The first pause between two checks, in milliseconds. */
  intervalMs: number;
  /** Longest wait in milliseconds. */
  deadlineMs: number;
}

/** A pause between two checks. Times in milliseconds since the epoch. */
export interface PollPause {
  waitingFor: readonly DomainCheck[];
  nextCheckAt: number;
  endsAt: number;
}

interface PollDependencies {
  check(domain: string): Promise<DomainCheck>;
  clock: Clock;
  /** Uniform in [0, 1). */
  random: () => number;
  /** Ends the wait and the checks in progress. */
  signal: AbortSignal;
  onPause(pause: PollPause): void;
}

/**
 * Checks domains until each is ready or has failed permanently, the last check before the deadline is over, or the signal is
 * aborted.
 *
 * @returns the last known state of each, in the order of the arguments
 */
export async function pollUntilReady(
  domains: readonly string[],
  { intervalMs, deadlineMs }: PollTimes,
  { check, clock, random, signal, onPause }: PollDependencies,
): Promise<DomainCheck[]> {
  const endsAt = clock.now() + deadlineMs;
  const outage = new OutageTracker(clock.now());
  const isFinal = ({ ready, error }: DomainCheck) => ready || (error !== undefined && !outage.mayPass(error));
  const checkAgain = async (known: DomainCheck) => outage.merge(known, await check(known.domain), clock.now());
  let checks: DomainCheck[] = domains.map((domain) => ({ domain, ready: false }));
  for (let round = 0; ; round++) {
    checks = await mapConcurrently(checks, CONCURRENT_DOMAINS, async (known) =>
      isFinal(known) || signal.aborted ? known : checkAgain(known),
    );
    const now = clock.now();
    checks = checks.map((known) => outage.conclude(known, now));
    const pending = checks.filter((known) => !isFinal(known));
    const left = endsAt - LAST_CHECK_MS - now;
    const requestedMs = Math.max(
      0,
      ...pending.map(({ error }) => (error instanceof ServiceError ? (error.retryAfterMs ?? 0) : 0)),
    );
    // A service that asks for a pause beyond the last check is not asked again.
    if (pending.length === 0 || signal.aborted || left <= 0 || requestedMs > left) return checks;
    const outageLimits = pending
      .flatMap((known) => outage.givenUpAt(known) ?? [])
      .flatMap((givenUpAt) => [OUTAGE_PAUSE_MS, givenUpAt - now]);
    const delay = Math.min(pollDelayMs(round, intervalMs, random()), ...outageLimits);
    const pause = Math.min(left, Math.max(requestedMs, delay));
    onPause({ waitingFor: pending, nextCheckAt: clock.now() + pause, endsAt });
    await clock.sleep(pause, signal);
    if (signal.aborted) return checks;
  }
}

/** Returns the pause after check number `round`, counted from 0, in milliseconds. */
export function pollDelayMs(round: number, intervalMs: number, random: number): number {
  const grown = Math.min(intervalMs * PAUSE_GROWTH ** round, Math.max(PAUSE_CAP_MS, intervalMs));
  return Math.round(grown * (1 + PAUSE_JITTER * random));
}

function isTransient(error: OrgadmError): boolean {
  return error instanceof ServiceError && isTransientFailure(error);
}

/**
 * Waits for domains to become ready, with progress. The deadline and a signal end the wait and the checks in progress; the
 * result then has the last known states.
 *
 * @returns also the signal that ended the wait
 */
export async function pollDomains(
  domains: readonly string[],
  times: PollTimes,
  context: Context,
): Promise<{ checks: DomainCheck[]; signal: Signal | undefined }> {
  const { host, output } = context;
  const { clock, random } = host;
  const client = await context.service();
  const progress = await context.progress();
  progress.update(() => (domains.length === 1 ? 'checking the domain' : `checking ${domains.length} domains`));
  let endCountdown = () => {};
  const showPause = (pause: PollPause) => {
    endCountdown();
    endCountdown = showCountdown(progress, clock, () => renderPollPause(pause, domains.length, clock.now()));
  };
  const stop = new AbortController();
  let signal: Signal | undefined;
  const release = stopOnSignal(host, (received) => {
    signal = received;
    stop.abort();
  });
  const disarm = clock.after(times.deadlineMs, () => stop.abort());
  const check = (domain: string) => checkDomain(client, domain, { singleAttempt: true, signal: stop.signal });
  const dependencies = { check, clock, random, signal: stop.signal, onPause: showPause };
  const found = await pollUntilReady(domains, times, dependencies).finally(() => {
    disarm();
    release();
    endCountdown();
    progress.stop();
  });

  const checks = found.map((known) => withMissingStatus(known, times, signal));
  if (signal !== undefined) output.note(`interrupted by ${signal}: this is the last known state`);
  for (const { domain, status, ready, error } of checks) {
    if (status === undefined || ready) continue;
    if (signal === undefined) {
      const reason = describeNotReady({ domain, status, ready });
      output.note(`${domain} is not ready after ${renderDuration(times.deadlineMs)}: ${reason}`);
    }
    if (error !== undefined)
      output.warn(`${domain}: the latest check failed, so this is an earlier state: ${error.message}`);
  }
  return { checks, signal };
}

/** Adds an error to a domain whose status the service never returned during the wait. */
function withMissingStatus(check: DomainCheck, { deadlineMs }: PollTimes, signal: Signal | undefined): DomainCheck {
  const { domain, status, error } = check;
  if (status !== undefined || (error !== undefined && !isTransient(error))) return check;
  const last = error === undefined ? '' : `: ${error.message}`;
  if (signal !== undefined) {
    const message = `interrupted by ${signal}, no status of ${domain} yet${last}`;
    return { domain, ready: false, error: new OrgadmError('interrupted', SIGNAL_EXIT[signal], message) };
  }
  const message = `no status of ${domain} after ${renderDuration(deadlineMs)}${last}`;
  const missing = new OrgadmError('not-ready', EXIT.checkFailed, message, {
    hint:
      error !== undefined && error.status === undefined
        ? error.hint
        : `Either the service does not have ${domain}, or it or the hosting provider is unreachable.`,
    status: error?.status,
    requestId: error?.requestId,
    cause: error,
  });
  return { domain, ready: false, error: missing };
}

/**
 * Renders a pause: `waiting for 1 of 3 domains · next check in 9 s · 14 m 20 s left · a.test: not verified`.
 *
 * @param now milliseconds since the epoch
 */
export function renderPollPause({ waitingFor, nextCheckAt, endsAt }: PollPause, total: number, now: number): string {
  const states = waitingFor.map((check) => `${check.domain}: ${describeNotReady(check)}`);
  return [
    total === 1 ? 'waiting' : `waiting for ${waitingFor.length} of ${total} domains`,
    nextCheckAt > now ? `next check in ${renderDuration(nextCheckAt - now)}` : 'checking',
    `${renderDuration(Math.max(0, endsAt - now))} left`,
    states.join('; '),
  ].join(' · ');
}

/** Time for which a possible outage is retried, in milliseconds. */
export const OUTAGE_MS = 60_000;
/** Longest pause between two checks during an outage, in milliseconds. */
const OUTAGE_PAUSE_MS = 15_000;

/**
 * Decides how long a wait retries two failures that polling may not fix:
 * - a 401 after the key was accepted, since services return 401 when they cannot look keys up
 * - no connection to a service that has not responded so far, since it may be restarting, or the base URL may be wrong
 *
 * A service that has responded once and becomes unreachable later is retried for as long as the wait lasts.
 */
class OutageTracker {
  readonly #startedAt: number;
  /** When the current series of 401 began, by domain; milliseconds since the epoch. */
  readonly #rejectedSince = new Map<string, number>();
  #isKeyAccepted = false;
  #hasResponded = false;

  /** @param now milliseconds since the epoch, as everywhere here */
  constructor(now: number) {
    this.#startedAt = now;
  }

  /** Whether a failure may have passed by the next check. */
  mayPass(error: OrgadmError): boolean {
    return isTransient(error) || this.#isRetried(error);
  }

  /** Adds a further check to the known state: a failure that may pass does not replace an earlier status. */
  merge(known: DomainCheck, latest: DomainCheck, now: number): DomainCheck {
    const { domain, status, error } = latest;
    if (error instanceof ServiceError && error.kind === 'aborted') return known;
    this.#isKeyAccepted ||= status !== undefined;
    this.#hasResponded ||= status !== undefined || error?.status !== undefined;
    if (!isRejectedKey(error)) this.#rejectedSince.delete(domain);
    else if (!this.#rejectedSince.has(domain)) this.#rejectedSince.set(domain, now);
    return error === undefined || !this.mayPass(error) ? latest : { ...known, error };
  }

  /** Returns when orgadm gives up on the domain unless the failure ends before; undefined without such a failure. */
  givenUpAt({ domain, error }: DomainCheck): number | undefined {
    if (error === undefined) return undefined;
    if (this.#isRetried(error)) return (this.#rejectedSince.get(domain) ?? this.#startedAt) + OUTAGE_MS;
    const isUnreached = !this.#hasResponded && error instanceof ServiceError && error.kind === 'unreachable';
    return isUnreached ? this.#startedAt + OUTAGE_MS : undefined;
  }

  /** Returns the same check, or one with a final error if its failure has lasted too long. */
  conclude(check: DomainCheck, now: number): DomainCheck {
    const { domain, error } = check;
    const givenUpAt = this.givenUpAt(check);
    if (error === undefined || givenUpAt === undefined || now < givenUpAt) return check;
    const lasted = `${OUTAGE_MS / 1_000} s`;
    const hint = isRejectedKey(error)
      ? `The service accepted the key earlier, and has rejected it for ${lasted}. It may be unable to look up keys, or someone revoked the key.`
      : [`Tried for ${lasted}.`, error.hint].filter(Boolean).join(' ');
    // No ServiceError: those may be retried.
    return { domain, ready: false, error: withHint(error, hint) };
  }

  #isRetried(error: OrgadmError): boolean {
    return this.#isKeyAccepted && isRejectedKey(error);
  }
}

function isRejectedKey(error: OrgadmError | undefined): boolean {
  return error instanceof ServiceError && error.status === 401;
}
