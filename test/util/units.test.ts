import { describe, expect, it } from 'vitest';
import { formatCount } from '../../src/util/units.ts';

describe('formatCount', () => {
  it.each([
    [0, '0'],
    [999, '999'],
    [1000, '1,000'],
    [12_345, '12,345'],
    [1_000_000, '1,000,000'],
  ])('formats %d with separated thousands', (count, text) => {
    expect(formatCount(count)).toBe(text);
  });
});
