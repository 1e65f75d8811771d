import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';

export type IncomingHeaders = Record<string, string | string[] | undefined>;

export interface RawAnswer {
  status: number;
  headers: IncomingHeaders;
  /** The body as it came over the wire, not decoded. Destroying it closes the connection unless it has ended. */
  body: Readable;
}

/** One request on its way. */
export interface Exchange {
  /** Resolves with the answer's status and headers, rejects with what undici reports or `abandon` was given. */
  readonly answer: Promise<RawAnswer>;
  /** False as long as not a byte of the request was written: then the service cannot have seen it. */
  written(): boolean;
  /** Gives up: the promise or the body fails with `reason`, and a request not yet written never will be. */
  abandon(reason: Error): void;
}

/** Dispatches one request and hands back its answer as soon as the headers are in, with back-pressure on the body. */
export function startExchange(dispatcher: Dispatcher, options: Dispatcher.DispatchOptions): Exchange {
  let controller: Dispatcher.DispatchController | undefined;
  let body: Readable | undefined;
  let written = false;
  let abandoned: Error | undefined;
  let abandon: (reason: Error) => void = () => {};

  const answer = new Promise<RawAnswer>((resolve, reject) => {
    abandon = (reason) => {
      abandoned ??= reason;
      reject(abandoned);
      controller?.abort(abandoned);
    };
    dispatcher.dispatch(options, {
      // Called right before the first byte is written, so a request abandoned while connecting is never sent.
      onRequestStart(started) {
        controller = started;
        if (abandoned) started.abort(abandoned);
        else written = true;
      },
      onResponseStart(started, status, headers) {
        if (status < 200) return;
        body = bodyOf(started);
        resolve({ status, headers, body });
      },
      onResponseData(started, chunk) {
        if (body && !body.push(chunk)) started.pause();
      },
      onResponseEnd() {
        body?.push(null);
      },
      onResponseError(_started, error) {
        if (body) body.destroy(abandoned ?? error);
        else reject(abandoned ?? error);
      },
    });
  });
  return { answer, written: () => written, abandon: (reason) => abandon(reason) };
}

function bodyOf(controller: Dispatcher.DispatchController): Readable {
  const body = new Readable({
    read: () => controller.resume(),
    destroy(error, done) {
      controller.abort(error ?? new Error('The answer was not read to its end.'));
      done(error);
    },
  });
  // A connection lost before anyone reads must not end the process; whoever reads later still gets the error.
  body.on('error', () => {});
  return body;
}
