import * as z from 'zod/mini';
import { domainStatusSchema } from '../../client/response-schemas.ts';
import { errorDetails } from './output-schemas.ts';

const check = z.object({
  type: z.string(),
  name: z.string(),
  expected: z.nullable(z.string()),
  state: z.enum(['found', 'missing', 'different', 'unchecked', 'unknown']),
  actual: z.array(z.string()).check(z.describe('the values that are there')),
  error: z.optional(z.string()).check(z.describe('why the record is unchecked or unknown')),
});

const status = z
  .looseObject({
    ...domainStatusSchema.shape,
    ready: z.boolean().check(z.describe('verified, and not reported as misconfigured')),
    dns: z.optional(z.array(check)).check(z.describe('with --check-dns: what the DNS holds of each record')),
  })
  .check(z.describe("the service's answer"));

const failed = z.object({ domain: z.string(), error: errorDetails }).check(z.describe('one of several, which failed'));
const unasked = z
  .object({ domain: z.string(), ready: z.literal(false) })
  .check(z.describe('interrupted before its answer'));

/** What `domain status` prints: the domain status of interface 2.4, with whatever else the service gave. */
export const domainStatusOutput = z.union([
  status.check(z.describe('one domain')),
  unasked,
  z.array(z.union([status, failed, unasked])).check(z.describe('several domains')),
]);
