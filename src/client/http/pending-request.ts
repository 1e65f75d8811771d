import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';

export type IncomingHeaders = Record<string, string | string[] | undefined>;

export interface RawResponse {
  status: number;
  headers: IncomingHeaders;
  /** The body as it came over the wire, not decoded. Destroying it closes the connection unless it has ended. */
  body: Readable;
}

/** One request on its way. */
export interface PendingRequest {
  /** Resolves with the answer's status and headers, rejects with what undici reports or `abandon` was given. */
  readonly response: Promise<RawResponse>;
  /** False as long as not a byte of the request was written: then the service cannot have seen it. */
  written(): boolean;
  /** Gives up: the promise or the body fails with `reason`, and a request not yet written never will be. */
  abort(reason: Error): void;
}

/** Dispatches one request and hands back its answer as soon as the headers are in, with back-pressure on the body. */
export function startRequest(dispatcher: Dispatcher, options: Dispatcher.DispatchOptions): PendingRequest {
  let controller: Dispatcher.DispatchController | undefined;
  let body: Readable | undefined;
  let written = false;
  let abortReason: Error | undefined;
  let abort: (reason: Error) => void = () => {};

  const response = new Promise<RawResponse>((resolve, reject) => {
    abort = (reason) => {
      abortReason ??= reason;
      reject(abortReason);
      controller?.abort(abortReason);
    };
    dispatcher.dispatch(options, {
      // Called right before the first byte is written, so a request abandoned while connecting is never sent.
      onRequestStart(started) {
        controller = started;
        if (abortReason) started.abort(abortReason);
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
        if (body) body.destroy(abortReason ?? error);
        else reject(abortReason ?? error);
      },
    });
  });
  return { response, written: () => written, abort: (reason) => abort(reason) };
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
