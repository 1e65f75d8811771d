import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { ErrorShape, InjectedFault } from './behaviors.ts';
import { RequestRejection, type SandboxContext, type SandboxResponse } from './operation.ts';

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
  shape: ErrorShape,
): void {
  if (effect === 'hang') return;
  if (effect === 'truncated' && result?.text) {
    const body = writeHead(response, result);
    response.write(body.subarray(0, Math.ceil(body.length / 2)), () => response.destroy());
  } else if (effect === 'reset' || effect === 'truncated') response.socket?.resetAndDestroy();
  else response.end(writeHead(response, errorPage(effect, shape)));
}

function errorPage(effect: 'html' | 500 | 502 | 503 | 504, shape: ErrorShape): SandboxResponse {
  if (effect === 'html') return SIGN_IN_PAGE;
  return effect === 500
    ? renderRejection(new RequestRejection(500, 'Internal server error'), shape)
    : gatewayPage(effect);
}

/** Writes the status and the headers, and returns the body to be sent. */
function writeHead(response: ServerResponse, { status, contentType, text, headers }: SandboxResponse): Buffer {
  const body = Buffer.from(text);
  const type = body.length === 0 ? {} : { 'content-type': contentType };
  const size = status === 204 ? {} : { 'content-length': body.length };
  response.writeHead(status, { ...type, ...size, ...headers });
  return body;
}

/** Statuses whose bodies have no `error` field on real services. */
const WITHOUT_TITLE = new Set([413, 415, 429, 500]);

/** Renders a rejection in one of the error shapes. */
export function renderRejection(rejection: RequestRejection, shape: ErrorShape): SandboxResponse {
  const { status, messages: message, headers } = rejection;
  const title = STATUS_CODES[status] ?? 'Error';
  const text = typeof message === 'string' ? message : message.join('; ');
  const json = (body: unknown, contentType = 'application/json; charset=utf-8'): SandboxResponse => {
    return { status, headers, contentType, text: JSON.stringify(body) };
  };
  switch (shape) {
    case 'nest':
      return json({ message, ...(WITHOUT_TITLE.has(status) ? {} : { error: title }), statusCode: status });
    case 'problem':
      return json({ type: 'about:blank', title, status, detail: text }, 'application/problem+json');
    case 'nested':
      return json({ error: { code: title.toLowerCase().replaceAll(/\W+/g, '_'), message: text } });
    case 'string':
      return json(text);
    case 'html':
      return { ...gatewayPage(status), headers };
    case 'empty':
      return { status, headers, contentType: 'text/plain', text: '' };
  }
}

/** Renders the error page of a gateway. */
function gatewayPage(status: number): SandboxResponse {
  const title = `${status} ${STATUS_CODES[status] ?? 'Error'}`;
  const body = `<body>\n<center><h1>${title}</h1></center>\n</body>`;
  return htmlPage(status, `<html>\n<head><title>${title}</title></head>\n${body}\n</html>\n`);
}
