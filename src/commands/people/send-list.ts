import type { Member } from '../../client/bulk-response.ts';
import type { ImportRun } from '../../import/journal/import-run.ts';
import type { RowState, RowStates } from '../../import/journal/row-states.ts';
import { type ReportSource, reportRow, reportRows } from '../../import/report.ts';
import { type SendContext, type SendOptions, sendRows } from '../../import/send/scheduler.ts';
import type { PendingRow } from '../../import/send/send-batch.ts';
import type { SendEvent, WaitReason } from '../../import/send/send-events.ts';
import type { Output } from '../../output/output.ts';
import type { Progress } from '../../output/progress.ts';
import { type Clock, SIGNAL_EXIT, type Signal } from '../../util/host.ts';
import { countOf, formatCount, renderDuration } from '../../util/units.ts';
import type { Context } from '../command-context.ts';

/** Why a run ended that a signal has stopped. */
export class SignalReceived {
  readonly signal: Signal;
  constructor(signal: Signal) {
    this.signal = signal;
  }
}

/** Stops the run at the first signal, ends the process at the second. */
export class Interruption {
  /** Number of requests in flight. */
  inFlight = 0;
  readonly #stop = new AbortController();
  readonly #noteResumeCommand: () => void;
  readonly #context: Context;
  #release: () => void = () => {};

  constructor(noteResumeCommand: () => void, context: Context) {
    this.#noteResumeCommand = noteResumeCommand;
    this.#context = context;
  }

  /** Aborted at the first signal, with `SignalReceived` as its reason. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** @param stopProgress removes the progress line, which would be drawn again before the process ends */
  listen(stopProgress: () => void): void {
    const { host, output } = this.#context;
    this.#release = host.onSignal((signal) => {
      if (this.signal.aborted) {
        stopProgress();
        this.#noteResumeCommand();
        host.exitNow(SIGNAL_EXIT[signal]);
      }
      this.#stop.abort(new SignalReceived(signal));
      const { inFlight } = this;
      output.note(
        inFlight === 0 ? 'stopping' : `finishing ${countOf(inFlight, 'request')}; interrupt again to stop now`,
      );
    });
  }

  /** Nothing more is sent: restores the default action, unless the run was stopped and is yet to print its resume command. */
  sent(): void {
    if (!this.signal.aborted) this.#release();
  }

  release(): void {
    this.#release();
  }
}

/** Sends what is left to be sent. Returns what ended it early; undefined if it reached its end. */
export async function sendList(
  options: SendOptions,
  sending: SendContext,
  live: LiveRows,
  progress: ImportProgress,
  interruption: Interruption,
  context: Context,
): Promise<unknown> {
  const { output } = context;
  const { run } = sending;
  const warnOfInconsistency = once((message) => output.warn(`the response of the service is inconsistent: ${message}`));
  const noteDeactivated = once((users) => output.note(`the service also lists a deactivated membership of ${users}`));
  let end: unknown;
  interruption.listen(() => progress.stop());
  try {
    for await (const event of sendRows(options, sending)) {
      switch (event.type) {
        case 'batch-sent':
          interruption.inFlight = event.inFlight;
          break;
        case 'rows':
          interruption.inFlight = event.inFlight;
          await live.print(event.rows, event.created);
          progress.update();
          break;
        case 'waiting':
          progress.wait(event);
          break;
        case 'inconsistency':
          warnOfInconsistency(event.message);
          break;
        case 'deactivated':
          noteDeactivated(`${event.userIds.slice(0, 3).join(', ')}${event.userIds.length > 3 ? ', …' : ''}`);
          break;
        case 'stopped':
          end = event.reason;
      }
    }
  } catch (error) {
    // The output failed. The iteration has waited for the requests in flight.
    end = error;
  } finally {
    interruption.sent();
    progress.stop();
  }
  // Nothing was left to do when the signal came: the run is complete.
  return end instanceof SignalReceived && isComplete(run, options) ? undefined : end;
}

/** Some services repeat the same inconsistency in every response, so it is reported once. */
function once(print: (text: string) => void): (text: string) => void {
  let isPrinted = false;
  return (text) => {
    if (!isPrinted) print(text);
    isPrinted = true;
  };
}

/** Whether every row was sent, and those of unknown outcome need not be confirmed. */
function isComplete({ rowStates }: ImportRun, { confirm }: SendOptions): boolean {
  const { unsent, unknown } = rowStates.counts();
  return unsent === 0 && (unknown === 0 || !confirm);
}

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
    this.#progress.update(
      () => this.#text(now),
      () => this.#logText(now),
    );
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
   * `stop`. Returns undefined for a run that took no noticeable time.
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
    const { finalized, total } = this.#rowStates;
    const done = `${formatCount(finalized)} of ${formatCount(total)} rows`;
    const wait = this.#waitText(now);
    // The reason comes first, because a narrow terminal cuts the end.
    if (wait !== undefined) return `${wait} · ${done}`;
    const perMs = this.#rowsPerMs(now);
    if (perMs === 0) return done;
    const limited = now < this.#rateLimitedUntil + TICK_MS ? ' · rate limited' : '';
    return `${done} · ${formatCount(Math.round(perMs * 1000))}/s · ${this.#timeLeft(perMs)}${limited}`;
  }

  #logText(now: number): string {
    const { finalized, total } = this.#rowStates;
    const perMs = this.#rowsPerMs(now);
    const next = this.#waitText(now) ?? (perMs === 0 ? undefined : this.#timeLeft(perMs));
    return [`imported ${formatCount(finalized)} of ${formatCount(total)}`, next].filter((part) => part).join(', ');
  }

  /** Says what the run waits for; undefined if requests are sent, be it slowly because of a rate limit. */
  #waitText(now: number): string | undefined {
    if (this.#wait === undefined) return undefined;
    const { reason, untilMs } = this.#wait;
    const isPaced = reason === 'rate-limited' && untilMs - now < TICK_MS;
    return isPaced ? undefined : `${WAIT_REASONS[reason]} ${renderDuration(untilMs - now)}`;
  }

  /** Returns the rate of this run; 0 if it is not known yet. */
  #rowsPerMs(now: number): number {
    const tookMs = now - this.#startedAt;
    return tookMs < TICK_MS ? 0 : (this.#rowStates.finalized - this.#doneBefore) / tookMs;
  }

  #timeLeft(perMs: number): string {
    return `${renderDuration((this.#rowStates.total - this.#rowStates.finalized) / perMs)} left`;
  }
}

const isFinalState = (state: RowState) => state !== 'unknown' && state !== 'unsent';

/** Prints each row as soon as it is final under `-o ndjson`, a created one with its member. Does nothing in other formats. */
export class LiveRows {
  readonly #run: ImportRun;
  readonly #output: Output;
  readonly #isLive: boolean;

  constructor(run: ImportRun, output: Output) {
    this.#run = run;
    this.#output = output;
    this.#isLive = output.format === 'ndjson';
  }

  /** Returns whether rows of this state have been printed when the run is over. */
  readonly hasPrinted = (state: RowState): boolean => this.#isLive && isFinalState(state);

  /** Prints the rows that are final before anything is sent: invalid ones, and those of an earlier process. */
  async printEarlier(source: ReportSource): Promise<void> {
    if (!this.#isLive || this.#run.rowStates.finalized === 0) return;
    for await (const { row } of reportRows(source, isFinalState)) await this.#output.ndjson([row]);
  }

  /**
   * Prints those of the rows that are final now.
   *
   * @param rows each row as often as it is sent, and not again once it is final
   * @param created members, by the number of their row
   */
  async print(rows: readonly PendingRow[], created: ReadonlyMap<number, Member>): Promise<void> {
    if (!this.#isLive) return;
    for (const { entry, line, value } of rows) {
      const state = this.#run.rowStates.stateOf(entry);
      if (!isFinalState(state)) continue;
      const row = await reportRow({ entry, line, userId: value.userId, issues: [] }, state, {
        messageFor: (at) => this.#run.messageFor(at),
      });
      const member = created.get(entry);
      await this.#output.ndjson([member === undefined ? row : { ...row, member }]);
    }
  }
}
