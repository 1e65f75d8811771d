import { z } from 'zod';
import { domainStatusSchema } from '../service/contract.ts';
import { errorDetails } from './error.ts';

const check = z.object({
  type: z.string(),
  name: z.string(),
  expected: z.string().nullable(),
  state: z.enum(['found', 'missing', 'different', 'unchecked', 'unknown']),
  actual: z.array(z.string()).describe('the values that are there'),
  error: z.string().optional().describe('why the record is unchecked or unknown'),
});

const status = z
  .looseObject({
    ...domainStatusSchema.shape,
    ready: z.boolean().describe('verified, and not reported as misconfigured'),
    dns: z.array(check).optional().describe('with --check-dns: what the DNS holds of each record'),
  })
  .describe("the service's answer");

const failed = z.object({ domain: z.string(), error: errorDetails }).describe('one of several, which failed');
const unasked = z.object({ domain: z.string(), ready: z.literal(false) }).describe('interrupted before its answer');

/** What `domain status` prints: the domain status of interface 2.4, with whatever else the service gave. */
export const domainStatusOutput = z.union([
  status.describe('one domain'),
  unasked,
  z.array(z.union([status, failed, unasked])).describe('several domains'),
]);
