import { describe, expect, it } from 'vitest';
import { planFaults } from '../../src/sandbox/fault-plan.ts';
import { parseFaults } from '../../src/sandbox/faults.ts';
import { UsageError } from '../../src/util/errors.ts';

function usageError(text: string): UsageError {
  try {
    parseFaults(text);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error(`"${text}" was accepted`);
}

describe('parseFaults', () => {
  it('parses probabilities, a rate, a delay and a seed', () => {
    expect(parseFaults('reset=0.1,error500=.05, limit=100/min ,latency=200ms,seed=7')).toMatchObject({
      reset: 0.1,
      error500: 0.05,
      error502: 0,
      limit: { requests: 100, periodMs: 60_000, isAnnounced: true },
      latency: { fromMs: 200, toMs: 200 },
      slow: 0,
      seed: 7,
    });
  });

  it.each([
    ['5/s', { requests: 5, periodMs: 1000, isAnnounced: true }],
    ['30/10s', { requests: 30, periodMs: 10_000, isAnnounced: true }],
    ['100/2min:no-headers', { requests: 100, periodMs: 120_000, isAnnounced: false }],
  ])('parses the limit %s', (text, limit) => {
    expect(parseFaults(`limit=${text}`).limit).toEqual(limit);
  });

  it('parses a range of delays', () => {
    expect(parseFaults('latency=50ms-2s,slow=1.5s')).toMatchObject({
      latency: { fromMs: 50, toMs: 2000 },
      slow: 1500,
      limit: undefined,
      seed: undefined,
    });
  });

  it.each([
    ['reset=2', '"reset=2" is not a valid fault', 'reset requires a probability from 0 to 1, such as 0.05.'],
    ['reset', '"reset" is not a valid fault', 'requires a probability from 0 to 1'],
    ['hang=0.1,limit=0/min', '"limit=0/min" is not a valid fault', 'such as 100/min, 30/10s, or 5/s'],
    ['latency=200', '"latency=200" is not a valid fault', 'a duration such as 200ms, or a range such as 50ms-2s'],
    ['latency=2s-50ms', '"latency=2s-50ms" is not a valid fault', 'a range such as 50ms-2s'],
    ['seed=x', '"seed=x" is not a valid fault', 'seed requires an integer.'],
    ['sedd=1', '"sedd=1" is not a fault', 'Allowed: reset, reset-after, hang, '],
    ['', '"" is not a fault', 'Allowed: reset, '],
    ['seed=1,seed=2', 'the fault "seed" is repeated', 'Specify it only once.'],
    ['reset=0.6,html=0.6', 'the probabilities of reset, html add up to more than 1', 'Use lower values.'],
  ])('rejects %j', (text, message, hint) => {
    const error = usageError(text);
    expect(error.message).toBe(message);
    expect(error.hint).toContain(hint);
    expect(error.exitCode).toBe(2);
  });

  it('lists every name that is allowed', () => {
    expect(usageError('x=1').hint).toBe(
      'Allowed: reset, reset-after, hang, hang-after, error500, error500-after, error502, error503, error504, ' +
        'error504-after, truncate, html, latency, slow, limit, seed.',
    );
  });
});

const PLANNED_FAULTS = parseFaults('reset=0.3,html=0.3,latency=50ms-2s');
const NUMBERS = Array.from({ length: 200 }, (_, index) => index + 1);

describe('planFaults', () => {
  it('draws delays from the entire range, and every fault with a probability', () => {
    const drawn = NUMBERS.map((number) => planFaults(PLANNED_FAULTS, 7, number));
    const waits = drawn.map(({ latencyMs }) => latencyMs);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(50);
    expect(Math.min(...waits)).toBeLessThan(150);
    expect(Math.max(...waits)).toBeGreaterThan(1900);
    expect(Math.max(...waits)).toBeLessThanOrEqual(2000);
    expect(new Set(drawn.map(({ fault }) => fault))).toEqual(new Set(['reset', 'html', undefined]));
  });
});
