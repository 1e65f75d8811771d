import { PassThrough } from 'node:stream';
import type { Host } from '../util/host.ts';

const CTRL_Z = '\x1a';

/** What a prompt does about Ctrl-Z. */
export interface StopHandlers {
  /** Called before the process stops. */
  onStop?(): void;
  /** Draws the prompt again: the shell has written below it. */
  redraw(): void;
}

/**
 * The keys typed at a prompt in raw mode. Ctrl-Z stops the process, as it does outside of raw mode, and `fg` continues the
 * prompt. Readline would leave the terminal with echo if the process cannot be stopped, and pause the input after `fg`.
 */
export class Keyboard extends PassThrough {
  readonly isTTY = true;
  readonly #host: Pick<Host, 'stdin' | 'jobControl'>;
  readonly #handlers: StopHandlers;
  readonly #release: () => void;

  constructor(host: Pick<Host, 'stdin' | 'jobControl'>, handlers: StopHandlers) {
    super();
    this.#host = host;
    this.#handlers = handlers;
    this.#release = host.jobControl.onContinue(this.#onContinue);
    host.stdin.on('data', this.#onData);
    // Adding a listener does not resume what an earlier prompt has paused.
    host.stdin.resume();
  }

  setRawMode(raw: boolean): this {
    this.#host.stdin.setRawMode?.(raw);
    return this;
  }

  /** Stops reading keys. Does not change the mode of the terminal. */
  close(): void {
    this.#release();
    this.#host.stdin.off('data', this.#onData);
    this.#host.stdin.pause();
  }

  readonly #onData = (typed: string | Buffer): void => {
    // One byte a character: a letter may be split between two chunks.
    const [first = '', ...others] = Buffer.from(typed).toString('latin1').split(CTRL_Z);
    this.write(first, 'latin1');
    for (const text of others) {
      this.#stop();
      this.write(text, 'latin1');
    }
  };

  #stop(): void {
    if (!this.#host.jobControl.canStop()) return;
    this.#handlers.onStop?.();
    this.setRawMode(false);
    this.#host.jobControl.stop();
    this.setRawMode(true);
  }

  readonly #onContinue = (): void => {
    // The shell may have changed the mode, and Node.js would not set the same one twice.
    this.setRawMode(false);
    this.setRawMode(true);
    this.#handlers.redraw();
  };
}
