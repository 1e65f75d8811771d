import { describe, expect, it } from 'vitest';
import { users } from '../../helpers/journal-files.ts';
import { startPeopleService } from '../../helpers/people-service.ts';
import { type LockedTable, lockedTable } from '../../helpers/service-faults.ts';
import { createTestClock } from '../../helpers/test-clock.ts';
import { type Ended, type Import, LIFETIME_MS, TIMEOUT_MS, VirtualMachine } from './virtual-machine.ts';

/*
 * A service whose table is locked for a while holds every request that inserts, whatever becomes of its client, and adds
 * everybody when the lock ends. So some people are added twice, and no tool can prevent it: but few, and a report names each.
 * All times are virtual, and count from the start of the first import.
 */

const SECOND_MS = 1_000;
const takes = (seconds: number) => ({ workMs: () => seconds * SECOND_MS });

interface Played {
  readonly twice: readonly string[];
  readonly named: readonly string[];
  /** The last import. */
  readonly last: Ended;
  /** Rows in each request. */
  readonly sizes: readonly number[];
}

interface Service extends Omit<LockedTable, 'clock'> {
  /** Users who are members from the start. */
  readonly before?: readonly string[];
}

/** Runs imports one after another, and checks that everybody who is in the organization twice was named. */
async function play({ before = [], ...table }: Service, imports: readonly Import[]): Promise<Played> {
  const clock = createTestClock();
  const service = await startPeopleService(lockedTable({ clock, ...table }), { clock, before, onEnd: () => {} });
  const machine = new VirtualMachine(clock, service);
  try {
    let last: Ended | undefined;
    for (const each of imports) last = await machine.import(each);
    if (last === undefined) throw new Error('the last import was killed');
    await machine.settle();
    const { sizes } = service;
    const twice = machine.twice();
    const unnamed = twice.filter((userId) => !machine.named.has(userId));
    expect(unnamed, `${JSON.stringify({ ...table, imports })} ${sizes.join(' ')}`).toEqual([]);
    return { twice, named: [...machine.named], last, sizes };
  } finally {
    await machine.close();
  }
}

/** A case that broke an earlier rule. */
interface Case {
  readonly promise: string;
  /** When the lock ends, in seconds. */
  readonly ends: readonly number[];
  /** When it begins. */
  readonly from?: number;
  readonly service?: Omit<Service, 'lock' | 'isOneByOne'>;
  readonly imports: (end: number) => readonly Import[];
  /** How many people are added twice at most; one by default. */
  readonly most?: number;
  readonly check?: (played: Played) => void;
}

const CASES: readonly Case[] = [
  {
    promise: 'names the only person, whom the probe and the first request add',
    // Around every wait of a run whose first request times out, and some others.
    ends: [2, 29, 31, 60, 149, 150, 150.5, 151, 152, 155, 166, 179, 181, 200, 261, 299, 300, 301, 330, 400],
    imports: () => [{ list: users(1) }],
    check: ({ named, twice }) => expect(named).toEqual(twice),
  },
  {
    promise: 'waits for another lifetime if a row is a member because its own probe was stuck',
    ends: [295, 298, 299, 299.5, 300],
    imports: () => [{ list: users(2) }],
    check: ({ twice, last }) => expect({ twice, waits: last.waits.length }).toEqual({ twice: ['usr_002'], waits: 3 }),
  },
  {
    promise: 'probes the last row first, so that no probe runs ahead of the first request',
    // Long before, shortly before, and during the probe.
    ends: [145, 147, 148, 149, 149.1, 149.5, 149.7, 150, 150.1, 152],
    imports: () => [{ list: users(200) }],
    check: ({ sizes }) => expect(sizes.slice(0, 2)).toEqual([200, 1]),
  },
  ...[85, -150, -250, -400].map((part) => ({
    promise: `probes from all over a request if some were members before: ${part}`,
    ends: [146, 149.5, 150],
    service: { before: part > 0 ? users(500).slice(0, part) : users(500).slice(part) },
    imports: () => [{ list: users(500) }],
    most: 2,
  })),
  {
    promise: 'begins each request with one row',
    from: 5,
    ends: [153],
    // The first batch is fast. The response to the second one, of members only, is lost, and the third one is stuck.
    service: { before: users(1_000).slice(500), lose: (number) => (number === 2 ? 'response' : undefined) },
    imports: () => [{ list: users(1_500), concurrency: 2 }],
    check: ({ sizes }) => expect(sizes.slice(3, 17)).toEqual([...Array(8).fill(1), 4, 16, 64, 250, 158, 1]),
  },
  ...[[], ['usr_002']].map((before) => ({
    promise: `probes after kill -9 and --restart, whatever the time; a member before: ${before}`,
    ends: [100, 270, 274, 274.9, 275.5, 290, 320, 420],
    service: { before },
    imports: (end: number) => [
      { list: users(2), killAtMs: 19 * SECOND_MS },
      { list: users(2), restart: true, atMs: 275 * SECOND_MS, isForgetful: end > 275 },
    ],
  })),
  {
    promise: 'needs one proof for six requests of 500',
    from: 5,
    ends: [203],
    imports: () => [{ list: users(3_500), concurrency: 6 }],
    check: ({ sizes }) => expect(sizes.length).toBeLessThan(100),
  },
  {
    promise: 'counts the longer lifetime of both runs',
    ends: [28, 29, 31, 32, 35],
    service: takes(8),
    imports: () => [
      { list: users(20), lifetimeMs: SECOND_MS, killAtMs: 2 * SECOND_MS },
      { list: users(20), restart: true, lifetimeMs: 10 * SECOND_MS, atMs: 32 * SECOND_MS },
    ],
  },
  {
    promise: 'needs no lifetime for each row of a service that takes 8 s for a request',
    ends: [0],
    service: { ...takes(8), lose: (number) => (number === 1 ? 'response' : undefined) },
    imports: () => [{ list: users(10) }],
    most: 0,
    check: ({ named, last }) =>
      expect({ named, recovered: last.state.counts().recovered, waits: last.waits.length }).toEqual({
        named: [],
        recovered: 10,
        waits: 1,
      }),
  },
  {
    promise: 'names whom a probe of a killed run has created, after its requests are over',
    ends: [150.5, 155, 160],
    service: takes(6),
    imports: (end) => [
      { list: users(6), killAtMs: 183 * SECOND_MS },
      { list: users(6), restart: true, atMs: 439 * SECOND_MS, isForgetful: end > 155 },
    ],
    check: ({ twice, named, last }) =>
      expect({ twice, named, waits: last.waits }).toEqual({ twice: ['usr_006'], named: ['usr_006'], waits: [] }),
  },
  {
    promise: 'names a person of a killed run whose other rows are on no list that could tell',
    ends: [100, 149, 150, 155],
    imports: (end) => [
      { list: users(2), killAtMs: 9 * SECOND_MS },
      { list: users(1), isForgetful: end > 149 },
    ],
  },
  ...[
    { how: 'gets a 5xx', lose: (number: number) => (number > 2 ? ('error' as const) : undefined) },
    { how: 'is interrupted', stopAtMs: 280 * SECOND_MS },
  ].map(({ how, lose, stopAtMs }) => ({
    promise: `names the probed row if the confirming request ${how}`,
    ends: [160],
    service: { lose },
    imports: () => [{ list: users(500), stopAtMs }],
    check: ({ twice, last }: Played) => {
      expect(twice).toEqual(['usr_500']);
      expect(last.named).toContain('usr_500');
      expect(last.state.counts().unknown).toBeGreaterThan(0);
    },
  })),
  {
    promise: 'waits once for a stuck probe of 64 rows, in later commands, too',
    ends: [400],
    // All rows that are probed first were members before, so that the probe grows until it meets the lock.
    service: { before: users(400).filter((_, at) => at % 9 !== 4) },
    imports: () => [{ list: users(400), killAtMs: 170 * SECOND_MS }, { list: users(400) }],
    most: 64,
    check: ({ last }) => expect(last.endedAtMs).toBeLessThan(25 * 60 * SECOND_MS),
  },
  {
    promise:
      'names a person whom two stuck probes have added, although the first request was lost before it did anything',
    ends: [281],
    service: { lose: (number) => (number === 1 ? 'request' : undefined) },
    imports: () => [{ list: users(1) }],
    check: ({ twice }) => expect(twice).toEqual(users(1)),
  },
];

describe.each([false, true])(
  'a table that is locked for a while, with people inserted one by one: %s',
  (isOneByOne) => {
    it.each(CASES.map((one) => [one.promise, one] as const))(
      '%s',
      async (_, { ends, from = 0, service, imports, most = 1, check }) => {
        for (const end of ends) {
          const lock = [from * SECOND_MS, end * SECOND_MS] as const;
          const played = await play({ lock, isOneByOne, ...service }, imports(end));
          expect(played.twice.length).toBeLessThanOrEqual(most);
          check?.(played);
        }
      },
    );

    const list = users(100);
    it.each<[string, Import]>([
      ['the same command', { list }],
      ['--restart', { list, restart: true }],
      ['another list', { list: [...list.slice(0, 60), 'usr_900'] }],
    ])('adds few people twice if an import is killed or interrupted in any wait, then %s', async (_, next) => {
      for (const end of [149.5, 160, 290])
        for (const at of [20, 155, 200, 320])
          for (const kind of ['killAtMs', 'stopAtMs'])
            for (const later of [0, 200]) {
              const first = { list, [kind]: at * SECOND_MS };
              const second = { ...next, atMs: (at + later) * SECOND_MS, isForgetful: later > 0 };
              const imports = [first, second, { ...next, restart: false }];
              const { twice } = await play({ lock: [0, end * SECOND_MS], isOneByOne }, imports);
              expect(twice.length).toBeLessThanOrEqual(2);
            }
    });
  },
);

describe('after an import that was killed', () => {
  const killed = { list: users(100), killAtMs: SECOND_MS };

  it('the same people wait for the timeout and the lifetime of the last request', async () => {
    const { last, twice } = await play(takes(3), [killed, { list: killed.list }]);
    expect(last.waits).toEqual([TIMEOUT_MS + LIFETIME_MS - SECOND_MS]);
    expect({ twice, recovered: last.state.counts().recovered }).toEqual({ twice: [], recovered: 100 });
  });

  it('a person is named whom a probe may have added', async () => {
    const { named, twice } = await play({ lock: [0, 170 * SECOND_MS] }, [
      { list: users(2), killAtMs: 155 * SECOND_MS },
      { list: users(2) },
    ]);
    expect({ named, twice }).toEqual({ named: ['usr_002'], twice: ['usr_002'] });
  });

  it('other people start at once', async () => {
    const { last } = await play(takes(3), [killed, { list: ['other_1'] }]);
    expect({ waits: last.waits, created: last.state.counts().created }).toEqual({ waits: [], created: 1 });
  });

  it('other people wait, and begin with one row, if nobody knows whom it has sent', async () => {
    const list = Array.from({ length: 30 }, (_, at) => `other_${at}`);
    const { last, sizes } = await play(takes(3), [killed, { list, isForgetful: true }]);
    expect({ sizes, waits: last.waits.length }).toEqual({ sizes: [100, 1, 29], waits: 2 });
  });
});
