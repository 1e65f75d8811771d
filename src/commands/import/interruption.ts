import type { Progress } from '../../output/progress.ts';
import { SIGNAL_EXIT, type Signal } from '../../util/host.ts';
import { countOf } from '../../util/units.ts';
import type { Context } from '../command-context.ts';

/** The reason of a run that ended because of a signal. */
export class SignalReceived {
  readonly signal: Signal;
  constructor(signal: Signal) {
    this.signal = signal;
  }
}

/** Stops a run at the first signal, and ends the process at the second. */
export class Interruption {
  /** Number of requests in flight. */
  inFlight = 0;
  readonly #stop = new AbortController();
  #release: () => void = () => {};

  /** Aborted at the first signal, with `SignalReceived` as its reason. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** @param beforeExit called before the process ends at the second signal, or after an exception that nothing catches */
  listen(beforeExit: () => void, context: Context): void {
    const { host, output } = context;
    context.beforeExit = beforeExit;
    const release = host.onSignal((signal) => {
      if (this.signal.aborted) {
        beforeExit();
        host.exitNow(SIGNAL_EXIT[signal]);
      }
      this.#stop.abort(new SignalReceived(signal));
      const { inFlight } = this;
      output.note(
        inFlight === 0 ? 'stopping' : `finishing ${countOf(inFlight, 'request')}; interrupt again to stop now`,
      );
    });
    this.#release = () => {
      release();
      context.beforeExit = () => {};
    };
  }

  /** Restores the default action. */
  release(): void {
    this.#release();
  }
}

/** Does work that comes before the first row is sent, with progress. A signal ends the process, and says that nothing was sent. */
export async function beforeSending<T>(work: (progress: Progress) => Promise<T>, context: Context): Promise<T> {
  const { host, output } = context;
  const progress = await context.progress();
  const release = host.onSignal((signal) => {
    progress.stop();
    output.note('nothing was sent');
    host.exitNow(SIGNAL_EXIT[signal]);
  });
  try {
    return await work(progress);
  } finally {
    release();
    progress.stop();
  }
}
