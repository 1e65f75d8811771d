import * as z from 'zod/mini';
import { domainStatusSchema } from '../../client/response-schemas.ts';
import { errorDetails } from '../error-output.ts';
import { textSchema, withDescription, withExample } from '../output-schema.ts';

/*
 * - `found`: the DNS has it
 * - `missing`: no record of its type with its name
 * - `flattened`: addresses of the target instead of a CNAME, as providers publish them for a domain itself
 * - `different`: another value
 * - `unchecked`: its type or value cannot be compared
 * - `unknown`: no usable response from the name server
 */
const recordCheck = z.object({
  type: z.string(),
  name: z.string(),
  expected: z.nullable(z.string()),
  state: z.enum(['found', 'flattened', 'missing', 'different', 'unchecked', 'unknown']),
  actual: withDescription(z.array(z.string()), 'the values found'),
  foundAt: z.optional(textSchema('another name that has the record, because the domain was added to the name twice')),
  error: z.optional(textSchema('why the record is unchecked or unknown')),
});

/** The state of an expected record in the DNS. */
export type RecordCheck = z.output<typeof recordCheck>;

const misconfigured =
  "the hosting provider's check as the service returned it; null if the service could not reach the provider";

const returnedStatus = z.looseObject({
  ...domainStatusSchema.shape,
  misconfigured: z.optional(withDescription(z.unknown(), misconfigured)),
  state: z.enum(['ready', 'not-verified', 'misconfigured', 'unknown']),
  ready: withDescription(z.boolean(), 'verified, and `misconfigured` is absent or no'),
  dns: z.optional(withDescription(z.array(recordCheck), 'with --check-dns: the state of each record in the DNS')),
});

const failedStatus = z.object({
  domain: z.string(),
  state: z.literal('error'),
  ready: z.literal(false),
  error: errorDetails,
});

/** Whether a domain is ready, or what keeps it from being so. */
export type DomainState = z.output<typeof returnedStatus | typeof failedStatus>['state'];

/** The output of `domain status`: for each domain the status of interface 2.4, with any other fields the service sent. */
export const domainStatusOutput = withExample(
  z.array(
    z.union([
      withDescription(returnedStatus, "the service's response"),
      withDescription(failedStatus, 'one of several domains if its request failed'),
    ]),
  ),
  [
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
        { type: 'CNAME', domain: 'pending.example.com', value: 'cname.hosting.example.net.', reason: 'missing_cname' },
      ],
      cnameTarget: 'cname.hosting.example.net.',
      misconfigured: { misconfigured: true },
      state: 'not-verified',
      ready: false,
    },
  ],
);
