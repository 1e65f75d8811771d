import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** The service's reaction to a request: `apply` adds its people and does not respond. */
export type Step = 'respond' | 'apply' | 'ignore' | { status: number; body: unknown };

export interface BulkRequest {
  /** From 1. */
  readonly number: number;
  readonly userIds: readonly string[];
  readonly response: ServerResponse;
  /** Refuses connections from the end of this request on, until the function that it returns is called. */
  stopListening(): () => Promise<void>;
}

export interface PeopleService {
  readonly url: string;
  /** Bulk requests that came in. */
  requests: number;
  /** How often each user was sent. */
  readonly sends: Map<string, number>;
  /** The number of the request that added each user, of those with that user. */
  readonly addedBy: Map<string, number>;
  step: (request: BulkRequest) => Step | Promise<Step>;
}

/**
 * A service on loopback that adds people (interface 4.2), and records its requests.
 *
 * @param onEnd called with what closes the service; default: when the test ends
 */
export async function startPeopleService(
  step: PeopleService['step'] = () => 'respond',
  onEnd: (close: () => void) => void = onTestFinished,
): Promise<PeopleService> {
  const server = createServer(async (incoming, response) => {
    if (incoming.method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
      return;
    }
    try {
      const { members } = (await json(incoming)) as { members: { userId: string; role: string }[] };
      const userIds = members.map(({ userId }) => userId);
      for (const id of userIds) service.sends.set(id, (service.sends.get(id) ?? 0) + 1);
      const stopListening = () => {
        response.setHeader('connection', 'close');
        server.close();
        return () => listen(port);
      };
      const done = await service.step({ number: ++service.requests, userIds, response, stopListening });
      if (done === 'ignore') return;
      const body = typeof done === 'object' ? done.body : add(members, service);
      if (done === 'apply') return;
      response.writeHead(typeof done === 'object' ? done.status : 201, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    } catch {
      response.destroy();
    }
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  onEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  const service: PeopleService = {
    url: `http://127.0.0.1:${port}`,
    requests: 0,
    sends: new Map(),
    addedBy: new Map(),
    step,
  };
  return service;
}

function add(members: readonly { userId: string; role: string }[], { addedBy, sends }: PeopleService) {
  const created = [];
  const errors = [];
  for (const [index, { userId, role }] of members.entries()) {
    if (userId.startsWith('bad_')) errors.push({ index, userId, error: `User ${userId} not found` });
    else if (addedBy.has(userId)) {
      errors.push({ index, userId, error: `User ${userId} is already a member of this organization` });
    } else {
      addedBy.set(userId, sends.get(userId) ?? 0);
      created.push(member(userId, role));
    }
  }
  const summary = { total: members.length, successful: created.length, failed: errors.length };
  return {
    created,
    errors,
    summary,
    authType: 'api-key',
    authenticatedUser: { id: 'usr_9', email: 'admin@example.com' },
  };
}

function member(userId: string, role: string) {
  return {
    id: `mem_${userId}`,
    organizationId: 'org_1',
    userId,
    role,
    createdAt: '2026-01-05T09:00:00.000Z',
    department: 'it',
    isActive: true,
    user: { id: userId, name: `Person ${userId}`, email: `${userId}@people.example`, emailVerified: true },
  };
}

/** A step that holds the response to one request until `release` is called; `arrival` resolves when it is there. */
export function holdRequest(held: number): {
  step: PeopleService['step'];
  arrival: Promise<void>;
  release: () => void;
} {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let arrive = () => {};
  const arrival = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const step = async ({ number }: BulkRequest): Promise<Step> => {
    if (number === held) {
      arrive();
      await released;
    }
    return 'respond';
  };
  return { step, arrival, release };
}
