import { describe, expect, it } from 'vitest';
import { elapsedSince, momentAfter, remainingUntil } from '../../src/util/moment.ts';

const HOUR = 3_600_000;
const MOMENT = { clock: 1_800_000_000_000, uptime: 10 * HOUR };
const later = (clock: number, uptime: number) => ({ clock: MOMENT.clock + clock, uptime: MOMENT.uptime + uptime });

/* import/journal/lifetimes states what becomes of a wait if a clock is set, or if the machine restarts or sleeps. */

describe('elapsedSince', () => {
  it.each([
    ['is the time that clock and uptime agree on', later(5_000, 5_000), 5_000],
    ['is what the clock says if it was set back by less', later(1_000, 4_000), 1_000],
    [
      'is what the clock says after a restart if that is less',
      { clock: MOMENT.clock + 10_000, uptime: 90_000 },
      10_000,
    ],
    ['is 0 after a restart with a clock that was set back', { clock: MOMENT.clock - HOUR, uptime: 90_000 }, 0],
  ])('%s', (_, present, elapsed) => {
    expect(elapsedSince(MOMENT, present)).toBe(elapsed);
  });

  it.each([
    ['is at least the time awake since a restart of the machine', { ...later(HOUR, HOUR), awake: 3_000 }, 3_000],
    ['is the smallest of the three times', { ...later(1_000, HOUR), awake: HOUR + 2_000 }, 1_000],
  ])('%s', (_, present, elapsed) => {
    expect(elapsedSince({ ...MOMENT, awake: HOUR }, present)).toBe(elapsed);
  });
});

describe('remainingUntil', () => {
  const END = momentAfter(MOMENT, 30_000);

  it.each([
    ['is all of the time at the start', MOMENT, 30_000],
    ['is what clock and uptime agree on', later(20_000, 20_000), 10_000],
    ['is what the uptime says after the machine has slept, to a second', later(5_000, 29_000), 2_000],
    ['is what the clock says if the uptime is in whole seconds', later(20, 1_000), 29_980],
    ['is what the clock says if the uptime is behind', later(29_500, 20_000), 500],
    ['is 0 at the moment', END, 0],
    ['is 0 after the machine has slept until then', later(0, 40_000), 0],
    ['is 0 if only the clock has passed it', later(40_000, 0), 0],
  ])('%s', (_, present, left) => {
    expect(remainingUntil(END, present)).toBe(left);
  });
});
