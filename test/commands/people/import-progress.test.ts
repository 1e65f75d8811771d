import { describe, expect, it } from 'vitest';
import { ImportProgress } from '../../../src/commands/import/report/import-progress.ts';
import { RunState } from '../../../src/import/journal/run-state.ts';
import type { SendEvent } from '../../../src/import/send/send-events.ts';
import { presentMoment } from '../../../src/util/moment.ts';
import { createTestClock } from '../../helpers/test-clock.ts';

/** The event after a request that sent the first rows. */
const OUTCOMES: SendEvent = { type: 'outcomes', inFlight: 0 };

/** A list of rows that are being sent, and the line that is shown. */
function sending(total: number, columns = 60) {
  const run = new RunState(total);
  const clock = createTestClock();
  let line = '';
  const show = (text: (columns: number) => string) => {
    line = text(columns);
  };
  const progress = new ImportProgress(run, clock, { update: show, clear() {}, stop() {} });
  progress.show({ type: 'phase', rows: total });
  return {
    /** Lets time pass, then gives rows from the first one on a state. Returns the line. */
    async lineAfter(ms: number, count: number, state: 'created' | 'existing' | 'failed' | 'unknown'): Promise<string> {
      await clock.advance(ms);
      const outcome = { state, message: '' };
      const outcomes = new Map(Array.from({ length: count }, (_, at) => [at + 1, outcome]));
      run.applyOutcomes({ request: 1, at: presentMoment(clock) }, outcomes);
      progress.show(OUTCOMES);
      return line;
    },
    showPhase: (rows: number) => progress.show({ type: 'phase', rows }),
    /** Returns the line at the start of a wait of 42 seconds. */
    lineOfWait(): string {
      progress.show({ type: 'waiting', reason: 'rate-limited', untilMs: clock.now() + 42_000 });
      progress.stop();
      return line;
    },
  };
}

describe('the progress line of an import', () => {
  it('has the rate and the time left once enough rows have an outcome', async () => {
    const { lineAfter } = sending(1_000);
    expect(await lineAfter(4_000, 10, 'created')).toBe('10 of 1,000 · 3/s');
    expect(await lineAfter(4_000, 200, 'created')).toBe('200 of 1,000 · 25/s · 32 s left');
  });

  it('has no time left before a row has an outcome', async () => {
    const { lineAfter } = sending(1_000);
    expect(await lineAfter(10_000, 0, 'created')).toBe('0 of 1,000');
    expect(await lineAfter(10_000, 500, 'unknown')).toBe('0 of 1,000');
  });

  it('has no time left while the outcome of rows is unknown, because they have to wait', async () => {
    const { lineAfter, showPhase } = sending(1_000);
    await lineAfter(10_000, 900, 'created');
    expect(await lineAfter(10_000, 100, 'unknown')).toBe('800 of 1,000 · 40/s');
    showPhase(100);
    expect(await lineAfter(10_000, 50, 'existing')).toBe('850 of 1,000 · 5/s');
  });

  it('never says that less than a second is left', async () => {
    const { lineAfter } = sending(1_000);
    expect(await lineAfter(10_000, 950, 'created')).toBe('950 of 1,000 · 95/s');
    expect(await lineAfter(10_000, 1_000, 'created')).toBe('1,000 of 1,000 · 50/s');
  });

  it('has no rate while rows that are sent again lose their state', async () => {
    const { lineAfter, showPhase } = sending(3_000);
    await lineAfter(1_000, 3_000, 'failed');
    showPhase(3_000);
    expect(await lineAfter(12_000, 3_000, 'unknown')).toBe('0 of 3,000');
  });

  it.each([
    [0, '────────────────────  0 of 4,988'],
    [200, '────────────────────  200 of 4,988 · 200/s'],
    [250, '╸───────────────────  250 of 4,988 · 250/s'],
    [2_500, '━━━━━━━━━╸──────────  2,500 of 4,988 · 2,500/s'],
    [4_987, '━━━━━━━━━━━━━━━━━━╸─  4,987 of 4,988 · 4,987/s'],
    [4_988, '━━━━━━━━━━━━━━━━━━━━  4,988 of 4,988 · 4,988/s'],
  ])('begins with a bar if the terminal has 80 columns: %d rows', async (count, line) => {
    const { lineAfter } = sending(4_988, 77);
    expect(await lineAfter(1_000, count, 'created')).toBe(line);
  });

  it.each([
    [120, '━━━━━━━━━╸──────────  rate limited, continuing in 42 s · 500 of 1,000'],
    [77, '━━━━━━━━━╸──────────  rate limited, continuing in 42 s · 500 of 1,000'],
    [60, 'rate limited, continuing in 42 s · 500 of 1,000'],
    [40, 'rate limited, continuing in 42 s'],
  ])('leaves out what does not fit %d columns', async (columns, line) => {
    const { lineAfter, lineOfWait } = sending(1_000, columns);
    await lineAfter(1_000, 500, 'created');
    expect(lineOfWait()).toBe(line);
  });
});
