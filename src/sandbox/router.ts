import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { domainStatusOperation } from './domains-route.ts';
import { INJECTED_FAULTS, type InjectedFault, pickFault } from './faults.ts';
import { listFindingsOperation } from './findings-route.ts';
import {
  jsonResponse,
  type Operation,
  type OperationRequest,
  parseRequestBody,
  RequestRejection,
  type SandboxContext,
  type SandboxResponse,
} from './operation.ts';
import { addMembersOperation } from './people-route.ts';
import { createRequestLimiter } from './rate-limit.ts';
import { updateRoleOperation } from './roles-route.ts';

/** Creates the function that handles a request up to its response or fault. The function never rejects. */
export function createRequestHandler(
  context: SandboxContext,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const { clock, faults, log } = context;
  const countRequest = faults.limit && createRequestLimiter(faults.limit);
  let requests = 0;

  return async (request, response) => {
    response.setHeader('x-request-id', `req_${randomUUID()}`);
    const startedAt = clock.now();
    requests += 1;
    const fault = pickFault(faults, context.seed, requests);
    const injected = fault && INJECTED_FAULTS[fault];
    const target = findTarget(request);
    // An unknown path may be personal data.
    const path = target?.route ?? '(unknown path)';
    const logOutcome = (outcome: string | number, note = '') => {
      const injectedNote = fault ? ` fault ${fault}` : '';
      log(`${request.method} ${path} ${outcome} ${clock.now() - startedAt}ms${note && ` ${note}`}${injectedNote}`);
    };

    let result: SandboxResponse | undefined;
    try {
      const body = await readText(request);
      const waitSeconds = countRequest?.(path, clock.now());
      if (waitSeconds !== undefined) {
        const headers = { 'retry-after': String(waitSeconds) };
        throw new RequestRejection(429, 'ThrottlerException: Too Many Requests', headers);
      }
      if (injected?.when !== 'before') result = await dispatch(request, target, body, context);
    } catch (cause) {
      if (context.signal.aborted || response.destroyed) return logOutcome('gone');
      const isRejection = cause instanceof RequestRejection;
      if (!isRejection) log(`internal error: ${cause instanceof Error ? cause.message : 'unknown'}`);
      result = renderRejection(isRejection ? cause : new RequestRejection(500, 'Internal server error'));
    }
    if (injected) injectFault(response, injected);
    else if (result) respond(response, result);
    logOutcome(injected?.effect ?? result?.status ?? 'none', result?.note);
  };
}

/** The operations of the interface (section 4). */
const ROUTES: readonly (readonly [method: string, path: string, operation: Operation])[] = [
  ['PATCH', '/v1/roles/{roleId}', updateRoleOperation],
  ['POST', '/v1/people/bulk', addMembersOperation],
  ['GET', '/v1/trust-portal/domain/status', domainStatusOperation],
  ['GET', '/v1/findings', listFindingsOperation],
];

interface RequestTarget extends Pick<OperationRequest, 'id' | 'query'> {
  readonly route: string;
  readonly operation: Operation;
}

/** Returns undefined if there is no route for the method and path. */
function findTarget({ method, url = '' }: IncomingMessage): RequestTarget | undefined {
  const [path = '', query] = url.split(/\?(.*)/s);
  for (const [routeMethod, route, operation] of ROUTES) {
    const id = method === routeMethod ? matchPath(route, path) : undefined;
    if (id !== undefined) return { route, operation, id, query: new URLSearchParams(query) };
  }
  return undefined;
}

/** Returns the decoded segment that `route` has in braces ('' if it has none), undefined if the path does not match. */
function matchPath(route: string, path: string): string | undefined {
  const match = new RegExp(`^${route.replace(/\{\w+\}/, '([^/]+)')}$`).exec(path);
  try {
    return match === null ? undefined : decodeURIComponent(match[1] ?? '');
  } catch {
    // The encoding is broken.
    return undefined;
  }
}

/**
 * Authenticates and executes a request (interface 5).
 *
 * @throws RequestRejection, or the reason of `signal` when the sandbox closes first
 */
async function dispatch(
  request: IncomingMessage,
  target: RequestTarget | undefined,
  body: string,
  context: SandboxContext,
): Promise<SandboxResponse> {
  if (!target) throw new RequestRejection(404, `Cannot ${request.method} ${request.url?.split('?')[0]}`);
  authenticate(request, context.apiKey);
  const call = { id: target.id, query: target.query, body: parseRequestBody(body) };
  const begin = () => target.operation(call, context);
  // Without latency, validation and change form one critical section.
  let finish = () => begin()();
  const { latency } = context.faults;
  if (latency > 0) {
    finish = begin();
    await context.clock.sleep(latency, context.signal);
  }
  const finishInTime = () => {
    context.signal.throwIfAborted();
    return finish();
  };
  return request.method === 'GET' ? finishInTime() : context.store.exclusively(finishInTime);
}

function authenticate(request: IncomingMessage, apiKey: string): void {
  const key = request.headers['x-api-key'];
  if (key === undefined) throw new RequestRejection(401, 'Missing API key');
  if (key !== apiKey) throw new RequestRejection(401, 'Invalid or expired API key');
}

/** Sends a response. */
function respond(response: ServerResponse, { status, text, headers }: SandboxResponse): void {
  const body = Buffer.from(text);
  const type = 'application/json; charset=utf-8';
  response.writeHead(status, { 'content-type': type, 'content-length': body.length, ...headers });
  response.end(body);
}

/** Fails instead of sending a response. */
function injectFault(response: ServerResponse, { effect }: InjectedFault): void {
  if (effect === 'hang') return;
  if (effect === 'reset') response.socket?.resetAndDestroy();
  else respond(response, renderRejection(new RequestRejection(effect, 'Internal server error')));
}

/** Statuses whose bodies have no `error` field on real services. */
const WITHOUT_TITLE = new Set([429, 500]);

/** Renders a rejection as most services do: with its message, its title and its status. */
function renderRejection({ status, messages, headers }: RequestRejection): SandboxResponse {
  const title = WITHOUT_TITLE.has(status) ? {} : { error: STATUS_CODES[status] ?? 'Error' };
  return { ...jsonResponse(status, { message: messages, ...title, statusCode: status }), headers };
}
