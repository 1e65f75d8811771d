import { ServiceError } from '../../client/service-error.ts';
import type { Output } from '../../output/output.ts';
import { joinFitting } from '../../output/progress.ts';
import { EXIT, OrgadmError } from '../../util/errors.ts';
import { SIGNAL_EXIT, type Signal, stopOnSignal } from '../../util/host.ts';
import { renderDuration } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import { CONCURRENT_DOMAINS, checkDomain, type DomainCheck, describeNotReady } from './check-domain.ts';
import { mapConcurrently } from './map-concurrently.ts';
import { noteRecords } from './print-status.ts';

interface PollOptions {
  /** The pause between two checks, in milliseconds. */
  intervalMs: number;
  /** Longest wait in milliseconds. */
  deadlineMs: number;
  /** Fields and their values (setting wire.domain.ignore). */
  ignored: readonly string[];
}

/**
 * Checks domains, with progress, until each is ready or has failed for good, or the deadline passes. The deadline and a signal
 * also end the checks in progress. A pause that the service asks for counts for all domains.
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
  const stop = new AbortController();
  let signal: Signal | undefined;
  const release = stopOnSignal(host, (received) => {
    signal = received;
    stop.abort();
  });
  const disarm = clock.after(deadlineMs, () => stop.abort());
  const endsAt = clock.now() + deadlineMs;
  const noted = new Set<string>();
  let checks: DomainCheck[] = domains.map((domain) => ({ domain, ready: false }));
  try {
    for (;;) {
      progress.update((columns) => renderWait(checks.filter(isPending), endsAt - clock.now(), columns));
      checks = await mapConcurrently(checks, CONCURRENT_DOMAINS, async (known) => {
        if (!isPending(known) || stop.signal.aborted) return known;
        const latest = await checkDomain(client, known.domain, { isRepeatable: false, signal: stop.signal, ignored });
        if (stop.signal.aborted && latest.error?.code === 'aborted') return known;
        // An earlier state is better than none.
        return isPending(latest) && latest.error !== undefined ? { ...known, error: latest.error } : latest;
      });
      const pending = checks.filter(isPending);
      if (pending.length === 0 || stop.signal.aborted) break;
      for (const check of pending) if (!noted.has(check.domain) && noteRecords(check, output)) noted.add(check.domain);
      const pauseMs = Math.max(intervalMs, ...pending.map(requestedMs));
      await clock.sleep(Math.min(pauseMs, endsAt - clock.now()), stop.signal);
      if (stop.signal.aborted || clock.now() >= endsAt) break;
    }
  } finally {
    disarm();
    release();
    progress.stop();
  }
  if (signal !== undefined) output.note(`interrupted by ${signal}: this is the last known state`);
  return { checks: checks.map((check) => reportLast(check, deadlineMs, signal, output)), signal };
}

/** Whether a further check may change the state. */
function isPending({ ready, error }: DomainCheck): boolean {
  return !ready && (error === undefined || (error instanceof ServiceError && error.isTransient));
}

function requestedMs({ error }: DomainCheck): number {
  return error instanceof ServiceError ? (error.retryAfterMs ?? 0) : 0;
}

/** Renders `a.test: not verified; b.test: misconfigured · 14 m 20 s left`, in whole seconds. */
function renderWait(pending: readonly DomainCheck[], leftMs: number, columns: number): string {
  const states = pending.map((check) => `${check.domain}: ${describeNotReady(check)}`);
  const seconds = Math.max(1, Math.ceil(leftMs / 1_000));
  return joinFitting([states.join('; '), `${renderDuration(seconds * 1_000)} left`], columns);
}

/** Says why a domain is not ready after the wait. Adds an error if the service never returned its status. */
function reportLast(check: DomainCheck, waitedMs: number, signal: Signal | undefined, output: Output): DomainCheck {
  if (!isPending(check)) return check;
  const { domain, status, error } = check;
  const waited = `after ${renderDuration(waitedMs)}`;
  if (status !== undefined) {
    const reason = describeNotReady({ domain, status, ready: false });
    if (signal === undefined) output.note(`${domain} is not ready ${waited}: ${reason}`);
    if (error !== undefined)
      output.warn(`${domain}: the latest check failed, so this is an earlier state: ${error.message}`);
    return check;
  }
  const last = error === undefined ? '' : `: ${error.message}`;
  const details = { hint: error?.hint, status: error?.status, requestId: error?.requestId, cause: error };
  const missing =
    signal === undefined
      ? new OrgadmError('not-ready', EXIT.checkFailed, `no status of ${domain} ${waited}${last}`, details)
      : new OrgadmError('interrupted', SIGNAL_EXIT[signal], `no status of ${domain} yet${last}`, details);
  return { domain, ready: false, error: missing };
}
