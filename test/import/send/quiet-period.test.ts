import { describe, expect, it } from 'vitest';
import { QuietPeriod } from '../../../src/import/send/quiet-period.ts';

const LEAST = 10_000;
const TIMEOUT = 30_000;

describe('the quiet period', () => {
  it('is over at once when nothing was ambiguous', () => {
    const quiet = new QuietPeriod(LEAST, TIMEOUT);
    quiet.responded(9_000);
    expect(quiet.until()).toBe(0);
  });

  it('begins at the end of the last ambiguous request', () => {
    const quiet = new QuietPeriod(LEAST, TIMEOUT);
    quiet.ambiguous(1_000, false);
    quiet.ambiguous(5_000, false);
    quiet.ambiguous(3_000, false);
    expect(quiet.until()).toBe(15_000);
  });

  it('lasts at least twice as long as the slowest response, also one that comes later', () => {
    const quiet = new QuietPeriod(LEAST, TIMEOUT);
    quiet.ambiguous(1_000, false);
    quiet.responded(4_000);
    expect(quiet.until()).toBe(11_000);
    quiet.responded(20_000);
    expect(quiet.until()).toBe(41_000);
  });

  it('lasts another timeout after a request that ran into our own timeout', () => {
    const quiet = new QuietPeriod(LEAST, TIMEOUT);
    quiet.ambiguous(40_000, true);
    quiet.ambiguous(50_000, false);
    expect(quiet.until()).toBe(70_000);
  });
});
