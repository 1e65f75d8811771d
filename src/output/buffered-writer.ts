import { EXIT, OrgadmError } from '../util/errors.ts';
import { describeFsError } from '../util/fs-error.ts';

const BUFFER_LIMIT = 64 * 1024;

/** What the reader of a pipe does when it has seen enough; not an error of ours. */
const CLOSED_PIPE_CODES = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']);

/**
 * The writing end of one stream. Gathers small writes until 64 KiB are together or the current turn of the event loop
 * ends, waits where the reader is slow, and falls silent when the reader has gone away.
 */
export class BufferedWriter {
  readonly #stream: NodeJS.WritableStream;
  readonly #beforeWrite: () => void;
  #buffer: string[] = [];
  #size = 0;
  #scheduled = false;
  #closed = false;
  #failure: Error | undefined;
  #written: Promise<void> = Promise.resolve();
  /** Ends the wait for the last chunk: a stream that is closed early may never call back. */
  #close: () => void = () => {};
  #ready: Promise<void> | undefined;

  /** `beforeWrite` is called each time before the stream is written to, to clear what else stands on that terminal. */
  constructor(stream: NodeJS.WritableStream, beforeWrite: () => void) {
    this.#stream = stream;
    this.#beforeWrite = beforeWrite;
    stream.on('error', (error) => this.#fail(error));
    stream.on('close', () => {
      this.#closed = true;
      this.#close();
    });
  }

  /** The stream takes no more, mostly because its reader has gone away: everything from now on is dropped. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Takes text, or bytes as they are; resolves when there is room for more. Throws OrgadmError when an earlier write has failed. */
  async write(text: string | Uint8Array): Promise<void> {
    this.#check();
    if (this.#closed || text.length === 0) return;
    if (typeof text !== 'string') {
      this.push();
      this.#hand(text);
      return this.#ready;
    }
    this.#buffer.push(text);
    this.#size += text.length;
    if (this.#size >= BUFFER_LIMIT) this.push();
    else this.#schedule();
    await this.#ready;
  }

  /** Like `write`, handed to the stream at once and without waiting; a failure shows in `flush`. */
  writeNow(text: string): void {
    this.#buffer.push(text);
    this.#size += text.length;
    this.push();
  }

  /** Hands what is gathered to the stream at once. */
  push(): void {
    if (this.#size === 0) return;
    const text = this.#buffer.join('');
    this.#buffer = [];
    this.#size = 0;
    this.#hand(text);
  }

  #hand(chunk: string | Uint8Array): void {
    if (this.#closed || this.#failure) return;
    this.#beforeWrite();
    this.#written = new Promise((resolve) => {
      this.#close = resolve;
      const room = this.#stream.write(chunk, (error) => {
        if (error) this.#fail(error);
        resolve();
      });
      if (!room) this.#ready ??= this.#untilReady();
    });
  }

  /** Resolves when the stream has taken everything. Throws OrgadmError when something could not be written. */
  async flush(): Promise<void> {
    await this.finish();
    this.#check();
  }

  /** Like `flush`, but no failure is told: for the stream on which it would have to be told. */
  async finish(): Promise<void> {
    this.push();
    await this.#written;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.push();
    });
  }

  /** Also ends on an error or a close: neither is ever followed by `drain`. */
  async #untilReady(): Promise<void> {
    const stream = this.#stream;
    await new Promise<void>((resolve) => {
      const done = () => {
        for (const event of ['drain', 'error', 'close']) stream.removeListener(event, done);
        resolve();
      };
      for (const event of ['drain', 'error', 'close']) stream.on(event, done);
    });
    this.#ready = undefined;
  }

  #fail(error: Error): void {
    if ('code' in error && typeof error.code === 'string' && CLOSED_PIPE_CODES.has(error.code)) this.#closed = true;
    else this.#failure ??= error;
  }

  #check(): void {
    if (this.#failure === undefined) return;
    throw new OrgadmError(
      'output-failed',
      EXIT.failure,
      `the output could not be written: ${describeFsError(this.#failure)}`,
      {
        hint: 'Check that the disk is not full and that the target can be written to.',
        cause: this.#failure,
      },
    );
  }
}
