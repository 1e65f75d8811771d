import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FaultPlan } from './faults.ts';
import { SANDBOX_IDS } from './ids.ts';
import {
  jsonResponse,
  type Operation,
  parseRequestBody,
  RequestRejection,
  type SandboxContext,
  type SandboxResponse,
} from './operation.ts';
import { domainStatusOperation } from './routes/domains-route.ts';
import { listFindingsOperation } from './routes/findings-route.ts';
import { addMembersOperation } from './routes/people-route.ts';
import { updateRoleOperation } from './routes/roles-route.ts';

interface Route {
  readonly method: string;
  /** A path in which at most one segment is a `{parameter}`. */
  readonly pattern: string;
  readonly operation: Operation;
  /** Whether the route requires no API key. */
  readonly isPublic?: boolean;
}

interface RouteMatch {
  readonly route: Route;
  /** The decoded path parameter; '' for a route without one. */
  readonly pathParameter: string;
}

const ROUTES: readonly Route[] = [
  { method: 'GET', pattern: '/', operation: () => () => jsonResponse(200, SANDBOX_IDS), isPublic: true },
  { method: 'PATCH', pattern: '/v1/roles/{roleId}', operation: updateRoleOperation },
  { method: 'POST', pattern: '/v1/people/bulk', operation: addMembersOperation },
  { method: 'GET', pattern: '/v1/trust-portal/domain/status', operation: domainStatusOperation },
  { method: 'GET', pattern: '/v1/findings', operation: listFindingsOperation },
];

function matchRoute(method: string, path: string): RouteMatch | undefined {
  for (const route of ROUTES) {
    const pathParameter = route.method === method ? matchPath(route.pattern, path) : undefined;
    if (pathParameter !== undefined) return { route, pathParameter };
  }
  return undefined;
}

function matchPath(pattern: string, path: string): string | undefined {
  const expected = pattern.split('/');
  const actual = path.split('/');
  if (expected.length !== actual.length) return undefined;
  let parameter = '';
  for (const [index, segment] of expected.entries()) {
    const value = actual[index] ?? '';
    if (!segment.startsWith('{')) {
      if (segment !== value) return undefined;
      continue;
    }
    const decoded = decodeSegment(value);
    if (!decoded) return undefined;
    parameter = decoded;
  }
  return parameter;
}

function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** The parsed request target. `match` is undefined for an unknown route. */
interface RequestTarget {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly match: RouteMatch | undefined;
}

/** Parses the request target and finds its route. */
export function parseTarget(request: IncomingMessage): RequestTarget {
  const [path = '', ...query] = (request.url ?? '').split('?');
  return { path, query: new URLSearchParams(query.join('?')), match: matchRoute(request.method ?? '', path) };
}

/**
 * Authenticates and executes a request (interface 5).
 *
 * @throws RequestRejection, or the reason of `signal` when the sandbox closes first
 */
export async function dispatch(
  request: IncomingMessage,
  target: RequestTarget,
  body: Buffer,
  faultPlan: FaultPlan,
  { context, apiKey, signal }: { context: SandboxContext; apiKey: string; signal: AbortSignal },
): Promise<SandboxResponse> {
  if (!target.match) throw new RequestRejection(404, `Cannot ${request.method} ${target.path}`);
  const { route, pathParameter } = target.match;
  if (!route.isPublic) authenticate(request, apiKey);
  const parsed = parseRequestBody(body, request.headers['content-type']);
  const begin = () => route.operation({ pathParameter, query: target.query, body: parsed, faultPlan }, context);
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
