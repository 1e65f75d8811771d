import { EVIDENCE_FORM_TYPES, PEOPLE_SCOPES } from '../util/interface-values.ts';

/** Roles that every organization has. They can be assigned to members, but not updated. */
export const BUILT_IN_ROLES = ['owner', 'admin', 'auditor', 'employee', 'contractor', 'member'] as const;

/** The departments of members. */
export const DEPARTMENTS = ['none', 'admin', 'gov', 'hr', 'it', 'itsm', 'qms'] as const;

/** The resources that the permissions of a role name, and the actions that they allow. */
export const RESOURCES = ['control', 'policy', 'risk'] as const;
export const ACTIONS = ['read', 'update', 'delete'] as const;

export const ORGANIZATION_ID = 'org_sandbox';

/** The owner of the sandbox's key. */
export const KEY_HOLDER_ID = 'usr_0001';

/** The permission that the sandbox's key does not have, and so cannot grant. */
export const MISSING_PERMISSION = { resource: 'control', action: 'delete' } as const;

const CREATED = '2025-02-03T09:00:00.000Z';

/** The custom roles of a new sandbox (interface 2.1, with their obligations). */
export const ROLES = [
  role('rol_custom_1', 'Risk Reviewer', { control: ['read'], risk: ['read', 'update'] }, true),
  role('rol_custom_2', 'Policy Editor', { policy: ['read', 'update'] }, true),
  role('rol_custom_3', 'Guest', { control: ['read'], policy: ['read'], risk: ['read'] }, false),
];

function role(id: string, name: string, permissions: Record<string, string[]>, compliance: boolean) {
  return { id, name, permissions, obligations: { compliance }, createdAt: CREATED, updatedAt: CREATED };
}

/** The members of a new sandbox: usr_0001 to usr_0012. */
export const MEMBERS = [
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
];

function member(number: number, role: string, department: string, isActive = true) {
  const userId = `usr_${String(number).padStart(4, '0')}`;
  return { id: memberId(number), userId, role, department, isActive, createdAt: CREATED };
}

/** Returns the id of the n-th membership, counted from 1. */
export function memberId(number: number): string {
  return `mem_${String(number).padStart(5, '0')}`;
}

const CNAME_TARGET = 'cname.hosting.example.net.';
const READY = { verified: true, cnameTarget: CNAME_TARGET, misconfigured: { misconfigured: false } };

function pending(domain: string) {
  const value = `domain-verify=${domain},7f3a9c1e5b`;
  const txt = { type: 'TXT', domain: `_verify.${domain}`, value, reason: 'pending_domain_verification' };
  const verification = [txt, cname(domain)];
  return { verified: false, verification, cnameTarget: CNAME_TARGET, misconfigured: { misconfigured: true } };
}

function cname(domain: string) {
  return { type: 'CNAME', domain, value: CNAME_TARGET, reason: 'missing_cname' };
}

/** The domains with their statuses (interface 2.4), one for each request since the start. The last one remains. */
export const DOMAINS: ReadonlyMap<string, readonly object[]> = new Map([
  ['trust.example.com', [READY]],
  ['pending.example.com', [pending('pending.example.com')]],
  ['soon.example.com', [pending('soon.example.com'), pending('soon.example.com'), READY]],
  [
    'misconfigured.example.com',
    [{ ...READY, misconfigured: { misconfigured: true }, verification: [cname('misconfigured.example.com')] }],
  ],
  // The hosting provider cannot be reached.
  ['unreachable.example.com', [{ verified: true, misconfigured: null }]],
]);

/** The tasks with their titles. */
export const TASKS: ReadonlyMap<string, string> = new Map([
  ['tsk_0001', 'Review access rights of leavers'],
  ['tsk_0002', 'Encrypt laptops'],
  ['tsk_0003', 'Restore a backup'],
  ['tsk_0004', 'Train new staff'],
  ['tsk_0005', 'Renew the supplier register'],
  ['tsk_0006', 'Test the evacuation plan'],
]);

/** The evidence submissions with their form types. */
export const SUBMISSIONS: ReadonlyMap<string, string> = new Map([
  ['sub_0001', 'board-meeting'],
  ['sub_0002', 'penetration-test'],
  ['sub_0003', 'access-request'],
  ['sub_0004', 'network-diagram'],
]);

/** The values that the sandbox accepts, for the help of `sandbox serve`. */
export const SANDBOX_VALUES = {
  users: 'usr_0001 to usr_5000',
  members: 'usr_0001 to usr_0012',
  memberRoles: BUILT_IN_ROLES.join(', '),
  departments: DEPARTMENTS.join(', '),
  customRoles: 'rol_custom_1 to rol_custom_3',
  resources: RESOURCES.join(', '),
  actions: ACTIONS.join(', '),
  domains: [...DOMAINS.keys()].join(', '),
  tasks: 'tsk_0001 to tsk_0006',
  evidenceSubmissions: 'sub_0001 to sub_0004',
  evidenceFormTypes: EVIDENCE_FORM_TYPES.join(', '),
  scopes: PEOPLE_SCOPES.join(', '),
};
