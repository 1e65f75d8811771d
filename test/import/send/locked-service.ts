import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createOrganization } from '../../helpers/organization.ts';
import { membersOf } from '../../helpers/people-service.ts';
import { type RawReply, type Reply, startScriptedService } from '../../helpers/scripted-service.ts';
import type { TestClock } from '../../helpers/test-clock.ts';

export interface LockedOptions {
  readonly clock: TestClock;
  /** From when until when nobody is inserted, in milliseconds since the start of the service. */
  readonly lock?: readonly [fromMs: number, toMs: number];
  /** How long a request takes, in milliseconds; by default, a second and 8 ms for each row. */
  readonly workMs?: (rows: number) => number;
  /** Whether it inserts its people one by one while it works, instead of all at its end. */
  readonly isOneByOne?: boolean;
  readonly before?: readonly string[];
  readonly rejected?: ReadonlySet<string>;
  /** What becomes of a request, by its number from 1: its response may be lost, or it may be lost before it does anything. */
  readonly lose?: (number: number, rows: number) => 'response' | 'request' | 'error' | undefined;
}

export interface LockedService {
  readonly url: string;
  /** Number of memberships of each user. */
  readonly members: ReadonlyMap<string, number>;
  /** Number of rows in each request. */
  readonly sizes: readonly number[];
  /** Number of requests that wait for a timer while their client waits for them. */
  parked(): number;
  /** Handles a request without a connection. */
  handle(entries: readonly Record<string, unknown>[], hasLeft: AbortSignal): Promise<Reply | 'lost'>;
  close(): Promise<void>;
}

/**
 * Starts a service whose table is locked for a while. Like real ones, a request checks at its beginning who is a member, waits
 * until the lock ends, whatever its client does, and then needs its ordinary time.
 */
export async function startLockedService(options: LockedOptions): Promise<LockedService> {
  const { clock, lock = [0, 0], isOneByOne = false, before = [], rejected, lose } = options;
  const workMs = options.workMs ?? ((rows: number) => 1_000 + 8 * rows);
  const startMs = clock.now();
  const organization = createOrganization({
    rejects: (userId) => (rejected?.has(userId) ? `User ${userId} not found` : undefined),
  });
  for (const userId of before) organization.members.set(userId, 1);
  const sizes: number[] = [];
  let parked = 0;

  const server = await startScriptedService((request, response) => respond(membersOf(request), response));

  async function respond(entries: Record<string, unknown>[], response: ServerResponse): Promise<Reply | RawReply> {
    const left = new AbortController();
    response.once('close', () => left.abort());
    const reply = await handle(entries, left.signal);
    return reply === 'lost' ? { raw: '', after: 'reset' } : reply;
  }

  /** Sleeps, whatever the client does. The request counts as parked as long as its client is connected. */
  async function work(ms: number, hasLeft: AbortSignal): Promise<void> {
    if (ms <= 0) return;
    const done = clock.sleep(ms);
    if (!hasLeft.aborted) {
      parked++;
      await Promise.race([done, once(hasLeft, 'abort')]);
      parked--;
    }
    await done;
  }

  async function handle(entries: readonly Record<string, unknown>[], hasLeft: AbortSignal): Promise<Reply | 'lost'> {
    const number = sizes.push(entries.length);
    const loss = lose?.(number, entries.length);
    await work(20, hasLeft);
    if (loss === 'request') return 'lost';
    if (loss === 'error') return { status: 500, body: { statusCode: 500, message: 'Internal server error' } };
    const bulk = organization.receive(entries);
    if (bulk.added.length > 0) {
      const nowMs = clock.now() - startMs;
      if (nowMs >= lock[0]) await work(lock[1] - nowMs, hasLeft);
      const ms = workMs(entries.length);
      if (isOneByOne) {
        for (const userId of bulk.added) {
          await work(ms / bulk.added.length, hasLeft);
          bulk.add([userId]);
        }
      } else {
        await work(ms, hasLeft);
        bulk.add();
      }
    }
    return loss === 'response' ? 'lost' : { status: 201, body: bulk.result() };
  }

  return {
    url: server.url,
    members: organization.members,
    sizes,
    parked: () => parked,
    handle,
    close: () => server.close(),
  };
}
