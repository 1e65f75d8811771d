import { describe, expect, it } from 'vitest';
import { ImportProgress } from '../../../src/commands/import/report/import-progress.ts';
import { RunState } from '../../../src/import/journal/run-state.ts';
import { presentMoment } from '../../../src/util/moment.ts';
import { createTestClock } from '../../helpers/test-clock.ts';

/** What happens to the first rows of a list: after so many milliseconds, they get a state, or a phase for them begins. */
type Step = [ms: number, rows: number, state: 'created' | 'failed' | 'unknown' | 'phase'];

/** Returns the line after these steps. */
async function lineAfter(total: number, steps: readonly Step[], { columns = 60, waits = false } = {}): Promise<string> {
  const run = new RunState(total);
  const clock = createTestClock();
  let line = '';
  const update = (text: (columns: number) => string) => {
    line = text(columns);
  };
  const progress = new ImportProgress(run, clock, { update, clear() {}, stop() {} });
  progress.show({ type: 'phase', rows: total });
  for (const [ms, rows, state] of steps) {
    await clock.advance(ms);
    if (state === 'phase') {
      progress.show({ type: 'phase', rows });
      continue;
    }
    const outcomes = new Map(Array.from({ length: rows }, (_, at) => [at + 1, { state, message: '' }]));
    run.applyOutcomes({ request: 1, at: presentMoment(clock) }, outcomes);
    progress.show({ type: 'outcomes', inFlight: 0 });
  }
  if (waits) progress.show({ type: 'waiting', reason: 'rate-limited', untilMs: clock.now() + 42_000 });
  progress.stop();
  return line;
}

describe('the progress line of an import', () => {
  it.each<[string, total: number, steps: Step[], line: string]>([
    ['the rate, before enough rows have an outcome', 1_000, [[4_000, 10, 'created']], '10 of 1,000 · 3/s'],
    ['the rate and the time left', 1_000, [[8_000, 200, 'created']], '200 of 1,000 · 25/s · 32 s left'],
    ['no rate before a row has an outcome', 1_000, [[10_000, 500, 'unknown']], '0 of 1,000'],
    [
      'no time left while the outcome of rows is unknown, because they have to wait',
      1_000,
      [
        [10_000, 900, 'created'],
        [10_000, 100, 'unknown'],
      ],
      '800 of 1,000 · 40/s',
    ],
    ['no time left of less than a second', 1_000, [[10_000, 950, 'created']], '950 of 1,000 · 95/s'],
    [
      'no rate while rows that are sent again lose their state',
      3_000,
      [
        [1_000, 3_000, 'failed'],
        [0, 3_000, 'phase'],
        [12_000, 3_000, 'unknown'],
      ],
      '0 of 3,000',
    ],
  ])('has %s', async (_, total, steps, line) => {
    expect(await lineAfter(total, steps)).toBe(line);
  });

  it.each([
    [77, '━━━━━━━━━╸──────────  rate limited, continuing in 42 s · 500 of 1,000'],
    [60, 'rate limited, continuing in 42 s · 500 of 1,000'],
    [40, 'rate limited, continuing in 42 s'],
  ])('leaves out what does not fit %d columns: the bar, then the count, and last the reason', async (columns, line) => {
    expect(await lineAfter(1_000, [[1_000, 500, 'created']], { columns, waits: true })).toBe(line);
  });
});
