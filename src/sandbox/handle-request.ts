import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type FaultPlan, type Faults, INJECTED_FAULTS, planFaults } from './behaviors.ts';
import {
  jsonResponse,
  type Operation,
  parseRequestBody,
  RequestRejection,
  readRequestBody,
  type SandboxContext,
  type SandboxResponse,
} from './operation.ts';
import { createRateLimiter } from './rate-limit.ts';
import { renderRejection, respond, respondWithFault } from './respond.ts';
import { domainStatusOperation } from './routes/domains-route.ts';
import { listFindingsOperation } from './routes/findings-route.ts';
import { addMembersOperation } from './routes/people-route.ts';
import { updateRoleOperation } from './routes/roles-route.ts';
import { SANDBOX_IDS } from './seed.ts';

interface HandlerOptions {
  readonly context: SandboxContext;
  readonly faults: Faults;
  readonly seed: number;
  readonly apiKey: string;
  readonly log: (line: string) => void;
  /** Aborted when the sandbox closes; drops unfinished requests. */
  readonly signal: AbortSignal;
}

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Creates the function that handles a request up to its response or fault. The function never rejects. */
export function createRequestHandler(options: HandlerOptions): RequestHandler {
  const { context, faults, seed, log, signal } = options;
  const { clock, variants } = context;
  const shape = variants['error-shape'];
  const pace = { slowMs: faults.slow, clock, signal };
  const countRequest = faults.limit && createRateLimiter(faults.limit);
  let requests = 0;

  const applyLimit = (route: string, response: ServerResponse): void => {
    const counted = countRequest?.(route, clock.now());
    for (const [name, value] of Object.entries(counted?.headers ?? {})) response.setHeader(name, value);
    if (counted?.isOver) throw new RequestRejection(429, 'ThrottlerException: Too Many Requests');
  };

  const renderFailure = (cause: unknown): SandboxResponse => {
    if (cause instanceof RequestRejection) return renderRejection(cause, shape);
    log(`internal error: ${cause instanceof Error ? cause.message : 'unknown'}`);
    return renderRejection(new RequestRejection(500, 'Internal server error'), shape);
  };

  return async (request, response) => {
    response.setHeader('x-request-id', `req_${randomUUID()}`);
    const foreign = rejectForeignRequest(request);
    if (foreign !== undefined) {
      await respond(response, renderRejection(foreign, shape), pace);
      return log(`rejected: ${String(foreign.messages)}`);
    }
    const startedAt = clock.now();
    requests += 1;
    const faultPlan = planFaults(faults, seed, requests);
    const injected = faultPlan.fault && INJECTED_FAULTS[faultPlan.fault];
    const target = parseTarget(request);
    // Logs the pattern, because an unknown path may contain personal data.
    const route = target.route?.pattern ?? '(unknown path)';
    const logOutcome = (outcome: string | number, note = '') => {
      const fault = faultPlan.fault ? ` fault ${faultPlan.fault}` : '';
      log(`${request.method} ${route} ${outcome} ${clock.now() - startedAt}ms${note && ` ${note}`}${fault}`);
    };

    let result: SandboxResponse | undefined;
    try {
      const body = await readRequestBody(request);
      applyLimit(route, response);
      if (injected?.when !== 'before') result = await dispatch(request, target, body, faultPlan, options);
    } catch (cause) {
      if (signal.aborted || response.destroyed) return logOutcome('gone');
      result = renderFailure(cause);
    }
    if (injected) respondWithFault(response, injected, result, shape);
    else if (result) await respond(response, result, pace);
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

interface Route {
  readonly method: string;
  /** A path in which at most one segment is a `{parameter}`. */
  readonly pattern: string;
  readonly operation: Operation;
  /** Whether the route requires no API key. */
  readonly isPublic?: boolean;
}

const ROUTES: readonly Route[] = [
  { method: 'GET', pattern: '/', operation: () => () => jsonResponse(200, SANDBOX_IDS), isPublic: true },
  { method: 'PATCH', pattern: '/v1/roles/{roleId}', operation: updateRoleOperation },
  { method: 'POST', pattern: '/v1/people/bulk', operation: addMembersOperation },
  { method: 'GET', pattern: '/v1/trust-portal/domain/status', operation: domainStatusOperation },
  { method: 'GET', pattern: '/v1/findings', operation: listFindingsOperation },
];

/** The parsed request target. `route` is undefined if there is none for its method and path. */
interface RequestTarget {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly route: Route | undefined;
  /** The decoded path parameter; '' for a route without one. */
  readonly pathParameter: string;
}

function parseTarget({ method, url = '' }: IncomingMessage): RequestTarget {
  const [path = '', ...rest] = url.split('?');
  const query = new URLSearchParams(rest.join('?'));
  for (const route of ROUTES) {
    const pathParameter = route.method === method ? matchPath(route.pattern, path) : undefined;
    if (pathParameter !== undefined) return { path, query, route, pathParameter };
  }
  return { path, query, route: undefined, pathParameter: '' };
}

/** Returns the decoded parameter, '' for a pattern without one, undefined for a path that does not match. */
function matchPath(pattern: string, path: string): string | undefined {
  const match = new RegExp(`^${pattern.replace(/\{\w+\}/, '([^/]+)')}$`).exec(path);
  try {
    return match ? decodeURIComponent(match[1] ?? '') : undefined;
  } catch {
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
  target: RequestTarget,
  body: Buffer,
  faultPlan: FaultPlan,
  { context, apiKey, signal }: { context: SandboxContext; apiKey: string; signal: AbortSignal },
): Promise<SandboxResponse> {
  const { path, query, route, pathParameter } = target;
  if (!route) throw new RequestRejection(404, `Cannot ${request.method} ${path}`);
  if (!route.isPublic) authenticate(request, apiKey);
  const parsed = parseRequestBody(body, request.headers['content-type']);
  const begin = () => route.operation({ pathParameter, query, body: parsed, faultPlan }, context);
  const inTime = <T>(step: () => T): T => {
    signal.throwIfAborted();
    return step();
  };
  if (route.method === 'GET') {
    const finish = begin();
    await pause(faultPlan, context, signal);
    return inTime(finish);
  }
  // Without latency, validation and change form one critical section.
  if (faultPlan.latencyMs === 0) return context.store.exclusively(() => inTime(() => begin()()));
  const finish = begin();
  await pause(faultPlan, context, signal);
  return context.store.exclusively(() => inTime(finish));
}

async function pause({ latencyMs }: FaultPlan, { clock }: SandboxContext, signal: AbortSignal): Promise<void> {
  if (latencyMs > 0) await clock.sleep(latencyMs, signal);
}

function authenticate(request: IncomingMessage, apiKey: string): void {
  const key = request.headers['x-api-key'];
  if (key === undefined) throw new RequestRejection(401, 'Missing API key');
  if (!isEqual(String(key), apiKey)) throw new RequestRejection(401, 'Invalid or expired API key');
}

/** Compares in constant time. */
function isEqual(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
