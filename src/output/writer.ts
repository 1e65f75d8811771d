import { describeFsError, EXIT, OrgadmError, systemErrorCode } from '../util/errors.ts';

/** Errors of a pipe whose reader has exited, which are expected. */
const CLOSED_PIPE_CODES = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']);

/** Writes to a stream, waits for a slow reader, and drops everything after the reader has exited. */
export class Writer {
  readonly #stream: NodeJS.WritableStream;
  readonly #beforeWrite: () => void;
  #closed = false;
  #failure: Error | undefined;
  #written: Promise<void> = Promise.resolve();
  /** Ends the wait for the last chunk, because a stream that is closed early may never call back. */
  #close: () => void = () => {};
  #ready: Promise<void> | undefined;

  /** `beforeWrite` is called before each write to the stream, to clear the progress line of a terminal. */
  constructor(stream: NodeJS.WritableStream, beforeWrite: () => void) {
    this.#stream = stream;
    this.#beforeWrite = beforeWrite;
    stream.on('error', (error) => this.#fail(error));
    stream.on('close', () => {
      this.#closed = true;
      this.#close();
    });
  }

  /** Whether the stream is closed, usually because its reader has exited. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Writes text or bytes; resolves when there is room for more. Throws OrgadmError if an earlier write failed. */
  async write(chunk: string | Uint8Array): Promise<void> {
    this.#check();
    this.writeNow(chunk);
    await this.#ready;
  }

  /** Writes without waiting; `flush` throws a failure. */
  writeNow(chunk: string | Uint8Array): void {
    if (this.#closed || this.#failure || chunk.length === 0) return;
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

  /** Resolves when everything is written. Throws OrgadmError if a write failed. */
  async flush(): Promise<void> {
    await this.finish();
    this.#check();
  }

  /** Like `flush`, but ignores failures: for the stream on which they would be reported. */
  async finish(): Promise<void> {
    await this.#written;
  }

  /** Also ends on an error or close, which are never followed by `drain`. */
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
    if (CLOSED_PIPE_CODES.has(systemErrorCode(error) ?? '')) this.#closed = true;
    else this.#failure ??= error;
  }

  #check(): void {
    if (this.#failure === undefined) return;
    throw new OrgadmError('output-failed', EXIT.failure, `cannot write the output: ${describeFsError(this.#failure)}`, {
      hint: 'Check that the disk is not full and that the target is writable.',
      cause: this.#failure,
    });
  }
}
