import fc from 'fast-check';

/** The seed of all random tests. Set the environment variable `SEED` to try others. */
export const SEED = Number(process.env.SEED ?? 20_260_101);

fc.configureGlobal({ seed: SEED });

/** Returns how many random cases a test runs: all with the environment variable `CI`, as in CI, and a quarter otherwise. */
export function randomCases(all: number): number {
  return process.env.CI ? all : Math.ceil(all / 4);
}
