import type { RetryWait } from '../client/http/retry-loop.ts';
import type { Progress } from '../output/progress.ts';
import type { Clock } from '../util/clock.ts';
import { renderDuration } from '../util/duration.ts';

/** Shorter waits are over before anyone has read of them. */
const SHOWN_FROM_MS = 1000;
const TICK_MS = 1000;

/**
 * Names a wait of the client on the progress line, and counts it down: a silent minute looks like a tool that hangs.
 *
 * @param open gives the line; asked only for waits that are worth it
 * @returns to be called when the wait is over
 */
export function showRetryCountdown(
  { reason, ms, status }: RetryWait,
  open: () => Promise<Progress>,
  clock: Clock,
): () => void {
  if (ms < SHOWN_FROM_MS) return () => {};
  const reasonText = reason === 'limited' ? 'limited by the service' : `${describeFailure(status)}, trying again`;
  const until = clock.now() + ms;
  let line: Progress | undefined;
  let cancel = () => {};
  let over = false;
  const tick = () => {
    line?.update(() => `${reasonText}, ${renderDuration(until - clock.now())}`);
    cancel = clock.after(TICK_MS, tick);
  };
  void open().then((opened) => {
    line = opened;
    if (!over) tick();
  });
  return () => {
    over = true;
    cancel();
    line?.stop();
  };
}

function describeFailure(status: number | undefined): string {
  return status === undefined ? 'no answer' : `the service answered ${status}`;
}
