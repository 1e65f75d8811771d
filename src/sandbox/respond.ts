import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { InjectedFault } from './faults.ts';
import { jsonResponse, RequestRejection, type SandboxResponse } from './operation.ts';

/** Sends a response. */
export function respond(response: ServerResponse, { status, text, headers }: SandboxResponse): void {
  const body = Buffer.from(text);
  const type = 'application/json; charset=utf-8';
  response.writeHead(status, { 'content-type': type, 'content-length': body.length, ...headers });
  response.end(body);
}

/** Fails instead of sending a response. */
export function injectFault(response: ServerResponse, { effect }: InjectedFault): void {
  if (effect === 'hang') return;
  if (effect === 'reset') response.socket?.resetAndDestroy();
  else respond(response, renderRejection(new RequestRejection(effect, 'Internal server error')));
}

/** Statuses whose bodies have no `error` field on real services. */
const WITHOUT_TITLE = new Set([413, 415, 429, 500]);

/** Renders a rejection as most services do: with its message, its title and its status. */
export function renderRejection({ status, messages, headers }: RequestRejection): SandboxResponse {
  const title = WITHOUT_TITLE.has(status) ? {} : { error: STATUS_CODES[status] ?? 'Error' };
  return { ...jsonResponse(status, { message: messages, ...title, statusCode: status }), headers };
}
