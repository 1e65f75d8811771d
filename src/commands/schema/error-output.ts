import * as z from 'zod/mini';
import { ERROR_CODES, type ErrorCode } from '../../util/errors.ts';
import { openEnum, withExamples } from './render-schema.ts';

/** The codes of errors, in alphabetical order. */
export const ERROR_CODE_NAMES = Object.keys(ERROR_CODES) as ErrorCode[];

/** An error as part of a document. */
export const errorDetails = z.object({
  code: openEnum(ERROR_CODE_NAMES, 'every code of this version (orgadm help errors)'),
  message: z.string().check(z.describe('what happened')),
  hint: z.optional(z.string()).check(z.describe('what to do next')),
  status: z.optional(z.int()).check(z.describe('HTTP status of the response, if there was one')),
  requestId: z.optional(z.string()).check(z.describe("the service's own identifier of the request")),
});

/** The line on standard error that a failed command writes with -o json and -o ndjson. */
export const errorOutput = withExamples(
  z.object({
    error: z.extend(errorDetails, { stack: z.optional(z.string()).check(z.describe('with --debug only')) }),
  }),
  {
    error: {
      code: 'not-found',
      message: 'not found (404): Role rol_none not found',
      hint: 'Check the identifier, and that the base URL and the key belong to the right organization.',
      status: 404,
      requestId: 'req_0dac37dd-60f7-4fbf-b3be-4f9b571947ab',
    },
  },
  {
    error: {
      code: 'no-key',
      message: 'no API key',
      hint: 'Set ORGADM_API_KEY, pass a file with --key-file, or store a key with orgadm auth login. To try the tool without an account, add --sandbox.',
    },
  },
);
