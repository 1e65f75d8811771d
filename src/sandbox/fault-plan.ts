import { type Faults, ROW_FAULTS, type RowFault, STRIKES, type StrikeName } from './faults.ts';

/** What fate has for one request. */
export interface Luck {
  readonly strike: StrikeName | undefined;
  readonly latencyMs: number;
  readonly rowFaults: ReadonlySet<RowFault>;
  /** The next number of this request's own sequence, from 0 to below 1. */
  random(): number;
}

/**
 * Draws the luck of the n-th request. It follows from seed and number alone, so that a bad day is repeatable however
 * requests overlap.
 */
export function drawLuck(faults: Faults, seed: number, requestNumber: number): Luck {
  const random = sequence(seed + Math.imul(requestNumber, 0x9e3779b1));
  const { fromMs, toMs } = faults.latency;
  const latencyMs = fromMs + random() * (toMs - fromMs);
  const strike = drawStrike(faults, random());
  const rowFaults = new Set(ROW_FAULTS.filter((name) => random() < faults[name]));
  return { strike, latencyMs, rowFaults, random };
}

function drawStrike(faults: Faults, drawn: number): StrikeName | undefined {
  let upTo = 0;
  return (Object.keys(STRIKES) as StrikeName[]).find((name) => {
    upTo += faults[name];
    return drawn < upTo;
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
