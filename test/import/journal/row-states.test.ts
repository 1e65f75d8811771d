import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FinalState, RowStates } from '../../../src/import/journal/row-states.ts';

const NONE = { created: 0, existing: 0, recovered: 0, failed: 0, invalid: 0, unknown: 0, unsent: 0 };
const FINAL: FinalState[] = ['created', 'existing', 'recovered', 'failed', 'invalid'];

describe('RowStates', () => {
  it('starts with every row unsent', () => {
    const rowStates = new RowStates(3);
    expect(rowStates.counts()).toEqual({ ...NONE, unsent: 3 });
    expect(rowStates.isUnsent(3)).toBe(true);
    expect(rowStates.finalized).toBe(0);
  });

  it.each(FINAL)('finalizes a row as %s', (state) => {
    const rowStates = new RowStates(2);
    rowStates.finalize(1, state, 5);
    expect(rowStates.stateOf(1)).toBe(state);
    expect(rowStates.counts()).toEqual({ ...NONE, [state]: 1, unsent: 1 });
    expect({ unsent: rowStates.isUnsent(1), unknown: rowStates.isUnknown(1) }).toEqual({
      unsent: false,
      unknown: false,
    });
    expect(rowStates.recordOf(1)).toBe(5);
    expect(rowStates.finalized).toBe(1);
  });

  it('remembers an ambiguous attempt when the row is final', () => {
    const rowStates = new RowStates(1);
    rowStates.markAttempted(1, 4);
    expect(rowStates.stateOf(1)).toBe('unknown');
    rowStates.finalize(1, 'recovered', 6);
    expect(rowStates.stateOf(1)).toBe('recovered');
    expect(rowStates.wasAttempted(1)).toBe(true);
    expect(rowStates.isUnknown(1)).toBe(false);
  });

  it('leaves a final row as it is when an attempt that named it is ambiguous', () => {
    const rowStates = new RowStates(1);
    rowStates.finalize(1, 'created', 2);
    rowStates.markAttempted(1, 3);
    expect(rowStates.stateOf(1)).toBe('created');
    expect(rowStates.wasAttempted(1)).toBe(false);
    expect(rowStates.recordOf(1)).toBe(2);
  });

  it('keeps the record of the last outcome that has one', () => {
    const rowStates = new RowStates(1);
    expect(rowStates.recordOf(1)).toBe(0);
    rowStates.markAttempted(1, 3);
    rowStates.finalize(1, 'invalid');
    expect(rowStates.recordOf(1)).toBe(3);
  });

  it.each([0, -1, 3, Number.NaN])('rejects row %d of 2', (entry) => {
    const rowStates = new RowStates(2);
    expect(() => rowStates.finalize(entry, 'created')).toThrow(RangeError);
    expect(() => rowStates.markAttempted(entry)).toThrow(RangeError);
    expect(rowStates.counts()).toEqual({ ...NONE, unsent: 2 });
  });

  it('returns counts that add up to the total, and match the rows, after any operations', () => {
    const total = 6;
    const operation = fc.record({
      entry: fc.integer({ min: 1, max: total }),
      what: fc.constantFrom<FinalState | 'ambiguous'>('ambiguous', ...FINAL),
    });
    fc.assert(
      fc.property(fc.array(operation), (operations) => {
        const rowStates = new RowStates(total);
        for (const { entry, what: problem } of operations) {
          if (problem === 'ambiguous') rowStates.markAttempted(entry);
          else rowStates.finalize(entry, problem);
          const counts = rowStates.counts();
          const { created, existing, recovered, failed, invalid, unknown, unsent } = counts;
          expect(created + existing + recovered + failed + invalid + unknown + unsent).toBe(total);
          const reported = { ...NONE };
          for (let row = 1; row <= total; row++) reported[rowStates.stateOf(row)]++;
          expect(counts).toEqual(reported);
        }
      }),
    );
  });
});
