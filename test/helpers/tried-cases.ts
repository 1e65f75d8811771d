import { SEED } from './fixed-seed.ts';

/**
 * Of so many cases of a long table, tests try one, and another one with another `SEED`. With the environment variable `CI`, as in CI,
 * they try all of them.
 */
const ONE_OF = process.env.CI ? 1 : 6;

/** Whether a test tries the case at this place of a long table. */
export function isTried(at: number): boolean {
  return at % ONE_OF === SEED % ONE_OF;
}

/** Returns the cases of a long table that a test tries: at least one. */
export function triedCases<T>(cases: readonly T[]): T[] {
  const first = SEED % Math.min(ONE_OF, cases.length);
  return cases.filter((_, at) => at % ONE_OF === first);
}
