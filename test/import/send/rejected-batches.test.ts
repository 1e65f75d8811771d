import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { BulkRequest, Step } from '../../helpers/people-service.ts';
import { runCli } from '../../helpers/run-cli.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { createAutoClock, createTestClock, type TestClock } from '../../helpers/test-clock.ts';
import { type EndedImport, importPeople, limited, people } from './import-people.ts';

const home = temporaryFolder();

const rejection = (...message: string[]): Step => ({ status: 400, body: { statusCode: 400, message } });
const tooLarge: Step = { status: 413, body: { statusCode: 413, message: 'request entity too large' } };

function statesOf({ report }: EndedImport): Record<string, string> {
  return Object.fromEntries(report.rows.map(({ userId, state }) => [userId, state]));
}

/** Rejects every request that contains this person. */
const rejects =
  (bad: string) =>
  ({ userIds }: BulkRequest): Step =>
    userIds.includes(bad) ? rejection('Validation failed') : 'respond';

describe('a rejected batch', () => {
  it('is split until the valid row is created, however many requests the service limits meanwhile', async () => {
    const ended = await importPeople(home.path, people(2), {
      step: (request) => (request.number > 1 && request.number <= 11 ? limited : rejects('usr_1')(request)),
    });
    expect({ code: ended.code, requests: ended.sizes.length, states: statesOf(ended) }).toEqual({
      code: 3,
      requests: 13,
      states: { usr_1: 'failed' },
    });
    expect(ended.report.rows[0]?.error).toBe('Validation failed');
  });

  it('is split until the valid row is created, however many connections are refused meanwhile', async () => {
    // The service is gone for the first ten waits.
    const auto = createAutoClock();
    let restart: () => Promise<void> = async () => {};
    const clock: TestClock = {
      ...auto,
      now: auto.now,
      async sleep(ms, signal) {
        if (auto.sleeps.length === 9) await restart();
        return auto.sleep(ms, signal);
      },
    };
    const ended = await importPeople(home.path, people(2), {
      step: (request) => {
        if (request.number === 1) restart = request.stopListening();
        return rejects('usr_1')(request);
      },
      clock,
    });
    expect({ code: ended.code, waits: ended.sleeps.length, states: statesOf(ended) }).toEqual({
      code: 3,
      waits: 10,
      states: { usr_1: 'failed' },
    });
  });

  it('of which one row is named and the other is too large leaves no row unsent', async () => {
    const ended = await importPeople(home.path, people(2), {
      step: ({ userIds }) => (userIds.includes('usr_1') ? rejection('members.0.role is invalid') : tooLarge),
    });
    expect({ code: ended.code, states: statesOf(ended) }).toEqual({
      code: 3,
      states: { usr_1: 'failed', usr_2: 'failed' },
    });
    expect(ended.report.rows.map(({ error }) => error)).toEqual(['role is invalid', 'request entity too large']);
  });

  it('leaves no row unsent if the last rejection that orgadm accepts names one', async () => {
    // 64 rows take at most 28 requests in a row without an accepted one, after the first.
    const ended = await importPeople(home.path, people(64), {
      step: ({ number }) => rejection(number === 29 ? 'members.0.role is invalid' : 'Validation failed'),
    });
    expect(ended.sizes).toHaveLength(29);
    expect(ended.report.summary).toMatchObject({ failed: 64, unsent: 0 });
  });

  it('names the rows that were not tried alone, also in the report of another process', async () => {
    const ended = await importPeople(home.path, people(64), { step: () => rejection('Validation failed') });
    const errors = new Set(ended.report.rows.map(({ error }) => error));
    expect(errors).toEqual(new Set(['Validation failed', expect.stringMatching(/.: Validation failed$/)]));
    const [run] = (await runCli(home.path, ['runs', 'list', '--json'])).json() as { id: string }[];
    const shown = await runCli(home.path, ['runs', 'show', run?.id ?? '', '--json']);
    expect(shown.json()).toMatchObject({ rows: ended.report.rows });
  });

  it('is split until its valid rows are created, although many rejected rows next to each other come first', async () => {
    const isBad = (userId: string) => Number(userId.slice('usr_'.length)) <= 40;
    const ended = await importPeople(home.path, people(64), {
      step: ({ userIds }) => (userIds.some(isBad) ? rejection('Validation failed') : 'respond'),
    });
    expect(ended.report.summary).toMatchObject({ created: 24, failed: 40 });
  });

  it('is sent without the rows that its message names in one request, even if batches have become smaller since', async () => {
    const clock = createTestClock();
    const releases = new Map<string, () => void>();
    const arrived = new Set<string>();
    const running = importPeople(home.path, people(16), {
      // The second batch has a row that the message names, the third has long rows, and the fourth is limited once.
      step: async ({ userIds, number }) => {
        const [first = ''] = userIds;
        arrived.add(first);
        if (number <= 4 && (first === 'usr_5' || first === 'usr_9')) {
          await new Promise<void>((resolve) => releases.set(first, resolve));
          return first === 'usr_5' ? rejection('members.1.role is invalid') : tooLarge;
        }
        return number <= 4 && first === 'usr_13' ? limited : 'respond';
      },
      more: ['--batch-size', '4', '--concurrency', '3'],
      clock,
    });
    const sleeps = async (count: number) => {
      while (clock.sleeps.length < count) await setImmediate();
    };
    await sleeps(1);
    releases.get('usr_5')?.();
    await sleeps(2);
    releases.get('usr_9')?.();
    await sleeps(3);
    await clock.advance(2_000);
    const ended = await running;
    expect(arrived).toContain('usr_13');
    expect({ code: ended.code, states: statesOf(ended) }).toEqual({ code: 3, states: { usr_6: 'failed' } });
    expect([...ended.sizes].sort()).toEqual([2, 2, 2, 2, 3, 4, 4, 4, 4]);
  });

  it('is halved with all of its rows, the first ones first, if its message names a wrong one', async () => {
    const requests: string[][] = [];
    const { report } = await importPeople(home.path, people(4), {
      step: ({ userIds }) => {
        requests.push([...userIds]);
        return userIds.includes('usr_3') ? rejection('members.0.role is invalid') : 'respond';
      },
    });
    expect(requests).toEqual([
      ['usr_1', 'usr_2', 'usr_3', 'usr_4'],
      ['usr_2', 'usr_3', 'usr_4'],
      ['usr_1', 'usr_2'],
      ['usr_3', 'usr_4'],
      ['usr_3'],
      ['usr_4'],
    ]);
    expect(report.rows).toMatchObject([{ userId: 'usr_3', state: 'failed', error: 'role is invalid' }]);
  });

  it('is halved until it fits if the page of a gateway says that it is too large, and nobody is missing', async () => {
    const page: Step = { status: 413, headers: { 'content-type': 'text/html' }, body: '<title>413 Too Large</title>' };
    const ended = await importPeople(home.path, people(8), {
      step: ({ userIds }) => (userIds.length > 2 ? page : 'respond'),
      more: ['--concurrency', '1'],
    });
    expect({ code: ended.code, sizes: ended.sizes }).toEqual({ code: 0, sizes: [8, 4, 2, 2, 2, 2] });
    expect(ended.report.summary).toMatchObject({ created: 8 });
  });

  it('makes the others half as large if it is too large as a whole, but not once more for one long row in it', async () => {
    const ended = await importPeople(home.path, people(24), {
      step: ({ userIds }) => (userIds.length > 4 || userIds.includes('usr_2') ? tooLarge : 'respond'),
      more: ['--batch-size', '8', '--concurrency', '1'],
    });
    expect({ code: ended.code, sizes: ended.sizes, states: statesOf(ended) }).toEqual({
      code: 3,
      sizes: [8, 4, 2, 1, 1, 2, 4, 4, 4, 4, 4],
      states: { usr_2: 'failed' },
    });
  });

  it.each([
    ['whose number its message names', 'Maximum 5 members allowed per bulk request'],
    ['that its message does not name', 'Validation failed'],
  ])(
    'makes the others as large as the largest part that was accepted, if no row was wrong: a limit %s',
    async (_, message) => {
      const ended = await importPeople(home.path, people(24), {
        step: ({ userIds }) => (userIds.length > 5 ? rejection(message) : 'respond'),
        more: ['--batch-size', '12', '--concurrency', '1'],
      });
      expect({ code: ended.code, sizes: ended.sizes }).toEqual({ code: 0, sizes: [12, 6, 3, 3, 3, 3, 3, 3, 3, 3] });
    },
  );

  it('does not make the others smaller if a row was wrong', async () => {
    const ended = await importPeople(home.path, people(24), {
      step: rejects('usr_2'),
      more: ['--batch-size', '8', '--concurrency', '1'],
    });
    expect(ended.sizes.slice(-2)).toEqual([8, 8]);
  });
});
