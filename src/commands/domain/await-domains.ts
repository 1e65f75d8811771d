import type { Context } from '../../cli/context.ts';
import { renderDuration } from '../../util/duration.ts';
import { EXIT, OrgadmError } from '../../util/errors.ts';
import { SIGNAL_EXIT, type Signal } from '../../util/host.ts';
import { checkDomain, type DomainCheck, describeNotReady } from './check-domain.ts';
import { isTransientDomainError, type PollTimes, pollUntilReady } from './poll-domains.ts';
import { PollProgress } from './poll-progress.ts';

export interface PollResult {
  checks: DomainCheck[];
  /** The signal that ended the wait. */
  signal: Signal | undefined;
}

/** Waits for domains to become ready, with progress. A signal ends the wait, with what is known by then. */
export async function pollDomains(domains: readonly string[], times: PollTimes, context: Context): Promise<PollResult> {
  const { host, output } = context;
  const client = await context.service();
  const progress = new PollProgress(domains.length, host.clock, await context.progress());
  const stop = new AbortController();
  let signal: Signal | undefined;
  const release = host.onSignal((received) => {
    // Given back at once: a second signal ends the process as it would any other.
    release();
    signal = received;
    stop.abort();
  });
  try {
    const checks = await pollUntilReady(domains, times, {
      check: (domain) => checkDomain(client, domain, { singleAttempt: true, signal: stop.signal }),
      clock: host.clock,
      random: host.random,
      signal: stop.signal,
      onPause: (pause) => progress.pause(pause),
    });
    progress.stop();
    const reported = checks.map((check) => withMissingStatus(check, times, signal));
    if (signal !== undefined) output.note(`interrupted by ${signal}: this is the last known state`);
    for (const check of reported)
      if (check.status !== undefined && !check.ready) noteNotReady(check, times, signal, context);
    return { checks: reported, signal };
  } finally {
    release();
    progress.stop();
  }
}

function noteNotReady(
  check: DomainCheck,
  { deadlineMs }: PollTimes,
  signal: Signal | undefined,
  context: Context,
): void {
  const { domain, error, ...known } = check;
  if (signal === undefined) {
    context.output.note(
      `${domain} is not ready after ${renderDuration(deadlineMs)}: ${describeNotReady({ domain, ...known })}`,
    );
  }
  if (error !== undefined)
    context.output.warn(`${domain}: this is an earlier state, the latest look failed: ${error.message}`);
}

/** A domain that the service told nothing of while it was waited for gets an error that says so. */
function withMissingStatus(check: DomainCheck, { deadlineMs }: PollTimes, signal: Signal | undefined): DomainCheck {
  const { domain, status, error } = check;
  if (status !== undefined || (error !== undefined && !isTransientDomainError(error))) return check;
  const last = error === undefined ? '' : `: ${error.message}`;
  const missing =
    signal === undefined
      ? new OrgadmError(
          'not-ready',
          EXIT.notReady,
          `no status of ${domain} after ${renderDuration(deadlineMs)}${last}`,
          {
            hint: `Either the service does not hold ${domain}, or it or the hosting provider is out of reach.`,
            status: error?.status,
            requestId: error?.requestId,
            cause: error,
          },
        )
      : new OrgadmError(
          'interrupted',
          SIGNAL_EXIT[signal],
          `interrupted by ${signal}, no status of ${domain} yet${last}`,
        );
  return { domain, ready: false, error: missing };
}
