import { expect, it } from 'vitest';
import { SettleTime } from '../../../src/members/send/settle.ts';

const SETTLE = 10_000;
const TIMEOUT = 30_000;

it('waits for nothing when nothing was unclear', () => {
  const settle = new SettleTime(SETTLE, TIMEOUT);
  settle.answered(9_000);
  expect(settle.until()).toBe(0);
});

it('waits for the settle time after the last unclear end', () => {
  const settle = new SettleTime(SETTLE, TIMEOUT);
  settle.unclear(1_000, false);
  settle.unclear(5_000, false);
  settle.unclear(3_000, false);
  expect(settle.until()).toBe(15_000);
});

it('waits for twice the slowest answer, also one that comes later', () => {
  const settle = new SettleTime(SETTLE, TIMEOUT);
  settle.unclear(1_000, false);
  settle.answered(4_000);
  expect(settle.until()).toBe(11_000);
  settle.answered(20_000);
  expect(settle.until()).toBe(41_000);
});

it('gives a request that ran into our own timeout as long again', () => {
  const settle = new SettleTime(SETTLE, TIMEOUT);
  settle.unclear(40_000, true);
  settle.unclear(50_000, false);
  expect(settle.until()).toBe(70_000);
});
