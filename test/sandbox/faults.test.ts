import { describe, expect, it } from 'vitest';
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
      hang: 0,
      limit: { requests: 100, periodMs: 60_000 },
      latency: 200,
      seed: 7,
    });
  });

  it.each([
    ['5/s', { requests: 5, periodMs: 1000 }],
    ['30/10s', { requests: 30, periodMs: 10_000 }],
    ['100/2min', { requests: 100, periodMs: 120_000 }],
  ])('parses the limit %s', (text, limit) => {
    expect(parseFaults(`limit=${text}`).limit).toEqual(limit);
  });

  it.each([
    ['reset=2', '"reset=2" is not a valid fault', 'reset requires a probability from 0 to 1, such as 0.05.'],
    ['reset', '"reset" is not a valid fault', 'requires a probability from 0 to 1'],
    ['hang=0.1,limit=0/min', '"limit=0/min" is not a valid fault', 'such as 100/min, 30/10s, or 5/s'],
    ['latency=200', '"latency=200" is not a valid fault', 'a duration up to 10m, such as 200ms'],
    ['latency=11m', '"latency=11m" is not a valid fault', 'a duration up to 10m, such as 200ms'],
    ['seed=x', '"seed=x" is not a valid fault', 'seed requires an integer.'],
    ['sedd=1', '"sedd=1" is not a fault', 'Allowed: reset, reset-after, hang, '],
    ['', '"" is not a fault', 'Allowed: reset, '],
  ])('rejects %j', (text, message, hint) => {
    const error = usageError(text);
    expect(error.message).toBe(message);
    expect(error.hint).toContain(hint);
    expect(error.exitCode).toBe(2);
  });

  it('lists every name that is allowed', () => {
    expect(usageError('x=1').hint).toBe(
      'Allowed: reset, reset-after, hang, hang-after, error500, error500-after, latency, limit, seed.',
    );
  });
});
