import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { addsMembers } from '../helpers/people-service.ts';
import { createCommandRunner } from '../helpers/service-run.ts';
import { createTestClock, type TestClock } from '../helpers/test-clock.ts';
import { textLike } from '../helpers/text-like.ts';

const cli = createCommandRunner();
const LIST = 'userId,role\nusr_1,member\nusr_2,member\n';
const ADD = ['people', 'bulk-add', '-', '--json'];

/** Resolves when a wait is shown, which is counted down each second. */
async function untilCountdown(clock: TestClock): Promise<void> {
  while (!clock.waiting().some((ms) => ms > 0 && ms <= 1000)) await setImmediate();
}

describe('a long command without a terminal', () => {
  it('logs every 30 seconds the progress of an import that waits for a rate limit', async () => {
    const clock = createTestClock();
    const adds = addsMembers();
    const { service, run } = await cli.scripted((request, response) =>
      service.requests.length === 1
        ? { status: 429, headers: { 'retry-after': '80' }, body: { message: 'Too many requests' } }
        : adds(request, response),
    );
    const running = run(ADD, { stdin: LIST, clock });
    await untilCountdown(clock);
    await clock.advance(81_000);
    const { code, stderr } = await running;
    expect({ code, lines: stderr.trimEnd().split('\n').slice(3) }).toEqual({
      code: 0,
      lines: [
        '0 of 2 rows, rate limited, continuing in 50 s',
        '0 of 2 rows, rate limited, continuing in 20 s',
        expect.stringMatching(/^took 1 m 2\d s, 1 m 2\d s of it rate limited$/),
      ],
    });
  });

  it('logs every 30 seconds that an import waits before it sends rows of unknown outcome again, unless --quiet is set', async () => {
    for (const [more, lines] of [
      [[], ['0 of 2 rows, no usable response: sending these rows again in 20 s']],
      [['--quiet', '--restart'], []],
    ] as const) {
      const clock = createTestClock();
      const rejected = {
        usr_1: 'already a member of this organization',
        usr_2: 'already a member of this organization',
      };
      const adds = addsMembers({ rejected });
      const { service, run } = await cli.scripted((request, response) =>
        service.requests.length === 1 ? { status: 500 } : adds(request, response),
      );
      const running = run([...ADD, '--request-lifetime', '50s', ...more], { stdin: LIST, clock });
      await untilCountdown(clock);
      await clock.advance(51_000);
      const { code, stderr } = await running;
      expect(code, stderr).toBe(0);
      expect(stderr.split('\n').filter((line) => /^\d+ of /.test(line))).toEqual(lines);
    }
  });

  it('logs why an import cannot go on', async () => {
    const clock = createTestClock();
    const adds = addsMembers();
    let onFirst = () => {};
    const { service, run } = await cli.scripted((request, response) => {
      if (service.requests.length === 1) onFirst();
      response.setHeader('connection', 'close');
      return adds(request, response);
    });
    onFirst = service.stopListening;
    const ended = run([...ADD, '--batch-size', '1'], { stdin: LIST, clock }).then(({ stderr }) => stderr);
    let stderr: string | undefined;
    while (stderr === undefined) {
      stderr = (await Promise.race([ended, untilCountdown(clock)])) ?? undefined;
      if (stderr === undefined) await clock.advance(1000);
    }
    expect(stderr.split('\n').filter((line) => /^\d+ of .* rows/.test(line))).toContainEqual(
      expect.stringMatching(/^\d of 2 rows, cannot reach the service: trying again in \d s$/),
    );
  });

  it('logs every 30 seconds the progress of a wait for domains', async () => {
    const { run } = await cli.scripted(() => ({ body: { domain: 'a.test', verified: false } }));
    const argv = ['domain', 'status', 'a.test', '--wait', '--deadline', '70s', '--interval', '20s'];
    const { code, stderr } = await run(argv);
    expect(code).toBe(7);
    expect(stderr).toMatch(textLike(`a.test: not verified, 30 s left\na.test is not ready after 1 m 10 s: …\n`));
  });
});
