import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { InjectedFault } from './faults.ts';
import { jsonResponse, RequestRejection, type SandboxContext, type SandboxResponse } from './operation.ts';

const SLOW_STEPS = 10;

const SIGN_IN_PAGE = htmlPage(200, '<!doctype html>\n<title>Sign in</title>\n<h1>Sign in to continue</h1>\n');

function htmlPage(status: number, text: string): SandboxResponse {
  return { status, contentType: 'text/html', text };
}

/** Sends a response, its body as slowly as the faults require. */
export async function respond(
  response: ServerResponse,
  result: SandboxResponse,
  { faults, clock, signal }: SandboxContext,
): Promise<void> {
  const body = writeHead(response, result);
  if (faults.slow > 0) {
    response.flushHeaders();
    const step = Math.max(1, Math.ceil(body.length / SLOW_STEPS));
    for (let at = 0; at < body.length && !response.destroyed; at += step) {
      await clock.sleep(faults.slow / SLOW_STEPS, signal);
      response.write(body.subarray(at, at + step));
    }
    response.end();
  } else response.end(body);
}

/**
 * Injects a fault into a response.
 *
 * @param result the response without the fault; undefined if the request was not executed
 */
export function respondWithFault(
  response: ServerResponse,
  { effect }: InjectedFault,
  result: SandboxResponse | undefined,
): void {
  if (effect === 'hang') return;
  if (effect === 'truncated' && result?.text) {
    const body = writeHead(response, result);
    response.write(body.subarray(0, Math.ceil(body.length / 2)), () => response.destroy());
  } else if (effect === 'reset' || effect === 'truncated') response.socket?.resetAndDestroy();
  else response.end(writeHead(response, errorPage(effect)));
}

function errorPage(effect: 'html' | 500 | 502 | 503 | 504): SandboxResponse {
  if (effect === 'html') return SIGN_IN_PAGE;
  if (effect === 500) return renderRejection(new RequestRejection(500, 'Internal server error'));
  return gatewayPage(effect);
}

/** Writes the status and the headers, and returns the body to be sent. */
function writeHead(response: ServerResponse, { status, contentType, text, headers }: SandboxResponse): Buffer {
  const body = Buffer.from(text);
  response.writeHead(status, { 'content-type': contentType, 'content-length': body.length, ...headers });
  return body;
}

/** Statuses whose bodies have no `error` field on real services. */
const WITHOUT_TITLE = new Set([413, 415, 429, 500]);

/** Renders a rejection as most services do: with its message, its title and its status. */
export function renderRejection({ status, messages, headers }: RequestRejection): SandboxResponse {
  const title = WITHOUT_TITLE.has(status) ? {} : { error: STATUS_CODES[status] ?? 'Error' };
  return { ...jsonResponse(status, { message: messages, ...title, statusCode: status }), headers };
}

/** Renders the error page of a gateway. */
function gatewayPage(status: number): SandboxResponse {
  const title = `${status} ${STATUS_CODES[status] ?? 'Error'}`;
  const body = `<body>\n<center><h1>${title}</h1></center>\n</body>`;
  return htmlPage(status, `<html>\n<head><title>${title}</title></head>\n${body}\n</html>\n`);
}
