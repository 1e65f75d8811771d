import type { Clock } from '../../src/util/host.ts';
import type { BulkBody } from './organization.ts';
import { type BulkRequest, INTERNAL_ERROR, type PeopleService, type Step } from './people-service.ts';
import type { RawReply, Reply } from './scripted-service.ts';
import { type SeededRandom, seededRandom } from './seeded-random.ts';

/*
 * The ways in which services fail, as reactions of a people service. Like real ones, it reads the members when a request arrives
 * and adds people when it ends, without reading them again: a row that is sent again too early is added twice.
 */

const RESET: RawReply = { raw: '', after: 'reset' };

export interface LockedTable {
  readonly clock: Clock;
  /** From when until when nobody is inserted, in milliseconds from now. */
  readonly lock?: readonly [fromMs: number, toMs: number];
  /** How long a request takes, in milliseconds; by default, a second and 8 ms for each row. */
  readonly workMs?: (request: BulkRequest) => number;
  /** Whether it inserts its people one by one while it works, instead of all at its end. */
  readonly isOneByOne?: boolean;
  /** What becomes of a request, by its number from 1: its response may be lost, or it may be lost before it does anything. */
  readonly lose?: ((number: number) => 'response' | 'request' | 'error' | undefined) | undefined;
}

/** A table that is locked for a while. A request waits until the lock ends, whatever its client does, and then needs its ordinary time. */
export function lockedTable({
  clock,
  lock = [0, 0],
  workMs = ({ userIds }) => 1_000 + 8 * userIds.length,
  isOneByOne = false,
  lose = () => undefined,
}: LockedTable): PeopleService['step'] {
  // The timers of requests stand still while the machine sleeps.
  const awakeMs = () => clock.awake() ?? clock.now();
  const startMs = awakeMs();
  return async (request) => {
    const { added, number } = request;
    const loss = lose(number);
    await request.work(20);
    if (loss === 'request') return RESET;
    if (loss === 'error') return INTERNAL_ERROR;
    if (added.length > 0) {
      const nowMs = awakeMs() - startMs;
      if (nowMs >= lock[0]) await request.work(lock[1] - nowMs);
      const steps = isOneByOne ? added.map((userId) => [userId]) : [added];
      const ms = workMs(request);
      for (const userIds of steps) {
        await request.work(ms / steps.length);
        request.add(userIds);
      }
    }
    return loss === 'response' ? RESET : 'respond';
  };
}

export interface UnreliableOptions {
  readonly clock: Clock;
  /** What becomes of a request depends on the seed, the people, and the attempt, but not on the order of requests. */
  readonly seed: number;
  /** The share of requests that one of `faults` befalls. */
  readonly failureRate: number;
  readonly faults: readonly Fault[];
  /** The index of the first entry of a request. */
  readonly indexBase: 0 | 1;
  /** Users who are members from the start. */
  readonly before: ReadonlySet<string>;
  /** Entries in one request; larger requests are rejected in one of several ways. */
  readonly maxEntries: number;
  /** Users whose entry causes the entire request to be rejected. */
  readonly malformed: ReadonlySet<string>;
  readonly namesMalformed: boolean;
  /** Users whose entry makes the service fail with 500, before it adds anyone. */
  readonly poisonous: ReadonlySet<string>;
  /** How long the service takes for each entry, in milliseconds. */
  readonly entryMs: number;
  /** How long a request may be processed after it has ended for its client, whatever the response was. */
  readonly lifetimeMs: number;
}

/** Responses to requests that the service does nothing about. */
const UNPROCESSED = {
  'reset-before': () => RESET,
  'error500-before': () => INTERNAL_ERROR,
  limited: (draws: SeededRandom) => ({
    status: 429,
    body: { message: 'slow down' },
    headers: { 'retry-after': `${draws.int(1, 90)}` },
  }),
  'limited-without-header': () => ({ status: 429, body: 'slow down' }),
  html: () => ({ body: '<html><title>Sign in</title></html>' }),
} as const;

/** Responses that a service, or a gateway in front of it, sends while people are still being added. */
const EARLY = {
  'reset-then-apply': RESET,
  'html-then-apply': { status: 200, body: '<html><title>Please wait</title></html>' },
  'empty-then-apply': { status: 200, body: '' },
  'accepted-then-apply': { status: 202, body: { status: 'queued' } },
  'error500-then-apply': INTERNAL_ERROR,
  'error504-then-apply': { status: 504, body: '<html><title>504 Gateway Time-out</title></html>' },
  'conflict-then-apply': { status: 409, body: { message: 'the organization is being changed' } },
} as const;

/** Responses after everybody was added. */
const AFTERWARDS = {
  'reset-after': () => RESET,
  truncated: (result: BulkBody) => truncated(result),
  'error500-after': () => INTERNAL_ERROR,
  error502: () => ({ status: 502, body: '' }),
  error503: () => ({ status: 503, body: { message: 'try later' } }),
  'html-after': () => ({ status: 200, body: '<html>thank you</html>' }),
} as const;

/** Responses that say something else about some of the people than what is true at that time. */
const ODD_RESULTS = ['missing-rows', 'rolled-back', 'double-rows', 'both-lists', 'odd-message'] as const;

const keysOf = <T extends object>(table: T) => Object.keys(table) as (keyof T)[];

/** What may befall a request. */
export const FAULTS = [
  ...keysOf(UNPROCESSED),
  ...keysOf(EARLY),
  ...keysOf(AFTERWARDS),
  ...ODD_RESULTS,
  'hang-then-apply',
  'connection-refused',
] as const;
export type Fault = (typeof FAULTS)[number];

/** The reactions of a service that fails in every way that services do. */
export function unreliable(options: UnreliableOptions): {
  readonly step: PeopleService['step'];
  /** What befell each request, in the order of arrival. */
  readonly log: readonly string[];
} {
  const { clock, lifetimeMs, entryMs } = options;
  const attempts = new Map<string, number>();
  const log: string[] = [];
  let isDown = false;

  const drawsFor = (userIds: readonly string[]) => {
    const key = userIds.join(' ');
    const attempt = (attempts.get(key) ?? 0) + 1;
    attempts.set(key, attempt);
    return seededRandom(hash(`${options.seed} ${attempt} ${key}`));
  };

  const step = async (request: BulkRequest): Promise<Step> => {
    const { userIds, added } = request;
    const draws = drawsFor(userIds);
    const fault = draws.chance(options.failureRate) ? draws.pick(options.faults) : undefined;
    log.push(`${fault ?? 'fine'}:${userIds.length}`);
    const latencyMs = draws.int(1, 300);
    /** Mostly the latest possible time, which reveals a client that is too early. */
    const lateMs = () => (draws.chance(0.6) ? lifetimeMs - 1 : draws.int(0, lifetimeMs - 1));
    const work = (ms: number) => request.work(ms, lifetimeMs - 1);

    if (isOf(UNPROCESSED, fault)) return UNPROCESSED[fault](draws);
    const rejection = reject(userIds, draws, options);
    if (rejection !== undefined) return rejection;
    if (userIds.some((userId) => options.poisonous.has(userId))) {
      await work(latencyMs);
      return { status: 500, body: { message: 'value out of range', statusCode: 500 } };
    }
    if (fault === 'hang-then-apply') {
      // The client leaves, after its timeout or because the machine has slept.
      await request.park();
      await request.addLater(lateMs());
      return 'ignore';
    }
    if (isOf(EARLY, fault)) {
      if (fault !== 'reset-then-apply') await work(latencyMs);
      void request.addLater(lateMs());
      return EARLY[fault];
    }
    const some = () => added.filter(() => draws.chance(0.4));
    const omitted = fault === 'missing-rows' ? some() : [];
    const rolledBack = fault === 'rolled-back' ? some() : [];
    await work(latencyMs + userIds.length * entryMs);
    if (request.response.destroyed) {
      // What comes later would come after the lifetime, which began when the client left.
      request.add();
      return 'ignore';
    }
    request.add(added.filter((userId) => !omitted.includes(userId) && !rolledBack.includes(userId)));
    // The service is still processing the people whom it omits. Sometimes the error of a rollback was early, too.
    const remaining = fault === 'rolled-back' && draws.chance(0.5) ? rolledBack : omitted;
    if (remaining.length > 0) void request.addLater(lateMs(), remaining);
    if (fault === 'connection-refused') goDown(request, draws.int(100, 20_000));
    if (isOf(AFTERWARDS, fault)) return AFTERWARDS[fault](request.result());
    if (fault === undefined || fault === 'connection-refused') return 'respond';
    return { status: 201, body: oddResult(request, options, { fault, draws, omitted, rolledBack }) };
  };

  /** Stops listening for a while, so that the system rejects connections. */
  const goDown = (request: BulkRequest, ms: number) => {
    if (isDown) return;
    isDown = true;
    const listen = request.stopListening();
    void clock.sleep(ms).then(() => {
      isDown = false;
      return listen();
    });
  };

  return { step, log };
}

function isOf<T extends object>(table: T, fault: PropertyKey | undefined): fault is keyof T {
  return fault !== undefined && Object.hasOwn(table, fault);
}

/** Rejects a request that is too large, or has a malformed entry. */
function reject(
  userIds: readonly string[],
  draws: SeededRandom,
  { maxEntries, malformed, namesMalformed }: UnreliableOptions,
): Reply | undefined {
  if (userIds.length > maxEntries) {
    const [status, message] = draws.pick([
      [400, `Maximum ${maxEntries} members allowed per bulk request`],
      [413, 'request entity too large'],
      [422, 'the list exceeds the maximum size'],
    ] as const);
    return { status, body: { message, statusCode: status } };
  }
  const named = userIds.flatMap((userId, at) =>
    malformed.has(userId) ? [`members.${at}.role should not be empty`] : [],
  );
  if (named.length === 0) return undefined;
  return { status: 400, body: { message: namesMalformed ? named : 'Validation failed', statusCode: 400 } };
}

/** What chance decides about a response that says something else than what is true. */
interface OddDraws {
  readonly fault: Fault;
  readonly draws: SeededRandom;
  /** People whom it leaves out. */
  readonly omitted: readonly string[];
  /** People whom it lists as created, and in an error that names only their position. */
  readonly rolledBack: readonly string[];
}

/** Changes the correct result as the fault says. */
function oddResult(
  { userIds, result }: BulkRequest,
  { indexBase, before }: UnreliableOptions,
  { fault, draws, omitted, rolledBack }: OddDraws,
): BulkBody {
  const isOdd = (userId: string) => fault === 'odd-message' && before.has(userId);
  const correct = result(userIds.filter((userId) => !omitted.includes(userId)));
  const created = [...correct.created];
  const errors = correct.errors.map((error) =>
    isOdd(userIds[Number(error.index) - indexBase] ?? '') ? { ...error, error: 'this user cannot be added' } : error,
  );
  for (const { userId } of correct.created) {
    const index = userIds.indexOf(String(userId)) + indexBase;
    if (fault === 'double-rows' && draws.chance(0.5))
      created.push({ id: `old_${userId}`, userId, organizationId: 'org_1', isActive: false });
    if (fault === 'both-lists' && draws.chance(0.3)) errors.push({ index, userId, error: 'something went wrong' });
    if (rolledBack.includes(String(userId))) errors.push({ index, error: 'rolled back' });
  }
  return { ...correct, created: draws.shuffle(created), errors: draws.shuffle(errors) };
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
