import { FAULT_NAMES, type FaultName, type Faults } from './faults.ts';

/** Faults to inject into one request. */
interface FaultPlan {
  readonly fault: FaultName | undefined;
  readonly latencyMs: number;
}

/**
 * Plans the faults of the n-th request. The plan depends on seed and number only, so a run can be repeated however its
 * requests overlap.
 */
export function planFaults(faults: Faults, seed: number, requestNumber: number): FaultPlan {
  const random = createRandom(seed + Math.imul(requestNumber, 0x9e3779b1));
  const { fromMs, toMs } = faults.latency;
  const latencyMs = fromMs + random() * (toMs - fromMs);
  return { fault: pickFault(faults, random()), latencyMs };
}

function pickFault(faults: Faults, draw: number): FaultName | undefined {
  let upTo = 0;
  return FAULT_NAMES.find((name) => {
    upTo += faults[name];
    return draw < upTo;
  });
}

/** Creates a mulberry32 generator. */
function createRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
