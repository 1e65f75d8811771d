import { isJsonObject } from '../util/json/json-object.ts';

/** A created member (interface 2.2); see `memberUserId`. */
export interface Member {
  readonly [field: string]: unknown;
  readonly userId?: unknown;
}

/** A member that could not be created (interface 4.2). All of its fields are documented, but may be missing. */
export interface MemberError {
  readonly [field: string]: unknown;
  readonly index?: unknown;
  readonly userId?: unknown;
  readonly error?: unknown;
}

/** Returns the user of a member or an error; from the embedded user (interface 2.3) if userId is missing. */
export function memberUserId({ userId, user }: Member | MemberError): string | undefined {
  return parseIdentifier(userId) ?? (isJsonObject(user) ? parseIdentifier(user.id) : undefined);
}

/** Returns the index of an error, also if it is a string (interface 4.2). */
export function errorIndex({ index }: MemberError): number | undefined {
  const number = typeof index === 'string' && /^\d{1,9}$/.test(index) ? Number(index) : index;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
}

/** Returns an identifier as a string (interface 2): some services send numbers. Undefined for anything else, or if empty. */
export function parseIdentifier(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
