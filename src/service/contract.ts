import { z } from 'zod';

/*
 * The shapes of interface 2 and 4, as far as the tool relies on them. Objects keep the fields that nobody documented,
 * and what a service leaves out or sends as null does no harm: a field is only required where nothing can be told without it.
 */

const text = z.string().nullish();
const flag = z.boolean().nullish();

/** A role as a service answers it (interface 2.1). */
export const roleSchema = z.looseObject({
  id: text,
  name: text,
  permissions: z.record(z.string(), z.array(z.string())).nullish(),
  obligations: z.record(z.string(), z.unknown()).nullish(),
  isBuiltIn: flag,
  createdAt: text,
  updatedAt: text,
});
export type Role = z.infer<typeof roleSchema>;

/** A created member (interface 2.2): only its userId is relied on. */
export interface Member {
  readonly [field: string]: unknown;
  readonly userId: string;
  readonly organizationId?: string | null;
}

/** An entry that could not be created (interface 4.2). `userId` and `index` are documented, and yet may be missing. */
export interface EntryError {
  readonly [field: string]: unknown;
  readonly index?: number | null;
  readonly userId?: string | null;
  readonly error?: unknown;
}

/* An answer holds hundreds of these: they are looked at as they are, where an object schema would copy each of them. */
const member = z.custom<Member>(
  (value) => isObject(value) && typeof value.userId === 'string' && isText(value.organizationId),
  { error: 'not a member with a userId' },
);
const entryError = z.custom<EntryError>(
  (value) => isObject(value) && (value.index == null || Number.isSafeInteger(value.index)) && isText(value.userId),
  { error: 'not an error with an index and a userId' },
);

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): boolean {
  return value == null || typeof value === 'string';
}

const count = z.number().int().nullish();

/** The answer of the bulk operation (interface 4.2). */
export const bulkAnswerSchema = z.looseObject({
  created: z.array(member).nullish(),
  errors: z.array(entryError).nullish(),
  summary: z.looseObject({ total: count, successful: count, failed: count }).nullish(),
  authType: text,
  authenticatedUser: z.looseObject({ id: text, email: text }).nullish(),
});
export type BulkAnswer = z.infer<typeof bulkAnswerSchema>;

/** A DNS record that a domain needs (interface 2.4). */
export const verificationRecordSchema = z.looseObject({ type: text, domain: text, value: text, reason: text });
export type VerificationRecord = z.infer<typeof verificationRecordSchema>;

/** The state of a domain (interface 2.4). The inner shape of `misconfigured` is not fixed. */
export const domainStatusSchema = z.looseObject({
  domain: text,
  verified: z.boolean(),
  verification: z.array(verificationRecordSchema).nullish(),
  cnameTarget: text,
  misconfigured: z.unknown().optional(),
});
export type DomainStatus = z.infer<typeof domainStatusSchema>;
