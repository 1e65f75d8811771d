import fc from 'fast-check';

/** The seed of all random tests. Set the environment variable `SEED` to try others. */
export const SEED = Number(process.env.SEED ?? 20_260_101);

// Properties draw with fast-check, which finds the smallest case that fails.
fc.configureGlobal({ seed: SEED });

/**
 * Draws that repeat with their seed (mulberry32). For tests of which one draw depends on what happens, such as which requests
 * arrive: fast-check has to know all draws before.
 */
export interface SeededRandom {
  /** Uniform in [0, 1). */
  next(): number;
  /** An integer from `least` to `most`. */
  int(least: number, most: number): number;
  chance(probability: number): boolean;
  pick<T>(values: readonly T[]): T;
  shuffle<T>(values: readonly T[]): T[];
}

export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const int = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick(values) {
      const value = values[int(0, values.length - 1)];
      if (value === undefined) throw new Error('nothing to pick from');
      return value;
    },
    shuffle(values) {
      const shuffled = [...values];
      for (let at = shuffled.length - 1; at > 0; at--) {
        const other = int(0, at);
        [shuffled[at], shuffled[other]] = [
          shuffled[other] as (typeof shuffled)[number],
          shuffled[at] as (typeof shuffled)[number],
        ];
      }
      return shuffled;
    },
  };
}
