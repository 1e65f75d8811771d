import * as z from 'zod/mini';
import { ERROR_CODES, type ErrorCode } from '../util/errors.ts';
import { openEnum, textSchema, withDescription, withExample } from './output-schema.ts';

/** The codes of errors, in alphabetical order. */
export const ERROR_CODE_NAMES = Object.keys(ERROR_CODES) as ErrorCode[];

/** An error as part of a document. */
export const errorDetails = z.object({
  code: openEnum(ERROR_CODE_NAMES, 'every code of this version (orgadm help errors)'),
  message: textSchema('what happened'),
  hint: z.optional(textSchema('what to do next')),
  status: z.optional(withDescription(z.int(), 'HTTP status of the response, if there was one')),
  requestId: z.optional(textSchema("the service's ID of the request")),
});

/** The line on standard error that a failed command writes with -o json and -o ndjson. */
export const errorOutput = withExample(
  z.object({ error: z.extend(errorDetails, { stack: z.optional(textSchema('with --debug only')) }) }),
  {
    error: {
      code: 'not-found',
      message: 'not found (404): Role rol_none not found',
      hint: 'Check the ID or name, and make sure that the base URL and the key belong to the right organization.',
      status: 404,
      requestId: 'req_0dac37dd-60f7-4fbf-b3be-4f9b571947ab',
    },
  },
);
