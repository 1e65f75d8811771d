import { describe, expect, it } from 'vitest';
import { createCommandRunner } from '../helpers/service-run.ts';
import { createAutoClock } from '../helpers/test-clock.ts';

const cli = createCommandRunner();
const DOUBLED = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000];

/** Runs a command that the service always rejects. Returns how long it waits before each further request. */
async function waitsOf(status: number, headers: Record<string, string>) {
  const { service, run } = await cli.scripted(() => ({ status, headers, body: { message: 'later' } }));
  const clock = createAutoClock();
  const { code } = await run(['findings', 'list', '--all'], { clock });
  expect([code, service.requests.length]).toEqual([6, clock.sleeps.length + 1]);
  return clock.sleeps;
}

describe('requests that the service rejects because of its rate limit', () => {
  it.each<[string, Record<string, string>]>([
    ['nothing', {}],
    ['a reset of 0', { 'ratelimit-limit': '100', 'ratelimit-remaining': '0', 'ratelimit-reset': '0' }],
    ['a reset 30 s ago', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1767225570' }],
    ['a Retry-After of 0', { 'retry-after': '0' }],
    ['a Retry-After in the past', { 'retry-after': 'Wed, 31 Dec 2025 23:59:00 GMT' }],
    ['a Retry-After of 1 s', { 'retry-after': '1' }],
  ])('are at least 1, 2, 4 … 60 s apart if it announces %s', async (_name, headers) => {
    expect(await waitsOf(429, headers)).toEqual(DOUBLED);
  });

  it('are as far apart as the service announces if that is longer', async () => {
    const waits = [20_000, 20_000, 20_000, 20_000, 20_000, 32_000];
    expect(await waitsOf(429, { 'retry-after': '20' })).toEqual(waits);
    expect(await waitsOf(429, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '20' })).toEqual(waits);
  });

  it('do not wait for the reset of a limit of which requests remain', async () => {
    expect(await waitsOf(429, { 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': '20' })).toEqual(DOUBLED);
  });
});
