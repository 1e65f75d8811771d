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
  throw new Error(`"${text}" was taken`);
}

describe('parseFaults', () => {
  it('reads chances, a rate, a wait and a seed', () => {
    expect(parseFaults('reset=0.1,error500=.05, limit=100/min ,latency=200ms,seed=7')).toMatchObject({
      reset: 0.1,
      error500: 0.05,
      error502: 0,
      limit: { requests: 100, windowMs: 60_000 },
      latency: { fromMs: 200, toMs: 200 },
      slow: 0,
      seed: 7,
    });
  });

  it('reads a range of waits, and requests a second', () => {
    expect(parseFaults('latency=50ms-2s,slow=1.5s,limit-no-header=5/s')).toMatchObject({
      latency: { fromMs: 50, toMs: 2000 },
      slow: 1500,
      limit: undefined,
      'limit-no-header': { requests: 5, windowMs: 1000 },
      seed: undefined,
    });
  });

  it.each([
    ['reset=2', '"reset=2" is not a valid fault.', 'reset=... takes a chance from 0 to 1, such as 0.05.'],
    ['reset=-0.1', '"reset=-0.1" is not a valid fault.', 'takes a chance from 0 to 1'],
    ['reset=10abc', '"reset=10abc" is not a valid fault.', 'takes a chance from 0 to 1'],
    ['reset', '"reset" is not a valid fault.', 'takes a chance from 0 to 1'],
    ['hang=0.1,limit=0/min', '"limit=0/min" is not a valid fault.', 'such as 100/min or 5/s'],
    ['limit=5/hour', '"limit=5/hour" is not a valid fault.', 'such as 100/min or 5/s'],
    ['latency=200', '"latency=200" is not a valid fault.', 'a duration such as 200ms, or a range such as 50ms-2s'],
    ['latency=2s-50ms', '"latency=2s-50ms" is not a valid fault.', 'a range such as 50ms-2s'],
    ['latency=1s-2s-3s', '"latency=1s-2s-3s" is not a valid fault.', 'a range such as 50ms-2s'],
    ['latency=11m', '"latency=11m" is not a valid fault.', 'a duration'],
    ['seed=x', '"seed=x" is not a valid fault.', 'seed=... takes a whole number.'],
    ['sedd=1', '"sedd=1" is not a fault.', 'Allowed: reset, reset-after, hang, '],
    ['toString=1', '"toString=1" is not a fault.', 'Allowed: reset, '],
    ['', '"" is not a fault.', 'Allowed: reset, '],
    ['reset=0.1,,seed=1', '"" is not a fault.', 'Allowed: reset, '],
    ['seed=1,seed=2', 'The fault "seed" is given twice.', 'Leave one of them out.'],
    ['reset=0.6,html=0.6,shuffle=1', 'The chances of reset, html add up to more than 1.', 'lower some'],
  ])('refuses %j', (text, message, hint) => {
    const error = usageError(text);
    expect(error.message).toBe(message);
    expect(error.hint).toContain(hint);
    expect(error.exitCode).toBe(2);
  });

  it('lists every name that is allowed', () => {
    expect(usageError('x=1').hint).toBe(
      'Allowed: reset, reset-after, hang, hang-after, error500, error500-after, error502, error503, error504, ' +
        'error504-after, truncate, html, missing-rows, double-rows, no-user-id, shuffle, latency, slow, limit, ' +
        'limit-no-header, seed.',
    );
  });

  it('takes chances that add up to 1, whatever their rounding', () => {
    expect(parseFaults('reset=0.1,hang=0.2,html=0.3,truncate=0.4')).toMatchObject({ truncate: 0.4 });
  });
});
