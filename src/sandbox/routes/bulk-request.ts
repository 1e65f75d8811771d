import { isJsonObject, unknownProperties } from '../../util/json-object.ts';
import { RequestRejection } from '../operation.ts';
import { BUILT_IN_ROLES } from '../seed/seed-state.ts';
import type { Variants } from '../variants.ts';

/** What an entry's device label is called here. */
export function labelName(variants: Variants): string {
  return variants['label-name'] ?? 'deviceMgmtLabelId';
}

/**
 * Checks the body of a bulk request, entry by entry, in the order given.
 * @throws Refusal when it is no list, is too long, or, where one entry refuses the request, has a malformed one.
 */
export function readBulkRequest(body: unknown, variants: Variants): readonly EntryValidation[] {
  if (!isJsonObject(body)) throw new RequestRejection(400, ['the body must be an object']);
  const problems = [...listProblems(body.members), ...unknownProperties(body, ['members'])];
  if (problems.length > 0 || !Array.isArray(body.members)) throw new RequestRejection(400, problems);
  rejectLength(body.members.length, variants);
  const checks = body.members.map((value: unknown) => validateEntry(value, labelName(variants), variants.department));
  if (variants['entry-refusal'] === 'request') rejectMalformed(checks);
  return checks;
}

function listProblems(members: unknown): string[] {
  if (!Array.isArray(members)) return ['members must be an array'];
  return members.length === 0 ? ['members should not be empty'] : [];
}

function rejectLength(length: number, variants: Variants): void {
  const limit = variants['batch-limit'];
  if (length <= limit) return;
  const status = Number(variants['batch-limit-status']);
  const namesLimit = variants['batch-limit-words'] === 'number';
  throw new RequestRejection(
    status,
    namesLimit ? `Maximum ${limit} members allowed per bulk request` : 'request entity too large',
  );
}

function rejectMalformed(checks: readonly EntryValidation[]): void {
  const problems = checks.flatMap((check, index) => {
    if ('entry' in check) return [];
    return check.problems.map((problem) => `members.${index}${problem.startsWith('must') ? ' ' : '.'}${problem}`);
  });
  if (problems.length > 0) throw new RequestRejection(400, problems);
}

/** An entry of a bulk request that is well formed (interface 4.2). */
export interface SandboxMemberEntry {
  readonly userId: string;
  readonly role: string;
  readonly department?: string;
  readonly isActive?: boolean;
  readonly labelId?: number;
}

type EntryValidation =
  | { readonly entry: SandboxMemberEntry }
  | {
      /** Texts such as "role should not be empty", without the place of the entry. */
      readonly problems: readonly string[];
      readonly userId?: string;
    };

const ROLES: readonly string[] = BUILT_IN_ROLES;
const DEPARTMENTS: readonly string[] = ['none', 'admin', 'gov', 'hr', 'it', 'itsm', 'qms'];

/** Checks one entry; `labelName` is what its device label is called. A null in an optional field is no value. */
function validateEntry(value: unknown, labelName: string, needOfDepartment: 'optional' | 'required'): EntryValidation {
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
