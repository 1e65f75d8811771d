import { type FaultName, type Faults, INJECTED_FAULTS, ROW_FAULTS, type RowFault } from './faults.ts';

/** What fate has for one request. */
export interface FaultPlan {
  readonly fault: FaultName | undefined;
  readonly latencyMs: number;
  readonly rowFaults: ReadonlySet<RowFault>;
  /** The next number of this request's own sequence, from 0 to below 1. */
  random(): number;
}

/**
 * Draws the luck of the n-th request. It follows from seed and number alone, so that a bad day is repeatable however
 * requests overlap.
 */
export function planFaults(faults: Faults, seed: number, requestNumber: number): FaultPlan {
  const random = sequence(seed + Math.imul(requestNumber, 0x9e3779b1));
  const { fromMs, toMs } = faults.latency;
  const latencyMs = fromMs + random() * (toMs - fromMs);
  const fault = pickFault(faults, random());
  const rowFaults = new Set(ROW_FAULTS.filter((name) => random() < faults[name]));
  return { fault, latencyMs, rowFaults, random };
}

function pickFault(faults: Faults, chance: number): FaultName | undefined {
  let upTo = 0;
  return (Object.keys(INJECTED_FAULTS) as FaultName[]).find((name) => {
    upTo += faults[name];
    return chance < upTo;
  });
}

/** The mulberry32 generator: small, fast and good enough to deal out trouble. */
function sequence(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
