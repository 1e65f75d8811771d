/** Points of runs that a test tries at the same time. */
export const AT_ONCE = 2;

/**
 * Tests the points of a run from the first to the last, a few at a time.
 *
 * @param reaches tests a point, and returns whether the run has reached it
 * @returns the number of points
 */
export async function countPoints(reaches: (point: number) => Promise<boolean>): Promise<number> {
  for (let tested = 0; ; tested += AT_ONCE) {
    const isReached = await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => reaches(tested + at + 1)));
    if (isReached.includes(false)) return tested + isReached.indexOf(false);
  }
}
