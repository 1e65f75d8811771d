import fc from 'fast-check';

/** The seed of all random tests. Set the environment variable `SEED` to try others. */
export const SEED = Number(process.env.SEED ?? 20_260_101);

// Mutation tests only need to know that a case fails, not the smallest one.
fc.configureGlobal({ seed: SEED, endOnFailure: 'STRYKER_MUTATOR_WORKER' in process.env });
