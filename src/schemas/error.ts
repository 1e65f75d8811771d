import { z } from 'zod';

const details = z.object({
  code: z.string().describe('a stable word for scripts'),
  message: z.string().describe('what happened'),
  hint: z.string().optional().describe('what to do next'),
  status: z.number().int().optional().describe('HTTP status of the answer, where there was one'),
  requestId: z.string().optional().describe("the service's own identifier of the request"),
});

/** An error as part of a document. */
export const errorDetails = details;

/** The line on standard error that a failed command writes under -o json and -o ndjson. */
export const errorOutput = z.object({
  error: details.extend({ stack: z.string().optional().describe('under --debug only') }),
});
