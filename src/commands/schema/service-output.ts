import * as z from 'zod/mini';
import { domainStatusSchema, roleSchema } from '../../client/response-schemas.ts';
import { ERROR_CODES, type ErrorCode } from '../../util/errors.ts';
import { countSchema, dateTime, openEnum, textOf, withExamples } from './render-schema.ts';

/** The codes of errors, in alphabetical order. */
export const ERROR_CODE_NAMES = Object.keys(ERROR_CODES) as ErrorCode[];

/** An error as part of a document. */
const errorDetails = z.object({
  code: openEnum(ERROR_CODE_NAMES, 'every code of this version (orgadm help errors)'),
  message: textOf('what happened'),
  hint: z.optional(z.string()).check(z.describe('what to do next')),
  status: z.optional(z.int()).check(z.describe('HTTP status of the response, if there was one')),
  requestId: z.optional(z.string()).check(z.describe("the service's own identifier of the request")),
});

/** The line on standard error that a failed command writes with -o json and -o ndjson. */
export const errorOutput = withExamples(
  z.object({ error: z.extend(errorDetails, { stack: z.optional(z.string()).check(z.describe('with --debug only')) }) }),
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

/*
 * - `found`: the DNS has it
 * - `missing`: no record of its type with its name
 * - `different`: another value
 * - `unchecked`: its type or value cannot be compared
 * - `unknown`: no usable response from the name server
 */
const recordCheck = z.object({
  type: z.string(),
  name: z.string(),
  expected: z.nullable(z.string()),
  state: z.enum(['found', 'missing', 'different', 'unchecked', 'unknown']),
  actual: z.array(z.string()).check(z.describe('the values found')),
  error: z.optional(z.string()).check(z.describe('why the record is unchecked or unknown')),
});

/** The state of an expected record in the DNS. */
export type RecordCheck = z.output<typeof recordCheck>;

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
      { type: 'CNAME', domain: 'pending.example.com', value: 'cname.hosting.example.net.', reason: 'missing_cname' },
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

const valueCount = z.object({
  value: z.unknown().check(z.describe('as the service sent it; null for findings without the field')),
  count: countSchema('findings with this value'),
});

/** What `findings list` prints. The fields of a finding are not fixed (interface 2.5). */
export const findingsListOutput = withExamples(
  z.union([
    z.array(z.looseObject({})).check(z.describe('the findings, each as the service returned it')),
    countSchema('with --count: the number of findings'),
    z.array(valueCount).check(z.describe('with --count --group-by: the number of findings with each value')),
    z.array(z.string()).check(z.describe('with --columns help: the names of the fields')),
  ]),
  [
    {
      id: 'fnd_0047',
      type: 'iso27001',
      status: 'needs_revision',
      severity: 'medium',
      content: 'Sign-off is missing.',
      createdAt: '2025-04-18T08:30:00.000Z',
      scope: 'people',
      createdBy: { id: 'mem_00002', user: { name: 'Ben Haddad', email: 'ben.haddad@mail.example.com' } },
    },
  ],
  3,
  [
    { value: 'high', count: 1 },
    { value: 'medium', count: 1 },
    { value: null, count: 1 },
  ],
  ['id', 'status', 'severity', 'createdBy.user.name'],
);

const mismatch = z.object({
  path: textOf('id, name, permissions.<resource> or obligations.<key>'),
  sent: z.unknown().check(z.describe('null where nothing was sent')),
  stored: z.unknown().check(z.describe('null where the service holds nothing')),
});

/** A value that the service stored differently from what was sent. */
export type Mismatch = z.output<typeof mismatch>;

// The response is accepted with other values in these fields too, and they are printed: the change was made all the same.
const updated = z
  .looseObject({
    ...roleSchema.shape,
    obligations: z.nullish(z.record(z.string(), z.boolean())),
    isBuiltIn: z.nullish(z.boolean()),
    createdAt: z.nullish(dateTime),
    updatedAt: z.nullish(dateTime),
    mismatches: z
      .array(mismatch)
      .check(z.describe('values that the service stored differently from what was sent; empty if there are none')),
  })
  .check(z.describe('the role as the service now holds it; mismatches alone if the response has no role'));

const dryRun = z
  .object({
    method: z.literal('PATCH'),
    path: z.string(),
    body: z.object({
      name: z.optional(z.string()),
      permissions: z.optional(z.record(z.string(), z.array(z.string()))),
      obligations: z.optional(z.record(z.string(), z.boolean())),
    }),
  })
  .check(z.describe('with --dry-run: the request that would be sent'));

/** What `role update` prints: the role of interface 2.1, with any other fields the service returned. */
export const roleUpdateOutput = withExamples(
  z.union([updated, dryRun]),
  {
    id: 'rol_custom_1',
    name: 'Risk Reviewer',
    permissions: { control: ['read'] },
    isBuiltIn: false,
    createdAt: '2025-02-03T09:00:00.000Z',
    updatedAt: '2026-01-05T08:00:00.000Z',
    mismatches: [],
  },
  {
    id: 'rol_custom_1',
    name: 'Risk Reviewer',
    permissions: { control: ['read'] },
    mismatches: [{ path: 'permissions.control', sent: ['read', 'update'], stored: ['read'] }],
  },
  { method: 'PATCH', path: '/v1/roles/rol_custom_1', body: { name: 'Auditor' } },
);
