import * as z from 'zod/mini';

/** What `sandbox serve` prints once it listens. */
export const sandboxServeOutput = z.object({ url: z.string(), apiKey: z.string() });
