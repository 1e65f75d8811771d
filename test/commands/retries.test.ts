import { describe, expect, it } from 'vitest';
import { errorOf } from '../helpers/report.ts';
import type { RawReply, Reply } from '../helpers/scripted-service.ts';
import { createCommandRunner } from '../helpers/service-run.ts';
import { createAutoClock } from '../helpers/test-clock.ts';

const cli = createCommandRunner();
const READ = ['findings', 'list', '--all', '--json'];
const WRITE = ['role', 'update', 'rol_1', '--name', 'Auditor', '--json'];
const RESET: RawReply = { raw: '', after: 'reset' };

/** Runs a command against responses, of which the last one is sent again and again. Jitter is half of its maximum. */
async function ending(argv: readonly string[], ...replies: (Reply | RawReply)[]) {
  let sent = 0;
  const { service, run } = await cli.scripted(() => replies[Math.min(sent++, replies.length - 1)]);
  const clock = createAutoClock();
  const { code, stderr } = await run(argv, { clock, random: () => 0.5 });
  const error = code === 0 ? undefined : errorOf({ stderr });
  return { code, requests: service.requests.length, waits: clock.sleeps, hint: error?.hint as string | undefined };
}

const status = (number: number, retryAfter?: string): Reply => ({
  status: number,
  body: { message: 'no' },
  ...(retryAfter === undefined ? {} : { headers: { 'retry-after': retryAfter } }),
});

describe('a request that fails', () => {
  it.each<[string, Reply | RawReply]>([
    ['a reset', RESET],
    ['a 408', status(408)],
    ['a 425', status(425)],
    ['a 500', status(500)],
    ['a 503', status(503)],
    ["a gateway's 522", status(522)],
  ])('is tried again four times, with waits that double: %s', async (_name, reply) => {
    expect(await ending(READ, reply)).toMatchObject({
      requests: 5,
      waits: [125, 250, 500, 1_000],
      hint: expect.stringContaining(' 5 attempts.'),
    });
  });

  it('is tried again after at most 5 s on average', async () => {
    const { waits } = await ending([...READ, '--retries', '20'], status(503));
    expect(waits.slice(4, 8)).toEqual([2_000, 4_000, 5_000, 5_000]);
  });

  it.each([400, 409, 501])('is not tried again after a %i, which would not change', async (number) => {
    expect(await ending(READ, status(number))).toMatchObject({ requests: 1, waits: [] });
  });

  it('is tried again no sooner than the service asks, and not at all after more than a minute', async () => {
    expect((await ending(READ, status(503, '7'), { body: [] })).waits).toEqual([7_500]);
    expect((await ending(READ, status(503, '60'), { body: [] })).waits).toEqual([60_500]);
    expect(await ending(READ, status(503, '61'))).toMatchObject({
      code: 6,
      requests: 1,
      hint: expect.stringMatching(/\b61 s\b/),
    });
  });

  it('is tried again for two minutes if the service limits requests, not counting waits for another reason', async () => {
    const limited = [1_500, 2_500, 4_500, 8_500, 16_500, 32_500, 60_500];
    expect(await ending(READ, status(429))).toMatchObject({
      code: 6,
      waits: limited,
      hint: expect.stringMatching(/\b120 s\b/),
    });
    expect((await ending(READ, status(503, '60'), status(429))).waits).toEqual([60_500, ...limited]);
    const once = await ending([...READ, '--retries', '0'], status(429));
    expect(once.requests).toBe(1);
    expect(once.hint).not.toMatch(/\b120 s\b/);
  });

  it('waits as long for a rate limit as the service asks, and not at all for more than a minute', async () => {
    expect((await ending(READ, status(429, '60'), { body: [] })).waits).toEqual([60_500]);
    expect(await ending(READ, status(429, '61'))).toMatchObject({
      code: 6,
      requests: 1,
      hint: expect.stringMatching(/\b61 s\b/),
    });
  });
});

/** The words that every message about an outcome that nobody knows has. */
const MAY_HAVE = /\bmay have\b/;

describe('a change that fails', () => {
  it('says that the service may have made it', async () => {
    const { hint, requests } = await ending([...WRITE, '--retries', '0'], status(500));
    expect({ hint, requests }).toEqual({
      hint: expect.stringMatching(MAY_HAVE),
      requests: 1,
    });
  });

  it('says nothing of that if the service rejected it, or a proxy redirected it', async () => {
    expect((await ending(WRITE, status(400))).hint).not.toMatch(MAY_HAVE);
    const redirect = { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' };
    expect((await ending(WRITE, redirect)).hint).not.toMatch(MAY_HAVE);
  });
});
