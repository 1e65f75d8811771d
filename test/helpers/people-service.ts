import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../src/util/host.ts';
import { type BulkAdd, createOrganization, type Json, type OrganizationOptions } from './organization.ts';
import { type Handler, type RawReply, type Recorded, type Reply, startScriptedService } from './scripted-service.ts';

export interface AddsMembersOptions extends OrganizationOptions {
  /** Errors by userId, in place of `rejects`; all other users are added. */
  rejected?: Readonly<Record<string, string>>;
}

/** Responds to each bulk request (interface 4.2) as if nobody were a member yet. */
export function addsMembers({ rejected = {}, ...options }: AddsMembersOptions = {}): Handler {
  return (request) => {
    const organization = createOrganization({ rejects: (userId) => rejected[userId], ...options });
    return { status: 201, body: organization.receive(membersOf(request)).result() };
  };
}

/** Returns the entries of a request, as they were sent. */
export function membersOf(request: Recorded): Json[] {
  return (JSON.parse(request.body) as { members: Json[] }).members;
}

/** Returns one finding, and adds every user of a bulk request. */
export function addsAnyone(): Handler {
  const adds = addsMembers();
  return (request, response) =>
    request.path.includes('/v1/findings') ? { body: [{ id: 'fnd_1' }] } : adds(request, response);
}

/** The reaction to a bulk request: `respond` adds its people, `apply` does so without a response, a reply does not. */
export type Step = 'respond' | 'apply' | 'ignore' | Reply | RawReply;

/** The response of a service that rejects the key. */
export const FORBIDDEN: Reply = { status: 403, body: { statusCode: 403, message: 'Forbidden' } };

/** The response of a service that limits requests. */
export const LIMITED: Reply = { status: 429, body: { statusCode: 429, message: 'Too many requests' } };

/** The response of a service that fails. */
export const INTERNAL_ERROR: Reply = { status: 500, body: { statusCode: 500, message: 'Internal server error' } };

export interface BulkRequest extends BulkAdd {
  /** From 1. */
  readonly number: number;
  readonly response: ServerResponse;
  /** Waits for so many milliseconds, at most until the client leaves. The request counts as parked as long as it waits. */
  park(ms?: number): Promise<void>;
  /** Works for so many milliseconds, but once the client has left, for `mostAfterMs` at most. */
  work(ms: number, mostAfterMs?: number): Promise<void>;
  /** Adds the people after so many milliseconds, whatever becomes of the client. Resolves when they are added. */
  addLater(ms: number, userIds?: readonly string[]): Promise<void>;
  /** Refuses connections from the end of this request on, until the function that it returns is called. */
  stopListening(): () => Promise<void>;
}

export interface PeopleService {
  readonly url: string;
  /** Bulk requests that came in. */
  requests: number;
  /** Number of rows in each of them. */
  readonly sizes: number[];
  /** How often each user was sent. */
  readonly sends: Map<string, number>;
  /** Number of memberships of each user. */
  readonly members: Map<string, number>;
  /** The number of the request that added each user, of those with that user. */
  readonly addedBy: Map<string, number>;
  step: (request: BulkRequest) => Step | Promise<Step>;
  /** Resolves when so many requests have arrived. */
  arrival(number: number): Promise<void>;
  /** Resolves when everyone whom `addLater` is to add has been added. */
  settled(): Promise<void>;
  /** Number of requests that wait for the clock while their client waits for them. */
  parked(): number;
  close(): Promise<void>;
}

export interface PeopleServiceOptions extends OrganizationOptions {
  /** The time of `park`, `work`, and `addLater`; default: that of the system. */
  clock?: Clock;
  /** Users who are members from the start. */
  before?: Iterable<string>;
  /** Called with what closes the service; default: when the test ends. Tests that run at the same time have their own. */
  onEnd?: (close: () => Promise<void>) => void;
}

/**
 * Starts a service on loopback that adds people (interface 4.2), records its requests, and reacts to each as `step` says.
 * By default, it rejects users whose ID starts with `bad_`.
 */
export async function startPeopleService(
  step: PeopleService['step'] = () => 'respond',
  {
    onEnd = onTestFinished,
    rejects = rejectBadUsers,
    clock = systemClock,
    before = [],
    ...options
  }: PeopleServiceOptions = {},
): Promise<PeopleService> {
  const organization = createOrganization({ rejects, ...options });
  for (const userId of before) organization.members.set(userId, 1);
  const pending = new Set<Promise<void>>();
  let parked = 0;
  const awakeMs = () => clock.awake() ?? clock.now();
  const watchers = new Set<() => void>();

  const server = await startScriptedService(async (recorded, response) => {
    if (recorded.method === 'GET') return { body: [] };
    const request = receive(membersOf(recorded), response);
    const done = await service.step(request);
    if (done === 'respond' || done === 'apply') request.add();
    if (done === 'apply' || done === 'ignore') return undefined;
    return done === 'respond' ? { status: 201, body: request.result() } : done;
  });
  onEnd(() => server.close());

  function receive(entries: Json[], response: ServerResponse): BulkRequest {
    const bulk = organization.receive(entries);
    for (const id of bulk.userIds) service.sends.set(id, (service.sends.get(id) ?? 0) + 1);
    service.sizes.push(entries.length);
    const number = ++service.requests;
    for (const check of watchers) check();
    const add = (userIds?: readonly string[]) => {
      const added = bulk.add(userIds);
      for (const id of added) service.addedBy.set(id, service.sends.get(id) ?? 0);
      return added;
    };
    const left = new AbortController();
    response.once('close', () => left.abort());
    const park = async (ms?: number) => {
      if (left.signal.aborted) return;
      parked++;
      await (ms === undefined ? once(left.signal, 'abort') : clock.sleep(ms, left.signal));
      parked--;
    };
    const work = async (ms: number, mostAfterMs = Number.POSITIVE_INFINITY) => {
      const endsAtMs = awakeMs() + ms;
      await park(ms);
      if (!left.signal.aborted) return;
      const leftMs = Math.min(endsAtMs - awakeMs(), mostAfterMs);
      if (leftMs > 0) await clock.sleep(leftMs);
    };
    const addLater = (ms: number, userIds?: readonly string[]) => {
      const insertion = clock.sleep(ms).then(() => void add(userIds));
      pending.add(insertion);
      return insertion;
    };
    const stopListening = () => {
      response.setHeader('connection', 'close');
      return server.stopListening();
    };
    return { ...bulk, number, response, add, park, work, addLater, stopListening };
  }

  const service: PeopleService = {
    url: server.url,
    requests: 0,
    sizes: [],
    sends: new Map(),
    members: organization.members,
    addedBy: new Map(),
    step,
    arrival: (number) =>
      new Promise((resolve) => {
        const check = () => {
          if (service.sizes.length >= number) resolve();
        };
        watchers.add(check);
        check();
      }),
    settled: async () => void (await Promise.all(pending)),
    parked: () => parked,
    close: () => server.close(),
  };
  return service;
}

function rejectBadUsers(userId: string): string | undefined {
  return userId.startsWith('bad_') ? `User ${userId} not found` : undefined;
}

/** A step that holds the response to one request until `release` is called; `arrival` resolves when it is there. */
export function holdRequest(held: number): {
  step: PeopleService['step'];
  arrival: Promise<void>;
  release: () => void;
} {
  const events = new EventEmitter();
  const released = once(events, 'release');
  const arrival = once(events, 'arrival').then(() => {});
  const step = async ({ number }: BulkRequest): Promise<Step> => {
    if (number === held) {
      events.emit('arrival');
      await released;
    }
    return 'respond';
  };
  return { step, arrival, release: () => void events.emit('release') };
}
