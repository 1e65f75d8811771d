import type { ServerResponse } from 'node:http';
import type { Clock } from '../util/clock.ts';
import { gatewayPage, renderRefusal } from './error-response.ts';
import type { Strike } from './faults.ts';
import { type Answer, Refusal } from './sandbox-response.ts';
import type { ErrorShape } from './variants.ts';

const TRICKLE_STEPS = 10;

const SIGN_IN_PAGE: Answer = {
  status: 200,
  contentType: 'text/html',
  text: '<!doctype html>\n<title>Sign in</title>\n<h1>Sign in to continue</h1>\n',
};

/** Time for a body to trickle out in, and what cuts the waiting short. */
export interface Pace {
  readonly slowMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Sends an answer at the given pace. */
export async function sendAnswer(response: ServerResponse, answer: Answer, pace: Pace): Promise<void> {
  if (pace.slowMs > 0) await trickle(response, answer, pace);
  else sendWhole(response, answer);
}

/** Does to the connection what a fault does; `answer` is what would have been sent, if there was one. */
export function sendStruck(
  response: ServerResponse,
  strike: Strike,
  answer: Answer | undefined,
  shape: ErrorShape,
): void {
  switch (strike.sees) {
    case 'hang':
      break;
    case 'reset':
      resetConnection(response);
      break;
    case 'truncated':
      sendHalf(response, answer);
      break;
    case 'html':
      sendWhole(response, SIGN_IN_PAGE);
      break;
    case 500:
      sendWhole(response, renderRefusal(new Refusal(500, 'Internal server error'), shape));
      break;
    default:
      sendWhole(response, gatewayPage(strike.sees));
  }
}

function sendWhole(response: ServerResponse, answer: Answer): void {
  const body = Buffer.from(answer.text);
  writeHead(response, answer, body.length);
  response.end(body);
}

/** Closes the connection in the middle of the body; without one there is only a reset. */
function sendHalf(response: ServerResponse, answer: Answer | undefined): void {
  if (!answer || answer.text === '') {
    resetConnection(response);
    return;
  }
  const body = Buffer.from(answer.text);
  writeHead(response, answer, body.length);
  response.write(body.subarray(0, Math.ceil(body.length / 2)), () => response.destroy());
}

async function trickle(response: ServerResponse, answer: Answer, { slowMs, clock, signal }: Pace): Promise<void> {
  const body = Buffer.from(answer.text);
  writeHead(response, answer, body.length);
  response.flushHeaders();
  const step = Math.max(1, Math.ceil(body.length / TRICKLE_STEPS));
  for (let at = 0; at < body.length && !response.destroyed; at += step) {
    await clock.sleep(slowMs / TRICKLE_STEPS, signal);
    response.write(body.subarray(at, at + step));
  }
  response.end();
}

function resetConnection(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}

function writeHead(response: ServerResponse, answer: Answer, length: number): void {
  const type = length === 0 ? {} : { 'content-type': answer.contentType };
  const size = answer.status === 204 ? {} : { 'content-length': length };
  response.writeHead(answer.status, { ...type, ...size, ...answer.headers });
}
