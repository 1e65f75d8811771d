import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../../src/util/host.ts';
import { type BulkAdd, createOrganization, type Json } from '../../helpers/organization.ts';
import { membersOf } from '../../helpers/people-service.ts';
import { type RawReply, type Reply, startScriptedService } from '../../helpers/scripted-service.ts';
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

const RESET: RawReply = { raw: '', after: 'reset' };
const INTERNAL_ERROR: Reply = { status: 500, body: { message: 'Internal server error', statusCode: 500 } };

/** A request that a lock held needs at most twice this time afterwards, in milliseconds. */
const MAX_WORK_MS = 15_000;

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
  /** For how long a lock, which begins with the first request, delays every insertion, in milliseconds. */
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
  readonly omitted: readonly string[];
  /** People whom it lists as created, and in an error that names only their position. */
  readonly rolledBack: readonly string[];
}

/**
 * Starts a real service on loopback that fails in every way that services do. Like them, it reads the members when a
 * request arrives and adds people when it ends, without reading them again: a row that is sent again too early is added
 * twice.
 */
export async function startUnreliableService(options: UnreliableOptions): Promise<UnreliableService> {
  const { clock } = options;
  const attempts = new Map<string, number>();
  const insertions = new Map<string, number>();
  const answered = new Set<string>();
  let lateInsertions = 0;
  const outcomes: string[] = [];
  let parked = 0;
  let down = false;
  /** Resolves when the lock is released; undefined before the first request. */
  let lock: Promise<void> | undefined;

  const organization = createOrganization({
    rejects: (userId) => (options.unknownUsers.has(userId) ? `User ${userId} not found` : undefined),
    indexBase: options.indexBase,
    identified: !options.unidentifiedErrors,
  });
  const { members: memberships } = organization;
  for (const userId of options.members) memberships.set(userId, 1);

  const server = await startScriptedService((request, response) => handle(membersOf(request), response));

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

  function insert(bulk: BulkAdd, userIds?: readonly string[]): void {
    for (const userId of bulk.add(userIds)) insertions.set(userId, (insertions.get(userId) ?? 0) + 1);
  }

  function insertLate(bulk: BulkAdd, userIds: readonly string[] = bulk.added): void {
    lateInsertions += userIds.length;
    insert(bulk, userIds);
  }

  function drawsFor(userIds: readonly string[]): SeededRandom {
    const key = userIds.join(' ');
    const attempt = (attempts.get(key) ?? 0) + 1;
    attempts.set(key, attempt);
    return seededRandom(hash(`${options.seed} ${attempt} ${key}`));
  }

  async function handle(entries: readonly Json[], response: ServerResponse): Promise<RawReply | Reply | undefined> {
    const userIds = entries.map(({ userId }) => String(userId));
    const draws = drawsFor(userIds);
    const outcome: InjectedOutcome = draws.chance(options.failureRate) ? draws.pick(options.outcomes) : 'fine';
    outcomes.push(`${outcome}:${userIds.length}`);
    const latency = draws.int(1, 300);
    /** Mostly the latest possible time, which reveals a client that is too early. */
    const late = () => clock.sleep(draws.chance(0.6) ? options.lifetimeMs - 1 : draws.int(0, options.lifetimeMs - 1));
    const reply = (status: number, body: unknown, headers = {}): Reply => ({ status, body, headers });

    for (const userId of userIds) answered.delete(userId);
    if (outcome === 'reset-before') return RESET;
    if (outcome === 'error500-before') return INTERNAL_ERROR;
    if (outcome === 'limited') return reply(429, { message: 'slow down' }, { 'retry-after': String(draws.int(1, 90)) });
    if (outcome === 'limited-without-header') return reply(429, 'slow down');
    if (outcome === 'html') return reply(200, '<html><title>Sign in</title></html>');
    if (userIds.length > options.maxEntries) return rejectSize(draws);
    if (userIds.some((userId) => options.malformed.has(userId))) return rejectEntries(userIds);

    if (userIds.some((userId) => options.poisonous.has(userId))) {
      await work(response, latency);
      return reply(500, { message: 'value out of range', statusCode: 500 });
    }

    const bulk = organization.receive(entries);
    if (outcome === 'hang-then-apply') {
      // The client leaves, after its timeout or because the machine has slept.
      await park(response);
      await late();
      insertLate(bulk);
      return void response.destroy();
    }
    const early = EARLY_RESPONSES[outcome];
    if (early !== undefined || outcome === 'reset-then-apply') {
      if (early !== undefined) await work(response, latency);
      void late().then(() => insertLate(bulk));
      return early === undefined ? RESET : reply(...early);
    }
    const { added } = bulk;
    const some = () => added.filter(() => draws.chance(0.4));
    const omitted = outcome === 'missing-rows' ? some() : [];
    const rolledBack = outcome === 'rolled-back' ? some() : [];
    const result = () => resultOf(bulk, { outcome, draws, omitted, rolledBack });
    const tookMs = latency + userIds.length * options.entryMs;
    if (options.lockMs > 0) {
      if (added.length > 0) {
        lock ??= clock.sleep(options.lockMs);
        // It needs its ordinary time after the lock.
        const workMs = Math.min(tookMs, MAX_WORK_MS) + draws.int(0, MAX_WORK_MS);
        const done = lock.then(() => clock.sleep(workMs));
        await Promise.race([park(response), done]);
        await done;
        insert(bulk);
      }
      if (!response.destroyed) for (const userId of userIds) answered.add(userId);
      return reply(201, result());
    }
    await work(response, tookMs);
    if (tookMs >= options.timeoutMs) return void insertLate(bulk);
    // The service is still processing the people whom it omits. Sometimes the error of a rollback was early, too.
    const remaining = outcome === 'rolled-back' && draws.chance(0.5) ? rolledBack : omitted;
    insert(
      bulk,
      added.filter((userId) => !omitted.includes(userId) && !rolledBack.includes(userId)),
    );
    if (remaining.length > 0) void late().then(() => insertLate(bulk, remaining));
    switch (outcome) {
      case 'reset-after':
        return RESET;
      case 'truncated':
        return truncated(result());
      case 'error500-after':
        return INTERNAL_ERROR;
      case 'error502':
        return reply(502, '');
      case 'error503':
        return reply(503, { message: 'try later' });
      case 'html-after':
        return reply(200, '<html>thank you</html>');
      case 'connection-refused':
        goDown(response, draws.int(100, 20_000));
        return reply(201, result());
      default:
        if (omitted.length === 0 && outcome !== 'both-lists' && outcome !== 'rolled-back' && !response.destroyed)
          for (const userId of userIds) answered.add(userId);
        return reply(201, result());
    }
  }

  function rejectSize(draws: SeededRandom): Reply {
    const [status, body] = draws.pick([
      [400, { message: `Maximum ${options.maxEntries} members allowed per bulk request`, statusCode: 400 }],
      [413, { message: 'request entity too large', statusCode: 413 }],
      [422, { message: 'the list exceeds the maximum size' }],
    ] as const);
    return { status, body };
  }

  function rejectEntries(userIds: readonly string[]): Reply {
    const named = userIds.flatMap((userId, at) =>
      options.malformed.has(userId) ? [`members.${at}.role should not be empty`] : [],
    );
    const message = options.namesMalformed ? named : 'Validation failed';
    return { status: 400, body: { message, error: 'Bad Request', statusCode: 400 } };
  }

  /** Changes the correct response as the outcome says. */
  function resultOf(bulk: BulkAdd, { outcome, draws, omitted, rolledBack }: ResultDraws): unknown {
    const { userIds } = bulk;
    const isOdd = (userId: string) => outcome === 'odd-message' && !insertions.has(userId) && memberships.has(userId);
    const correct = bulk.result(userIds.filter((userId) => !omitted.includes(userId)));
    const created = [...correct.created];
    const errors = correct.errors.map((error) => {
      const userId = userIds[Number(error.index) - options.indexBase] ?? '';
      return isOdd(userId) ? { ...error, error: 'this user cannot be added' } : error;
    });
    for (const { userId } of correct.created) {
      const index = userIds.indexOf(String(userId)) + options.indexBase;
      if (outcome === 'double-rows' && draws.chance(0.5))
        created.push({ id: `old_${userId}`, userId, organizationId: 'org_1', isActive: false });
      if (outcome === 'both-lists' && draws.chance(0.3)) errors.push({ index, userId, error: 'something went wrong' });
      if (rolledBack.includes(String(userId))) errors.push({ index, error: 'rolled back' });
    }
    return { ...correct, created: draws.shuffle(created), errors: draws.shuffle(errors) };
  }

  /** Stops listening for a while, so that the system rejects connections. */
  function goDown(response: ServerResponse, ms: number): void {
    if (down) return;
    down = true;
    response.setHeader('connection', 'close');
    const listen = server.stopListening();
    void clock.sleep(ms).then(() => {
      down = false;
      return listen();
    });
  }

  return {
    url: server.url,
    memberships,
    insertions,
    lateInsertions: () => lateInsertions,
    answered,
    outcomes,
    parked: () => parked,
    close: () => server.close(),
  };
}

/** Half of a response, after which the connection ends. */
function truncated(body: unknown): RawReply {
  const text = JSON.stringify(body);
  const head = `HTTP/1.1 201 Created\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n`;
  return { raw: `${head}${text.slice(0, Math.floor(text.length / 2))}`, after: 'end' };
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return value >>> 0;
}
