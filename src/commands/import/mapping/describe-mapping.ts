import { basename } from 'node:path';
import type { ListCheck } from '../../../import/check/check-rows.ts';
import type { Totals } from '../../../import/check/totals.ts';
import type { Mapping } from '../../../import/mapping.ts';
import { MEMBER_FIELDS, type MemberField, type NewMember } from '../../../import/new-member.ts';
import type { Table } from '../../../import/table/table.ts';
import { cleanLine, quote, quoteAll } from '../../../output/sanitize.ts';
import { formatCount } from '../../../util/units.ts';

/** How a list was read, for reports: the mapping in effect, and what orgadm would send. */
export interface ListRead extends Pick<ListCheck, 'mapping' | 'totals' | 'samples'> {
  /** The sheet of a workbook. */
  readonly sheet: string | undefined;
}

/** Returns how a list was read, for reports. */
export function listRead({ table, check }: { table: Pick<Table, 'sheet'>; check: ListCheck }): ListRead {
  const { mapping, totals, samples } = check;
  return { mapping, totals, samples, sheet: table.sheet };
}

/** The totals of a list, as JSON has them. */
export interface TotalsDocument {
  readonly active: number;
  readonly inactive: number;
  readonly unspecified: number;
  readonly roles: Readonly<Record<string, number>>;
  /** `""` is no department. */
  readonly departments: Readonly<Record<string, number>>;
  readonly statuses: Readonly<Record<string, readonly { value: string; count: number; active: boolean }[]>>;
  /** The first two and the last two people. */
  readonly people: readonly NewMember[];
  readonly shortestId: string | null;
  readonly longestId: string | null;
}

/** Returns the totals as JSON has them. */
export function totalsDocument({ active, inactive, unspecified, ...totals }: Totals): TotalsDocument {
  const statuses = totals.statuses.map(({ column, values }) => [
    column,
    values.map(({ value, count, isActive }) => ({ value, count, active: isActive })),
  ]);
  return {
    active,
    inactive,
    unspecified,
    roles: Object.fromEntries(totals.roles),
    departments: Object.fromEntries(totals.departments),
    statuses: Object.fromEntries(statuses),
    people: [...totals.people.first, ...totals.people.last],
    shortestId: totals.shortestId ?? null,
    longestId: totals.longestId ?? null,
  };
}

/**
 * Renders how a list was read, before it is sent: a line for each field with its column and a sample, the ignored columns, and the
 * totals.
 */
export function readLines({ mapping, totals, samples, sheet }: ListRead): string[] {
  const fields = MEMBER_FIELDS.flatMap((field) => {
    const source = sourceOf(mapping, field);
    if (source === undefined) return [];
    const sample = samples[field];
    return [[field, source, sample === undefined ? '' : shorten(String(sample))]];
  });
  const widths = [0, 1].map((at) => Math.max(...fields.map((cells) => (cells[at] ?? '').length)));
  const lines = fields.map((cells) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [
    ...(sheet === undefined ? [] : [`sheet: ${quote(sheet)}`]),
    ...lines,
    ...ignoredLine(mapping),
    ...totalsLines(totals),
  ];
}

/** Renders what a log keeps of a list: the ignored columns, who is active, and the roles. */
export function announcedLines({ mapping, totals }: ListRead): string[] {
  return [...ignoredLine(mapping), ...statusLines(totals), activityLine(totals), roleLine(totals)];
}

/** Returns where a field comes from: `Team (Platform → it)`; undefined if orgadm does not send it. */
function sourceOf(mapping: Mapping, field: MemberField): string | undefined {
  if (field === 'isActive') {
    if (mapping.active === undefined) return undefined;
    return mapping.active === 'all' ? 'everyone' : Object.keys(mapping.active).map(cleanLine).join(' and ');
  }
  const column = mapping.columns?.[field] ?? undefined;
  const isTranslated = field === 'role' || field === 'department';
  const fallback = isTranslated ? mapping.default?.[field] : undefined;
  if (column === undefined) return fallback === undefined ? undefined : `${quote(fallback)} for everyone`;
  const { lookup } = mapping;
  const notes = [
    ...(field === 'userId' && lookup !== undefined
      ? [`${cleanLine(lookup.from)} → ${cleanLine(lookup.to)} in ${cleanLine(basename(lookup.file))}`]
      : []),
    ...(isTranslated ? Object.entries(mapping.values?.[field] ?? {}) : []).map(([from, to]) =>
      cleanLine(`${from} → ${to === '' ? 'blank' : to}`),
    ),
    ...(fallback === undefined ? [] : [cleanLine(`blank → ${fallback}`)]),
  ];
  return `${cleanLine(column)}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`;
}

function ignoredLine({ ignored = [] }: Mapping): string[] {
  return ignored.length === 0 ? [] : [`ignored: ${quoteAll(ignored)}`];
}

function statusLines({ statuses }: Totals): string[] {
  return statuses.map(({ column, values }) => {
    const counts = values.map(({ value, count, isActive }): [string, string] => [
      value,
      `${formatCount(count)}${isActive ? '' : ' (inactive)'}`,
    ]);
    return `${cleanLine(column)}: ${renderCounts(counts)}`;
  });
}

function activityLine({ active, inactive, unspecified }: Totals): string {
  const counts = [
    ...(active + inactive > 0 ? [`${formatCount(active)} active, ${formatCount(inactive)} inactive`] : []),
    ...(unspecified > 0 ? [`${formatCount(unspecified)} unspecified`] : []),
  ];
  return `totals: ${counts.join(', ')}`;
}

function roleLine({ roles }: Totals): string {
  return `roles: ${renderCounts(counted(roles))}`;
}

function totalsLines(totals: Totals): string[] {
  if (totals.people.first.length === 0) return [];
  const people = [totals.people.first, totals.people.last].map((some) => some.map(renderPerson).join(', '));
  const { shortestId, longestId } = totals;
  return [
    ...statusLines(totals),
    activityLine(totals),
    roleLine(totals),
    ...(totals.departments.some(([name]) => name !== '')
      ? [`departments: ${renderCounts(counted(totals.departments))}`]
      : []),
    `people: ${people.filter(Boolean).join(' … ')}`,
    ...(shortestId === undefined || longestId === undefined || shortestId.length === longestId.length
      ? []
      : [`IDs: ${shorten(shortestId)} (shortest), ${shorten(longestId)} (longest)`]),
  ];
}

function counted(counts: readonly (readonly [string, number])[]): [value: string, count: string][] {
  return counts.map(([value, count]) => [value, formatCount(count)]);
}

/** The most frequent and the least frequent values that a line shows. */
const [MOST, LEAST] = [5, 3];

/** Renders `employee 4,890, admin 10`: of many values, the most and the least frequent ones. */
function renderCounts(counts: readonly [value: string, count: string][]): string {
  const shown = counts.map(([value, count]) => `${value === '' ? 'blank' : shorten(value)} ${count}`);
  if (shown.length <= MOST + LEAST + 1) return shown.join(', ');
  return [...shown.slice(0, MOST), `${formatCount(shown.length - MOST - LEAST)} more`, ...shown.slice(-LEAST)].join(
    ', ',
  );
}

/** Renders `usr_0101 (employee, it, active)`. */
function renderPerson({ userId, role, department, isActive }: NewMember): string {
  const status = isActive === undefined ? [] : [isActive ? 'active' : 'inactive'];
  const others = [role, ...(department === undefined ? [] : [department])].map(shorten);
  return `${shorten(userId)} (${[...others, ...status].join(', ')})`;
}

const MAX_WIDTH = 40;

/** Renders a value on one line, cut if it is long. */
function shorten(text: string): string {
  const line = cleanLine(text);
  return line.length > MAX_WIDTH ? `${line.slice(0, MAX_WIDTH)}…` : line;
}
