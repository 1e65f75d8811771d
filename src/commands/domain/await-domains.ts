import type { Context } from '../../cli/context.ts';
import { renderDuration } from '../../util/duration.ts';
import { EXIT, OrgadmError } from '../../util/errors.ts';
import { SIGNAL_EXIT, type Signal } from '../../util/host.ts';
import { type DomainLook, lookAt, whyNotReady } from './check-domain.ts';
import { mayPass, type WaitTimes, waitUntilReady } from './poll-domains.ts';
import { WaitProgress } from './poll-progress.ts';

export interface Awaited {
  looks: DomainLook[];
  /** The signal that ended the wait. */
  signal: Signal | undefined;
}

/** Waits for domains to become ready, with progress. A signal ends the wait, with what is known by then. */
export async function awaitDomains(domains: readonly string[], times: WaitTimes, context: Context): Promise<Awaited> {
  const { host, output } = context;
  const client = await context.service();
  const progress = new WaitProgress(domains.length, host.clock, await context.progress());
  const stop = new AbortController();
  let signal: Signal | undefined;
  const release = host.onSignal((received) => {
    // Given back at once: a second signal ends the process as it would any other.
    release();
    signal = received;
    stop.abort();
  });
  try {
    const looks = await waitUntilReady(domains, times, {
      look: (domain) => lookAt(client, domain, { once: true, signal: stop.signal }),
      clock: host.clock,
      random: host.random,
      signal: stop.signal,
      onPause: (pause) => progress.pause(pause),
    });
    progress.stop();
    const told = looks.map((look) => withoutAnswer(look, times, signal));
    if (signal !== undefined) output.note(`interrupted by ${signal}: this is the last known state`);
    for (const look of told) if (look.status !== undefined && !look.ready) noteUnready(look, times, signal, context);
    return { looks: told, signal };
  } finally {
    release();
    progress.stop();
  }
}

function noteUnready(look: DomainLook, { deadlineMs }: WaitTimes, signal: Signal | undefined, context: Context): void {
  const { domain, error, ...known } = look;
  if (signal === undefined) {
    context.output.note(
      `${domain} is not ready after ${renderDuration(deadlineMs)}: ${whyNotReady({ domain, ...known })}`,
    );
  }
  if (error !== undefined)
    context.output.warn(`${domain}: this is an earlier state, the latest look failed: ${error.message}`);
}

/** A domain that the service told nothing of while it was waited for gets an error that says so. */
function withoutAnswer(look: DomainLook, { deadlineMs }: WaitTimes, signal: Signal | undefined): DomainLook {
  const { domain, status, error } = look;
  if (status !== undefined || (error !== undefined && !mayPass(error))) return look;
  const last = error === undefined ? '' : `: ${error.message}`;
  const told =
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
  return { domain, ready: false, error: told };
}
