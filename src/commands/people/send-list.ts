import type { ImportRun } from '../../import/journal/import-run.ts';
import { type SendContext, type SendOptions, sendRows } from '../../import/send/scheduler.ts';
import { SIGNAL_EXIT, type Signal } from '../../util/host.ts';
import { countOf } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import type { ImportProgress, LiveRows } from './import-progress.ts';

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
