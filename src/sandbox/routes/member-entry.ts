import { isJsonObject, unknownProperties } from '../../util/json-object.ts';
import { BUILT_IN_ROLES } from '../seed/seed-state.ts';

/** An entry of a bulk request that is well formed (interface 4.2). */
export interface SandboxMemberEntry {
  readonly userId: string;
  readonly role: string;
  readonly department?: string;
  readonly isActive?: boolean;
  readonly labelId?: number;
}

export type EntryValidation =
  | { readonly entry: SandboxMemberEntry }
  | {
      /** Texts such as "role should not be empty", without the place of the entry. */
      readonly problems: readonly string[];
      readonly userId?: string;
    };

const ROLES: readonly string[] = BUILT_IN_ROLES;
const DEPARTMENTS: readonly string[] = ['none', 'admin', 'gov', 'hr', 'it', 'itsm', 'qms'];

/** Checks one entry; `labelName` is what its device label is called. A null in an optional field is no value. */
export function validateEntry(
  value: unknown,
  labelName: string,
  needOfDepartment: 'optional' | 'required',
): EntryValidation {
  if (!isJsonObject(value)) return { problems: ['must be an object'] };
  const { userId, role, department, isActive } = value;
  const label = value[labelName];
  const problems = [
    ...textProblems('userId', userId),
    ...textProblems('role', role, ROLES),
    ...(isMissing(department) && needOfDepartment === 'optional'
      ? []
      : textProblems('department', department, DEPARTMENTS)),
    ...(isMissing(isActive) || typeof isActive === 'boolean' ? [] : ['isActive must be a boolean value']),
    ...(isMissing(label) || Number.isSafeInteger(label) ? [] : [`${labelName} must be an integer number`]),
    ...unknownProperties(value, ['userId', 'role', 'department', 'isActive', labelName]),
  ];
  if (problems.length > 0 || typeof userId !== 'string' || typeof role !== 'string') {
    return { problems, ...(typeof userId === 'string' ? { userId } : {}) };
  }
  return {
    entry: {
      userId,
      role,
      ...(typeof department === 'string' ? { department } : {}),
      ...(typeof isActive === 'boolean' ? { isActive } : {}),
      ...(typeof label === 'number' ? { labelId: label } : {}),
    },
  };
}

function textProblems(field: string, value: unknown, allowed?: readonly string[]): string[] {
  if (isMissing(value) || value === '') return [`${field} should not be empty`];
  if (typeof value !== 'string') return [`${field} must be a string`];
  if (!allowed || allowed.includes(value)) return [];
  return [`${field} must be one of the following values: ${allowed.join(', ')}`];
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}
