import fc from 'fast-check';

/** The seed of all random tests. Set the environment variable `SEED` to try others. */
export const SEED = Number(process.env.SEED ?? 20_260_101);

fc.configureGlobal({ seed: SEED });
