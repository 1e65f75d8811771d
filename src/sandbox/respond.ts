import type { ServerResponse } from 'node:http';
import type { Clock } from '../util/clock.ts';
import { gatewayPage, renderRejection } from './error-response.ts';
import type { InjectedFault } from './faults.ts';
import { RequestRejection, type SandboxResponse } from './sandbox-response.ts';
import type { ErrorShape } from './variants.ts';

const TRICKLE_STEPS = 10;

const SIGN_IN_PAGE: SandboxResponse = {
  status: 200,
  contentType: 'text/html',
  text: '<!doctype html>\n<title>Sign in</title>\n<h1>Sign in to continue</h1>\n',
};

/** Time for a body to trickle out in, and what cuts the waiting short. */
export interface ResponsePace {
  readonly slowMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Sends an answer at the given pace. */
export async function respond(response: ServerResponse, result: SandboxResponse, pace: ResponsePace): Promise<void> {
  if (pace.slowMs > 0) await trickle(response, result, pace);
  else sendWhole(response, result);
}

/** Does to the connection what a fault does; `answer` is what would have been sent, if there was one. */
export function respondWithFault(
  response: ServerResponse,
  fault: InjectedFault,
  result: SandboxResponse | undefined,
  shape: ErrorShape,
): void {
  switch (fault.effect) {
    case 'hang':
      break;
    case 'reset':
      resetConnection(response);
      break;
    case 'truncated':
      sendHalf(response, result);
      break;
    case 'html':
      sendWhole(response, SIGN_IN_PAGE);
      break;
    case 500:
      sendWhole(response, renderRejection(new RequestRejection(500, 'Internal server error'), shape));
      break;
    default:
      sendWhole(response, gatewayPage(fault.effect));
  }
}

function sendWhole(response: ServerResponse, result: SandboxResponse): void {
  const body = Buffer.from(result.text);
  writeHead(response, result, body.length);
  response.end(body);
}

/** Closes the connection in the middle of the body; without one there is only a reset. */
function sendHalf(response: ServerResponse, result: SandboxResponse | undefined): void {
  if (!result || result.text === '') {
    resetConnection(response);
    return;
  }
  const body = Buffer.from(result.text);
  writeHead(response, result, body.length);
  response.write(body.subarray(0, Math.ceil(body.length / 2)), () => response.destroy());
}

async function trickle(
  response: ServerResponse,
  result: SandboxResponse,
  { slowMs, clock, signal }: ResponsePace,
): Promise<void> {
  const body = Buffer.from(result.text);
  writeHead(response, result, body.length);
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

function writeHead(response: ServerResponse, result: SandboxResponse, length: number): void {
  const type = length === 0 ? {} : { 'content-type': result.contentType };
  const size = result.status === 204 ? {} : { 'content-length': length };
  response.writeHead(result.status, { ...type, ...size, ...result.headers });
}
