import type { MemberField } from '../../entry.ts';
import type { FieldSource, ListOptions } from '../list-options.ts';
import { quote } from '../list-row.ts';
import { findStatusColumns, type StatusColumn } from '../status/status-columns.ts';
import type { UnreadColumn } from '../status/unread-columns.ts';
import { mostLikely } from './likely-names.ts';
import { PLACEHOLDERS } from './placeholders.ts';
import { suggestStatus } from './suggest-status.ts';
import type { Suggestion } from './suggested-mapping.ts';

/** The facts about a list on which a suggestion depends. */
export interface UnfitList {
  readonly rows: number;
  /** The columns that match no field. */
  readonly unread: readonly UnreadColumn[];
  /** Required fields that the list does not have. */
  readonly missing: readonly MemberField[];
  /** Fields with a column or a default. */
  readonly present: ReadonlySet<string>;
}

/**
 * Returns the options of people bulk-add that would make a list readable. If several columns may say whether a person is
 * active, or one with values of unknown meaning, the options leave the choice to the user.
 */
export function suggestMapping({ rows, unread, missing, present }: UnfitList, options: ListOptions): Suggestion {
  const map = new Map<MemberField, FieldSource>();
  const defaults = new Map<MemberField, string>();
  const statusColumns = present.has('isActive') ? [] : findStatusColumns(unread);
  const advice: string[] = [];
  const find = (field: MemberField, isSuitable: (column: UnreadColumn) => boolean) => {
    const used = [...map.values()].map(({ name }) => name);
    return mostLikely(
      field,
      unread.filter((column) => !used.includes(column.name) && isSuitable(column)),
    );
  };
  for (const field of missing) {
    const column = find(field, field === 'userId' ? (candidate) => hasIds(candidate, rows) : hasRoles);
    if (column === undefined && field === 'role') defaults.set(field, PLACEHOLDERS.role);
    else map.set(field, { name: column?.name ?? PLACEHOLDERS.column, isInverted: false });
    if (field === 'userId' && column !== undefined && hasAddresses(column)) advice.push(LOOKUP_ADVICE);
  }
  for (const field of ['department', 'deviceMgmtLabelId'] as const) {
    const column = present.has(field) || options.omit.has(field) ? undefined : find(field, () => true);
    if (column !== undefined) map.set(field, { name: column.name, isInverted: false });
  }
  const status = suggestStatus(statusColumns);
  if (status.source !== undefined) map.set('isActive', status.source);
  const [read] = statusColumns;
  if (read !== undefined && read.column.name === status.source?.name && leavesInactiveBlank(read, rows)) {
    defaults.set('isActive', PLACEHOLDERS.isActive);
    advice.push(`Decide whether people are active if ${quote(read.column.name)} is blank.`);
  }
  const used = [...map.values()].map(({ name }) => name);
  const ignoreExtraColumns = !options.ignoreExtraColumns && unread.some(({ name }) => !used.includes(name));
  return {
    mapping: { map, statuses: status.translations, defaults, ignoreExtraColumns },
    advice: [...advice, ...status.advice],
  };
}

const LOOKUP_ADVICE =
  'The IDs are email addresses. If your service has its own IDs, translate them: --lookup userId=<file>:<column>=<column>';

/** Whether a column has a different value in every row. */
function hasIds({ filled, hasRepeats }: UnreadColumn, rows: number): boolean {
  return filled === rows && !hasRepeats;
}

/** A column with more values does not hold roles. */
const MAX_ROLES = 20;

/** Whether a column may hold one role for each person: it has few values, and none is a list, as in `Default;VPN` or in JSON. */
function hasRoles({ name, values, hasManyValues }: UnreadColumn): boolean {
  const isInList = /\.\d+$/.test(name);
  return (
    !isInList && !hasManyValues && values.size <= MAX_ROLES && ![...values.keys()].some((text) => /[;,|]/.test(text))
  );
}

/** Whether blanks may be the only values for people who are not active, as in exports of check boxes. */
function leavesInactiveBlank({ column, readings }: StatusColumn, rows: number): boolean {
  return column.filled < rows && ![...readings.values()].includes('inactive');
}

function hasAddresses({ values }: UnreadColumn): boolean {
  return values.size > 0 && [...values.keys()].every((text) => /^[^\s@]+@[^\s@]+$/.test(text));
}
