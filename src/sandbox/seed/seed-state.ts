import type { SandboxState, StoredMember } from '../state.ts';

export const ORGANIZATION_ID = 'org_sandbox';

/** The owner of the sandbox's key. */
export const KEY_HOLDER_ID = 'usr_0001';

/** Roles that every organization has. They can be assigned to members, but not updated. */
export const BUILT_IN_ROLES = ['owner', 'admin', 'auditor', 'employee', 'contractor', 'member'] as const;

export const BUILT_IN_ROLE_IDS: ReadonlySet<string> = new Set(BUILT_IN_ROLES.map((name) => `rol_${name}`));

/** The permission that the sandbox's key does not have, and so cannot grant. */
export const MISSING_PERMISSION = { resource: 'control', action: 'delete' } as const;

const CREATED = '2025-02-03T09:00:00.000Z';

/** Returns the state of a new sandbox: three custom roles, and the members usr_0001 to usr_0012. */
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

/** Returns the id of the n-th membership, counted from 1. */
export function memberId(number: number): string {
  return `mem_${String(number).padStart(5, '0')}`;
}

function member(number: number, role: string, department: string, isActive = true): StoredMember {
  const userId = `usr_${String(number).padStart(4, '0')}`;
  return { id: memberId(number), userId, role, department, isActive, createdAt: CREATED };
}

/** A user as embedded in a member (interface 2.3). Times are ISO 8601. */
export interface SeedUser {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly image: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly lastLogin: string;
}

const USER_COUNT = 5000;

/** Fifty of each: a pair of names occurs at most twice, and then at another domain. */
const GIVEN = (
  'Anna Ben Chloé David Élodie Farid Grace Hiroshi Ingrid João Kwame Lena Łukasz Mei Nadia Omar Priya Quentin Rosa ' +
  'Søren Tomás Uma Viktor Wanjiru Ximena Yusuf Zoë Aisha Björn Carla Dmitri Emeka Fatima George Hana Ivan Jürgen ' +
  'Katarzyna Liam María Noor Olga Pádraig Renée Sanjay Tove Valentina 明子 Δήμητρα Соня'
).split(' ');
const FAMILY = (
  'Abbott Bauer Castillo Dubois Eriksen Fontaine García Haddad Ivanov Jansen Kowalska López Müller Nakamura Okafor ' +
  "Pereira Quigley Rossi Šimić Tanaka Ueda Vargas Weiß Xu Yılmaz Zhang Almeida Brandt Chaudhary Dąbrowski O'Brien " +
  'Fischer Gruber Hansen Ito Jovanović Khan Larsen Mensah Nguyen Østergaard Patel Ruiz Sato Thórsson Usman Vogel ' +
  'Wójcik Yamada 佐藤'
).split(' ');
const DOMAINS = (
  'example.com mail.example.com berlin.example.com lab.example.com ' +
  'field.example.com osaka.example.com lagos.example.com partners.example.com'
).split(' ');

const DAY_MS = 86_400_000;
const FIRST_DAY = Date.parse('2024-01-08T09:00:00.000Z');

/** Derives a user from an id, usr_0001 to usr_5000. Returns undefined for any other id. */
export function findSeedUser(id: string): SeedUser | undefined {
  const number = /^usr_\d{4}$/.test(id) ? Number(id.slice(4)) : 0;
  return number >= 1 && number <= USER_COUNT ? makeUser(id, number - 1) : undefined;
}

function makeUser(id: string, index: number): SeedUser {
  const givenName = GIVEN[index % 50] ?? '';
  const family = FAMILY[((index % 50) * 7 + Math.floor(index / 50)) % 50] ?? '';
  const domain = DOMAINS[Math.floor(index / 2500) * 4 + (index % 4)] ?? '';
  const joined = FIRST_DAY + (index % 400) * DAY_MS;
  return {
    id,
    name: `${givenName} ${family}`,
    email: `${mailbox(givenName)}.${mailbox(family)}@${domain}`,
    emailVerified: index % 11 !== 10,
    image: `https://images.example.com/${id}.png`,
    createdAt: isoTime(joined),
    updatedAt: isoTime(joined + 30 * DAY_MS),
    lastLogin: isoTime(joined + (31 + (index % 60)) * DAY_MS),
  };
}

/** Removes the marks from Latin letters, as most mail addresses do. */
function mailbox(name: string): string {
  const spelled = { Ł: 'l', ł: 'l', Ø: 'o', ø: 'o', ß: 'ss', ı: 'i' };
  return name
    .replaceAll(/[ŁłØøßı]/g, (letter) => spelled[letter as keyof typeof spelled])
    .normalize('NFKD')
    .replaceAll(/[\p{M}']/gu, '')
    .toLowerCase();
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
