import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Clock } from '../../../src/util/host.ts';
import { type SeededRandom, seededRandom } from '../../helpers/seeded-random.ts';

/** Outcomes of a request other than `fine`. */
export const OUTCOMES = [
  'connection-refused',
  'reset-before',
  'reset-after',
  'reset-then-apply',
  'hang-then-apply',
  'html-then-apply',
  'empty-then-apply',
  'accepted-then-apply',
  'error500-then-apply',
  'conflict-then-apply',
  'truncated',
  'error500-before',
  'error500-after',
  'error502',
  'error503',
  'error504-then-apply',
  'limited',
  'limited-without-header',
  'html',
  'html-after',
  'missing-rows',
  'double-rows',
  'both-lists',
  'rolled-back',
  'odd-message',
] as const;
type InjectedOutcome = (typeof OUTCOMES)[number] | 'fine';

/** Responses that a service, or a gateway in front of it, sends while people are still being added. */
const EARLY_RESPONSES: Partial<Record<InjectedOutcome, [status: number, body: unknown]>> = {
  'html-then-apply': [200, '<html><title>Please wait</title></html>'],
  'empty-then-apply': [200, ''],
  'accepted-then-apply': [202, { status: 'queued' }],
  'error500-then-apply': [500, { message: 'Internal server error', statusCode: 500 }],
  'error504-then-apply': [504, '<html><title>504 Gateway Time-out</title></html>'],
  'conflict-then-apply': [409, { message: 'the organization is being changed' }],
};

export interface UnreliableOptions {
  clock: Clock;
  /** The outcomes depend on the seed, the entries and the attempt, but not on the order of requests. */
  seed: number;
  /** The share of requests with an outcome other than `fine`. */
  failureRate: number;
  outcomes: readonly InjectedOutcome[];
  indexBase: 0 | 1;
  unidentifiedErrors: boolean;
  /** Entries in one request; larger requests are rejected in one of several ways. */
  maxEntries: number;
  /** Users that are members from the start. */
  members: ReadonlySet<string>;
  /** Users that do not exist: a per-entry error. */
  unknownUsers: ReadonlySet<string>;
  /** Users whose entry causes the entire request to be rejected. */
  malformed: ReadonlySet<string>;
  namesMalformed: boolean;
  /** Users whose entry makes the service fail with 500, before it adds anyone. */
  poisonous: ReadonlySet<string>;
  /** How long the service takes for each entry, in milliseconds. */
  entryMs: number;
  /** How long a request may be processed after it has ended for its client, whatever the response was. */
  lifetimeMs: number;
  /** The timeout of the client. */
  timeoutMs: number;
  /** For how long a lock, which begins with the first request, delays every insertion, in milliseconds: longer than any lifetime. */
  lockMs: number;
}

export interface UnreliableService {
  url: string;
  /** Number of memberships of each user, including those from the start. */
  memberships: ReadonlyMap<string, number>;
  /** Number of memberships that requests created. */
  insertions: ReadonlyMap<string, number>;
  /** Number of people whom requests added after they had ended for the client. */
  lateInsertions(): number;
  /** The users whom the response to their last request listed. A client that dies forgets them. */
  answered: Set<string>;
  /** The outcome of each request, in the order of arrival. */
  outcomes: readonly string[];
  /** Number of requests that wait for a timer while their client waits for them. */
  parked(): number;
  close(): Promise<void>;
}

/** What a response says about the people of a request. */
interface ResultDraws {
  readonly outcome: InjectedOutcome;
  readonly draws: SeededRandom;
  /** People whom it leaves out. */
  readonly omitted: ReadonlySet<string>;
  /** People whom it lists as created, and in an error that names only their position. */
  readonly rolledBack: ReadonlySet<string>;
}

interface SentEntry {
  userId: string;
}

/**
 * Starts a real service on loopback that fails in every way that services do. Like them, it reads the members when a
 * request arrives and adds people when it ends, without reading them again: a row that is sent again too early is added
 * twice.
 */
export async function startUnreliableService(options: UnreliableOptions): Promise<UnreliableService> {
  const { clock } = options;
  const attempts = new Map<string, number>();
  const memberships = new Map([...options.members].map((userId) => [userId, 1]));
  const insertions = new Map<string, number>();
  const answered = new Set<string>();
  let lateInsertions = 0;
  const outcomes: string[] = [];
  let parked = 0;
  let down = false;
  /** Resolves when the lock is released; undefined before the first request. */
  let lock: Promise<void> | undefined;
  let lastArrivalMs = 0;

  const server = createServer((request, response) => void handle(request, response));
  server.keepAliveTimeout = 0;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;

  /** Waits, at most until the client leaves. The request counts as parked as long as its client is connected. */
  async function park(response: ServerResponse, ms?: number): Promise<void> {
    if (response.destroyed) return;
    parked++;
    const left = new AbortController();
    response.once('close', () => left.abort());
    if (ms === undefined) await once(response, 'close');
    else await clock.sleep(ms, left.signal);
    parked--;
  }

  /** Works on a request for this long. If the client leaves, which may be early, the lifetime limits what is left. */
  async function work(response: ServerResponse, ms: number): Promise<void> {
    const endsAtMs = clock.now() + ms;
    await park(response, ms);
    const leftMs = Math.min(endsAtMs - clock.now(), options.lifetimeMs - 1);
    if (leftMs > 0) await clock.sleep(leftMs);
  }

  async function release(): Promise<void> {
    await clock.sleep(options.lockMs);
    // A response within a quarter of the timeout is not slow.
    while (clock.now() - lastArrivalMs < options.timeoutMs / 4) await clock.sleep(options.timeoutMs / 4);
  }

  function insert(userIds: readonly string[]): void {
    for (const userId of userIds) {
      memberships.set(userId, (memberships.get(userId) ?? 0) + 1);
      insertions.set(userId, (insertions.get(userId) ?? 0) + 1);
    }
  }

  function insertLate(userIds: readonly string[]): void {
    lateInsertions += userIds.length;
    insert(userIds);
  }

  function drawsFor(members: readonly SentEntry[]): SeededRandom {
    const key = members.map(({ userId }) => userId).join(' ');
    const attempt = (attempts.get(key) ?? 0) + 1;
    attempts.set(key, attempt);
    return seededRandom(hash(`${options.seed} ${attempt} ${key}`));
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {});
    const { members } = (await json(request)) as { members: SentEntry[] };
    const draws = drawsFor(members);
    const outcome: InjectedOutcome = draws.chance(options.failureRate) ? draws.pick(options.outcomes) : 'fine';
    outcomes.push(`${outcome}:${members.length}`);
    const latency = draws.int(1, 300);
    /** Mostly the latest possible time, which reveals a client that is too early. */
    const late = (latestMs: number) => (draws.chance(0.6) ? latestMs : draws.int(0, latestMs));

    for (const { userId } of members) answered.delete(userId);
    if (outcome === 'reset-before') return void request.socket.resetAndDestroy();
    if (outcome === 'error500-before')
      return respond(response, 500, { message: 'Internal server error', statusCode: 500 });
    if (outcome === 'limited')
      return respond(response, 429, { message: 'slow down' }, { 'retry-after': String(draws.int(1, 90)) });
    if (outcome === 'limited-without-header') return respond(response, 429, 'slow down');
    if (outcome === 'html') return respond(response, 200, '<html><title>Sign in</title></html>');
    if (members.length > options.maxEntries) return rejectSize(response, draws);
    const bad = members.findIndex(({ userId }) => options.malformed.has(userId));
    if (bad >= 0) return rejectEntries(response, members);

    if (members.some(({ userId }) => options.poisonous.has(userId))) {
      await work(response, latency);
      return respond(response, 500, { message: 'value out of range', statusCode: 500 });
    }

    // The members are read once.
    const known = new Set(memberships.keys());
    const added = members
      .filter(({ userId }) => !known.has(userId) && !options.unknownUsers.has(userId))
      .map(({ userId }) => userId);
    const omitted = new Set(outcome === 'missing-rows' ? added.filter(() => draws.chance(0.4)) : []);
    const rolledBack = new Set(outcome === 'rolled-back' ? added.filter(() => draws.chance(0.4)) : []);
    const result = () => resultOf(members, known, { outcome, draws, omitted, rolledBack });
    if (outcome === 'hang-then-apply') {
      // The client leaves, after its timeout or because the machine has slept.
      await park(response);
      await clock.sleep(late(options.lifetimeMs - 1));
      insertLate(added);
      return void response.destroy();
    }
    const early = EARLY_RESPONSES[outcome];
    if (early !== undefined) {
      await work(response, latency);
      respond(response, ...early);
      await clock.sleep(late(options.lifetimeMs - 1));
      return insertLate(added);
    }
    if (outcome === 'reset-then-apply') {
      request.socket.resetAndDestroy();
      await clock.sleep(late(options.lifetimeMs - 1));
      return insertLate(added);
    }
    if (options.lockMs > 0) {
      lastArrivalMs = clock.now();
      lock ??= release();
      await Promise.race([park(response), lock]);
      await lock;
      insert(added);
      if (response.destroyed) return;
      for (const { userId } of members) answered.add(userId);
      return respond(response, 201, result());
    }
    const tookMs = latency + members.length * options.entryMs;
    await work(response, tookMs);
    if (tookMs >= options.timeoutMs) return insertLate(added);
    if (omitted.size > 0) {
      // Responds for some entries while the others are still being processed.
      respond(response, 201, result());
      insert(added.filter((userId) => !omitted.has(userId)));
      await clock.sleep(late(options.lifetimeMs - 1));
      return insertLate([...omitted]);
    }
    insert(added.filter((userId) => !rolledBack.has(userId)));
    switch (outcome) {
      case 'reset-after':
        return void request.socket.resetAndDestroy();
      case 'truncated':
        return truncate(response, result());
      case 'error500-after':
        return respond(response, 500, { message: 'Internal server error', statusCode: 500 });
      case 'error502':
        return respond(response, 502, '');
      case 'error503':
        return respond(response, 503, { message: 'try later' });
      case 'html-after':
        return respond(response, 200, '<html>thank you</html>');
      case 'rolled-back':
        respond(response, 201, result());
        if (!draws.chance(0.5)) return;
        // The error was early, too.
        await clock.sleep(late(options.lifetimeMs - 1));
        return insertLate([...rolledBack]);
      case 'connection-refused':
        respond(response, 201, result());
        return goDown(draws.int(100, 20_000));
      default:
        for (const { userId } of outcome === 'both-lists' || response.destroyed ? [] : members) answered.add(userId);
        return respond(response, 201, result());
    }
  }

  function resultOf(
    members: readonly SentEntry[],
    known: ReadonlySet<string>,
    { outcome, draws, omitted, rolledBack }: ResultDraws,
  ): unknown {
    const created: unknown[] = [];
    const errors: { index: number; userId?: string; error: string }[] = [];
    for (const [at, { userId }] of members.entries()) {
      if (omitted.has(userId)) continue;
      const name = options.unidentifiedErrors ? {} : { userId };
      const index = at + options.indexBase;
      if (known.has(userId)) errors.push({ index, ...name, error: messageFor(userId, outcome) });
      else if (options.unknownUsers.has(userId)) errors.push({ index, ...name, error: `User ${userId} not found` });
      else {
        created.push({ id: `mem_${userId}`, userId, organizationId: 'org_1' });
        if (outcome === 'double-rows' && draws.chance(0.5))
          created.push({ id: `old_${userId}`, userId, organizationId: 'org_1', isActive: false });
        if (outcome === 'both-lists' && draws.chance(0.3))
          errors.push({ index, userId, error: 'something went wrong' });
        if (rolledBack.has(userId)) errors.push({ index, error: 'rolled back' });
      }
    }
    const summary = { total: members.length, successful: created.length, failed: errors.length };
    return { created: draws.shuffle(created), errors: draws.shuffle(errors), summary, authType: 'api-key' };
  }

  /** The error for a member; sometimes, for one from the start, a message without meaning. */
  function messageFor(userId: string, outcome: InjectedOutcome): string {
    if (outcome === 'odd-message' && !insertions.has(userId)) return 'this user cannot be added';
    return `User ${userId}@example.com is already a member of this organization`;
  }

  function rejectSize(response: ServerResponse, draws: SeededRandom): void {
    const [status, body] = draws.pick([
      [400, { message: `Maximum ${options.maxEntries} members allowed per bulk request`, statusCode: 400 }],
      [413, { message: 'request entity too large', statusCode: 413 }],
      [422, { message: 'the list exceeds the maximum size' }],
    ] as const);
    respond(response, status, body);
  }

  function rejectEntries(response: ServerResponse, members: readonly SentEntry[]): void {
    const named = members.flatMap(({ userId }, at) =>
      options.malformed.has(userId) ? [`members.${at}.role should not be empty`] : [],
    );
    respond(response, 400, {
      message: options.namesMalformed ? named : 'Validation failed',
      error: 'Bad Request',
      statusCode: 400,
    });
  }

  /** Stops listening for a while, so that the system rejects connections. */
  function goDown(ms: number): void {
    if (down) return;
    down = true;
    server.close();
    server.closeIdleConnections();
    void clock.sleep(ms).then(() => {
      down = false;
      server.listen(port, '127.0.0.1');
    });
  }

  return {
    url: `http://127.0.0.1:${port}`,
    memberships,
    insertions,
    lateInsertions: () => lateInsertions,
    answered,
    outcomes,
    parked: () => parked,
    async close() {
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
}

function respond(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Sends half of a body, then closes the connection. */
function truncate(response: ServerResponse, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(201, { 'content-length': Buffer.byteLength(text) });
  response.write(text.slice(0, Math.floor(text.length / 2)), () => response.socket?.destroySoon());
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return value >>> 0;
}
