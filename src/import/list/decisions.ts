import type { MemberField } from '../entry.ts';
import type { ListOptions } from '../list-options.ts';
import type { CheckedList } from './check-list.ts';

/** What only the user can decide about a list before orgadm sends it. */
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
 * Returns what the options leave open; undefined if nothing. A column that is not a field must be mapped or ignored, and a list
 * with such columns must say who is active, and what a blank means. Its names and values decide nothing. A list that has only fields
 * needs no decision.
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
