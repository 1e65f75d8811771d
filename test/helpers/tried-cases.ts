/** Of so many cases of a long table, and points of a run, tests try one; with the environment variable `CI`, as in CI, all of them. */
const ONE_OF = process.env.CI ? 1 : 3;

/** Whether a test tries the case at this place of a long table. */
export function isTried(at: number): boolean {
  return at % ONE_OF === 0;
}

/** Returns the cases of a long table that a test tries. */
export function triedCases<T>(cases: readonly T[]): T[] {
  return cases.filter((_, at) => isTried(at));
}
