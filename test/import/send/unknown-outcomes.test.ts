import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/util/host.ts';
import { randomCases } from '../../helpers/fixed-seed.ts';
import type { Step } from '../../helpers/people-service.ts';
import { errorOf } from '../../helpers/report.ts';
import { temporaryCliDirectory } from '../../helpers/run-cli.ts';
import { seededRandom } from '../../helpers/seeded-random.ts';
import { createAutoClock } from '../../helpers/test-clock.ts';
import { textLike } from '../../helpers/text-like.ts';
import { failure, importPeople, limited, people, resumeImport } from './import-people.ts';

const home = temporaryCliDirectory();
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
    expect({ code, created, failed, sleeps }).toEqual({ ...expected, sleeps: [LIFETIME_MS] });
  });

  it.each<[string, Step]>([
    ['failed', failure],
    ['had a response without a row', { status: 201, body: { created: [], errors: [] } }],
  ])(
    'pause the run until they are over if five in a row %s; then it goes on with a tenth of the batch size',
    async (_name, response) => {
      const { code, report, sleeps, sizes } = await importPeople(home.path, people(150), {
        step: ({ number }) => ((number > 1 && number <= 6) || (number > 7 && number <= 12) ? response : 'respond'),
        more: ['--batch-size', '20', '--concurrency', '1'],
      });
      expect(Math.max(...sizes.slice(6))).toBe(2);
      expect({ code, sleeps, created: report.summary.created }).toEqual({
        code: 0,
        sleeps: [LIFETIME_MS, LIFETIME_MS],
        created: 150,
      });
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

  it('that are timeouts do not count while smaller batches may help, and one note has the final batch size', async () => {
    const { code, report, stderr, sizes } = await importPeople(home.path, people(127), {
      step: ({ number }) => (number <= 7 ? 'ignore' : 'respond'),
      more: ['--batch-size', '64', '--concurrency', '1', '--timeout', '300ms', '--request-lifetime', '1ms'],
      clock: systemClock,
    });
    expect({ code, unknown: report.summary.unknown }).toEqual({ code: 0, unknown: 0 });
    expect(sizes.slice(0, 8)).toEqual([64, 32, 16, 8, 4, 2, 1, 1]);
    expect(stderr.match(/so orgadm reduced the batch size to .*/g)).toEqual([
      'so orgadm reduced the batch size to 8 rows. To send more at once, allow more time with --timeout. To start with fewer, use --batch-size 8.',
    ]);
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
        message: expect.stringMatching(/^the outcome of 10 requests in a row is unknown: /),
        hint: 'Try again later.',
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
    expect({ code, sizes }).toEqual({ code: 6, sizes: [5, 5, 5, 5, 5, 1, 1, 1, 1, 1] });
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
        .map((userId) => [userId, 'the service fails when orgadm sends the row alone (500 Internal server error)']),
    );
    expect(stderr).toMatch(
      /\nTo save the 10 rows that make the service fail: orgadm runs show [0-9a-f]{8} --errors-file rejected\.csv\n/,
    );
    // In its batch, in parts of a tenth, and alone: then it is known.
    expect(Math.max(...people(200).map((userId) => service.sends.get(userId) ?? 0))).toBeLessThanOrEqual(3);
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

  it.each(Array.from({ length: randomCases(10) }, (_, at) => at + 1))(
    'resolves every row of a service that loses two of five responses, seed %i',
    async (seed) => {
      const draws = seededRandom(seed);
      const { code, report } = await importPeople(home.path, people(200), {
        step: ({ response }): Step => {
          if (!draws.chance(0.4)) return 'respond';
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
      error: expect.stringMatching(textLike(`no usable response when orgadm sends the row alone (${why})`)),
    });
  });

  it('does not send a row again with which the service failed when it was alone', async () => {
    const { code, sizes } = await importPeople(home.path, people(1), { step: () => failure });
    expect({ code, sizes }).toEqual({ code: 3, sizes: [1, 1] });
  });

  it('starts with the smaller parts when another process continues the run', async () => {
    const first = await importPeople(home.path, people(101), {
      step: ({ number }) => (number === 2 ? 'respond' : failure),
      more: ['--batch-size', '101'],
    });
    expect(first.sizes).toEqual([101, 1, ...Array(9).fill(11), 1]);
    const { code, report, sizes } = await resumeImport(home.path, first, { step: () => 'respond' });
    expect({ code, created: report.summary.created }).toEqual({ code: 0, created: 101 });
    expect(sizes[0]).toBe(1);
    expect(Math.max(...sizes)).toBe(2);
  });

  it('ends after a round of five requests or more that resolved nothing, without a pause in it', async () => {
    const { sizes, sleeps } = await importPeople(home.path, people(101), {
      step: ({ number, response }) => {
        if (number === 2) return 'respond';
        response.destroy();
        return 'ignore';
      },
      more: ['--batch-size', '101'],
    });
    expect({ sizes, sleeps }).toEqual({ sizes: [101, 1, ...Array(9).fill(11), 1], sleeps: [LIFETIME_MS] });
  });

  it('goes on after a round whose last five requests resolved nothing, because the first ones did', async () => {
    const { code, sizes } = await importPeople(home.path, people(101), {
      step: ({ number, response }) => {
        if (number > 1 && (number < 7 || number > 11)) return 'respond';
        response.destroy();
        return 'ignore';
      },
      more: ['--batch-size', '101', '--concurrency', '1'],
    });
    expect({ code, sizes: sizes.slice(0, 13) }).toEqual({ code: 0, sizes: [101, 1, ...Array(9).fill(11), 1, 2] });
  });

  it('ends without another wait once only rows are left that make the service fail', async () => {
    const { code, sizes, sleeps } = await importPeople(home.path, people(2), {
      step: ({ userIds }) => (userIds.includes('usr_2') ? failure : 'respond'),
    });
    expect({ code, sizes, sleeps }).toEqual({ code: 3, sizes: [2, 1, 1], sleeps: [LIFETIME_MS] });
  });

  it('tries another row if the service fails with the first one, in later commands, too', async () => {
    const bad = new Set(['usr_1', 'usr_2']);
    const first = await importPeople(home.path, people(20), {
      step: ({ userIds }) => (userIds.some((userId) => bad.has(userId)) ? failure : 'respond'),
    });
    expect({ code: first.code, ...first.report.summary }).toMatchObject({ code: 3, created: 18, unknown: 2 });
    expect(first.sizes.slice(0, 4)).toEqual([20, 1, 1, 1]);
    bad.delete('usr_2');
    const { report } = await resumeImport(home.path, first, {
      step: ({ userIds }) => (userIds.includes('usr_1') ? failure : 'respond'),
    });
    expect(report.summary).toMatchObject({ created: 19, unknown: 1 });
  });
});

describe('confirming while the service is stalled', () => {
  /** Longer than a quarter of the timeout. */
  const STALL_MS = 7_500;

  it('sends one row at a time, a lifetime apart, and names these people', async () => {
    const clock = createAutoClock();
    const { code, report, sizes, sleeps, stderr } = await importPeople(home.path, people(30), {
      step: async ({ number }) => {
        if (number === 1) return failure;
        if (number <= 3) await clock.advance(STALL_MS);
        return 'respond';
      },
      clock,
    });
    expect({ code, ...report.summary }).toMatchObject({ code: 3, created: 30 });
    expect(sizes).toEqual([30, 1, 1, 1, ...Array(9).fill(3)]);
    expect(sleeps).toEqual([LIFETIME_MS, LIFETIME_MS, LIFETIME_MS]);
    expect(report.possibleDuplicates).toEqual([
      { line: 2, entry: 1, userId: 'usr_1' },
      { line: 3, entry: 2, userId: 'usr_2' },
    ]);
    expect(stderr).toContain(
      'the service was stalled when orgadm sent 2 people again who may be in your organization twice: usr_1 on line 2, usr_2 on line 3',
    );
  });

  it('is over if the response takes less than a quarter of the timeout', async () => {
    const clock = createAutoClock();
    const { code, report, sleeps } = await importPeople(home.path, people(3), {
      step: async ({ number }) => {
        if (number === 2) await clock.advance(STALL_MS - 1);
        return number === 1 ? failure : 'respond';
      },
      clock,
    });
    expect({ code, sleeps, names: report.possibleDuplicates }).toEqual({ code: 0, sleeps: [LIFETIME_MS], names: [] });
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
    expect(report.possibleDuplicates).toEqual([{ line: 2, entry: 1, userId: 'usr_1' }]);
    expect(service.sends.get('usr_2')).toBe(1);
  });

  it.each([
    [400, 'role is not known'],
    [413, 'request entity too large'],
  ])('waits for another lifetime if a rejection was slow: %i', async (status, message) => {
    const clock = createAutoClock();
    const { report, sleeps } = await importPeople(home.path, people(3), {
      step: async ({ number }) => {
        if (number === 1) return failure;
        if (number > 2) return 'respond';
        await clock.advance(STALL_MS);
        return { status, body: { statusCode: status, message } };
      },
      clock,
    });
    expect(report.summary).toMatchObject({ created: 2, failed: 1 });
    expect({ sleeps, names: report.possibleDuplicates }).toEqual({ sleeps: [LIFETIME_MS, LIFETIME_MS], names: [] });
  });

  it('does not wait for another lifetime if a rate limit was slow, which says nothing about the table', async () => {
    const clock = createAutoClock();
    const { code, sleeps } = await importPeople(home.path, people(3), {
      step: async ({ number }) => {
        if (number === 1) return failure;
        if (number > 2) return 'respond';
        await clock.advance(STALL_MS);
        return limited;
      },
      clock,
    });
    expect({ code, sleeps }).toEqual({ code: 0, sleeps: [LIFETIME_MS, 1_000] });
  });

  it('does not name a person whom the service knows as a member or rejects', async () => {
    const clock = createAutoClock();
    const { report } = await importPeople(home.path, ['usr_1', 'bad_2', 'usr_3'], {
      step: async ({ number, response }) => {
        if (number === 1) {
          response.destroy();
          return 'apply';
        }
        await clock.advance(STALL_MS);
        return 'respond';
      },
      clock,
    });
    expect(report.summary).toMatchObject({ recovered: 2, failed: 1 });
    expect(report.possibleDuplicates).toEqual([]);
  });

  it('begins again in a later round if a request of the round before was slow', async () => {
    const clock = createAutoClock();
    const { sizes } = await importPeople(home.path, people(101), {
      step: async ({ number }): Promise<Step> => {
        if (number === 3) await clock.advance(STALL_MS);
        return number === 1 || number === 3 ? failure : 'respond';
      },
      more: ['--batch-size', '101', '--concurrency', '1'],
      clock,
    });
    // The round, one row of the part that failed, and the others of that part.
    expect(sizes).toEqual([101, 1, ...Array(9).fill(11), 1, 1, 2, 2, 2, 2, 2]);
  });
});

describe('the batch size', () => {
  it('doubles after each fast response, up to the one that was asked for, when timeouts have halved it', async () => {
    const clock = createAutoClock();
    const { code, sizes, stderr } = await importPeople(home.path, people(220), {
      step: async ({ number }) => {
        if (number > 3) return 'respond';
        await clock.advance(30_000);
        return 'ignore';
      },
      more: ['--batch-size', '40', '--concurrency', '1'],
      clock,
    });
    expect(code).toBe(0);
    expect(sizes.slice(0, 10)).toEqual([40, 20, 10, 5, 10, 20, 40, 40, 35, 1]);
    expect(stderr).toContain(
      'the service took longer than 30 s to respond for a while, so orgadm reduced the batch size to 5 rows, and raised it again later.',
    );
  });

  it('does not double after a response that took a quarter of the timeout, or to a request that was not full', async () => {
    const clock = createAutoClock();
    const { sizes } = await importPeople(home.path, people(100), {
      step: async ({ number }) => {
        await clock.advance(number === 1 ? 30_000 : 7_500);
        return number === 1 ? 'ignore' : 'respond';
      },
      more: ['--batch-size', '40', '--limit', '90', '--concurrency', '1'],
      clock,
    });
    expect(sizes.slice(0, 4)).toEqual([40, 20, 20, 10]);
  });

  it('stays as it is if a single row is too large or takes too long', async () => {
    const clock = createAutoClock();
    const { code, sizes } = await importPeople(home.path, people(61), {
      step: async ({ number, userIds }): Promise<Step> => {
        if (userIds.includes('usr_1')) return number === 1 ? failure : { status: 413, body: { message: 'too large' } };
        if (number !== 3) return 'respond';
        await clock.advance(30_000);
        return 'ignore';
      },
      more: ['--batch-size', '30', '--concurrency', '1'],
      clock,
    });
    // Two batches, the last row, the rows of the first batch and of the last one that are sent first, and parts of a tenth.
    expect({ code, sizes }).toEqual({ code: 3, sizes: [30, 30, 1, 1, ...Array(9).fill(3), 1, 2] });
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
    expect({ code, sleeps }).toEqual({ code: 0, sleeps: [1_000, 660_000, 1_000] });
  });
});
