/** Points of runs that a test tries at the same time. */
export const AT_ONCE = 2;

/**
 * Tests every point of a run from the first to the last, a few at a time.
 *
 * @param reaches tests a point, and returns whether the run has reached it
 * @returns the last point that the run has reached
 */
export async function lastPoint(reaches: (point: number) => Promise<boolean>): Promise<number> {
  for (let first = 1; ; first += AT_ONCE) {
    const points = Array.from({ length: AT_ONCE }, (_, at) => first + at);
    const isReached = await Promise.all(points.map(reaches));
    if (isReached.includes(false)) return first + isReached.indexOf(false) - 1;
  }
}
