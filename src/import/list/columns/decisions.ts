import type { Mapping } from '../../mapping.ts';
import { type MemberField, suggestField } from '../../new-member.ts';
import { hasColumn } from '../fields/bind-fields.ts';
import type { BoundField } from '../fields/field-value.ts';

/** What one pass over a list finds about its columns. */
export interface FoundColumns {
  /** The fields that a list may have; those that it has name their column or key. */
  readonly fields: readonly BoundField[];
  /** Columns that no field is read from and that the mapping does not ignore. */
  readonly unknown: readonly string[];
  /** Columns that the mapping ignores. */
  readonly ignored: readonly string[];
  /** Whether a column says who is active only by a name such as `active`. */
  readonly hasLooseStatus: boolean;
  /** Whether a column has a name that is not a field's, whether it is read or not. */
  readonly hasNonFields: boolean;
}

/** The decisions about a list that only the user can make, before orgadm sends it. */
export interface Decisions {
  /** Fields whose column, or value for everyone, the user must name: userId, role, and isActive. */
  readonly fields: readonly MemberField[];
  /** Whether the mapping translates the status of a column that it does not name. */
  readonly isStatusTranslated: boolean;
  /** Whether a column says who is active only by a name such as `active`. */
  readonly hasLooseStatus: boolean;
  /** Columns that the user must map or ignore. */
  readonly others: readonly string[];
  /** Columns that may be a misspelled field: `departmnt`. */
  readonly misspelled: readonly (readonly [column: string, field: MemberField])[];
  /** People whose status is blank: the user must say what that means. 0 if there are none. */
  readonly blankStatuses: number;
  /** Whether a column is left that can have the role. Otherwise, only a value for everyone can. */
  readonly mayHaveRole: boolean;
  /** Whether a column may have the department, which no column is named after. */
  readonly mayHaveDepartment: boolean;
  /** Whether a column is left that can say who is active. Otherwise, only a value for everyone can. */
  readonly mayHaveStatus: boolean;
}

/** Of a list whose columns the mapping decides about. */
export const NO_DECISIONS: Decisions = {
  fields: [],
  isStatusTranslated: false,
  others: [],
  misspelled: [],
  blankStatuses: 0,
  mayHaveRole: false,
  mayHaveDepartment: false,
  mayHaveStatus: false,
  hasLooseStatus: false,
};

/**
 * Returns the decisions that the mapping leaves open; undefined if there are none. A column that is not a field must be mapped
 * or ignored, and a list with such columns must say who is active, and what a blank means. Its names and values decide
 * nothing. A list that has only fields needs no decision, unless the mapping translates its status and a blank has no meaning.
 *
 * @param unset people whose status the list leaves open
 */
export function openDecisions(found: FoundColumns, unset: number, mapping: Mapping): Decisions | undefined {
  const { fields, unknown, ignored, hasNonFields, hasLooseStatus } = found;
  const { defaults = {}, values = {}, lookups = {}, omit = [] } = mapping;
  const isStatusOmitted = omit.includes('isActive');
  const needsStatus = hasNonFields || isStatusOmitted;
  const required: MemberField[] = ['userId', 'role', ...(needsStatus ? (['isActive'] as const) : [])];
  const isOpen = (field: MemberField) => !hasColumn(field, fields) || (field === 'isActive' && hasLooseStatus);
  const isStatusTranslated = values.isActive !== undefined && !isStatusOmitted && isOpen('isActive');
  // A default does not say which column the translations are about, nor whether it is only for blanks in a column such as `active`.
  const isSettled = (field: MemberField) =>
    defaults[field] !== undefined && !(field === 'isActive' && (isStatusTranslated || hasLooseStatus));
  const open = required.filter((field) => isOpen(field) && !isSettled(field));
  // Next to marks such as "checked", a blank is a mark that is not there, and not the default of the service.
  const hasMarks = values.isActive !== undefined || lookups.isActive !== undefined;
  const blankStatuses = (needsStatus || hasMarks) && !isOpen('isActive') ? unset : 0;
  if (open.length + unknown.length + blankStatuses === 0) return undefined;
  const hasDepartment =
    hasColumn('department', fields) || defaults.department !== undefined || omit.includes('department');
  const left = unknown.length + ignored.length - (open.includes('userId') ? 1 : 0);
  return {
    fields: open,
    isStatusTranslated,
    hasLooseStatus,
    others: unknown,
    misspelled: misspelledFields(unknown, [...open, 'department', 'deviceMgmtLabelId'], fields),
    blankStatuses,
    mayHaveRole: left > 0,
    mayHaveDepartment: unknown.length > (open.includes('userId') ? 1 : 0) && !hasDepartment,
    mayHaveStatus: (left > 0 || hasLooseStatus) && !isStatusOmitted,
  };
}

/** Finds the columns that may be misspelled fields of those that no other column has. */
export function misspelledFields(
  columns: readonly string[],
  missing: readonly MemberField[],
  fields: readonly BoundField[],
): [column: string, field: MemberField][] {
  return columns.flatMap((column): [string, MemberField][] => {
    const field = suggestField(column);
    return field !== undefined && missing.includes(field) && !hasColumn(field, fields) ? [[column, field]] : [];
  });
}
