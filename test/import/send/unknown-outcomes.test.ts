import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/util/host.ts';
import type { BulkRequest, Step } from '../../helpers/people-service.ts';
import { errorOf } from '../../helpers/report.ts';
import { seededRandom } from '../../helpers/seeded-random.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { createAutoClock, type TestClock } from '../../helpers/test-clock.ts';
import { partLike } from '../../helpers/text-like.ts';
import { failure, importPeople, limited, people, resumeImport } from './import-people.ts';

const home = temporaryFolder();
const LIFETIME_MS = 120_000;
const ONE_BY_ONE = ['--batch-size', '1', '--concurrency', '1'];

describe('requests of unknown outcome', () => {
  it.each<[string, Step, object]>([
    ['a usable response', 'respond', { code: 0, created: 20, failed: 0 }],
    ['a rejection', { status: 400, body: { message: 'role is not known' } }, { code: 3, created: 10, failed: 10 }],
  ])('bring no pause if each of them is followed by %s', async (_name, answer, expected) => {
    const { code, report, sleeps } = await importPeople(home.path, people(20), {
      step: ({ number }) => (number > 20 ? 'respond' : number % 2 === 0 ? failure : answer),
      more: ONE_BY_ONE,
    });
    const { created, failed } = report.summary;
    expect({ code, created, failed }).toEqual(expected);
    // A rejection does not show that the service inserts, so one row is sent first.
    expect(sleeps).toEqual(answer === 'respond' ? [LIFETIME_MS] : [LIFETIME_MS, LIFETIME_MS]);
  });

  it.each<[string, Step]>([
    ['failed', failure],
    ['had a response without a row', { status: 201, body: { created: [], errors: [] } }],
  ])(
    'pause the run until their lifetime has passed if five in a row %s; then it goes on with one row, and a tenth of the batch size',
    async (_name, response) => {
      const { code, report, sleeps, sizes } = await importPeople(home.path, people(150), {
        step: ({ number }) => ((number > 1 && number <= 6) || (number > 7 && number <= 12) ? response : 'respond'),
        more: ['--batch-size', '20', '--concurrency', '1'],
      });
      expect(sizes.slice(0, 9)).toEqual([20, 20, 20, 20, 20, 20, 1, 2, 2]);
      expect(Math.max(...sizes.slice(6))).toBe(2);
      expect(sleeps[0]).toBe(LIFETIME_MS);
      expect({ code, created: report.summary.created }).toEqual({ code: 0, created: 150 });
    },
  );

  it('bring no pause if their responses list members, although an error leaves open which of them were added', async () => {
    const { code, report, sleeps } = await importPeople(home.path, people(150), {
      step: ({ number, userIds }) => {
        if (number === 1 || number > 6) return 'respond';
        const created = userIds.map((userId) => ({ id: `mem_${userId}`, userId, role: 'member' }));
        return { status: 201, body: { created, errors: [{ error: 'a row was rejected' }] } };
      },
      more: ['--batch-size', '20', '--concurrency', '1'],
    });
    expect({ code, sleeps, created: report.summary.created }).toEqual({ code: 0, sleeps: [LIFETIME_MS], created: 150 });
  });

  it('that are timeouts count like others, and one note has the smallest batch size', async () => {
    const { code, report, stderr, sizes } = await importPeople(home.path, people(127), {
      step: ({ number }) => (number <= 7 ? 'ignore' : 'respond'),
      more: ['--batch-size', '64', '--concurrency', '1', '--timeout', '300ms', '--request-lifetime', '1ms'],
      clock: systemClock,
    });
    expect({ code, unknown: report.summary.unknown }).toEqual({ code: 0, unknown: 0 });
    expect(sizes.slice(0, 9)).toEqual([64, 1, 1, 1, 1, 1, 1, 1, 32]);
    expect(stderr.match(/\b\d+ rows\b.*--timeout/g)).toEqual([expect.stringMatching(/^32 rows\b/)]);
  });

  it.each([1, 4])('end the run after five more, not counting those in flight: %i in flight', async (concurrency) => {
    const { code, report, stderr, sizes } = await importPeople(home.path, people(500), {
      step: ({ number }) => (number === 1 ? 'respond' : failure),
      more: ['--batch-size', '10', '--concurrency', String(concurrency)],
    });
    expect({ code, afterThePause: sizes.filter((size) => size === 1) }).toEqual({
      code: 6,
      afterThePause: Array(5).fill(1),
    });
    expect(sizes.length).toBeLessThanOrEqual(6 + (concurrency - 1) + 5);
    expect(report.summary).toMatchObject({ created: 10, stopped: { code: 'service-failed' } });
    expect({ error: errorOf({ stderr }) }).toMatchObject({
      error: {
        message: expect.stringMatching(/\b10 requests\b/),
      },
    });
  });

  it('end a continued run with the advice to try again later if rows were added before', async () => {
    const first = await importPeople(home.path, people(60), {
      step: ({ number }) => (number === 1 ? 'respond' : { status: 403, body: { message: 'Forbidden' } }),
      more: ['--batch-size', '5'],
    });
    expect(first.report.summary).toMatchObject({ created: 5, unsent: 55 });
    const { code, stderr, sizes } = await resumeImport(home.path, first, {
      step: () => failure,
      more: ['--batch-size', '5'],
    });
    expect({ code, sizes }).toEqual({ code: 6, sizes: [5, 1, 1, 1, 1, 1, 1, 1, 1, 1] });
    expect(stderr).toContain('"hint":"Try again later."');
  });

  it('are sent one at a time until the service has sent a usable response', async () => {
    let inFlight = 0;
    let most = 0;
    await importPeople(home.path, people(30), {
      step: async ({ response }) => {
        most = Math.max(most, ++inFlight);
        response.once('close', () => inFlight--);
        // Long enough for others to arrive.
        await setTimeout(20);
        return failure;
      },
      more: ['--batch-size', '10'],
    });
    expect(most).toBe(1);
  });

  it.each([1, 4])('of one row in every batch need no person: %i in flight', async (concurrency) => {
    const isBad = (userId: string) => Number(userId.slice('usr_'.length)) % 20 === 7;
    const { code, report, service, stderr } = await importPeople(home.path, people(200), {
      step: ({ userIds }) => (userIds.some(isBad) ? failure : 'respond'),
      more: ['--batch-size', '20', '--concurrency', String(concurrency)],
    });
    expect({ code, ...report.summary }).toMatchObject({ code: 3, created: 190, unknown: 10, unsent: 0, stopped: null });
    expect(report.rows.map(({ userId, error }) => [userId, error])).toEqual(
      people(200)
        .filter(isBad)
        .map((userId) => [userId, expect.stringContaining('(500 Internal server error)')]),
    );
    expect(stderr).toMatch(/\b10 rows\b.*: orgadm runs show [0-9a-f]{8} --errors-file rejected\.csv\n/);
    // In its batch, in a second one of the same size, in parts of a tenth, and alone: then it is known.
    expect(Math.max(...people(200).map((userId) => service.sends.get(userId) ?? 0))).toBeLessThanOrEqual(4);
  });
});

describe('every wait', () => {
  /** Returns how long after its last request each row was sent again, in milliseconds. */
  function gapsBetweenSends(clock: TestClock) {
    const lastMs = new Map<string, number>();
    const gaps: number[] = [];
    const record = (userIds: readonly string[]) => {
      for (const userId of userIds) {
        const last = lastMs.get(userId);
        if (last !== undefined) gaps.push(clock.now() - last);
        lastMs.set(userId, clock.now());
      }
    };
    return { gaps, record };
  }

  it.each([1, 4])('lasts for a lifetime at least, before each later round, too: %i in flight', async (concurrency) => {
    const clock = createAutoClock();
    const { gaps, record } = gapsBetweenSends(clock);
    const bad = new Set(['usr_7', 'usr_133']);
    const { report, sizes } = await importPeople(home.path, people(200), {
      step: ({ userIds }) => {
        record(userIds);
        return userIds.some((userId) => bad.has(userId)) ? failure : 'respond';
      },
      more: ['--batch-size', '100', '--concurrency', String(concurrency)],
      clock,
    });
    expect(report.summary).toMatchObject({ created: 198, unknown: 2 });
    expect(sizes).toContain(10);
    expect(sizes.length).toBeGreaterThan(20);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(LIFETIME_MS);
  });

  it('starts with the response that created somebody, however long that took', async () => {
    const clock = createAutoClock();
    let provenAtMs = 0;
    let againAtMs = 0;
    await importPeople(home.path, people(20), {
      step: async ({ number }) => {
        if (number === 1) return failure;
        if (number > 2) againAtMs ||= clock.now();
        await clock.advance(number === 2 ? 4_000 : 0);
        if (number === 2) provenAtMs = clock.now();
        return 'respond';
      },
      clock,
    });
    expect(againAtMs - provenAtMs).toBe(LIFETIME_MS);
  });
});

describe('a status that proves nothing', () => {
  it.each([408, 409, 425, 499, 500, 502, 503, 504])(
    'leaves the rows unknown, and they are sent again: %i',
    async (status) => {
      const { code, report, sleeps, service } = await importPeople(home.path, people(3), {
        step: (request) => {
          if (request.number > 1) return 'respond';
          request.add();
          return { status, body: { statusCode: status, message: 'not now' } };
        },
      });
      expect({ code, recovered: report.summary.recovered, sleeps }).toEqual({
        code: 0,
        recovered: 3,
        sleeps: [LIFETIME_MS],
      });
      expect([...service.members.values()]).toEqual([1, 1, 1]);
    },
  );
});

describe('a rejection that lists members it has created', () => {
  it.each([400, 429])('leaves the rows unknown, and they are sent again: %i', async (status) => {
    const { code, report, sleeps, service } = await importPeople(home.path, people(3), {
      step: (request) => {
        if (request.number > 1) return 'respond';
        request.add();
        return { status, body: { message: 'Seat limit reached', created: [{ id: 'mem_usr_1', userId: 'usr_1' }] } };
      },
    });
    expect({ code, recovered: report.summary.recovered, sleeps }).toEqual({
      code: 0,
      recovered: 3,
      sleeps: [LIFETIME_MS],
    });
    expect([...service.members.values()]).toEqual([1, 1, 1]);
  });
});

describe('confirming', () => {
  it('leaves no message on a row that it has created', async () => {
    const { report } = await importPeople(home.path, people(1), {
      step: ({ number }) => (number === 1 ? failure : 'respond'),
      more: ['--all-rows'],
    });
    expect(report.rows).toMatchObject([{ userId: 'usr_1', state: 'created', error: null }]);
  });

  it('counts the members of a rejection as added by this run, although its list of them was cut off', async () => {
    const { code, report } = await importPeople(home.path, people(2), {
      step: ({ number, response }): Step => {
        if (number > 1) return 'respond';
        response.writeHead(422, { 'content-type': 'application/json' });
        response.write('{"message":"Seat limit reached","created":', () => response.destroy());
        return 'apply';
      },
    });
    expect({ code, ...report.summary }).toMatchObject({ code: 0, created: 0, recovered: 2, existing: 0, failed: 0 });
  });

  it.each(Array.from({ length: 10 }, (_, at) => at + 1))(
    'resolves every row of a service that loses one of ten responses, seed %i',
    async (seed) => {
      const draws = seededRandom(seed);
      const { code, report } = await importPeople(home.path, people(200), {
        step: ({ response }): Step => {
          if (!draws.chance(0.1)) return 'respond';
          response.destroy();
          return 'apply';
        },
        more: ['--batch-size', '20', '--concurrency', '1'],
      });
      const { created = 0, recovered = 0, unknown } = report.summary;
      expect({ code, unknown, added: created + recovered }).toEqual({ code: 0, unknown: 0, added: 200 });
    },
  );

  it.each<[string, Step, string]>([
    ['lost', { raw: '', after: 'reset' }, 'the connection … was lost …'],
    ['in conflict', { status: 409, body: { message: ['being changed', 'try later'] } }, '409 being changed'],
  ])('sends a row again that was %s alone, at most twice', async (_name, step, why) => {
    const { code, report, sizes, sleeps } = await importPeople(home.path, people(1), { step: () => step });
    expect({ code, sizes, sleeps }).toEqual({
      code: 3,
      sizes: [1, 1, 1, 1],
      sleeps: [LIFETIME_MS, LIFETIME_MS, LIFETIME_MS],
    });
    expect(report.rows[0]).toMatchObject({
      state: 'unknown',
      error: expect.stringMatching(partLike(`(${why})`)),
    });
  });

  it('does not send a row again with which the service failed when it was alone', async () => {
    const { code, sizes } = await importPeople(home.path, people(1), { step: () => failure });
    expect({ code, sizes }).toEqual({ code: 3, sizes: [1, 1] });
  });

  it('splits a confirming request of unknown outcome into tenths, in later commands, too', async () => {
    const first = await importPeople(home.path, people(101), {
      step: ({ number }) => (number === 2 ? 'respond' : failure),
      more: ['--batch-size', '101'],
    });
    // Its own size, and then single rows without which no lock would be noticed.
    expect(first.sizes).toEqual([101, 1, 100, 1, 1, 1]);
    const { code, report, sizes } = await resumeImport(home.path, first, { step: () => 'respond' });
    expect({ code, created: report.summary.created }).toEqual({ code: 0, created: 101 });
    expect(sizes[0]).toBe(1);
    expect(Math.max(...sizes)).toBe(10);
  });

  it('ends after five requests in a row that resolved nothing, without a pause in a round', async () => {
    const { code, report, sizes } = await importPeople(home.path, people(202), {
      step: ({ number, response }) => {
        if (number === 1 || number === 3) return 'respond';
        response.destroy();
        return 'ignore';
      },
      more: ['--batch-size', '101', '--concurrency', '1'],
    });
    // The second batch is probed once, and then nothing is answered any more.
    expect({ code, sizes }).toEqual({ code: 3, sizes: [101, 101, 1, 100, 1, 1, 1] });
    expect(report.summary).toMatchObject({ created: 102, unknown: 100 });
    // The person whom the probe created may be there twice as long as the others may be.
    expect(report.possibleDuplicates.map(({ userId }) => userId)).toEqual(['usr_202']);
  });

  it('ends without another wait once only rows are left that make the service fail', async () => {
    const { code, sizes, sleeps } = await importPeople(home.path, people(2), {
      step: ({ userIds }) => (userIds.includes('usr_2') ? failure : 'respond'),
    });
    expect({ code, sizes, sleeps }).toEqual({ code: 3, sizes: [2, 1, 1], sleeps: [LIFETIME_MS, LIFETIME_MS] });
  });

  it('tries another row if the service fails with the first one, in later commands, too', async () => {
    const bad = new Set(['usr_20', 'usr_1']);
    const first = await importPeople(home.path, people(20), {
      step: ({ userIds }) => (userIds.some((userId) => bad.has(userId)) ? failure : 'respond'),
    });
    expect({ code: first.code, ...first.report.summary }).toMatchObject({ code: 3, created: 18, unknown: 2 });
    // The last row, the one before it, and the other ones.
    expect(first.sizes.slice(0, 4)).toEqual([20, 1, 1, 18]);
    bad.delete('usr_20');
    const { report } = await resumeImport(home.path, first, {
      step: ({ userIds }) => (userIds.includes('usr_1') ? failure : 'respond'),
    });
    expect(report.summary).toMatchObject({ created: 19, unknown: 1 });
  });
});

describe('probing', () => {
  it('waits for a second lifetime after the first row that the service creates', async () => {
    const { code, report, sizes, sleeps } = await importPeople(home.path, people(30), {
      step: ({ number }) => (number === 1 ? failure : 'respond'),
    });
    expect({ code, sizes, sleeps }).toEqual({ code: 0, sizes: [30, 1, 29], sleeps: [LIFETIME_MS, LIFETIME_MS] });
    expect(report.possibleDuplicates).toEqual([]);
  });

  it('needs no second lifetime if the rows are members', async () => {
    const { code, report, sizes, sleeps } = await importPeople(home.path, people(31), {
      step: ({ number, response }): Step => {
        if (number > 1) return 'respond';
        response.destroy();
        return 'apply';
      },
    });
    expect({ code, recovered: report.summary.recovered }).toEqual({ code: 0, recovered: 31 });
    expect({ sizes, sleeps }).toEqual({ sizes: [31, ...Array(8).fill(1), 4, 16, 3], sleeps: [LIFETIME_MS] });
    expect(report.possibleDuplicates).toEqual([]);
  });

  it('is necessary if only a batch that was sent before has created somebody since', async () => {
    let failed: (() => void) | undefined;
    const isFailed = new Promise<void>((resolve) => {
      failed = resolve;
    });
    const { code, sizes, sleeps } = await importPeople(home.path, people(30), {
      step: async ({ number, userIds }) => {
        if (number === 1 || number > 3) return 'respond';
        if (userIds.includes('usr_11')) {
          setTimeout(50).then(failed);
          return failure;
        }
        await isFailed;
        return 'respond';
      },
      more: ['--batch-size', '10', '--concurrency', '2'],
    });
    expect({ code, sizes, sleeps }).toEqual({ code: 0, sizes: [10, 10, 10, 1, 9], sleeps: [LIFETIME_MS, LIFETIME_MS] });
  });

  it('is not necessary if a later batch has created somebody', async () => {
    const { code, sizes, sleeps } = await importPeople(home.path, people(30), {
      step: ({ number }) => (number === 2 ? failure : 'respond'),
      more: ['--batch-size', '10', '--concurrency', '1'],
    });
    expect({ code, sizes, sleeps }).toEqual({ code: 0, sizes: [10, 10, 10, 10], sleeps: [LIFETIME_MS] });
  });

  it('sends the same row again if its outcome is unknown, and no other row if it is unknown three times', async () => {
    const clock = createAutoClock();
    const { code, report, sizes, sleeps, service } = await importPeople(home.path, people(30), {
      step: async (): Promise<Step> => {
        await clock.advance(30_000);
        return 'ignore';
      },
      clock,
    });
    expect({ code, sizes, sleeps }).toEqual({
      code: 3,
      sizes: [30, 1, 1, 1],
      sleeps: [LIFETIME_MS, LIFETIME_MS, LIFETIME_MS],
    });
    expect(report.possibleDuplicates).toEqual([{ line: 31, entry: 30, userId: 'usr_30' }]);
    expect(service.sends.get('usr_29')).toBe(1);
  });

  it('names a person whom a probe created if others of the request turn out to be members', async () => {
    let first: BulkRequest | undefined;
    const { code, report, stderr } = await importPeople(home.path, people(4), {
      step: (request) => {
        first ??= request;
        if (request.number === 1) return failure;
        if (request.number > 2) return 'respond';
        // The first request adds everybody while the probe is on its way.
        request.add();
        first.add();
        return 'respond';
      },
    });
    expect({ code, ...report.summary }).toMatchObject({ code: 3, created: 1, recovered: 3 });
    expect(report.possibleDuplicates).toEqual([{ line: 5, entry: 4, userId: 'usr_4' }]);
    expect(stderr).toMatch(/^warning: .*\b1 person\b.*usr_4 on line 5/m);
  });

  it('names the rows of a confirming request that timed out', async () => {
    const clock = createAutoClock();
    const { code, report } = await importPeople(home.path, people(3), {
      step: async ({ number }): Promise<Step> => {
        if (number === 1) return failure;
        if (number !== 3) return 'respond';
        await clock.advance(30_000);
        return 'apply';
      },
      clock,
    });
    expect({ code, ...report.summary }).toMatchObject({ code: 3, created: 1, recovered: 2 });
    expect(report.possibleDuplicates.map(({ userId }) => userId)).toEqual(people(3));
  });
});

describe('the batch size', () => {
  it('doubles after each fast response, up to the one that was asked for, when timeouts have halved it', async () => {
    const clock = createAutoClock();
    const { code, sizes, stderr } = await importPeople(home.path, people(260), {
      step: async ({ number }) => {
        if (number === 1 || number > 4) return 'respond';
        await clock.advance(30_000);
        return 'ignore';
      },
      more: ['--batch-size', '40', '--concurrency', '1'],
      clock,
    });
    expect(code).toBe(0);
    expect(sizes.slice(0, 9)).toEqual([40, 40, 20, 10, 5, 10, 20, 40, 40]);
    expect(stderr).toMatch(/\b30 s\b.*\b5 rows\b.*--timeout/);
  });

  it('does not double after a response that took a quarter of the timeout, or to a request that was not full', async () => {
    const clock = createAutoClock();
    const { sizes } = await importPeople(home.path, people(120), {
      step: async ({ number }) => {
        await clock.advance(number === 1 ? 0 : number === 2 ? 30_000 : 7_500);
        return number === 2 ? 'ignore' : 'respond';
      },
      more: ['--batch-size', '40', '--limit', '110', '--concurrency', '1'],
      clock,
    });
    expect(sizes.slice(0, 4)).toEqual([40, 40, 20, 10]);
  });

  it('stays as it is if a single row is too large or takes too long', async () => {
    const clock = createAutoClock();
    const { code, sizes } = await importPeople(home.path, people(64), {
      step: async ({ number, userIds }): Promise<Step> => {
        if (userIds.includes('usr_64')) return { status: 413, body: { message: 'too large' } };
        if (number !== 1 && number !== 4) return 'respond';
        if (number === 1) return failure;
        await clock.advance(30_000);
        return 'ignore';
      },
      more: ['--batch-size', '30', '--concurrency', '1'],
      clock,
    });
    expect({ code, sizes: sizes.slice(0, 4) }).toEqual({ code: 3, sizes: [30, 1, 30, 3] });
  });

  it('does not exceed a limit that the service has named', async () => {
    const clock = createAutoClock();
    const { sizes } = await importPeople(home.path, people(120), {
      step: async ({ number, userIds }) => {
        if (userIds.length > 20) return { status: 413, body: { message: 'at most 20 members', statusCode: 413 } };
        if (number !== 2) return 'respond';
        await clock.advance(30_000);
        return 'ignore';
      },
      more: ['--batch-size', '40', '--concurrency', '1'],
      clock,
    });
    expect(sizes.slice(0, 6)).toEqual([40, 20, 10, 10, 20, 20]);
  });
});

describe('patience with a rate limit', () => {
  const LONGER_THAN_PATIENCE = ['--request-lifetime', '11m'];

  it('starts anew after a wait before rows are sent again', async () => {
    const { code, sleeps } = await importPeople(home.path, people(1), {
      step: ({ number }) => (number === 2 ? failure : number < 4 ? limited : 'respond'),
      more: LONGER_THAN_PATIENCE,
    });
    expect({ code, sleeps }).toEqual({ code: 0, sleeps: [1_000, 660_000, 1_000] });
  });

  it('starts anew after a pause because of unknown outcomes', async () => {
    const { code, sleeps } = await importPeople(home.path, people(6), {
      step: ({ number }) => (number === 1 || number === 7 ? limited : number < 7 ? failure : 'respond'),
      more: [...ONE_BY_ONE, ...LONGER_THAN_PATIENCE],
    });
    expect({ code, sleeps }).toEqual({ code: 0, sleeps: [1_000, 660_000, 1_000, 660_000] });
  });
});
