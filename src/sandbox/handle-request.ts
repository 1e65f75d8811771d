import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
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
    const foreign = rejectForeignRequest(request);
    if (foreign !== undefined) {
      respond(response, renderRejection(foreign));
      return log(`rejected: ${String(foreign.messages)}`);
    }
    const startedAt = clock.now();
    requests += 1;
    const fault = pickFault(faults, context.seed, requests);
    const injected = fault && INJECTED_FAULTS[fault];
    const target = parseTarget(request);
    const logOutcome = (outcome: string | number, note = '') => {
      const injectedNote = fault ? ` fault ${fault}` : '';
      log(
        `${request.method} ${target.pattern} ${outcome} ${clock.now() - startedAt}ms${note && ` ${note}`}${injectedNote}`,
      );
    };

    let result: SandboxResponse | undefined;
    try {
      const body = await readText(request);
      const waitSeconds = countRequest?.(target.pattern, clock.now());
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

const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i;

/** Values of Sec-Fetch-Site for requests that no other site caused. */
const SAME_SITE: readonly unknown[] = [undefined, 'same-origin', 'none'];

/**
 * Rejects requests that a web page in the user's browser may have caused: those for another host name, which arrive
 * after DNS rebinding, and those of another origin. Any port is accepted, because the sandbox may be behind a forwarded
 * one.
 *
 * @returns the rejection (403); undefined for a request of a program on this machine
 */
function rejectForeignRequest({ headers, rawHeaders }: IncomingMessage): RequestRejection | undefined {
  const reject = (message: string) => new RequestRejection(403, message, { connection: 'close' });
  const { host = '', origin } = headers;
  // Node.js keeps the first of several Host headers; a proxy may have used the last one.
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts.length > 1 || !LOOPBACK.test(host)) {
    return reject('The sandbox only accepts requests for 127.0.0.1 or localhost');
  }
  if (!SAME_SITE.includes(headers['sec-fetch-site']) || (origin !== undefined && origin !== `http://${host}`)) {
    return reject('The sandbox does not accept requests from other origins');
  }
  return undefined;
}

/** The operations by method and path. */
const OPERATIONS: ReadonlyMap<string, Operation> = new Map([
  ['PATCH /v1/roles/{roleId}', updateRoleOperation],
  ['POST /v1/people/bulk', addMembersOperation],
  ['GET /v1/trust-portal/domain/status', domainStatusOperation],
  ['GET /v1/findings', listFindingsOperation],
]);

interface RequestTarget extends Pick<OperationRequest, 'roleId' | 'query'> {
  readonly path: string;
  /** The path for the log and the rate limit: without the role, and without an unknown path, which may be personal data. */
  readonly pattern: string;
  /** Undefined if there is none for the method and path. */
  readonly operation: Operation | undefined;
}

function parseTarget({ method, url }: IncomingMessage): RequestTarget {
  const [, path = '', query] = /^([^?]*)\??(.*)$/.exec(url ?? '') ?? [];
  const roleId = decodeSegment(/^\/v1\/roles\/([^/]+)$/.exec(path)?.[1] ?? '');
  const pattern = roleId === '' ? path : '/v1/roles/{roleId}';
  const operation = OPERATIONS.get(`${method} ${pattern}`);
  return {
    path,
    query: new URLSearchParams(query),
    roleId,
    pattern: operation ? pattern : '(unknown path)',
    operation,
  };
}

/** Returns '' for a segment whose encoding is broken. */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
}

/**
 * Authenticates and executes a request (interface 5).
 *
 * @throws RequestRejection, or the reason of `signal` when the sandbox closes first
 */
async function dispatch(
  request: IncomingMessage,
  { path, operation, roleId, query }: RequestTarget,
  body: string,
  context: SandboxContext,
): Promise<SandboxResponse> {
  if (!operation) throw new RequestRejection(404, `Cannot ${request.method} ${path}`);
  authenticate(request, context.apiKey);
  const parsed = parseRequestBody(body);
  const begin = () => operation({ roleId, query, body: parsed }, context);
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
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const isEqual = timingSafeEqual(digest(String(key)), digest(apiKey));
  if (!isEqual) throw new RequestRejection(401, 'Invalid or expired API key');
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
