import { OUTAGE_MS, type Outages } from '../../client/http/outage.ts';
import { isTransientFailure, ServiceError } from '../../client/http/service-error.ts';
import type { ServiceClient } from '../../client/service-client.ts';
import type { Output } from '../../output/output.ts';
import { joinFitting, showCountdown } from '../../output/progress.ts';
import { EXIT, OrgadmError, withHint } from '../../util/errors.ts';
import { SIGNAL_EXIT, type Signal, stopOnSignal } from '../../util/host.ts';
import { mapConcurrently } from '../../util/map-concurrently.ts';
import { renderDuration } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import { CONCURRENT_DOMAINS, checkDomain, type DomainCheck, describeNotReady } from './check-domain.ts';
import { noteRecords } from './print-status.ts';

/** Factor by which each pause is longer than the previous one. */
const PAUSE_GROWTH = 1.25;
/** Longest pause in milliseconds, unless the interval is longer. */
const PAUSE_CAP_MS = 60_000;
/** How long before the deadline the last check begins, in milliseconds: the service has this long to respond. */
const LAST_CHECK_MS = 1_000;

interface PollOptions {
  /** The first pause between two checks, in milliseconds. */
  intervalMs: number;
  /** Longest wait in milliseconds. */
  deadlineMs: number;
  /** Fields and their values (setting wire.domain.ignore). */
  ignored: readonly string[];
}

/** A domain during the wait. */
interface PolledDomain {
  readonly check: DomainCheck;
  /** Whether it is ready, or has failed permanently. */
  readonly isFinal: boolean;
  /** When it was checked, in milliseconds since the epoch. */
  readonly checkedAt: number;
  /** When the pause is over that the service asked for, in milliseconds since the epoch. */
  readonly notBefore: number;
  /** During an outage: the pause until the next check, in milliseconds. */
  readonly waitMs?: number;
}

/**
 * Checks domains, with progress, until each is ready or has failed permanently, or the last check before the deadline is over.
 * The deadline and a signal also end the checks in progress. A domain for which the service asks for a pause is not checked
 * before that pause is over; the others are. Once all are ready, those that were checked more than a minute ago are checked again.
 *
 * @returns the last known state of each, in the order of the arguments, and the signal that ended the wait
 */
export async function pollDomains(
  domains: readonly string[],
  { intervalMs, deadlineMs, ignored }: PollOptions,
  context: Context,
): Promise<{ checks: DomainCheck[]; signal: Signal | undefined }> {
  const { host, output } = context;
  const { clock } = host;
  const client = await context.service();
  const progress = await context.progress();
  progress.update(() => (domains.length === 1 ? 'checking the domain' : `checking ${domains.length} domains`));
  const stop = new AbortController();
  let signal: Signal | undefined;
  const release = stopOnSignal(host, (received) => {
    signal = received;
    stop.abort();
  });
  const disarm = clock.after(deadlineMs, () => stop.abort());
  const endsAt = clock.now() + deadlineMs;
  const lastCheckAt = endsAt - LAST_CHECK_MS;
  const noted = new Set<string>();
  let endCountdown = () => {};
  let polled: PolledDomain[] = domains.map((domain) => {
    return { check: { domain, ready: false }, isFinal: false, checkedAt: 0, notBefore: 0 };
  });
  try {
    for (let round = 0; ; round++) {
      polled = await checkDue(polled, client, { signal: stop.signal, ignored });
      const pending = polled.filter(({ isFinal }) => !isFinal);
      const now = clock.now();
      if (stop.signal.aborted || now >= lastCheckAt) break;
      if (pending.length === 0) {
        // Name servers may have old records for a while, so a domain that was ready need not be now.
        const isOld = ({ check, checkedAt }: PolledDomain) => check.ready && checkedAt < now - PAUSE_CAP_MS;
        if (!polled.some(isOld)) break;
        polled = polled.map((one) => (isOld(one) ? { ...one, isFinal: false } : one));
        continue;
      }
      const waitingFor = pending.map(({ check }) => check);
      endCountdown();
      for (const check of waitingFor)
        if (!noted.has(check.domain) && noteRecords(check, output)) noted.add(check.domain);
      const nextCheckAt = Math.min(lastCheckAt, nextCheck(pending, now, pollDelayMs(round, intervalMs)));
      const pause = { waitingFor, nextCheckAt, endsAt };
      endCountdown = showCountdown(progress, clock, (columns) => renderPollPause(pause, clock.now(), columns));
      await clock.sleep(nextCheckAt - now, stop.signal);
    }
  } finally {
    disarm();
    release();
    endCountdown();
    progress.stop();
  }
  const checks = polled.map(({ check }) => check);
  noteLastStates(checks, deadlineMs, signal, output);
  return { checks: checks.map((check) => withMissingStatus(check, deadlineMs, signal)), signal };
}

/** Checks the domains that are not final, and for which no pause is left. */
function checkDue(
  polled: readonly PolledDomain[],
  client: ServiceClient,
  options: { signal: AbortSignal; ignored: readonly string[] },
): Promise<PolledDomain[]> {
  const { clock, outages } = client;
  return mapConcurrently(polled, CONCURRENT_DOMAINS, async (known) => {
    if (known.isFinal || options.signal.aborted || known.notBefore > clock.now()) return known;
    const latest = await checkDomain(client, known.check.domain, { singleAttempt: true, ...options });
    const pauseMs = latest.error instanceof ServiceError ? (latest.error.retryAfterMs ?? 0) : 0;
    const now = clock.now();
    return { ...mergeCheck(known.check, latest, outages), checkedAt: now, notBefore: now + pauseMs };
  });
}

/** Returns when to check again: after the delay or a shorter one of an outage, but after a pause of one of them at least. */
function nextCheck(pending: readonly PolledDomain[], now: number, delayMs: number): number {
  const delay = Math.min(delayMs, ...pending.flatMap(({ waitMs }) => waitMs ?? []));
  return Math.max(now + delay, Math.min(...pending.map(({ notBefore }) => notBefore)));
}

/** Says which domains are not ready after the wait, and which states are earlier ones. */
function noteLastStates(
  checks: readonly DomainCheck[],
  waitedMs: number,
  signal: Signal | undefined,
  output: Output,
): void {
  if (signal !== undefined) output.note(`interrupted by ${signal}: this is the last known state`);
  for (const { domain, status, ready, error } of checks) {
    if (status === undefined || ready) continue;
    if (signal === undefined) {
      const reason = describeNotReady({ domain, status, ready });
      output.note(`${domain} is not ready after ${renderDuration(waitedMs)}: ${reason}`);
    }
    if (error !== undefined)
      output.warn(`${domain}: the latest check failed, so this is an earlier state: ${error.message}`);
  }
}

/** Returns the pause after check number `round`, counted from 0, in milliseconds. */
function pollDelayMs(round: number, intervalMs: number): number {
  return Math.round(Math.min(intervalMs * PAUSE_GROWTH ** round, Math.max(PAUSE_CAP_MS, intervalMs)));
}

function isTransient(error: OrgadmError): boolean {
  return error instanceof ServiceError && isTransientFailure(error);
}

/** Adds an error to a domain whose status the service never returned during the wait. */
function withMissingStatus(check: DomainCheck, waitedMs: number, signal: Signal | undefined): DomainCheck {
  const { domain, status, error } = check;
  if (status !== undefined || (error !== undefined && !isTransient(error))) return check;
  const last = error === undefined ? '' : `: ${error.message}`;
  if (signal !== undefined) {
    const message = `interrupted by ${signal}, no status of ${domain} yet${last}`;
    return { domain, ready: false, error: new OrgadmError('interrupted', SIGNAL_EXIT[signal], message) };
  }
  const message = `no status of ${domain} after ${renderDuration(waitedMs)}${last}`;
  const missing = new OrgadmError('not-ready', EXIT.checkFailed, message, {
    hint:
      error !== undefined && (error.status === undefined || error.status === 429)
        ? error.hint
        : `Check that the service has ${domain}, or try again later: the service or its hosting provider may be unreachable.`,
    status: error?.status,
    requestId: error?.requestId,
    cause: error,
  });
  return { domain, ready: false, error: missing };
}

/** A pause between two checks. Times in milliseconds since the epoch. */
interface PollPause {
  waitingFor: readonly DomainCheck[];
  nextCheckAt: number;
  endsAt: number;
}

/**
 * Renders a pause: `a.test: not verified; b.test: misconfigured · next check in 9 s · 14 m 20 s left`. A line that is too short
 * for all domains has the first of them: `a.test: not verified (and 1 more) · next check in 9 s`.
 *
 * @param now milliseconds since the epoch
 */
export function renderPollPause({ waitingFor, nextCheckAt, endsAt }: PollPause, now: number, columns: number): string {
  const states = waitingFor.map((check) => `${check.domain}: ${describeNotReady(check)}`);
  const times = [
    nextCheckAt > now ? `next check in ${renderSeconds(nextCheckAt - now)}` : 'checking',
    `${renderSeconds(endsAt - now)} left`,
  ];
  const all = [states.join('; '), ...times];
  const line = joinFitting(all, columns);
  if (states.length === 1 || line === all.join(' · ')) return line;
  return joinFitting([`${states[0]} (and ${states.length - 1} more)`, ...times], columns);
}

/** Renders what is left of a pause in full seconds, so that a countdown does not end in `999 ms`. */
function renderSeconds(ms: number): string {
  return renderDuration(Math.max(1, Math.ceil(ms / 1000)) * 1000);
}

/**
 * Adds a further check to the known state. A failure that may pass does not replace an earlier status: one that polling may
 * fix, or an outage that is less than a minute old. A service that has responded once and becomes unreachable later is retried
 * for as long as the wait lasts.
 */
function mergeCheck(
  known: DomainCheck,
  latest: DomainCheck,
  outages: Outages,
): Omit<PolledDomain, 'checkedAt' | 'notBefore'> {
  const { domain, ready, doubts, error } = latest;
  if (!(error instanceof ServiceError))
    return { check: latest, isFinal: error !== undefined || (ready && doubts?.isStale !== true) };
  if (error.kind === 'aborted') return { check: known, isFinal: false };
  const isRejectedKey = error.status === 401;
  const outage = isRejectedKey || !outages.hasResponded ? outages.next(error, 1) : undefined;
  if (outage === undefined)
    return isTransientFailure(error)
      ? { check: { ...known, error }, isFinal: false }
      : { check: latest, isFinal: true };
  if ('waitMs' in outage) return { check: { ...known, error }, isFinal: false, waitMs: outage.waitMs };
  const tried = `Tried for ${OUTAGE_MS / 1_000} s.`;
  const hint = isRejectedKey ? outage.error.hint : [tried, error.hint].filter(Boolean).join(' ');
  return { check: { domain, ready: false, error: withHint(outage.error, hint) }, isFinal: true };
}
