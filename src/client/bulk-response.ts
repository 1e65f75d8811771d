import { isJsonObject } from '../util/json-object.ts';

/** A created member (interface 2.2). Whose membership it is, `memberUserId` tells. */
export interface Member {
  readonly [field: string]: unknown;
  readonly userId?: unknown;
  readonly organizationId?: unknown;
}

/** An entry that could not be created (interface 4.2). All of its fields are documented, and yet may be missing. */
export interface BulkEntryError {
  readonly [field: string]: unknown;
  readonly index?: unknown;
  readonly userId?: unknown;
  readonly error?: unknown;
}

/** The user that a member or an entry error is about; the embedded user (interface 2.3) stands in for a missing userId. */
export function memberUserId({ userId, user }: Member | BulkEntryError): string | undefined {
  return parseIdentifier(userId) ?? (isJsonObject(user) ? parseIdentifier(user.id) : undefined);
}

/** The index of an entry error, also where it is written as a text (interface 4.2). */
export function entryIndex({ index }: BulkEntryError): number | undefined {
  const number = typeof index === 'string' && /^\d{1,9}$/.test(index) ? Number(index) : index;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
}

/**
 * An identifier as text: they are strings (interface 2), and some services write numbers. Undefined for anything else,
 * and for an empty one.
 */
export function parseIdentifier(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
