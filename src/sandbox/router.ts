import type { Operation } from './operation.ts';
import { domainStatusOperation } from './routes/domains-route.ts';
import { listFindingsOperation } from './routes/findings-route.ts';
import { addMembersOperation } from './routes/people-route.ts';
import { updateRoleOperation } from './routes/roles-route.ts';

export interface Route {
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
export function matchRoute(method: string, path: string): { route: Route; pathParameter: string } | undefined {
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
