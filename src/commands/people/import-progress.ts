import type { RowStates } from '../../import/journal/row-states.ts';
import type { SendEvent, WaitReason } from '../../import/send/send-events.ts';
import type { Progress } from '../../output/progress.ts';
import type { Clock } from '../../util/clock.ts';
import { formatCount, renderDuration } from '../../util/units.ts';

const WAIT_REASONS: Readonly<Record<WaitReason, string>> = {
  'rate-limited': 'rate limited, continuing in',
  ambiguous: 'requests keep failing, trying one in',
  unreachable: 'cannot reach the service, trying again in',
  'key-rejected': 'the key is rejected now, trying again in',
  'quiet-period': 'waiting before rows of unknown outcome are checked:',
  'request-lifetime': 'waiting until no earlier request can be running:',
};

const TICK_MS = 1000;

/** Shorter runs do not say how long they took. */
const NOTICEABLE_MS = 10_000;

/** The progress line of a run: rows done of all, rate, time left, and what it waits for. */
export class ImportProgress {
  readonly #rowStates: RowStates;
  readonly #clock: Clock;
  readonly #progress: Progress;
  readonly #startedAt: number;
  readonly #doneBefore: number;
  #wait: { reason: WaitReason; untilMs: number } | undefined;
  #cancelTick: (() => void) | undefined;
  #rateLimitedMs = 0;
  #rateLimitedUntil = 0;

  constructor(rowStates: RowStates, clock: Clock, progress: Progress) {
    this.#rowStates = rowStates;
    this.#clock = clock;
    this.#progress = progress;
    this.#startedAt = clock.now();
    this.#doneBefore = rowStates.finalized;
    this.update();
  }

  update(): void {
    const now = this.#clock.now();
    if (this.#wait !== undefined && this.#wait.untilMs <= now) this.#wait = undefined;
    this.#progress.update(() => this.#text(now));
  }

  /** Shows why requests wait, and counts down. */
  wait({ reason, fromMs, untilMs }: Extract<SendEvent, { type: 'waiting' }>): void {
    this.#wait = { reason, untilMs };
    if (reason === 'rate-limited' && untilMs > this.#rateLimitedUntil) {
      this.#rateLimitedMs += untilMs - Math.max(fromMs, this.#rateLimitedUntil);
      this.#rateLimitedUntil = untilMs;
    }
    this.update();
    if (this.#cancelTick === undefined) this.#tick();
  }

  stop(): void {
    this.#cancelTick?.();
    this.#cancelTick = undefined;
    this.#progress.stop();
    // The run may end during a wait.
    const now = this.#clock.now();
    this.#rateLimitedMs -= Math.max(0, this.#rateLimitedUntil - now);
    this.#rateLimitedUntil = now;
  }

  /**
   * Returns how long the run took, and waited for a rate limit: `4m 12s, 38s of it rate limited`. To be called after
   * `stop`. Returns undefined for a run that nobody had to wait for.
   */
  describeTime(): string | undefined {
    const tookMs = this.#clock.now() - this.#startedAt;
    const isLimited = this.#rateLimitedMs >= TICK_MS;
    if (tookMs < NOTICEABLE_MS && !isLimited) return undefined;
    const limited = isLimited ? `, ${renderDuration(this.#rateLimitedMs)} of it rate limited` : '';
    return `${renderDuration(tookMs)}${limited}`;
  }

  #tick(): void {
    this.#cancelTick = this.#clock.after(TICK_MS, () => {
      this.#cancelTick = undefined;
      this.update();
      if (this.#wait !== undefined) this.#tick();
    });
  }

  #text(now: number): string {
    const { finalized: finished, total } = this.#rowStates;
    const done = `${formatCount(finished)} of ${formatCount(total)} rows`;
    // The reason comes first, because a narrow terminal cuts the end.
    const isPaced = this.#wait?.reason === 'rate-limited' && this.#wait.untilMs - now < TICK_MS;
    if (this.#wait !== undefined && !isPaced) {
      return `${WAIT_REASONS[this.#wait.reason]} ${renderDuration(this.#wait.untilMs - now)} · ${done}`;
    }
    const perMs = (finished - this.#doneBefore) / Math.max(1, now - this.#startedAt);
    if (perMs <= 0 || now - this.#startedAt < TICK_MS) return done;
    const limited = now < this.#rateLimitedUntil + TICK_MS ? ' · rate limited' : '';
    return `${done} · ${formatCount(Math.round(perMs * 1000))}/s · ${renderDuration((total - finished) / perMs)} left${limited}`;
  }
}
