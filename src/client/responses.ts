import { en } from 'zod/locales';
import type { ZodMiniType } from 'zod/mini';
import * as z from 'zod/mini';
import { isJsonObject } from '../util/json/json-object.ts';
import type { Member, MemberError } from './bulk-response.ts';
import { type ExpectedResponse, parseBody, unusableResponse } from './parse-body.ts';
import type { ServiceResponse } from './service.ts';
import { isRole, saysFailure } from './success.ts';

/*
 * The responses of interface 2 and 4, as far as the tool depends on them. Objects keep undocumented fields, and fields may be
 * missing or null unless the response is useless without them. Load this module while a request is in flight: it takes a
 * third of Node's start-up time, although it is zod/mini.
 */

z.config(en());

const SAYS_FAILURE = 'it says that it failed';

const optionalText = z.nullish(z.string());

const identifier = z.nullish(z.union([z.string(), z.number()]));

/** A role (interface 2.1). */
export const roleSchema = z.looseObject({
  id: identifier,
  name: optionalText,
  permissions: z.nullish(z.record(z.string(), z.array(z.string()))),
  obligations: z.nullish(z.record(z.string(), z.unknown())),
  isBuiltIn: z.optional(z.unknown()),
  createdAt: z.optional(z.unknown()),
  updatedAt: z.optional(z.unknown()),
});
export type Role = z.infer<typeof roleSchema>;

/** The response of a role update (interface 4.1). */
export const updatedRoleSchema = roleSchema.check(
  z.refine((role) => !saysFailure(role), { error: SAYS_FAILURE }),
  z.refine(isRole, { error: 'it has neither an id nor a name' }),
);

// A response holds hundreds of these: schemas of arrays and objects would copy all of them.
const members = z.custom<readonly Member[]>(isListOfObjects, { error: 'not a list of members' });
const memberErrors = z.custom<readonly MemberError[]>(isListOfObjects, { error: 'not a list of errors' });

function isListOfObjects(value: unknown): boolean {
  return Array.isArray(value) && value.every(isJsonObject);
}

/** The caller as responses name it (interface 4.2); undefined unless it is valid. */
const authenticatedUserSchema = z.catch(z.nullish(z.looseObject({ id: identifier, email: optionalText })), undefined);

/** The response of the bulk operation (interface 4.2). Invalid fields other than the two lists are dropped. */
export const bulkResponseSchema = z.looseObject({
  created: z.nullish(members),
  errors: z.nullish(memberErrors),
  authType: z.catch(optionalText, undefined),
  authenticatedUser: authenticatedUserSchema,
});
export type BulkResponse = z.infer<typeof bulkResponseSchema>;

/** A DNS record that a domain needs (interface 2.4). */
const verificationRecordSchema = z.looseObject({
  type: optionalText,
  domain: optionalText,
  value: optionalText,
  reason: optionalText,
});

/** The state of a domain (interface 2.4). The shape of `misconfigured` is not fixed. */
export const domainStatusSchema = z.looseObject({
  domain: optionalText,
  verified: z.boolean(),
  verification: z.nullish(z.array(verificationRecordSchema)),
  cnameTarget: optionalText,
  misconfigured: z.optional(z.unknown()),
});
export type DomainStatus = z.infer<typeof domainStatusSchema>;

/** The response of a status request (interface 4.3). A gate depends on it. */
export const domainResponseSchema = domainStatusSchema.check(
  z.refine((status) => !saysFailure(status), { error: SAYS_FAILURE }),
);

/**
 * Parses the JSON of a 2xx response and validates it against its schema.
 *
 * @throws ServiceError (`invalid-response`) with the start of the response
 */
export function parseResponse<T>(response: ServiceResponse, schema: ZodMiniType<T>, expected: ExpectedResponse): T {
  const result = schema.safeParse(parseBody(response, expected));
  if (result.success) return result.data;
  throw unusableResponse(response, expected, describeShapeIssue(result.error.issues[0]));
}

/** Describes an issue: `verified: expected boolean, received string`. */
function describeShapeIssue(issue: { path: PropertyKey[]; message: string } | undefined): string {
  if (issue === undefined) return 'its shape is wrong';
  const where = issue.path.map(String).join('.');
  const problem = issue.message.replace(/^Invalid input: /, '').replace(/, received undefined$/, ', but it is missing');
  return where === '' ? problem : `${where}: ${problem}`;
}
