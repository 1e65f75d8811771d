import { cleanLine, quoteForShell } from '../../../output/sanitize.ts';
import { quote, quoteAll } from '../list-row.ts';
import {
  describeContradiction,
  findStatusColumns,
  isContradicted,
  type StatusColumn,
} from '../status/status-columns.ts';
import type { UnreadColumn } from '../status/unread-columns.ts';
import { hasDaysOnly, suggestStatus } from './suggest-status.ts';
import { optionWords } from './suggested-mapping.ts';

/**
 * Returns warnings about unread columns that say, or may say, whether a person is active.
 *
 * @param hasActive whether isActive comes from another column or a default
 */
export function warnOfUnreadStatus(unread: Iterable<UnreadColumn>, hasActive: boolean): string[] {
  const columns = findStatusColumns(unread);
  if (!hasActive) return columns.map(describeIgnoredStatus);
  const contradicted = columns.filter(isContradicted);
  const others = columns.filter((status) => !isContradicted(status)).map(({ column }) => column.name);
  const note = `orgadm ignores ${quoteAll(others)}, which may also say who is active`;
  return [...contradicted.map(describeContradiction), ...(others.length === 0 ? [] : [note])];
}

function describeIgnoredStatus(status: StatusColumn): string {
  const { name } = status.column;
  const problem = isContradicted(status)
    ? describeContradiction(status)
    : `orgadm ignores column ${quote(name)}, which may say who is active`;
  const { source = { name, isInverted: false }, translations } = suggestStatus([status]);
  const isLeftOpen = source.name !== name;
  const hasDays = hasDaysOnly(status.column);
  const map = new Map([['isActive', isLeftOpen ? { name, isInverted: false } : source] as const]);
  const statuses = hasDays ? new Map([['*', 'false']]) : translations;
  const words = optionWords({ map, statuses, defaults: new Map(), ignoreExtraColumns: false });
  const values = isLeftOpen && !hasDays ? ' and --map-value for its values' : '';
  const command = words.map((word) => quoteForShell(cleanLine(word))).join(' ');
  return `${problem}; to read it, add ${command}${values}, or --default isActive=true if everyone is active`;
}
