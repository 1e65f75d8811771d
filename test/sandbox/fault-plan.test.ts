import { describe, expect, it } from 'vitest';
import { planFaults } from '../../src/sandbox/fault-plan.ts';
import { parseFaults } from '../../src/sandbox/faults.ts';

const FAULTS = parseFaults('reset=0.3,html=0.3,shuffle=0.5,latency=50ms-2s');
const NUMBERS = Array.from({ length: 200 }, (_, index) => index + 1);

function describeFaultPlan(requestNumber: number): unknown {
  const { fault, latencyMs, rowFaults, random } = planFaults(FAULTS, 7, requestNumber);
  return { fault, latencyMs, rowFaults: [...rowFaults], next: random() };
}

describe('planFaults', () => {
  it('is the same for a request whatever was drawn before it', () => {
    const forwards = NUMBERS.map(describeFaultPlan);
    const backwards = NUMBERS.toReversed().map(describeFaultPlan).toReversed();
    expect(backwards).toEqual(forwards);
  });

  it('draws waits from the whole range, and every fault that has a chance', () => {
    const drawn = NUMBERS.map((number) => planFaults(FAULTS, 7, number));
    const waits = drawn.map(({ latencyMs }) => latencyMs);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(50);
    expect(Math.min(...waits)).toBeLessThan(150);
    expect(Math.max(...waits)).toBeGreaterThan(1900);
    expect(Math.max(...waits)).toBeLessThanOrEqual(2000);
    expect(new Set(drawn.map(({ fault }) => fault))).toEqual(new Set(['reset', 'html', undefined]));
    expect(new Set(drawn.map(({ rowFaults }) => rowFaults.has('shuffle')))).toEqual(new Set([true, false]));
  });

  it('strikes every request at a chance of 1, and none at 0', () => {
    const always = parseFaults('hang=1');
    expect(new Set(NUMBERS.map((number) => planFaults(always, 7, number).fault))).toEqual(new Set(['hang']));
    const never = parseFaults('hang=0');
    expect(new Set(NUMBERS.map((number) => planFaults(never, 7, number).fault))).toEqual(new Set([undefined]));
  });
});
