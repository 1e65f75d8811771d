import { describe, expect, it } from 'vitest';
import { errorOf } from '../helpers/report.ts';
import type { RawReply, Reply } from '../helpers/scripted-service.ts';
import { createCommandRunner } from '../helpers/service-run.ts';
import { createAutoClock } from '../helpers/test-clock.ts';

const cli = createCommandRunner();
const READ = ['findings', 'list', '--all', '--json'];
const WRITE = ['role', 'update', 'rol_1', '--name', 'Auditor', '--json'];
const RESET: RawReply = { raw: '', after: 'reset' };
const CUT: RawReply = {
  raw: 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n[{"id":1},',
  after: 'end',
};

/** Runs a command against responses, of which the last one is sent again and again. */
async function ending(argv: readonly string[], ...replies: (Reply | RawReply)[]) {
  let sent = 0;
  const { service, run } = await cli.scripted(() => replies[Math.min(sent++, replies.length - 1)]);
  const clock = createAutoClock();
  const { code, stdout, stderr } = await run(argv, { clock });
  const error = code === 0 ? undefined : errorOf({ stderr });
  const hint = error?.hint as string | undefined;
  return { code, stdout, stderr, requests: service.requests.length, waits: clock.sleeps, hint };
}

const status = (number: number, retryAfter?: string): Reply => ({
  status: number,
  body: { message: 'no' },
  ...(retryAfter === undefined ? {} : { headers: { 'retry-after': retryAfter } }),
});

describe('a request that fails', () => {
  it.each<[string, Reply | RawReply]>([
    ['a reset', RESET],
    ['a response that is cut off', CUT],
    ['a 408', status(408)],
    ['a 429', status(429)],
    ['a 429 with a Retry-After of 0', status(429, '0')],
    ['a 500', status(500)],
    ["a gateway's 522", status(522)],
  ])('is tried again four times, with waits that double: %s', async (_name, reply) => {
    expect(await ending(READ, reply)).toMatchObject({
      code: 6,
      stdout: '',
      requests: 5,
      waits: [1_000, 2_000, 4_000, 8_000],
    });
  });

  it('is tried again after at most a minute', async () => {
    const { waits, hint } = await ending([...READ, '--retries', '9'], status(503));
    expect(hint).toContain('Gave up after 10 attempts.');
    expect(waits.slice(4)).toEqual([16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  it('is tried again until it succeeds, and prints only the last response', async () => {
    const { code, stdout } = await ending(READ, CUT, status(503), { body: [{ id: 'fnd_1' }] });
    expect({ code, findings: JSON.parse(stdout) }).toEqual({ code: 0, findings: [{ id: 'fnd_1' }] });
  });

  it.each([400, 401, 403, 404, 409, 501])('is not tried again after a %i, which is final', async (number) => {
    expect(await ending(READ, status(number))).toMatchObject({ requests: 1, waits: [] });
  });

  it('is not tried again with --retries 0', async () => {
    expect(await ending([...READ, '--retries', '0'], status(503))).toMatchObject({ requests: 1, waits: [] });
  });

  it('is tried again no sooner than the service asks, and not at all after more than a minute', async () => {
    expect((await ending(READ, status(503, '7'), { body: [] })).waits).toEqual([7_000]);
    expect((await ending(READ, status(429, '60'), { body: [] })).waits).toEqual([60_000]);
    expect(await ending(READ, status(429, '61'))).toMatchObject({
      code: 6,
      requests: 1,
      hint: expect.stringContaining('in 61 s'),
    });
  });

  it('says for each wait why and how long it is', async () => {
    const { stderr } = await ending(READ, status(503), RESET, status(429, '42'), { body: [] });
    expect(stderr).toMatch(/^.*\b503\b.* 1 s\n.* 2 s\n.* 42 s\n$/);
  });
});

describe('a change that fails', () => {
  it('is tried again if it is a role update, and the service may have made it in an earlier attempt', async () => {
    expect(await ending(WRITE, status(500), RESET, status(403))).toMatchObject({
      code: 4,
      requests: 3,
      hint: expect.stringContaining('may have'),
    });
    expect((await ending(WRITE, status(429), status(403))).hint).not.toContain('may have');
  });

  it.each(['POST', 'PATCH', 'DELETE'])('is not tried again by api %s', async (method) => {
    for (const reply of [status(503), RESET])
      expect(await ending(['api', method, 'v1/x', '--json'], reply)).toMatchObject({ code: 6, requests: 1, waits: [] });
  });
});
