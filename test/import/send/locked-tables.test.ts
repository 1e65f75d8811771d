import { afterAll, describe, expect, it } from 'vitest';
import { createTestClock } from '../../helpers/test-clock.ts';
import { type LockedOptions, startLockedService } from './locked-service.ts';
import { type Ended, type Import, LIFETIME_MS, TIMEOUT_MS, VirtualMachine } from './virtual-machine.ts';

/*
 * A service whose table is locked for a while holds every request that inserts, whatever becomes of its client, and adds
 * everybody when the lock ends. So some people are added twice, and no tool can prevent it: but few, and a report names each.
 * All times are virtual, and count from the start of the first import.
 */

const SECOND_MS = 1_000;
const users = (count: number) => Array.from({ length: count }, (_, at) => `usr_${at + 1}`);

interface Played {
  readonly twice: readonly string[];
  readonly named: readonly string[];
  /** The last import. */
  readonly last: Ended;
  /** Rows in each request. */
  readonly sizes: readonly number[];
}

/** What each row of the table has led to, for the summary. */
const summary = new Map<string, { plays: number; mostTwice: number; mostNamed: number; unnamed: number }>();
afterAll(() => {
  if (process.env.VERBOSE === undefined) return;
  for (const [name, row] of summary) process.stdout.write(`${name}: ${JSON.stringify(row)}\n`);
});

/** Runs imports one after another, and checks that everybody who is in the organization twice was named. */
async function play(
  name: string,
  service: Omit<LockedOptions, 'clock'>,
  imports: readonly [Import, ...Import[]],
): Promise<Played> {
  const clock = createTestClock();
  const locked = await startLockedService({ clock, ...service });
  const machine = new VirtualMachine(clock, locked);
  try {
    let last: Ended | undefined;
    for (const each of imports) last = await machine.import(each);
    if (last === undefined) throw new Error('the last import was killed');
    await machine.settle();
    const twice = machine.twice();
    const named = [...machine.named];
    const row = summary.get(name) ?? { plays: 0, mostTwice: 0, mostNamed: 0, unnamed: 0 };
    const unnamed = twice.filter((userId) => !machine.named.has(userId));
    summary.set(name, {
      plays: row.plays + 1,
      mostTwice: Math.max(row.mostTwice, twice.length),
      mostNamed: Math.max(row.mostNamed, named.length),
      unnamed: row.unnamed + unnamed.length,
    });
    const played = `${name} ${JSON.stringify({ ...service, imports })} ${locked.sizes.join(' ')}`;
    expect(unnamed, played).toEqual([]);
    return { twice, named, last, sizes: locked.sizes };
  } finally {
    await locked.close();
    machine.remove();
  }
}

/** The ends of a lock in seconds: around every wait of a run whose first request times out, and some others. */
const LOCK_ENDS = [2, 29, 31, 60, 149, 150, 150.5, 151, 152, 155, 166, 179, 181, 200, 261, 299, 300, 301, 330, 400];
const lockUntil = (toSeconds: number, fromSeconds = 0) =>
  ({ lock: [fromSeconds * SECOND_MS, toSeconds * SECOND_MS] }) as const;

describe.each([false, true])(
  'a table that is locked for a while, with people inserted one by one: %s',
  (isOneByOne) => {
    it('row 1: names the only person, whom the probe and the first request add', async () => {
      for (const end of LOCK_ENDS) {
        const { twice, named } = await play('1', { ...lockUntil(end), isOneByOne }, [{ list: users(1) }]);
        expect(named).toEqual(twice);
      }
    });

    it('row 2: names the only person, whom a probe has added that timed out', async () => {
      const { twice, named, last } = await play('2', { ...lockUntil(261), isOneByOne }, [{ list: users(1) }]);
      expect({ twice, named, recovered: last.state.counts().recovered }).toEqual({
        twice: ['usr_1'],
        named: ['usr_1'],
        recovered: 1,
      });
    });

    it('row 3: waits for another lifetime if a row is a member because its own probe was stuck', async () => {
      for (const end of [295, 298, 299, 299.5, 300]) {
        const { twice, last } = await play('3', { ...lockUntil(end, 0), isOneByOne }, [{ list: users(2) }]);
        expect(twice).toEqual(['usr_2']);
        expect(last.waits).toHaveLength(3);
      }
    });

    it('row 4: probes the last row first, so that no probe runs ahead of the first request', async () => {
      for (const end of [145, 147, 148, 149, 149.5, 150]) {
        const { twice, sizes } = await play('4', { ...lockUntil(end), isOneByOne }, [{ list: users(8) }]);
        expect(twice.length).toBeLessThanOrEqual(1);
        expect(sizes.slice(0, 2)).toEqual([8, 1]);
      }
    });

    it.each([
      ['the first 85', (all: readonly string[]) => all.slice(0, 85)],
      ['the last 150', (all: readonly string[]) => all.slice(-150)],
      ['the last 250', (all: readonly string[]) => all.slice(-250)],
      ['the last 400', (all: readonly string[]) => all.slice(-400)],
    ])('row 5: probes from all over a request if %s were members before', async (_, membersOf) => {
      const list = users(500);
      for (const end of [146, 149.5, 150]) {
        const service = { ...lockUntil(end), isOneByOne, before: membersOf(list) };
        const { twice } = await play('5', service, [{ list }]);
        expect(twice.length).toBeLessThanOrEqual(2);
      }
    });

    it('row 6: begins each request with one row', async () => {
      const list = users(1_500);
      // The first batch is fast. The response to the second one, of members only, is lost, and the third one is stuck.
      const before = list.slice(500, 1_000);
      const lose = (number: number) => (number === 2 ? 'response' : undefined);
      const service = { ...lockUntil(153, 5), isOneByOne, before, lose } as const;
      const { twice, sizes } = await play('6', service, [{ list, concurrency: 2 }]);
      expect(sizes.slice(3, 16)).toEqual([...Array(8).fill(1), 4, 16, 64, 250, 158]);
      expect(sizes[16]).toBe(1);
      expect(twice.length).toBeLessThanOrEqual(1);
    });

    it.each([[], ['usr_2']])(
      'rows 7 and 8: probes after kill -9 and --restart, whatever the time; a member before: %s',
      async (...before) => {
        for (const end of [100, 270, 274, 274.9, 275.5, 290, 320, 420]) {
          const list = users(2);
          const service = { ...lockUntil(end), isOneByOne, before };
          const imports = [
            { list, killAtMs: 19 * SECOND_MS },
            { list, restart: true, atMs: 275 * SECOND_MS, isForgetful: end > 275 },
          ] as const;
          const { twice } = await play(before.length === 0 ? '7' : '8', service, imports);
          expect(twice.length).toBeLessThanOrEqual(1);
        }
      },
    );

    it('row 9: waits for a lifetime after the lock ended 900 ms before, 300 ms before, or during the probe', async () => {
      for (const end of [149.1, 149.7, 150.1, 152]) {
        const { twice } = await play('9', { ...lockUntil(end), isOneByOne }, [{ list: users(200) }]);
        expect(twice.length).toBeLessThanOrEqual(1);
      }
    });

    it('row 10: needs one proof for six requests of 500', async () => {
      const list = users(3_500);
      const { twice, sizes } = await play('10', { ...lockUntil(203, 5), isOneByOne }, [{ list, concurrency: 6 }]);
      expect(twice.length).toBeLessThanOrEqual(1);
      expect(sizes.length).toBeLessThan(100);
    });

    describe('row 11: an import that is killed or interrupted in each wait', () => {
      const list = users(100);
      const others = [...list.slice(0, 60), 'usr_900'];
      it.each<[string, Import]>([
        ['the same command', { list }],
        ['--restart', { list, restart: true }],
        ['another list', { list: others }],
      ])('then %s', async (_, next) => {
        for (const end of [100, 149.5, 160, 290])
          for (const at of [20, 60, 155, 200, 320])
            for (const kind of ['killAtMs', 'stopAtMs'])
              for (const later of [0, 200]) {
                const first = { list, [kind]: at * SECOND_MS };
                const second = { ...next, atMs: (at + later) * SECOND_MS, isForgetful: later > 0 };
                const { twice } = await play('11', { ...lockUntil(end), isOneByOne }, [
                  first,
                  second,
                  { ...next, restart: false },
                ]);
                expect(twice.length).toBeLessThanOrEqual(2);
              }
      });
    });

    it('row 12: counts the longer lifetime of both runs', async () => {
      const list = users(20);
      const workMs = () => 8 * SECOND_MS;
      const first = { list, lifetimeMs: SECOND_MS, killAtMs: 2 * SECOND_MS };
      for (const end of [28, 29, 31, 32, 35]) {
        const imports = [first, { list, restart: true, lifetimeMs: 10 * SECOND_MS, atMs: 32 * SECOND_MS }] as const;
        const { twice } = await play('12', { ...lockUntil(end), isOneByOne, workMs }, imports);
        expect(twice.length).toBeLessThanOrEqual(1);
      }
    });

    it('row 13: needs no lifetime for each row of a service that takes 8 s for a request', async () => {
      const service = {
        isOneByOne,
        workMs: () => 8 * SECOND_MS,
        lose: (number: number) => (number === 1 ? 'response' : undefined),
      } as const;
      const { twice, named, last } = await play('13', service, [{ list: users(10) }]);
      expect({ twice, named, recovered: last.state.counts().recovered }).toEqual({
        twice: [],
        named: [],
        recovered: 10,
      });
      expect(last.waits).toHaveLength(1);
    });

    it('row 14: names whom a probe of a killed run has created, after its requests are over', async () => {
      const list = users(6);
      const workMs = () => 6 * SECOND_MS;
      for (const end of [150.5, 155, 160]) {
        const imports = [
          { list, killAtMs: 183 * SECOND_MS },
          { list, restart: true, atMs: 439 * SECOND_MS, isForgetful: end > 155 },
        ] as const;
        const { twice, named, last } = await play('14', { ...lockUntil(end), isOneByOne, workMs }, imports);
        expect({ twice, named, waits: last.waits }).toEqual({ twice: ['usr_6'], named: ['usr_6'], waits: [] });
      }
    });

    it('row 15: names a person of a killed run whose other rows are on no list that could tell', async () => {
      for (const end of [100, 149, 150, 155]) {
        const imports = [
          { list: users(2), killAtMs: 9 * SECOND_MS },
          { list: ['usr_1'], isForgetful: end > 149 },
        ] as const;
        const { twice } = await play('15', { ...lockUntil(end), isOneByOne }, imports);
        expect(twice.length).toBeLessThanOrEqual(1);
      }
    });

    it.each<[string, Partial<Import>, LockedOptions['lose']]>([
      ['gets a 5xx', {}, (number) => (number > 2 ? 'error' : undefined)],
      ['is interrupted', { stopAtMs: 280 * SECOND_MS }, undefined],
    ])('row 16: names the probed row if the confirming request %s', async (_, more, lose) => {
      const list = users(500);
      const service = { ...lockUntil(160), isOneByOne, ...(lose && { lose }) };
      const { twice, last } = await play('16', service, [{ list, ...more }]);
      expect(twice).toEqual(['usr_500']);
      expect(last.named).toContain('usr_500');
      expect(last.state.counts().unknown).toBeGreaterThan(0);
    });

    it('row 17: waits once for a stuck probe of 64 rows, in later commands, too', async () => {
      const list = users(400);
      // All rows that are probed first were members before, so that the probe grows until it meets the lock.
      const service = { ...lockUntil(400, 0), isOneByOne, before: list.filter((_, at) => at % 9 !== 4) };
      const imports = [{ list, killAtMs: 170 * SECOND_MS }, { list }] as const;
      const { last } = await play('17', service, imports);
      expect(last.endedAtMs).toBeLessThan(25 * 60 * SECOND_MS);
    });
  },
);

it('names a person whom two stuck probes have added, although the first request was lost before it did anything', async () => {
  const lose = (number: number) => (number === 1 ? 'request' : undefined);
  const { twice, named } = await play('lost', { ...lockUntil(281), lose }, [{ list: users(1) }]);
  expect({ twice, named }).toEqual({ twice: ['usr_1'], named: ['usr_1'] });
});

describe('a list of other people after an import that was killed', () => {
  const people = users(100);
  const others = users(30).map((userId) => `other_${userId}`);
  const killed = { list: people, killAtMs: 2 * SECOND_MS };

  it('starts at once', async () => {
    const { last } = await play('others', { workMs: () => 3 * SECOND_MS }, [killed, { list: others }]);
    expect({ waits: last.waits, created: last.state.counts().created }).toEqual({ waits: [], created: 30 });
  });

  it('waits, and begins with one row, if nobody knows whom the other import has sent', async () => {
    const service = { workMs: () => 3 * SECOND_MS };
    const { last, sizes } = await play('others', service, [killed, { list: others, isForgetful: true }]);
    expect(sizes).toEqual([100, 1, 29]);
    expect(last.waits).toHaveLength(2);
  });
});

it('has the times of the table', () => expect([TIMEOUT_MS, LIFETIME_MS]).toEqual([30_007, 120_000]));
