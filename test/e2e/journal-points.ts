/** Points of runs that a test tries at the same time. */
export const AT_ONCE = 2;

/** With the environment variable `CI`, as in CI, tests try every point of a run, and otherwise one of three. */
const STRIDE = process.env.CI ? 1 : 3;

/**
 * Tests the points of a run from the first to the last, a few at a time.
 *
 * @param reaches tests a point, and returns whether the run has reached it; `turn` is 0 for the first one, 1 for the second
 * @returns the last tested point that the run has reached
 */
export async function lastPoint(reaches: (point: number, turn: number) => Promise<boolean>): Promise<number> {
  for (let first = 0; ; first += AT_ONCE) {
    const turns = Array.from({ length: AT_ONCE }, (_, at) => first + at);
    const isReached = await Promise.all(turns.map((turn) => reaches(1 + turn * STRIDE, turn)));
    if (isReached.includes(false)) return 1 + (first + isReached.indexOf(false) - 1) * STRIDE;
  }
}
