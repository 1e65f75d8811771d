import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FaultPlan } from './fault-plan.ts';
import {
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
  /** At most one segment is a `{parameter}`. */
  readonly pattern: string;
  readonly operation: Operation;
}

const ROUTES: readonly Route[] = [
  { method: 'PATCH', pattern: '/v1/roles/{roleId}', operation: updateRoleOperation },
  { method: 'POST', pattern: '/v1/people/bulk', operation: addMembersOperation },
  { method: 'GET', pattern: '/v1/trust-portal/domain/status', operation: domainStatusOperation },
  { method: 'GET', pattern: '/v1/findings', operation: listFindingsOperation },
];

/** The route of a request and the value of its path parameter ('' where it has none); undefined for an unknown one. */
function matchRoute(method: string, path: string): { route: Route; pathParameter: string } | undefined {
  for (const route of ROUTES) {
    const pathParameter = route.method === method ? matchPath(route.pattern, path) : undefined;
    if (pathParameter !== undefined) return { route, pathParameter };
  }
  return undefined;
}

function matchPath(pattern: string, path: string): string | undefined {
  const expected = pattern.split('/');
  const given = path.split('/');
  if (expected.length !== given.length) return undefined;
  let parameter = '';
  for (const [index, segment] of expected.entries()) {
    const value = given[index] ?? '';
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

/** The target of a request: where it leads, if anywhere. */
export interface RequestTarget {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly match: { readonly route: Route; readonly pathParameter: string } | undefined;
}

/** Takes the target of a request apart. */
export function parseTarget(request: IncomingMessage): RequestTarget {
  const [path = '', ...query] = (request.url ?? '').split('?');
  return { path, query: new URLSearchParams(query.join('?')), match: matchRoute(request.method ?? '', path) };
}

/**
 * Does what a request asks for, once its sender has proved to hold the key (interface 5).
 * @throws Refusal when it is refused; the reason of `signal` when the sandbox closes before it is done.
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
  authenticate(request, apiKey);
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
  // Without latency there is no gap between the two halves of a change, not even while the lock is waited for.
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

/** Takes the same time wherever the two differ. */
function isEqual(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
