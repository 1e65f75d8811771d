import * as z from 'zod/mini';

const details = z.object({
  code: z.string().check(z.describe('a stable word for scripts')),
  message: z.string().check(z.describe('what happened')),
  hint: z.optional(z.string()).check(z.describe('what to do next')),
  status: z.optional(z.int()).check(z.describe('HTTP status of the answer, where there was one')),
  requestId: z.optional(z.string()).check(z.describe("the service's own identifier of the request")),
});

/** An error as part of a document. */
export const errorDetails = details;

/** The line on standard error that a failed command writes under -o json and -o ndjson. */
export const errorOutput = z.object({
  error: z.extend(details, { stack: z.optional(z.string()).check(z.describe('under --debug only')) }),
});
