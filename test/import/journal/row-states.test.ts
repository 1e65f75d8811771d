import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Ledger, type SettledState } from '../../../src/import/journal/row-states.ts';

const NONE = { created: 0, existing: 0, recovered: 0, failed: 0, invalid: 0, unknown: 0, unsent: 0 };
const SETTLED: SettledState[] = ['created', 'existing', 'recovered', 'failed', 'invalid'];

describe('Ledger', () => {
  it('begins with every row unsent', () => {
    const ledger = new Ledger(3);
    expect(ledger.counts()).toEqual({ ...NONE, unsent: 3 });
    expect(ledger.isUnsent(3)).toBe(true);
    expect(ledger.settled).toBe(0);
  });

  it.each(SETTLED)('settles a row as %s', (state) => {
    const ledger = new Ledger(2);
    ledger.settle(1, state, 5);
    expect(ledger.stateOf(1)).toBe(state);
    expect(ledger.counts()).toEqual({ ...NONE, [state]: 1, unsent: 1 });
    expect({ unsent: ledger.isUnsent(1), unknown: ledger.isUnknown(1) }).toEqual({ unsent: false, unknown: false });
    expect(ledger.recordOf(1)).toBe(5);
    expect(ledger.settled).toBe(1);
  });

  it('keeps the mark of an unclear attempt when the row is settled', () => {
    const ledger = new Ledger(1);
    ledger.markUnclear(1, 4);
    expect(ledger.stateOf(1)).toBe('unknown');
    ledger.settle(1, 'recovered', 6);
    expect(ledger.stateOf(1)).toBe('recovered');
    expect(ledger.hasUnclearMark(1)).toBe(true);
    expect(ledger.isUnknown(1)).toBe(false);
  });

  it('leaves a settled row as it is when an attempt that named it is unclear', () => {
    const ledger = new Ledger(1);
    ledger.settle(1, 'created', 2);
    ledger.markUnclear(1, 3);
    expect(ledger.stateOf(1)).toBe('created');
    expect(ledger.hasUnclearMark(1)).toBe(false);
    expect(ledger.recordOf(1)).toBe(2);
  });

  it('keeps the record of the last outcome that has one', () => {
    const ledger = new Ledger(1);
    expect(ledger.recordOf(1)).toBe(0);
    ledger.markUnclear(1, 3);
    ledger.settle(1, 'invalid');
    expect(ledger.recordOf(1)).toBe(3);
  });

  it.each([0, -1, 3, Number.NaN])('refuses row %d of 2', (entry) => {
    const ledger = new Ledger(2);
    expect(() => ledger.settle(entry, 'created')).toThrow(RangeError);
    expect(() => ledger.markUnclear(entry)).toThrow(RangeError);
    expect(ledger.counts()).toEqual({ ...NONE, unsent: 2 });
  });

  it('counts add up to the total, and to what the rows say, after any operations', () => {
    const total = 6;
    const operation = fc.record({
      entry: fc.integer({ min: 1, max: total }),
      what: fc.constantFrom<SettledState | 'unclear'>('unclear', ...SETTLED),
    });
    fc.assert(
      fc.property(fc.array(operation), (operations) => {
        const ledger = new Ledger(total);
        for (const { entry, what } of operations) {
          if (what === 'unclear') ledger.markUnclear(entry);
          else ledger.settle(entry, what);
          const counts = ledger.counts();
          const { created, existing, recovered, failed, invalid, unknown, unsent } = counts;
          expect(created + existing + recovered + failed + invalid + unknown + unsent).toBe(total);
          const told = { ...NONE };
          for (let row = 1; row <= total; row++) told[ledger.stateOf(row)]++;
          expect(counts).toEqual(told);
        }
      }),
    );
  });
});
