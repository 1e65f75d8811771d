import { describe, expect, it } from 'vitest';
import { addsMembers } from '../helpers/people-service.ts';
import { MemoryTerminal } from '../helpers/run-cli.ts';
import { createCommandRunner } from '../helpers/service-run.ts';
import { createTestClock } from '../helpers/test-clock.ts';

const cli = createCommandRunner();
const ADD = ['people', 'bulk-add', '-', '--json', '--request-lifetime', '50s', '--ignore-existing', '--restart'];
const EXISTING = 'already a member of this organization';
const LIMITED = { status: 429, headers: { 'retry-after': '50' }, body: { message: 'Too many requests' } };

describe('without a terminal, a line every 30 seconds says how far it is:', () => {
  it.each([
    ['an import that waits for a rate limit', LIMITED, '0 of 2 rows, rate limited, continuing in 20 s'],
    [
      'an import that waits before it sends rows of unknown outcome again',
      { status: 500 },
      '0 of 2 rows, no usable response: sending these rows again in 20 s',
    ],
  ])('%s, unless --quiet is set', async (_, reply, line) => {
    for (const [more, lines] of [
      [[], [line]],
      [['--quiet'], []],
    ] as const) {
      const clock = createTestClock();
      const adds = addsMembers({ rejected: { usr_1: EXISTING, usr_2: EXISTING } });
      const { service, run } = await cli.scripted((request, response) =>
        service.requests.length === 1 ? reply : adds(request, response),
      );
      const running = run([...ADD, ...more], { stdin: 'userId,role\nusr_1,member\nusr_2,member\n', clock });
      // The wait is counted down each second.
      while (!clock.waiting().some((ms) => ms > 0 && ms <= 1_000)) await clock.advance(0);
      await clock.advance(52_000);
      const { code, stderr } = await running;
      expect(code, stderr).toBe(0);
      expect(stderr.split('\n').filter((text) => /^\d of 2 rows/.test(text))).toEqual(lines);
    }
  });

  it('a wait for domains', async () => {
    const { run } = await cli.scripted(() => ({ body: { domain: 'a.test', verified: false } }));
    const argv = ['domain', 'status', 'a.test', '--wait', '--deadline', '70s', '--interval', '20s'];
    const { code, stderr } = await run(argv);
    expect(code).toBe(7);
    expect(stderr.split('\n').filter((text) => text.endsWith(' left'))).toEqual(['a.test: not verified, 30 s left']);
  });
});

it.each([
  ['is drawn', [], true],
  ['is not drawn with --quiet', ['--quiet'], false],
])('on a terminal, a line that says how far it is %s', async (_, more, isDrawn) => {
  const { run } = await cli.scripted(() => ({ body: { domain: 'a.test', verified: false } }));
  const argv = ['domain', 'status', 'a.test', '--wait', '--deadline', '20s', ...more];
  const { stderr } = await run(argv, { terminal: new MemoryTerminal([]), env: { TERM: 'xterm' } });
  expect(stderr.includes('20 s left')).toBe(isDrawn);
});
