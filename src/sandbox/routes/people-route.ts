import type { Operation } from '../operation.ts';
import { jsonResponse } from '../sandbox-response.ts';
import { KEY_HOLDER_ID, memberId, ORGANIZATION_ID } from '../seed/seed-state.ts';
import { findSeedUser } from '../seed/seed-users.ts';
import type { StoredMember } from '../state.ts';
import { type Variants, writeStatus } from '../variants.ts';
import { labelName, readBulkRequest } from './bulk-request.ts';
import { type CreatedRow, corruptRows, type FailedRow } from './bulk-rows.ts';
import { alreadyMemberMessage, summaryField, varyRows } from './bulk-variants.ts';
import type { SandboxMemberEntry } from './member-entry.ts';

/**
 * POST /v1/people/bulk (interface 4.2). Who is a member is looked up when the request arrives, and members are added when
 * it ends: a user who stands twice in it, or in another request meanwhile, becomes a member twice.
 */
export const addMembersOperation: Operation = (call, { store, variants, clock }) => {
  const checks = readBulkRequest(call.body, variants);
  const existing = new Set(store.read().members.map(({ userId }) => userId));
  const accepted: SandboxMemberEntry[] = [];
  const errors: FailedRow[] = [];
  for (const [position, check] of checks.entries()) {
    const index = position + Number(variants['index-base']);
    if ('problems' in check) {
      const { problems, ...named } = check;
      errors.push({ index, ...named, error: problems.join('; ') });
      continue;
    }
    const error = entryError(check.entry.userId, existing, variants);
    if (error === undefined) accepted.push(check.entry);
    else errors.push({ index, userId: check.entry.userId, error });
  }
  return () => {
    const createdAt = new Date(clock.now()).toISOString();
    const added: StoredMember[] = [];
    if (accepted.length > 0) {
      store.change((state) => {
        const first = state.members.length + 1;
        added.push(...accepted.map((entry, position) => newMember(memberId(first + position), entry, createdAt)));
        return { ...state, members: [...state.members, ...added] };
      });
    }
    const created = added.map((member) => memberRow(member, variants));
    const rows = corruptRows(varyRows({ created, errors }, variants), call.faultPlan);
    const body = { ...rows, ...summaryField(checks.length, rows, variants), ...caller(variants) };
    return jsonResponse(writeStatus(variants, 201), body, `${checks.length} entries`);
  };
};

function entryError(userId: string, existing: ReadonlySet<string>, variants: Variants): string | undefined {
  const user = findSeedUser(userId);
  if (!user) return `User ${userId} not found`;
  return existing.has(userId) ? alreadyMemberMessage(user.email, variants) : undefined;
}

function newMember(id: string, entry: SandboxMemberEntry, createdAt: string): StoredMember {
  return { department: 'none', isActive: true, ...entry, id, createdAt };
}

function memberRow(member: StoredMember, variants: Variants): CreatedRow {
  const { id, userId, role, createdAt, department, isActive, labelId } = member;
  const label = labelId === undefined ? {} : { [labelName(variants)]: labelId };
  const row = { id, organizationId: ORGANIZATION_ID, userId, role, createdAt, department, isActive };
  return { ...row, ...label, user: findSeedUser(userId) };
}

function caller(variants: Variants): object {
  const authType = variants['auth-type'];
  const user = { id: KEY_HOLDER_ID, email: findSeedUser(KEY_HOLDER_ID)?.email };
  return {
    ...(authType === 'absent' ? {} : { authType }),
    ...(variants['authenticated-user'] === 'no' ? {} : { authenticatedUser: user }),
  };
}
