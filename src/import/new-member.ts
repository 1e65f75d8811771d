import { suggest } from '../util/suggest.ts';
import { comparableText } from '../util/visible-text.ts';

/** The value of a field of a member. */
export type FieldValue = string | number | boolean;

/** The type of a field. */
export type FieldKind = 'string' | 'boolean' | 'integer';

/** One element of `members` in the request of interface 4.2, typed as it is sent. */
export type NewMember = {
  userId: string;
  role: string;
  department?: string;
  isActive?: boolean;
  deviceMgmtLabelId?: number;
};

/**
 * Returns a member as it is sent (interface 4.2).
 *
 * @param labelName the service's name of `deviceMgmtLabelId`
 */
export function toWireMember(member: NewMember, labelName: string): Readonly<Record<string, FieldValue>> {
  if (member.deviceMgmtLabelId === undefined || labelName === 'deviceMgmtLabelId') return member;
  const { deviceMgmtLabelId, ...others } = member;
  return { ...others, [labelName]: deviceMgmtLabelId };
}

/** The fields of a member (interface 4.2), in the order in which they are listed. */
export const MEMBER_FIELDS = ['userId', 'role', 'department', 'isActive', 'deviceMgmtLabelId'] as const;

/** The name of one field of a member. */
export type MemberField = (typeof MEMBER_FIELDS)[number];

/** The types of the fields. */
export const FIELD_KINDS: Readonly<Record<MemberField, FieldKind>> = {
  userId: 'string',
  role: 'string',
  department: 'string',
  isActive: 'boolean',
  deviceMgmtLabelId: 'integer',
};

/** Returns whether `name` is a field's exact name. */
export function isField(name: string): name is MemberField {
  return Object.hasOwn(FIELD_KINDS, name);
}

/** The fields by their names and other usual spellings, normalized. */
const BY_SPELLING = new Map<string, MemberField>([
  ...MEMBER_FIELDS.map((field) => [normalizeSpelling(field), field] as const),
  ['dept', 'department'],
  ['active', 'isActive'],
  ['devicemanagementlabelid', 'deviceMgmtLabelId'],
  ['devicelabelid', 'deviceMgmtLabelId'],
]);

/** The header of an errors file: the fields of a row, its line in the list, and what is wrong with it. */
export const ERRORS_FILE_HEADER = [...MEMBER_FIELDS, 'line', 'error'] as const;

/** Whether a list is an errors file, whose last two columns need no decision: its header has exactly these names. */
export function isErrorsFile(header: readonly string[]): boolean {
  return header.length === ERRORS_FILE_HEADER.length && ERRORS_FILE_HEADER.every((name, at) => name === header[at]);
}

/** Normalizes a name for comparison: comparable, and without spaces, `_`, `-` and `.`. */
export function normalizeSpelling(name: string): string {
  return comparableText(name).replace(/[ _.-]/g, '');
}

/** Returns the field that a column or key names in any usual spelling: `User ID`, `user_id`. */
export function fieldForSpelling(name: string): MemberField | undefined {
  return BY_SPELLING.get(normalizeSpelling(name));
}

/** Returns the field that a name misspells, such as `departmnt`; undefined if it is a field, or no field is close to it. */
export function suggestField(name: string): MemberField | undefined {
  const spelling = normalizeSpelling(name);
  if (BY_SPELLING.has(spelling)) return undefined;
  return BY_SPELLING.get(suggest(spelling, [...BY_SPELLING.keys()]) ?? '');
}

/** Whether a name must not be used as a column or key at all, because it is a special property of JavaScript objects. */
export function isForbiddenKey(name: string): boolean {
  return ['__proto__', 'constructor', 'prototype'].includes(name.trim());
}
