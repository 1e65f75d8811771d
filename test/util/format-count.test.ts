import { expect, it } from 'vitest';
import { formatCount } from '../../src/util/units.ts';

it.each([
  [0, '0'],
  [999, '999'],
  [1000, '1,000'],
  [12_345, '12,345'],
  [1_000_000, '1,000,000'],
])('the thousands of %d stand apart', (count, text) => {
  expect(formatCount(count)).toBe(text);
});
