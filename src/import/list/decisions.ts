import type { MemberField } from '../entry.ts';
import type { ListOptions } from '../list-options.ts';
import type { CheckedList } from './check-list.ts';

/** The decisions about a list that only the user can make, before orgadm sends it. */
export interface Decisions {
  /** Fields whose column, or value for everyone, the user must name: userId, role, and isActive. */
  readonly fields: readonly MemberField[];
  /** Columns that the user must map or ignore. */
  readonly others: readonly string[];
  /** People whose status is blank: the user must say what that means. 0 if there are none. */
  readonly blankStatuses: number;
  /** Whether --omit leaves out the column that isActive spells: then only a value for everyone can say it. */
  readonly isStatusOmitted: boolean;
}

/**
 * Returns the decisions that the options leave open; undefined if there are none. A column that is not a field must be mapped
 * or ignored, and a list with such columns must say who is active, and what a blank means. Its names and values decide
 * nothing. A list that has only fields needs no decision.
 */
export function openDecisions({ total, totals, result }: CheckedList, options: ListOptions): Decisions | undefined {
  const { sources, unknown, hasNonFields, layout } = result;
  // A JSON list without entries has no keys.
  if (total === 0 && 'isOneLine' in layout) return undefined;
  const { defaults, omit } = options;
  const isStatusOmitted = omit.has('isActive');
  const needsStatus = hasNonFields || isStatusOmitted;
  const required: MemberField[] = ['userId', 'role', ...(needsStatus ? (['isActive'] as const) : [])];
  const fields = required.filter((field) => !sources.has(field) && !defaults.has(field));
  const blankStatuses = needsStatus && sources.has('isActive') && !defaults.has('isActive') ? totals.unset : 0;
  if (fields.length + unknown.length + blankStatuses === 0) return undefined;
  return { fields, others: unknown, blankStatuses, isStatusOmitted };
}

/** Says what the user has to decide: `Say which column has the user IDs and who is active`. */
export function describeDecisions({ fields, blankStatuses }: Decisions): string {
  const questions: Partial<Record<MemberField, string>> = {
    userId: 'which column has the user IDs',
    role: 'which role people have',
    isActive: 'who is active',
  };
  const asked = [
    ...fields.map((field) => questions[field]),
    ...(blankStatuses > 0 ? ['what a blank status means'] : []),
  ];
  if (asked.length === 0) return 'Map the other columns or ignore them';
  const last = asked.pop();
  return `Say ${asked.length === 0 ? last : `${asked.join(', ')}${asked.length > 1 ? ',' : ''} and ${last}`}`;
}

/** Placeholders in suggested commands, for values that the user has to choose. */
export const PLACEHOLDERS = {
  column: '<column>',
  role: '<role>',
  isActive: '<true or false>',
} as const;

/** Whether a value is a placeholder from a suggested command or from the help. */
export function isPlaceholder(value: string): boolean {
  return /^!?<[a-z ]+>$/.test(value);
}

/** Returns the options that are missing, as words of a command line, with placeholders where the user has to decide. */
export function missingOptions({ fields, others, blankStatuses, isStatusOmitted }: Decisions): string[] {
  const { column, role, isActive } = PLACEHOLDERS;
  const needsStatus = fields.includes('isActive');
  return [
    ...(fields.includes('userId') ? ['--map', `userId=${column}`] : []),
    ...(fields.includes('role') ? ['--default', `role=${role}`] : []),
    ...(needsStatus && !isStatusOmitted ? ['--map', `isActive=${column}`] : []),
    ...(blankStatuses > 0 || (needsStatus && isStatusOmitted) ? ['--default', `isActive=${isActive}`] : []),
    ...(others.length > 0 ? ['--ignore-extra-columns'] : []),
  ];
}
