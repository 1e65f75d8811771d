import { SIGNAL_EXIT, type Signal } from '../../util/host.ts';
import { countOf } from '../../util/units.ts';
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
