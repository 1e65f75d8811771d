import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { PeopleService, Step } from '../../helpers/people-service.ts';
import { errorOf } from '../../helpers/report.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { createAutoClock, createTestClock, type TestClock } from '../../helpers/test-clock.ts';
import { importPeople, limited, people } from './import-people.ts';

const home = temporaryFolder();
const ONE_BY_ONE = ['--batch-size', '1', '--concurrency', '1'];
/** Turns of the event loop in which everything arrives that was sent at the same time. */
const TURNS = 20;
const LIMITED_AT = 20;
const total = (sleeps: readonly number[]) => sleeps.reduce((sum, ms) => sum + ms, 0);

/** Rejects requests with these numbers because of a rate limit, with this Retry-After. */
const limiting =
  (numbers: readonly number[], retryAfter: string): PeopleService['step'] =>
  ({ number, response }) => {
    if (!numbers.includes(number)) return 'respond';
    response.setHeader('retry-after', retryAfter);
    return limited;
  };

describe('an import that the service limits', () => {
  it('ends after ten minutes without an accepted request, and can be continued', async () => {
    const { code, report, sleeps, stderr } = await importPeople(home.path, people(3), {
      step: ({ number }) => (number === 1 ? 'respond' : limited),
      more: ONE_BY_ONE,
    });
    expect({ code, ...report.summary }).toMatchObject({ code: 6, created: 1, unsent: 2 });
    expect(errorOf({ stderr })).toMatchObject({
      message: expect.stringMatching(/\b1\d m\b/),
    });
    expect(total(sleeps)).toBeGreaterThanOrEqual(600_000);
  });

  it.each([
    ['0.001', 1_000],
    ['0', 1_000],
    ['7', 7_000],
    ['600', 600_000],
  ])('waits as long as the service asks, and never less than a second: %s', async (retryAfter, waitMs) => {
    const { code, sleeps } = await importPeople(home.path, people(1), { step: limiting([1], retryAfter) });
    expect({ code, sleeps }).toEqual({ code: 0, sleeps: [waitMs] });
  });

  it.each([
    ['1', 1_050],
    ['7', 7_250],
  ])(
    'waits longer by a random part of half a second, or of a tenth if that is less: %s',
    async (retryAfter, waitMs) => {
      const step = limiting([1], retryAfter);
      const { sleeps } = await importPeople(home.path, people(1), { step, random: () => 0.5 });
      expect(sleeps).toEqual([waitMs]);
    },
  );

  it.each<[string, Step, string]>([['limits another request for a shorter time', limited, '2']])(
    'waits as long as the service asks although it %s',
    async (_name, second, retryAfter) => {
      const clock = createTestClock();
      let release = () => {};
      const isReleased = new Promise<void>((resolve) => {
        release = resolve;
      });
      const running = importPeople(home.path, people(4), {
        step: async ({ number, response }) => {
          if (number === 1 || number > 3) return 'respond';
          response.setHeader('retry-after', number === 2 ? '30' : retryAfter);
          if (number === 2) return limited;
          await isReleased;
          return second;
        },
        more: ['--batch-size', '1', '--concurrency', '2'],
        clock,
      });
      while (clock.sleeps.length < 1) await setImmediate();
      release();
      while (clock.sleeps.length < 2) await setImmediate();
      await clock.advance(30_000);
      const { code, sleeps } = await running;
      expect({ code, sleeps }).toEqual({ code: 0, sleeps: [30_000, 30_000] });
    },
  );

  it('waits at least 1, 2, 4 … 60 s after rejections in a row that name no time', async () => {
    const { code, sleeps } = await importPeople(home.path, people(1), {
      step: ({ number }) => (number <= 8 ? limited : 'respond'),
    });
    expect({ code, sleeps }).toEqual({
      code: 0,
      sleeps: [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000],
    });
  });

  it.each<[string, headers: Record<string, string>, after: number]>([
    ['once if it names no time', {}, 2],
    ['not at all if it names a time', { 'retry-after': '5' }, 4],
  ])('has half as many requests in flight after a rejection, %s', async (_name, headers, after) => {
    const inFlight = new Set<number>();
    const most = { before: 0, after: 0 };
    const { code } = await importPeople(home.path, people(60), {
      async step({ number }) {
        inFlight.add(number);
        // All that orgadm sends at the same time arrives within a few turns of the event loop.
        for (let turn = 0; turn < TURNS; turn++) await setImmediate();
        const when = number < LIMITED_AT ? 'before' : 'after';
        if (number > LIMITED_AT + 4 || when === 'before') most[when] = Math.max(most[when], inFlight.size);
        inFlight.delete(number);
        return number === LIMITED_AT ? { status: 429, body: { message: 'Too many requests' }, headers } : 'respond';
      },
      more: ['--batch-size', '1', '--concurrency', '4'],
    });
    expect({ code, ...most }).toEqual({ code: 0, before: 4, after });
  });

  it('ends at once if the service asks it to wait for more than ten minutes', async () => {
    const { code, sleeps, stderr } = await importPeople(home.path, people(1), { step: limiting([1], '3600') });
    expect({ code, sleeps }).toEqual({ code: 6, sleeps: [] });
    expect(errorOf({ stderr })).toMatchObject({
      message: expect.stringContaining('1 h 0 m'),
    });
  });

  it('tries once more with --retries 0', async () => {
    const more = ['--retries', '0'];
    expect(await importPeople(home.path, people(1), { step: limiting([1], '0'), more })).toMatchObject({ code: 0 });
    const again = [...more, '--restart'];
    const twice = await importPeople(home.path, people(1), { step: limiting([1, 2], '0'), more: again });
    expect({ code: twice.code, requests: twice.sizes.length }).toEqual({ code: 6, requests: 2 });
  });

  it('shortens no longer wait for requests of unknown outcome', async () => {
    const { code, sleeps } = await importPeople(home.path, people(2), {
      step: ({ number }) => (number === 1 ? { status: 500, body: {} } : number === 2 ? limited : 'respond'),
      more: ONE_BY_ONE,
    });
    expect({ code, sleeps }).toEqual({ code: 0, sleeps: [1_000, 120_000] });
  });
});

describe('an import whose connections are refused', () => {
  it.each([
    ['at least half as long', 0, [500, 1_000, 2_000, ...Array(14).fill(4_000), 500]],
    ['half of them random', 0.5, [750, 1_500, 3_000, ...Array(9).fill(6_000), 750]],
  ])('ends after a minute, with waits that double up to 8 s, %s', async (_name, jitter, waits) => {
    const { code, sleeps, report } = await importPeople(home.path, people(3), {
      step: ({ number, stopListening }) => {
        if (number === 1) stopListening();
        return 'respond';
      },
      more: ONE_BY_ONE,
      random: () => jitter,
    });
    expect({ code, created: report.summary.created }).toEqual({ code: 6, created: 1 });
    expect(sleeps).toEqual(waits);
  });

  it('ends at once with --retries 0', async () => {
    const { code, sleeps, report } = await importPeople(home.path, people(3), {
      step: ({ number, stopListening }) => {
        if (number === 1) stopListening();
        return 'respond';
      },
      more: [...ONE_BY_ONE, '--retries', '0'],
    });
    expect({ code, sleeps }).toEqual({ code: 6, sleeps: [] });
    expect(report.summary).toMatchObject({ created: 1, unknown: 0, unsent: 2 });
  });

  it('begins another minute when the service has responded in between, whatever it said', async () => {
    const auto = createAutoClock();
    let restart: (() => Promise<void>) | undefined;
    let waits = 0;
    const clock: TestClock = {
      ...auto,
      async sleep(ms, signal) {
        if (++waits % 3 === 0) await restart?.();
        return auto.sleep(ms, signal);
      },
    };
    const { code, sleeps } = await importPeople(home.path, people(3), {
      step: ({ number, stopListening }) => {
        if (number <= 2) restart = stopListening();
        return number === 2 ? { status: 500, body: {} } : 'respond';
      },
      more: ONE_BY_ONE,
      clock,
    });
    expect({ code, sleeps }).toEqual({ code: 0, sleeps: [500, 1_000, 2_000, 500, 1_000, 2_000, 120_000] });
  });
});
