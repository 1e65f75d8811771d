import * as z from 'zod/mini';
import { domainStatusSchema } from '../../client/response-schemas.ts';
import { errorDetails } from './error-output.ts';
import { withExamples } from './render-schema.ts';

const recordCheck = z.object({
  type: z.string(),
  name: z.string(),
  expected: z.nullable(z.string()),
  state: z.enum(['found', 'missing', 'different', 'unchecked', 'unknown']),
  actual: z.array(z.string()).check(z.describe('the values found')),
  error: z.optional(z.string()).check(z.describe('why the record is unchecked or unknown')),
});

const returnedStatus = z
  .looseObject({
    ...domainStatusSchema.shape,
    misconfigured: z
      .optional(z.unknown())
      .check(z.describe("the hosting provider's check, in a shape of its own; null if it could not be made")),
    state: z.enum(['ready', 'not-verified', 'misconfigured', 'unknown']),
    ready: z.boolean().check(z.describe('verified, and not reported as misconfigured')),
    dns: z.optional(z.array(recordCheck)).check(z.describe('with --check-dns: the state of each record in the DNS')),
  })
  .check(z.describe("the service's response"));

const failedStatus = z
  .object({ domain: z.string(), state: z.literal('error'), ready: z.literal(false), error: errorDetails })
  .check(z.describe('one of several domains, whose request failed'));

/** What `domain status` prints: for each domain the status of interface 2.4, with any other fields the service sent. */
export const domainStatusOutput = withExamples(z.array(z.union([returnedStatus, failedStatus])), [
  {
    domain: 'pending.example.com',
    verified: false,
    verification: [
      {
        type: 'TXT',
        domain: '_verify.pending.example.com',
        value: 'domain-verify=pending.example.com,7f3a9c1e5b',
        reason: 'pending_domain_verification',
      },
      {
        type: 'CNAME',
        domain: 'pending.example.com',
        value: 'cname.hosting.example.net.',
        reason: 'missing_cname',
      },
    ],
    cnameTarget: 'cname.hosting.example.net.',
    misconfigured: { misconfigured: true },
    state: 'not-verified',
    ready: false,
  },
  {
    domain: 'nowhere.example.org',
    state: 'error',
    ready: false,
    error: {
      code: 'not-found',
      message: 'not found (404): Domain nowhere.example.org not found',
      hint: 'Check the identifier, and that the base URL and the key belong to the right organization.',
      status: 404,
      requestId: 'req_0c6b22e7-3e4f-49bb-b131-eba96df87420',
    },
  },
]);
