import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import type { Clock } from '../util/host.ts';
import { createLimiter, type Faults } from './faults.ts';
import { Rejection, type Reply, ROUTES, type SandboxContext } from './operations.ts';

export interface RouterOptions {
  readonly context: SandboxContext;
  readonly apiKey: string;
  readonly faults: Faults;
  readonly clock: Clock;
  /** Aborted when the sandbox closes; ends the latency of its requests. */
  readonly signal: AbortSignal;
}

/**
 * Creates the function that handles a request up to its response or fault.
 *
 * @returns a function that rejects only if the connection closes first
 */
export function createRouter(
  options: RouterOptions,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const { apiKey, clock, context, faults, signal } = options;
  const countRequest = faults.limit === undefined ? () => undefined : createLimiter(faults.limit);

  return async (request, response) => {
    response.setHeader('x-request-id', `req_${randomUUID()}`);
    const body = await readText(request);
    const waitSeconds = countRequest(clock.now());
    if (waitSeconds !== undefined) {
      response.setHeader('retry-after', waitSeconds);
      return respond(response, rejectionReply(new Rejection(429, 'ThrottlerException: Too Many Requests')));
    }
    if (Math.random() < faults.error500) return respond(response, SERVER_ERROR);
    if (faults.latencyMs > 0) await clock.sleep(faults.latencyMs, signal);
    if (signal.aborted) return;
    let reply: Reply;
    try {
      authenticate(request, apiKey);
      reply = execute(request, body, context);
    } catch (error) {
      reply = error instanceof Rejection ? rejectionReply(error) : SERVER_ERROR;
    }
    if (Math.random() < faults.resetAfter) response.socket?.resetAndDestroy();
    else respond(response, reply);
  };
}

/** Checks the key (interface 5). Throws a Rejection. */
function authenticate({ headers }: IncomingMessage, apiKey: string): void {
  const key = headers['x-api-key'];
  if (key === undefined) throw new Rejection(401, 'Missing API key');
  if (key !== apiKey) throw new Rejection(401, 'Invalid or expired API key');
}

/** Executes the operation of a path. Throws a Rejection, or the error of the store. */
function execute({ method = '', url = '' }: IncomingMessage, body: string, context: SandboxContext): Reply {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  for (const route of ROUTES) {
    const match = method === route.method ? route.path.exec(pathname) : null;
    if (match === null) continue;
    const input = method === 'GET' ? Object.fromEntries(searchParams) : parseBody(body);
    return route.execute(input, decodeURIComponent(match[1] ?? ''), context);
  }
  throw new Rejection(404, `Cannot ${method} ${pathname}`);
}

function parseBody(body: string): unknown {
  try {
    return body === '' ? {} : JSON.parse(body);
  } catch {
    throw new Rejection(400, 'The body is not valid JSON');
  }
}

function respond(response: ServerResponse, { status, body }: Reply): void {
  const text = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': text.length });
  response.end(text);
}

/** Renders a rejection as most services do: with its message, its title, and its status. */
function rejectionReply({ status, texts }: Rejection): Reply {
  const title = status === 429 ? {} : { error: STATUS_CODES[status] ?? 'Error' };
  return { status, body: { message: texts, ...title, statusCode: status } };
}

const SERVER_ERROR: Reply = { status: 500, body: { message: 'Internal server error', statusCode: 500 } };
