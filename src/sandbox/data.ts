import { EVIDENCE_FORM_TYPES, PEOPLE_SCOPES } from '../util/interface-values.ts';

/** Roles that every organization has. They can be assigned to members, but not updated. */
export const BUILT_IN_ROLES = ['owner', 'admin', 'auditor', 'employee', 'contractor', 'member'] as const;

/** The departments of members. */
export const DEPARTMENTS = ['none', 'admin', 'gov', 'hr', 'it', 'itsm', 'qms'] as const;

/** The resources that the permissions of a role name, and the actions that they allow. */
export const RESOURCES = ['control', 'policy', 'risk'] as const;
export const ACTIONS = ['read', 'update', 'delete'] as const;

/** The permission that the sandbox's key does not have, and so cannot grant. */
export const MISSING_PERMISSION = { resource: 'control', action: 'delete' } as const;

export const ORGANIZATION_ID = 'org_sandbox';

const CREATED_AT = '2025-02-03T09:00:00.000Z';

/** The custom roles of a new sandbox (interface 2.1, with their obligations). */
export const ROLES = [
  role('rol_custom_1', 'Risk Reviewer', { control: ['read'], risk: ['read', 'update'] }, true),
  role('rol_custom_2', 'Policy Editor', { policy: ['read', 'update'] }, true),
  role('rol_custom_3', 'Guest', { control: ['read'], policy: ['read'], risk: ['read'] }, false),
];

function role(id: string, name: string, permissions: Record<string, string[]>, compliance: boolean) {
  return { id, name, permissions, obligations: { compliance }, createdAt: CREATED_AT, updatedAt: CREATED_AT };
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
  return { id: memberId(number), userId, role, department, isActive, createdAt: CREATED_AT };
}

/** Returns the ID of the n-th membership, counted from 1. */
export function memberId(number: number): string {
  return `mem_${String(number).padStart(5, '0')}`;
}

const USERS = 5000;
const GIVEN_NAMES = (
  'Anna Ben Chloe David Elodie Farid Grace Hiroshi Ingrid Joao Kwame Lena Lukasz Mei Nadia Omar Priya Quentin Rosa ' +
  'Soren Tomas Uma Viktor Wanjiru Ximena Yusuf Zoe Aisha Bjorn Carla Dmitri Emeka Fatima George Hana Ivan Jurgen ' +
  'Katarzyna Liam Maria Noor Olga Padraig Renee Sanjay Tove Valentina Akiko Dimitra Sonya'
).split(' ');
const FAMILY_NAMES = (
  'Abbott Bauer Castillo Dubois Eriksen Fontaine Garcia Haddad Ivanov Jansen Kowalska Lopez Muller Nakamura Okafor ' +
  'Pereira Quigley Rossi Simic Tanaka Ueda Vargas Weiss Xu Yilmaz Zhang Almeida Brandt Chaudhary Dabrowski OBrien ' +
  'Fischer Gruber Hansen Ito Jovanovic Khan Larsen Mensah Nguyen Ostergaard Patel Ruiz Sato Thorsson Usman Vogel ' +
  'Wojcik Yamada Kimura'
).split(' ');
const MAIL_DOMAINS = (
  'example.com mail.example.com berlin.example.com lab.example.com ' +
  'field.example.com osaka.example.com lagos.example.com partners.example.com'
).split(' ');

/** Returns a user as embedded in a member (interface 2.3), usr_0001 to usr_5000; undefined for any other ID. */
export function findUser(id: string) {
  const index = /^usr_\d{4}$/.test(id) ? Number(id.slice(4)) - 1 : -1;
  if (index < 0 || index >= USERS) return undefined;
  // A pair of names occurs at most twice, and then with another domain.
  const given = GIVEN_NAMES[index % 50] ?? '';
  const family = FAMILY_NAMES[((index % 50) * 7 + Math.floor(index / 50)) % 50] ?? '';
  const domain = MAIL_DOMAINS[Math.floor(index / 2500) * 4 + (index % 4)];
  return {
    id,
    name: `${given} ${family}`,
    email: `${given}.${family}@${domain}`.toLowerCase(),
    emailVerified: true,
    image: `https://images.example.com/${id}.png`,
    createdAt: CREATED_AT,
    updatedAt: CREATED_AT,
    lastLogin: CREATED_AT,
  };
}

const CNAME_TARGET = 'cname.hosting.example.net.';
const READY = { verified: true, cnameTarget: CNAME_TARGET, misconfigured: { misconfigured: false } };

function pending(domain: string) {
  const value = `domain-verify=${domain},7f3a9c1e5b`;
  const txt = { type: 'TXT', domain: `_verify.${domain}`, value, reason: 'pending_domain_verification' };
  const misconfigured = { misconfigured: true };
  return { verified: false, verification: [txt, missingCname(domain)], cnameTarget: CNAME_TARGET, misconfigured };
}

function missingCname(domain: string) {
  return { type: 'CNAME', domain, value: CNAME_TARGET, reason: 'missing_cname' };
}

/** The domains with their statuses (interface 2.4), one for each request since the start. The last one remains. */
export const DOMAINS: ReadonlyMap<string, readonly object[]> = new Map([
  ['trust.example.com', [READY]],
  ['pending.example.com', [pending('pending.example.com')]],
  ['soon.example.com', [pending('soon.example.com'), pending('soon.example.com'), READY]],
  [
    'misconfigured.example.com',
    [{ ...READY, misconfigured: { misconfigured: true }, verification: [missingCname('misconfigured.example.com')] }],
  ],
  // The hosting provider cannot be reached.
  ['unreachable.example.com', [{ verified: true, misconfigured: null }]],
]);

/** The tasks and evidence submissions. The last one of each has no findings. */
export const TASKS = ['tsk_0001', 'tsk_0002', 'tsk_0003'];
export const SUBMISSIONS = ['sub_0001', 'sub_0002'];

/** The values that the sandbox accepts, for the help of `sandbox serve`. */
export const SANDBOX_VALUES = {
  users: 'usr_0001 to usr_5000',
  members: 'usr_0001 to usr_0012',
  'member roles': BUILT_IN_ROLES.join(', '),
  departments: DEPARTMENTS.join(', '),
  'custom roles': ROLES.map(({ id }) => id).join(', '),
  resources: RESOURCES.join(', '),
  actions: ACTIONS.join(', '),
  domains: [...DOMAINS.keys()].join(', '),
  tasks: TASKS.join(', '),
  'evidence submissions': SUBMISSIONS.join(', '),
  'evidence form types': EVIDENCE_FORM_TYPES.join(', '),
  scopes: PEOPLE_SCOPES.join(', '),
};
