import { suggest } from '../util/suggest.ts';

/** One element of `members` in the request of interface 4.2, typed as it goes out. */
export type MemberEntry = {
  userId: string;
  role: string;
  department?: string;
  isActive?: boolean;
  deviceMgmtLabelId?: number;
};

/** The fields of an entry (interface 4.2), in the order in which they are told. */
export const MEMBER_FIELDS = ['userId', 'role', 'department', 'isActive', 'deviceMgmtLabelId'] as const;

/** The name of one field of an entry. */
export type MemberField = (typeof MEMBER_FIELDS)[number];

/** Tells whether `name` is a field's exact name. */
export function isField(name: string): name is MemberField {
  return (MEMBER_FIELDS as readonly string[]).includes(name);
}

/** Spellings of a field beside its own name, normalised. */
const ALIASES: Record<MemberField, readonly string[]> = {
  userId: [],
  role: [],
  department: ['dept'],
  isActive: ['active'],
  deviceMgmtLabelId: ['devicemanagementlabelid', 'devicelabelid', 'labelid'],
};

const BY_SPELLING = new Map<string, MemberField>(
  MEMBER_FIELDS.flatMap((field) =>
    [normalizeSpelling(field), ...ALIASES[field]].map((spelling) => [spelling, field] as const),
  ),
);

const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** The name under which our own errors file keeps what was wrong with a row. */
export const ERROR_COLUMN = 'error';

/** A name without what spellings differ in: case, spaces, `_`, `-` and `.`. */
export function normalizeSpelling(name: string): string {
  return name.toLowerCase().replace(/[\s_.-]/g, '');
}

/** The field that a column or key names in any usual spelling: `User ID`, `user_id`. */
export function fieldForSpelling(name: string): MemberField | undefined {
  return BY_SPELLING.get(normalizeSpelling(name));
}

/** The field whose spelling is nearest to an unknown name. */
export function suggestField(name: string): MemberField | undefined {
  const spelling = suggest(normalizeSpelling(name), [...BY_SPELLING.keys()]);
  return spelling === undefined ? undefined : BY_SPELLING.get(spelling);
}

/** Whether a name must not be used as a column or key at all, since JavaScript objects give it a meaning. */
export function isForbiddenKey(name: string): boolean {
  return FORBIDDEN.has(name.trim());
}
