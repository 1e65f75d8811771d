import { OUTAGE_MS, type Outages } from '../../client/http/outage.ts';
import { isTransientFailure, ServiceError } from '../../client/http/service-error.ts';
import type { ServiceClient } from '../../client/service-client.ts';
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

/** A pause between two checks. Times in milliseconds since the epoch. */
export interface PollPause {
  waitingFor: readonly DomainCheck[];
  nextCheckAt: number;
  endsAt: number;
}

/**
 * Checks domains until each is ready or has failed permanently, the last check before the deadline is over, or the signal is
 * aborted. A domain for which the service asks for a pause is not checked before that pause is over; the others are.
 *
 * @returns the last known state of each, in the order of the arguments
 */
async function pollUntilReady(
  client: ServiceClient,
  domains: readonly string[],
  { intervalMs, deadlineMs, ignored }: PollOptions,
  { signal, onPause }: { signal: AbortSignal; onPause(pause: PollPause): void },
): Promise<DomainCheck[]> {
  const { clock, outages } = client;
  const startedAt = clock.now();
  const endsAt = startedAt + deadlineMs;
  const lastCheckAt = endsAt - LAST_CHECK_MS;
  let polled: PolledDomain[] = domains.map((domain) => ({
    check: { domain, ready: false },
    isFinal: false,
    checkedAt: startedAt,
    pauseMs: 0,
  }));
  for (let round = 0; ; round++) {
    polled = await mapConcurrently(polled, CONCURRENT_DOMAINS, async (known) => {
      if (known.isFinal || signal.aborted || known.checkedAt + known.pauseMs > clock.now()) return known;
      const latest = await checkDomain(client, known.check.domain, { singleAttempt: true, signal, ignored });
      const merged = mergeCheck(known.check, latest, outages);
      return { ...merged, checkedAt: clock.now(), pauseMs: requestedPauseMs(latest) };
    });
    const now = clock.now();
    const pending = polled.filter(({ isFinal }) => !isFinal);
    if (pending.length === 0 || signal.aborted || now >= lastCheckAt) break;
    const delay = Math.min(pollDelayMs(round, intervalMs), ...pending.flatMap(({ waitMs }) => waitMs ?? []));
    const earliest = Math.min(...pending.map(({ checkedAt, pauseMs }) => checkedAt + pauseMs));
    const nextCheckAt = Math.min(lastCheckAt, Math.max(now + delay, earliest));
    onPause({ waitingFor: pending.map(({ check }) => check), nextCheckAt, endsAt });
    await clock.sleep(nextCheckAt - now, signal);
    if (signal.aborted) break;
  }
  return polled.map(({ check }) => check);
}

function requestedPauseMs({ error }: DomainCheck): number {
  return error instanceof ServiceError ? (error.retryAfterMs ?? 0) : 0;
}

/** Returns the pause after check number `round`, counted from 0, in milliseconds. */
function pollDelayMs(round: number, intervalMs: number): number {
  return Math.round(Math.min(intervalMs * PAUSE_GROWTH ** round, Math.max(PAUSE_CAP_MS, intervalMs)));
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
  options: PollOptions,
  context: Context,
): Promise<{ checks: DomainCheck[]; signal: Signal | undefined }> {
  const { host, output } = context;
  const { clock } = host;
  const client = await context.service();
  const progress = await context.progress();
  progress.update(() => (domains.length === 1 ? 'checking the domain' : `checking ${domains.length} domains`));
  let endCountdown = () => {};
  const noted = new Set<string>();
  const showPause = (pause: PollPause) => {
    endCountdown();
    for (const check of pause.waitingFor)
      if (!noted.has(check.domain) && noteRecords(check, output)) noted.add(check.domain);
    endCountdown = showCountdown(progress, clock, (columns) => renderPollPause(pause, clock.now(), columns));
  };
  const stop = new AbortController();
  let signal: Signal | undefined;
  const release = stopOnSignal(host, (received) => {
    signal = received;
    stop.abort();
  });
  const disarm = clock.after(options.deadlineMs, () => stop.abort());
  const found = await pollUntilReady(client, domains, options, { signal: stop.signal, onPause: showPause }).finally(
    () => {
      disarm();
      release();
      endCountdown();
      progress.stop();
    },
  );

  if (signal !== undefined) output.note(`interrupted by ${signal}: this is the last known state`);
  for (const { domain, status, ready, error } of found) {
    if (status === undefined || ready) continue;
    if (signal === undefined) {
      const reason = describeNotReady({ domain, status, ready });
      output.note(`${domain} is not ready after ${renderDuration(options.deadlineMs)}: ${reason}`);
    }
    if (error !== undefined)
      output.warn(`${domain}: the latest check failed, so this is an earlier state: ${error.message}`);
  }
  return { checks: found.map((check) => withMissingStatus(check, options.deadlineMs, signal)), signal };
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

/** What a check has shown about a domain. */
interface MergedCheck {
  readonly check: DomainCheck;
  /** Whether it is ready, or has failed permanently. */
  readonly isFinal: boolean;
  /** During an outage: the pause until the next check, in milliseconds. */
  readonly waitMs?: number;
}

/** A domain during the wait. */
interface PolledDomain extends MergedCheck {
  /** When its latest check ended, in milliseconds since the epoch. */
  readonly checkedAt: number;
  /** The pause that the service asked for in its response, in milliseconds. */
  readonly pauseMs: number;
}

/**
 * Adds a further check to the known state. A failure that may pass does not replace an earlier status: one that polling may
 * fix, or an outage that is less than a minute old. A service that has responded once and becomes unreachable later is retried
 * for as long as the wait lasts.
 */
function mergeCheck(known: DomainCheck, latest: DomainCheck, outages: Outages): MergedCheck {
  const { domain, ready, error } = latest;
  if (!(error instanceof ServiceError)) return { check: latest, isFinal: ready || error !== undefined };
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
