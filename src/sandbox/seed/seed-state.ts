import type { SandboxState, StoredMember } from '../state.ts';

export const ORGANIZATION_ID = 'org_sandbox';

/** Whom the sandbox's key belongs to. */
export const KEY_HOLDER_ID = 'usr_0001';

/** Roles that every organization has; they can be given to members, but not updated. */
export const BUILT_IN_ROLES = ['owner', 'admin', 'auditor', 'employee', 'contractor', 'member'] as const;

/** The ids of those roles. */
export const BUILT_IN_ROLE_IDS: ReadonlySet<string> = new Set(BUILT_IN_ROLES.map((name) => `rol_${name}`));

/** The one permission that the sandbox's key lacks, and so cannot grant. */
export const MISSING_PERMISSION = { resource: 'control', action: 'delete' } as const;

const CREATED = '2025-02-03T09:00:00.000Z';

/** What a new sandbox holds: three custom roles, and the members usr_0001 to usr_0012. */
export function seedState(): SandboxState {
  const role = (id: string, name: string, permissions: Record<string, string[]>, compliance: boolean) => {
    return { id, name, permissions, obligations: { compliance }, createdAt: CREATED, updatedAt: CREATED };
  };
  return {
    version: 1,
    roles: [
      role('rol_custom_1', 'Risk Reviewer', { control: ['read'], risk: ['read', 'update'] }, true),
      role('rol_custom_2', 'Policy Editor', { policy: ['read', 'update'] }, true),
      role('rol_custom_3', 'Guest', { control: ['read'], policy: ['read'], risk: ['read'] }, false),
    ],
    members: [
      member(1, 'owner', 'admin'),
      member(2, 'admin', 'it'),
      member(3, 'auditor', 'gov'),
      member(4, 'employee', 'hr'),
      member(5, 'employee', 'it'),
      member(6, 'employee', 'itsm'),
      member(7, 'employee', 'qms'),
      member(8, 'contractor', 'it'),
      member(9, 'contractor', 'none'),
      member(10, 'member', 'hr'),
      member(11, 'member', 'it'),
      member(12, 'member', 'none', false),
    ],
  };
}

/** The id of the n-th membership, from 1. */
export function memberId(number: number): string {
  return `mem_${String(number).padStart(5, '0')}`;
}

function member(number: number, role: string, department: string, isActive = true): StoredMember {
  const userId = `usr_${String(number).padStart(4, '0')}`;
  return { id: memberId(number), userId, role, department, isActive, createdAt: CREATED };
}
