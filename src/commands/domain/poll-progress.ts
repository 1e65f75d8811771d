import type { Progress } from '../../output/progress.ts';
import type { Clock } from '../../util/clock.ts';
import { renderDuration } from '../../util/duration.ts';
import { describeNotReady } from './check-domain.ts';
import type { PollPause } from './poll-domains.ts';

const TICK_MS = 1_000;

/** The progress line of a wait, counted down each second. */
export class PollProgress {
  readonly #total: number;
  readonly #clock: Clock;
  readonly #progress: Progress;
  #cancelTick: (() => void) | undefined;

  /** @param total how many domains there are */
  constructor(total: number, clock: Clock, progress: Progress) {
    this.#total = total;
    this.#clock = clock;
    this.#progress = progress;
    progress.update(() => (total === 1 ? 'asking for the domain' : `asking for ${total} domains`));
  }

  pause(pause: PollPause): void {
    this.#cancelTick?.();
    this.#progress.update(() => renderPollPause(pause, this.#total, this.#clock.now()));
    this.#cancelTick = this.#clock.after(TICK_MS, () => this.pause(pause));
  }

  /** Takes the line away. */
  stop(): void {
    this.#cancelTick?.();
    this.#cancelTick = undefined;
    this.#progress.stop();
  }
}

/**
 * What is waited for, and how long: `waiting for 1 of 3 domains · next look in 9s · 14m 20s left · a.test: not verified`.
 *
 * @param now milliseconds since the epoch
 */
export function renderPollPause(
  { waitingFor: pending, nextCheckAt, endsAt }: PollPause,
  total: number,
  now: number,
): string {
  const states = pending.map((check) => `${check.domain}: ${describeNotReady(check)}`);
  return [
    total === 1 ? 'waiting' : `waiting for ${pending.length} of ${total} domains`,
    nextCheckAt > now ? `next look in ${renderDuration(nextCheckAt - now)}` : 'looking',
    `${renderDuration(Math.max(0, endsAt - now))} left`,
    states.join('; '),
  ].join(' · ');
}
