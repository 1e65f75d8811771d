import { describe, expect, it } from 'vitest';
import { users } from '../../helpers/journal-files.ts';
import { type BulkRequest, INTERNAL_ERROR, type Step } from '../../helpers/people-service.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { createAutoClock, type TestClock } from '../../helpers/test-clock.ts';
import { arrivals, importPeople, resumeImport } from './import-people.ts';

const home = temporaryFolder();
const LIFETIME_MS = 120_000;
const TIMEOUT_MS = 30_000;

describe('requests of unknown outcome', () => {
  it.each<[string, Step]>([
    ['failed', INTERNAL_ERROR],
    ['had a response without a row', { status: 201, body: { created: [], errors: [] } }],
  ])(
    'pause the run until their lifetime has passed if five in a row %s; then it goes on with one row, and a tenth of the batch size',
    async (_name, response) => {
      const { code, report, sleeps, sizes } = await importPeople(home.path, users(150), {
        step: ({ number }) => ((number > 1 && number <= 6) || (number > 7 && number <= 12) ? response : 'respond'),
        more: ['--batch-size', '20', '--concurrency', '1'],
      });
      expect(sizes.slice(0, 9)).toEqual([20, 20, 20, 20, 20, 20, 1, 2, 2]);
      expect(Math.max(...sizes.slice(6))).toBe(2);
      expect(sleeps[0]).toBe(LIFETIME_MS);
      expect({ code, created: report.summary.created }).toEqual({ code: 0, created: 150 });
    },
  );

  it.each([1, 4])('end the run after five more, not counting those in flight: %i in flight', async (concurrency) => {
    const { code, report, sizes } = await importPeople(home.path, users(500), {
      step: ({ number }) => (number === 1 ? 'respond' : INTERNAL_ERROR),
      more: ['--batch-size', '10', '--concurrency', String(concurrency)],
    });
    expect({ code, afterThePause: sizes.filter((size) => size === 1) }).toEqual({
      code: 6,
      afterThePause: Array(5).fill(1),
    });
    expect(sizes.length).toBeLessThanOrEqual(6 + (concurrency - 1) + 5);
    expect(report.summary).toMatchObject({ created: 10, stopped: { code: 'service-failed' } });
  });

  it('are followed by one row at a time until the service has sent a usable response', async () => {
    const inFlight = new Set<number>();
    let most = 0;
    const { sizes } = await importPeople(home.path, users(30), {
      step: async ({ number }) => {
        inFlight.add(number);
        await arrivals();
        most = Math.max(most, inFlight.size);
        inFlight.delete(number);
        return INTERNAL_ERROR;
      },
      more: ['--batch-size', '10'],
    });
    expect({ most, sizes: sizes.slice(0, 3) }).toEqual({ most: 1, sizes: [10, 1, 1] });
  });

  it('of one row in every batch need no person', async () => {
    const isBad = (userId: string) => Number(userId.slice('usr_'.length)) % 20 === 7;
    const { code, report, service } = await importPeople(home.path, users(200), {
      step: ({ userIds }) => (userIds.some(isBad) ? INTERNAL_ERROR : 'respond'),
      more: ['--batch-size', '20', '--concurrency', '4'],
    });
    expect({ code, ...report.summary }).toMatchObject({ code: 3, created: 190, unknown: 10, unsent: 0, stopped: null });
    expect(report.rows.map(({ userId }) => userId)).toEqual(users(200).filter(isBad));
    // In its batch, in a second one of the same size, in parts of a tenth, and alone: then it is known.
    expect(Math.max(...users(200).map((userId) => service.sends.get(userId) ?? 0))).toBeLessThanOrEqual(4);
  });
});

it.each([1, 4])(
  'every row is sent again a lifetime later at least, in each round: %i in flight',
  async (concurrency) => {
    const clock = createAutoClock();
    const lastMs = new Map<string, number>();
    const gaps: number[] = [];
    const { report, sizes } = await importPeople(home.path, users(200), {
      step: ({ userIds }) => {
        for (const userId of userIds) {
          if (lastMs.has(userId)) gaps.push(clock.now() - (lastMs.get(userId) ?? 0));
          lastMs.set(userId, clock.now());
        }
        return userIds.includes('usr_007') || userIds.includes('usr_133') ? INTERNAL_ERROR : 'respond';
      },
      more: ['--batch-size', '100', '--concurrency', String(concurrency)],
      clock,
    });
    expect(report.summary).toMatchObject({ created: 198, unknown: 2 });
    expect(sizes).toContain(10);
    expect(sizes.length).toBeGreaterThan(20);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(LIFETIME_MS);
  },
);

describe('what leaves every row unknown, so that all of them are sent again', () => {
  const created = [{ id: 'mem_usr_001', userId: 'usr_001' }];
  it.each<[string, Step]>([
    ...[408, 409, 425, 499, 500, 502, 503, 504].map((status): [string, Step] => [`a ${status}`, { status, body: {} }]),
    ['a response without any row', { status: 201, body: {} }],
    ['a page', { body: '<title>Sign in</title>' }],
    ['a reset', { raw: '', after: 'reset' }],
    ['a 400 that lists members it has created', { status: 400, body: { message: 'no seats left', created } }],
    ['a 429 that lists members it has created', { status: 429, body: { message: 'no seats left', created } }],
    [
      'a 422 whose list of members is cut off',
      {
        raw: 'HTTP/1.1 422 Invalid\r\ncontent-length: 99\r\n\r\n{"message":"no seats left","created":',
        after: 'reset',
      },
    ],
  ])('%s', async (_, response) => {
    const { code, report, sleeps, service } = await importPeople(home.path, users(3), {
      step: (request) => {
        if (request.number > 1) return 'respond';
        request.add();
        return response;
      },
    });
    const { recovered } = report.summary;
    expect({ code, recovered, sleeps }).toEqual({ code: 0, recovered: 3, sleeps: [LIFETIME_MS] });
    expect([...service.members.values()]).toEqual([1, 1, 1]);
  });
});

/** An import with one request of unknown outcome or more. */
interface Case {
  readonly promise: string;
  readonly rows: number;
  readonly step: (request: BulkRequest, clock: TestClock) => Step | Promise<Step>;
  readonly more?: readonly string[];
  readonly code: number;
  /** Rows in each request. */
  readonly sizes: readonly number[];
  /** How many times it waits, each time for a lifetime. */
  readonly waits: number;
  readonly summary: object;
  readonly named?: readonly string[];
}

const lost: Step = { raw: '', after: 'reset' };
const rejection: Step = { status: 400, body: { message: 'role is not known' } };
const CASES: readonly Case[] = [
  {
    promise: 'waits for a lifetime after the response, sends one row, and the others a lifetime after its response',
    rows: 30,
    step: async ({ number }, clock) => {
      await clock.advance(4_000);
      return number === 1 ? INTERNAL_ERROR : 'respond';
    },
    ...{ code: 0, sizes: [30, 1, 29], waits: 2, summary: { created: 30 } },
  },
  {
    promise: 'sends more and more rows if they are members, and needs no second lifetime',
    rows: 31,
    step: (request) => {
      request.add();
      return request.number === 1 ? lost : 'respond';
    },
    ...{ code: 0, sizes: [31, ...Array(8).fill(1), 4, 16, 3], waits: 1, summary: { recovered: 31 } },
  },
  {
    promise: 'sends all rows at once if a later batch has created somebody',
    rows: 30,
    step: ({ number }) => (number === 2 ? INTERNAL_ERROR : 'respond'),
    more: ['--batch-size', '10', '--concurrency', '1'],
    ...{ code: 0, sizes: [10, 10, 10, 10], waits: 1, summary: { created: 30 } },
  },
  ...[
    { answer: 'respond' as const, code: 0, waits: 1, summary: { created: 20 } },
    // It does not show that the service inserts, so one row is sent first.
    { answer: rejection, code: 3, waits: 2, summary: { created: 10, failed: 10 } },
  ].map(({ answer, ...expected }) => ({
    promise: `does not pause because of failures that are each followed by a response: ${JSON.stringify(answer)}`,
    rows: 20,
    step: ({ number }: BulkRequest) => (number > 20 ? 'respond' : number % 2 === 0 ? INTERNAL_ERROR : answer),
    more: ['--batch-size', '1', '--concurrency', '1'],
    ...{ sizes: Array(30).fill(1), ...expected },
  })),
  {
    promise:
      'does not pause because of responses that list members, although an error leaves open which of them were added',
    rows: 150,
    step: ({ number, userIds }) => {
      if (number === 1 || number > 6) return 'respond';
      const created = userIds.map((userId) => ({ id: `mem_${userId}`, userId, role: 'member' }));
      return { status: 201, body: { created, errors: [{ error: 'a row was rejected' }] } };
    },
    more: ['--batch-size', '20', '--concurrency', '1'],
    ...{ code: 0, sizes: [...Array(7).fill(20), 10, ...Array(5).fill(20)], waits: 1, summary: { created: 150 } },
  },
  ...[lost, { status: 409, body: { message: 'being changed' } }].map((step) => ({
    promise: `sends a row at most twice again that was alone: ${JSON.stringify(step)}`,
    rows: 1,
    step: () => step,
    ...{ code: 3, sizes: [1, 1, 1, 1], waits: 3, summary: { unknown: 1 } },
  })),
  {
    promise: 'ends without another wait once only rows are left that make the service fail',
    rows: 2,
    step: ({ userIds }) => (userIds.includes('usr_002') ? INTERNAL_ERROR : 'respond'),
    ...{ code: 3, sizes: [2, 1, 1], waits: 2, summary: { created: 1, unknown: 1 } },
  },
  {
    promise: 'ends after a round of five requests in a row without an outcome',
    rows: 110,
    step: ({ number }) => (number % 2 === 0 || number > 11 ? lost : 'respond'),
    more: ['--batch-size', '10', '--concurrency', '1'],
    ...{ code: 3, sizes: Array(16).fill(10), waits: 1, summary: { created: 60, unknown: 50 } },
  },
  {
    promise: 'ends after three probes in a row without an outcome, and names whom an earlier one created',
    rows: 202,
    step: ({ number }) => (number === 1 || number === 3 ? 'respond' : lost),
    more: ['--batch-size', '101', '--concurrency', '1'],
    ...{ code: 3, sizes: [101, 101, 1, 100, 1, 1, 1], waits: 5, summary: { created: 102, unknown: 100 } },
    named: ['usr_202'],
  },
  {
    promise: 'sends the same row again if its probe times out, no other row after three, and names it',
    rows: 30,
    step: async (_, clock): Promise<Step> => {
      await clock.advance(3_000);
      return 'ignore';
    },
    more: ['--timeout', '3s'],
    ...{ code: 3, sizes: [30, 1, 1, 1], waits: 3, summary: { unknown: 30 } },
    named: ['usr_030'],
  },
  {
    promise: 'names a person whom a probe created if others of the request turn out to be members',
    rows: 4,
    step: ({ number, userIds, add }) => {
      if (number > 1) return 'respond';
      add(userIds.slice(0, 3));
      return INTERNAL_ERROR;
    },
    ...{ code: 3, sizes: [4, 1, 3], waits: 2, summary: { created: 1, recovered: 3 } },
    named: ['usr_004'],
  },
  {
    promise: 'begins again with one row, after another lifetime, if a probe without outcome for 5 s has members',
    rows: 40,
    step: async ({ number, add }, clock) => {
      add();
      await clock.advance(number === 10 ? 5_000 : 0);
      return number === 1 || number === 10 ? lost : 'respond';
    },
    code: 0,
    // The rows of the probe one by one, and then those that are left of the request.
    sizes: [40, ...Array(8).fill(1), 4, ...Array(4).fill(1), ...Array(8).fill(1), 4, 16],
    ...{ waits: 3, summary: { recovered: 40 } },
  },
  {
    promise: 'names the rows of a confirming request that timed out',
    rows: 3,
    step: async ({ number }, clock) => {
      await clock.advance(number === 3 ? TIMEOUT_MS : 0);
      return number === 1 ? INTERNAL_ERROR : number === 3 ? 'apply' : 'respond';
    },
    ...{ code: 3, sizes: [3, 1, 2, 1, 1], waits: 3, summary: { created: 1, recovered: 2 } },
    named: users(3),
  },
];

describe('an import', () => {
  it.each(CASES.map((one) => [one.promise, one] as const))(
    '%s',
    async (_, { rows, step, more = [], code, sizes, waits, summary, named = [] }) => {
      const clock = createAutoClock();
      const ended = await importPeople(home.path, users(rows), {
        step: (request) => step(request, clock),
        more,
        clock,
      });
      expect({ code: ended.code, sizes: ended.sizes, sleeps: ended.sleeps }).toEqual({
        code,
        sizes,
        sleeps: Array(waits).fill(LIFETIME_MS),
      });
      expect(ended.report.summary).toMatchObject(summary);
      expect(ended.report.possibleDuplicates.map(({ userId }) => userId)).toEqual(named);
    },
  );

  it('splits a confirming request of unknown outcome into tenths, in later commands, too', async () => {
    const first = await importPeople(home.path, users(101), {
      step: ({ number }) => (number === 2 ? 'respond' : INTERNAL_ERROR),
      more: ['--batch-size', '101'],
    });
    // Its own size, and then single rows without which no lock would be noticed.
    expect(first.sizes).toEqual([101, 1, 100, 1, 1, 1]);
    const { code, report, sizes } = await resumeImport(home.path, first, { step: () => 'respond' });
    expect({ code, created: report.summary.created }).toEqual({ code: 0, created: 101 });
    expect(sizes[0]).toBe(1);
    expect(Math.max(...sizes)).toBe(10);
  });

  it('tries another row if the service fails with the first one, in later commands, too', async () => {
    const bad = new Set(['usr_020', 'usr_001']);
    const first = await importPeople(home.path, users(20), {
      step: ({ userIds }) => (userIds.some((userId) => bad.has(userId)) ? INTERNAL_ERROR : 'respond'),
    });
    expect({ code: first.code, ...first.report.summary }).toMatchObject({ code: 3, created: 18, unknown: 2 });
    // The last row, the one before it, and the other ones.
    expect(first.sizes.slice(0, 4)).toEqual([20, 1, 1, 18]);
    bad.delete('usr_020');
    const { report } = await resumeImport(home.path, first, {
      step: ({ userIds }) => (userIds.includes('usr_001') ? INTERNAL_ERROR : 'respond'),
    });
    expect(report.summary).toMatchObject({ created: 19, unknown: 1 });
  });
});

describe('probing', () => {
  it('is necessary if only a batch that was sent before has created somebody since', async () => {
    let fail = () => {};
    const hasFailed = new Promise<void>((resolve) => {
      fail = resolve;
    });
    const { code, sizes, sleeps } = await importPeople(home.path, users(30), {
      step: async ({ number, userIds, response }) => {
        if (number === 1 || number > 3) return 'respond';
        if (userIds.includes('usr_011')) {
          response.once('finish', fail);
          return INTERNAL_ERROR;
        }
        await hasFailed;
        await arrivals();
        return 'respond';
      },
      more: ['--batch-size', '10', '--concurrency', '2'],
    });
    expect({ code, sizes, sleeps }).toEqual({ code: 0, sizes: [10, 10, 10, 1, 9], sleeps: [LIFETIME_MS, LIFETIME_MS] });
  });
});

describe('the batch size', () => {
  it.each<[promise: string, tookMs: (number: number) => number, sizes: readonly number[]]>([
    [
      'is halved after each timeout, and doubles after each fast response, up to the one that was asked for',
      (number) => (number > 1 && number < 5 ? TIMEOUT_MS : 0),
      [40, 40, 20, 10, 5, 10, 20, 40, 40],
    ],
    [
      'does not double after a response that took a quarter of the timeout',
      (number) => (number === 1 ? 0 : number === 2 ? TIMEOUT_MS : TIMEOUT_MS / 4),
      [40, 40, 20, 20, 20],
    ],
  ])('%s', async (_, tookMs, sizes) => {
    const clock = createAutoClock();
    const ended = await importPeople(home.path, users(260), {
      step: async ({ number }) => {
        await clock.advance(tookMs(number));
        return tookMs(number) === TIMEOUT_MS ? 'ignore' : 'respond';
      },
      more: ['--batch-size', '40', '--concurrency', '1'],
      clock,
    });
    expect(ended.sizes.slice(0, sizes.length)).toEqual(sizes);
    expect(ended.stderr).toMatch(/\b30 s\b.*\brows\b.*--timeout/);
  });

  it('does not exceed a limit that the service has named', async () => {
    const clock = createAutoClock();
    const { sizes } = await importPeople(home.path, users(120), {
      step: async ({ number, userIds }) => {
        if (userIds.length > 20) return { status: 413, body: { message: 'at most 20 members', statusCode: 413 } };
        await clock.advance(number === 2 ? TIMEOUT_MS : 0);
        return number === 2 ? 'ignore' : 'respond';
      },
      more: ['--batch-size', '40', '--concurrency', '1'],
      clock,
    });
    expect(sizes.slice(0, 6)).toEqual([40, 20, 10, 10, 20, 20]);
  });
});
