import type { RunState } from '../../../import/journal/run-state.ts';
import type { SendEvent, WaitReason } from '../../../import/send/send-events.ts';
import { joinFitting, type Progress, withBar } from '../../../output/progress.ts';
import type { Clock } from '../../../util/host.ts';
import { formatCount, renderDuration } from '../../../util/units.ts';

const WAIT_REASONS: Readonly<Record<WaitReason, string>> = {
  'earlier-requests': 'earlier requests may still be running: starting in',
  confirming: 'no usable response: sending these rows again in',
  stalled: 'the service was not working: sending another one of these rows in',
  unknown: 'requests keep failing: trying again in',
  'rate-limited': 'rate limited, continuing in',
  unreachable: 'cannot reach the service: trying again in',
};

/** How often a countdown is drawn again. Shorter waits and shorter times left are not shown. */
const COUNTDOWN_MS = 1000;

/** Shorter runs do not say how long they took, in milliseconds. */
const NOTICEABLE_MS = 1_000;

/** The time left is shown after this much time in a phase, in milliseconds, and this share of its rows. */
const ESTIMATE_AFTER_MS = 3_000;
const ESTIMATE_SHARE = 0.02;

/** The rows that are being sent: unsent ones, or those of unknown outcome. */
interface Phase {
  readonly startedAtMs: number;
  readonly rows: number;
  /** Rows that had a final state before. */
  readonly finalizedBefore: number;
}

/** The progress line of a run: rows done of all, rate, time left, and what it waits for. */
export class ImportProgress {
  readonly #run: Pick<RunState, 'counts' | 'finalized' | 'total'>;
  readonly #clock: Clock;
  readonly #progress: Progress;
  readonly #startedAtMs: number;
  #phase: Phase | undefined;
  #wait: { reason: WaitReason; untilMs: number } | undefined;
  #cancelTick: (() => void) | undefined;
  #rateLimitedMs = 0;
  #rateLimitedUntilMs = 0;

  constructor(run: Pick<RunState, 'counts' | 'finalized' | 'total'>, clock: Clock, progress: Progress) {
    this.#run = run;
    this.#clock = clock;
    this.#progress = progress;
    this.#startedAtMs = clock.now();
  }

  /** Shows what an event changes. */
  show(event: SendEvent): void {
    const nowMs = this.#clock.now();
    if (event.type === 'phase')
      this.#phase = { startedAtMs: nowMs, rows: event.rows, finalizedBefore: this.#run.finalized };
    if (event.type === 'waiting') this.#startWait(event.reason, event.untilMs, nowMs);
    if (event.type !== 'sending') this.update();
  }

  update(): void {
    const nowMs = this.#clock.now();
    if (this.#wait !== undefined && this.#wait.untilMs <= nowMs) this.#wait = undefined;
    this.#progress.update(
      (columns) => this.#text(nowMs, columns),
      () => this.#logText(nowMs),
    );
  }

  stop(): void {
    this.#cancelTick?.();
    this.#cancelTick = undefined;
    this.#progress.stop();
    // The run may end during a wait.
    const nowMs = this.#clock.now();
    this.#rateLimitedMs -= Math.max(0, this.#rateLimitedUntilMs - nowMs);
    this.#rateLimitedUntilMs = nowMs;
  }

  /**
   * Returns how long the run took, and waited for a rate limit: `4 m 12 s, 38 s of it rate limited`. To be called after
   * `stop`. Returns undefined for a run that took no noticeable time.
   */
  describeTime(): string | undefined {
    const tookMs = this.#clock.now() - this.#startedAtMs;
    const isLimited = this.#rateLimitedMs >= COUNTDOWN_MS;
    if (tookMs < NOTICEABLE_MS && !isLimited) return undefined;
    const limited = isLimited ? `, ${renderDuration(this.#rateLimitedMs)} of it rate limited` : '';
    return `${renderDuration(tookMs)}${limited}`;
  }

  #startWait(reason: WaitReason, untilMs: number, nowMs: number): void {
    this.#wait = { reason, untilMs };
    if (reason === 'rate-limited' && untilMs > this.#rateLimitedUntilMs) {
      this.#rateLimitedMs += untilMs - Math.max(nowMs, this.#rateLimitedUntilMs);
      this.#rateLimitedUntilMs = untilMs;
    }
    if (this.#cancelTick === undefined) this.#tick();
  }

  /** Counts down while the run waits. */
  #tick(): void {
    this.#cancelTick = this.#clock.after(COUNTDOWN_MS, () => {
      this.#cancelTick = undefined;
      this.update();
      if (this.#wait !== undefined) this.#tick();
    });
  }

  #text(nowMs: number, columns: number): string {
    const wait = this.#waitText(nowMs);
    const { finalized, total } = this.#run;
    const done = `${formatCount(finalized)} of ${formatCount(total)}`;
    // The reason comes first, because a narrow terminal leaves out the end.
    const parts = wait === undefined ? [done, ...this.#rate(nowMs)] : [wait, done];
    const line = joinFitting(parts, columns);
    return withBar(finalized / total, line, columns) ?? line;
  }

  #logText(nowMs: number): string {
    const { finalized, total } = this.#run;
    const wait = this.#waitText(nowMs);
    const next = wait === undefined ? this.#rate(nowMs).slice(1) : [wait];
    return [`${formatCount(finalized)} of ${formatCount(total)} rows`, ...next].join(', ');
  }

  /** Says what the run waits for; undefined while it sends requests, even if a rate limit slows them down. */
  #waitText(nowMs: number): string | undefined {
    if (this.#wait === undefined) return undefined;
    const { reason, untilMs } = this.#wait;
    const isPaced = reason === 'rate-limited' && untilMs - nowMs < COUNTDOWN_MS;
    // A countdown in milliseconds would only flicker.
    const seconds = Math.ceil((untilMs - nowMs) / 1000);
    return isPaced ? undefined : `${WAIT_REASONS[reason]} ${renderDuration(seconds * 1000)}`;
  }

  /** Returns the rows per second and the time left, as far as they can be told. */
  #rate(nowMs: number): string[] {
    if (this.#phase === undefined) return [];
    const { startedAtMs, rows, finalizedBefore } = this.#phase;
    const tookMs = nowMs - startedAtMs;
    const done = this.#run.finalized - finalizedBefore;
    // A row that is sent again may lose its final state.
    if (tookMs < COUNTDOWN_MS || done <= 0) return [];
    const perMs = done / tookMs;
    const leftMs = (rows - done) / perMs;
    // Rows of unknown outcome wait until their requests are over, and may have to wait again.
    const isTellable = this.#run.counts().unknown === 0 && tookMs >= ESTIMATE_AFTER_MS && done >= rows * ESTIMATE_SHARE;
    const left = isTellable && leftMs >= COUNTDOWN_MS ? [`${renderDuration(leftMs)} left`] : [];
    return [`${formatCount(Math.round(perMs * 1000))}/s`, ...left];
  }
}
