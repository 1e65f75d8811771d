import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { users } from '../../helpers/journal-files.ts';
import { INTERNAL_ERROR, LIMITED, type PeopleService } from '../../helpers/people-service.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { createAutoClock, createTestClock, type TestClock } from '../../helpers/test-clock.ts';
import { arrivals, importPeople } from './import-people.ts';

const home = temporaryFolder();
const ONE_BY_ONE = ['--batch-size', '1', '--concurrency', '1'];
const LIMITED_AT = 20;

/** Rejects requests with these numbers because of a rate limit, with this Retry-After. */
const limiting =
  (numbers: readonly number[], retryAfter: string): PeopleService['step'] =>
  ({ number, response }) => {
    if (!numbers.includes(number)) return 'respond';
    response.setHeader('retry-after', retryAfter);
    return LIMITED;
  };

describe('an import that the service limits', () => {
  it('ends after ten minutes without an accepted request, and can be continued', async () => {
    const { code, report, sleeps } = await importPeople(home.path, users(3), {
      step: ({ number }) => (number === 1 ? 'respond' : LIMITED),
      more: ONE_BY_ONE,
    });
    expect({ code, ...report.summary }).toMatchObject({ code: 6, created: 1, unsent: 2 });
    const totalMs = sleeps.reduce((sum, ms) => sum + ms, 0);
    expect(totalMs).toBeGreaterThanOrEqual(600_000);
    expect(totalMs).toBeLessThanOrEqual(660_000);
  });

  it.each([
    ['0', 0, 1_000],
    ['7', 0, 7_000],
    ['600', 0, 600_000],
    ['1', 0.5, 1_050],
    ['7', 0.5, 7_250],
  ])(
    'waits as long as the service asks, never less than a second, and longer by a random part of half a second, or of a tenth if that is less: %s s, %f',
    async (retryAfter, jitter, waitMs) => {
      const options = { step: limiting([1], retryAfter), random: () => jitter };
      const { code, sleeps } = await importPeople(home.path, users(1), options);
      expect({ code, sleeps }).toEqual({ code: 0, sleeps: [waitMs] });
    },
  );

  it('waits as long as the service asks although it limits another request for a shorter time', async () => {
    const clock = createTestClock();
    let release = () => {};
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    const running = importPeople(home.path, users(4), {
      step: async ({ number, response }) => {
        if (number === 1 || number > 3) return 'respond';
        response.setHeader('retry-after', number === 2 ? '30' : '2');
        if (number === 3) await isReleased;
        return LIMITED;
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
  });

  it('waits 1, 2, 4 … 60 s after rejections in a row that name no time', async () => {
    const { code, sleeps } = await importPeople(home.path, users(1), {
      step: ({ number }) => (number <= 8 ? LIMITED : 'respond'),
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
    const { code } = await importPeople(home.path, users(60), {
      async step({ number }) {
        inFlight.add(number);
        await arrivals();
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
    const { code, sleeps } = await importPeople(home.path, users(1), { step: limiting([1], '3600') });
    expect({ code, sleeps }).toEqual({ code: 6, sleeps: [] });
  });

  it('ends at the second rejection with --retries 0', async () => {
    const { code, sizes } = await importPeople(home.path, users(1), {
      step: limiting([1, 2], '0'),
      more: ['--retries', '0'],
    });
    expect({ code, requests: sizes.length }).toEqual({ code: 6, requests: 2 });
  });

  it('waits for ten minutes anew after a longer wait before rows are sent again', async () => {
    const { code, sleeps } = await importPeople(home.path, users(1), {
      step: ({ number }) => (number === 2 ? INTERNAL_ERROR : number < 4 ? LIMITED : 'respond'),
      more: ['--request-lifetime', '11m'],
    });
    expect({ code, sleeps }).toEqual({ code: 0, sleeps: [1_000, 660_000, 1_000] });
  });
});

describe('an import whose connections are refused', () => {
  const gone: PeopleService['step'] = ({ number, stopListening }) => {
    if (number === 1) stopListening();
    return 'respond';
  };

  it.each([
    ['at least half as long', 0, [500, 1_000, 2_000, ...Array(14).fill(4_000), 500]],
    ['half of them random', 0.5, [750, 1_500, 3_000, ...Array(9).fill(6_000), 750]],
  ])('ends after a minute, with waits that double up to 8 s, %s', async (_name, jitter, waits) => {
    const options = { step: gone, more: ONE_BY_ONE, random: () => jitter };
    const { code, sleeps, report } = await importPeople(home.path, users(3), options);
    expect({ code, ...report.summary }).toMatchObject({ code: 6, created: 1, unknown: 0, unsent: 2 });
    expect(sleeps).toEqual(waits);
  });

  it('ends at once with --retries 0', async () => {
    const options = { step: gone, more: [...ONE_BY_ONE, '--retries', '0'] };
    const { code, sleeps } = await importPeople(home.path, users(3), options);
    expect({ code, sleeps }).toEqual({ code: 6, sleeps: [] });
  });

  it('begins another minute, and with short waits, once the service has responded', async () => {
    const auto = createAutoClock();
    let restart: () => Promise<void> = async () => {};
    let waits = 0;
    const clock: TestClock = {
      ...auto,
      async sleep(ms, signal) {
        if (++waits % 3 === 0) await restart();
        return auto.sleep(ms, signal);
      },
    };
    const { code, sleeps } = await importPeople(home.path, users(3), {
      step: ({ number, stopListening }) => {
        if (number <= 2) restart = stopListening();
        return 'respond';
      },
      more: ONE_BY_ONE,
      clock,
    });
    expect({ code, sleeps }).toEqual({ code: 0, sleeps: [500, 1_000, 2_000, 500, 1_000, 2_000] });
  });
});
