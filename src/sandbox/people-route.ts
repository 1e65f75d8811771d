import * as z from 'zod/mini';
import { BUILT_IN_ROLES, DEPARTMENTS, KEY_HOLDER_ID, memberId, ORGANIZATION_ID } from './fixtures.ts';
import { describeZodIssues, jsonResponse, type Operation, RequestRejection, validateBody } from './operation.ts';
import type { StoredMember } from './store.ts';
import { findUser } from './users.ts';

/**
 * POST /v1/people/bulk (interface 4.2). Existing members are looked up when the request arrives, new ones are added when
 * it ends: a user who occurs twice, in one request or in two at the same time, becomes a member twice.
 */
export const addMembersOperation: Operation = (call, { store, clock }) => {
  const existing = new Set(store.read().members.map(({ userId }) => userId));
  const entries = readBulkRequest(call.body).map((entry): CheckedEntry => {
    const { userId } = entry;
    const user = findUser(userId);
    if (!user) return { userId, error: `User ${userId} not found` };
    if (!existing.has(userId)) return entry;
    return { userId, error: `User ${user.email} is already a member of this organization` };
  });
  const errors = entries.flatMap(({ userId, error }, index): FailedRow[] => {
    return error === undefined ? [] : [{ index, userId, error }];
  });
  return () => {
    const createdAt = new Date(clock.now()).toISOString();
    const { members } = store.read();
    const added = entries
      .filter((entry) => entry.error === undefined)
      .map((entry, position) => ({ ...entry, id: memberId(members.length + 1 + position), createdAt }));
    if (added.length > 0) store.change({ members: [...members, ...added] });
    const created = added.map(memberRow);
    const body = {
      created,
      errors,
      // Counts entries (interface 4.2, rule 2).
      summary: { total: entries.length, successful: created.length, failed: errors.length },
      authType: 'api-key',
      authenticatedUser: KEY_HOLDER,
    };
    return jsonResponse(201, body, `${entries.length} entries`);
  };
};

const KEY_HOLDER = { id: KEY_HOLDER_ID, email: findUser(KEY_HOLDER_ID)?.email };

/** Renders a member (interface 2.2). */
function memberRow({ id, userId, role, createdAt, department, isActive, labelId }: StoredMember) {
  const row = { id, organizationId: ORGANIZATION_ID, userId, role, createdAt, department, isActive };
  return { ...row, deviceMgmtLabelId: labelId, user: findUser(userId) };
}

/** A rejected entry (interface 4.2). */
interface FailedRow {
  readonly index: number;
  readonly userId: string;
  readonly error: string;
}

const requestSchema = z.strictObject({ members: z.array(z.unknown()).check(z.minLength(1)) });

/** A valid entry of a bulk request (interface 4.2). */
const sandboxEntrySchema = z.strictObject({
  userId: z.string().check(z.minLength(1)),
  role: z.enum(BUILT_IN_ROLES),
  department: z.nullish(z.enum(DEPARTMENTS)),
  isActive: z.nullish(z.boolean()),
  deviceMgmtLabelId: z.nullish(z.int()),
});

const MAX_ENTRIES = 1000;

type ValidEntry = Omit<StoredMember, 'id' | 'createdAt'> & { readonly error?: undefined };
type CheckedEntry = ValidEntry | { readonly userId: string; readonly error: string };

/**
 * Validates the body of a bulk request, in the order of its entries.
 *
 * @throws RequestRejection for a body that is not valid, too many entries, or a malformed entry
 */
function readBulkRequest(body: unknown): readonly ValidEntry[] {
  const { members } = validateBody(requestSchema, body);
  if (members.length > MAX_ENTRIES) {
    throw new RequestRejection(400, `Maximum ${MAX_ENTRIES} members allowed per bulk request`);
  }
  const problems: string[] = [];
  const entries = members.flatMap((value, index): ValidEntry[] => {
    const { data, error } = sandboxEntrySchema.safeParse(value, { reportInput: true });
    if (error) problems.push(...describeZodIssues(error, ['members', String(index)]));
    if (!data) return [];
    const { userId, role, department, isActive, deviceMgmtLabelId } = data;
    const labelId = deviceMgmtLabelId ?? undefined;
    return [{ userId, role, department: department ?? 'none', isActive: isActive ?? true, labelId }];
  });
  if (problems.length > 0) throw new RequestRejection(400, problems);
  return entries;
}
