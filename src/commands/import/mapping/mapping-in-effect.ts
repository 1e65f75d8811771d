import { basename } from 'node:path';
import { shorten } from '../../../import/list/columns/describe-columns.ts';
import type { BoundField } from '../../../import/list/fields/field-value.ts';
import type { MemberList, Validation } from '../../../import/list/open-list.ts';
import type { Sample, Totals } from '../../../import/list/rows/people-totals.ts';
import type { Mapping } from '../../../import/mapping.ts';
import { type NewMember, toWireMember } from '../../../import/new-member.ts';
import type { Block } from '../../../output/blocks.ts';
import { renderCell } from '../../../output/json.ts';
import { cleanLine, quote, quoteAll } from '../../../output/sanitize.ts';
import { text } from '../../../output/text.ts';
import { countOf, formatCount } from '../../../util/units.ts';
import type { Context } from '../../command-context.ts';

/** A list, and what reading all of it with its mapping has shown. */
export interface MappedList {
  readonly list: MemberList;
  readonly check: Validation;
}

/** The mapping in effect, and totals that expose a column that is read the wrong way around. */
export interface DescribedMapping {
  fields: {
    field: string;
    /** Column or key; null if the list has none. */
    source: string | null;
    inverted: boolean;
    /** The second list that translates the values (--lookup). */
    lookup: {
      file: string;
      from: string;
      to: string;
      /** The number of values that the second list has. */
      found: number;
      /** The number of values that it lacks, or translates in several ways. */
      missing: number;
    } | null;
    /** Translated values; * is any other. */
    values: Record<string, string>;
    default: string | null;
  }[];
  /** The sheet of a workbook. */
  sheet?: string | undefined;
  /** Columns or keys that orgadm ignores. */
  ignored: string[];
  /** The numbers of valid rows. */
  totals: { active: number; inactive: number; unset: number; roles: Record<string, number> };
  /** Of a dry run: the first two and the last two entries that orgadm would send. */
  sample?: Record<string, unknown>[] | undefined;
}

/** The totals of people, and the first and the last of them. */
export interface People {
  readonly totals: Totals;
  readonly sample: Sample;
}

/** Describes the mapping in effect. */
export function describeMapping({ list, check }: MappedList): DescribedMapping {
  return {
    fields: check.fields.flatMap((field) => describeField(field, list.mapping)),
    sheet: check.sheet,
    ignored: [...check.ignored],
    totals: describeTotals(check.totals),
  };
}

function describeTotals(totals: Totals): DescribedMapping['totals'] {
  return { ...totals, roles: Object.fromEntries(totals.roles) };
}

/** Returns nothing for a field that the list does not have, and that has no value for everyone. */
function describeField(
  { name, column, isInverted, lookup }: BoundField,
  { lookups, values, defaults }: Mapping,
): DescribedMapping['fields'] {
  const [source, fallback, secondList] = [column ?? null, defaults?.[name] ?? null, lookups?.[name]];
  if (source === null && fallback === null) return [];
  return [
    {
      field: name,
      source,
      inverted: isInverted,
      lookup: lookup && secondList ? { ...secondList, found: lookup.found, missing: lookup.missing } : null,
      default: fallback,
      values: { ...values?.[name] },
    },
  ];
}

/** Returns the first and the last members that orgadm would send, as it would send them. */
export async function sampleOf({ sample }: Validation, context: Context): Promise<Record<string, unknown>[]> {
  const { wire } = await context.settings();
  return [...sample.first, ...sample.last].map((member) => ({
    ...toWireMember(member, wire.member.deviceMgmtLabelId),
  }));
}

/**
 * Returns the mapping of a dry run for people, and the sample as a table with the columns that orgadm would send.
 *
 * @param valid number of valid rows in the list
 */
export function mappingBlocks(mapping: DescribedMapping, valid: number): Block[] {
  const { sample = [] } = mapping;
  const lines = { items: dryRunLines(mapping) };
  if (sample.length === 0) return [lines];
  const columns = [...new Set(sample.flatMap((member) => Object.keys(member)))];
  const rows = sample.map((member) => columns.map((column) => renderCell(member[column])));
  const shown = sample.length < valid ? `first 2 and last 2 of ${formatCount(valid)} entries` : 'entries';
  return [lines, text`${shown} that orgadm would send:`, { columns, rows }];
}

/** Renders the sheet and the mapping of a dry run, in at most four lines. */
export function dryRunLines(mapping: DescribedMapping): string[] {
  return [...(mapping.sheet === undefined ? [] : [`sheet: ${quote(mapping.sheet)}`]), ...mappingLines(mapping)];
}

/** Renders what a confirmation shows: how the list was read, the totals of the people, and the first and the last of them. */
export function confirmedLines(mapping: DescribedMapping | undefined, { totals, sample }: People): string[] {
  return [...columnLines(mapping), ...totalsLine(describeTotals(totals)), peopleLine(sample)];
}

/** Renders how the list was read, and the totals of the people. */
export function announcedLines(mapping: DescribedMapping | undefined, { totals }: People): string[] {
  return [...columnLines(mapping), ...totalsLine(describeTotals(totals))];
}

const MAX_ID_WIDTH = 40;

/** Renders the first and the last people of a list: `usr_0101 (employee, it, active) … usr_0413 (admin)`. */
function peopleLine({ first, last }: Sample): string {
  const [start, end] = [first, last].map((people) => people.map(renderPerson).join(', '));
  return `first and last: ${[start, end].filter(Boolean).join(' … ')}`;
}

function renderPerson({ userId, role, department, isActive }: NewMember): string {
  const status = isActive === undefined ? [] : [isActive ? 'active' : 'inactive'];
  const others = [role, ...(department === undefined ? [] : [department])].map((value) =>
    shorten(value, MAX_ROLE_WIDTH),
  );
  return `${shorten(userId, MAX_ID_WIDTH)} (${[...others, ...status].join(', ')})`;
}

/** Renders the mapping in at most three lines: the columns of the fields, the ignored ones, and the totals. */
function mappingLines(mapping: DescribedMapping): string[] {
  return [...columnLines(mapping), ...totalsLine(mapping.totals)];
}

function columnLines(mapping: DescribedMapping | undefined): string[] {
  if (mapping === undefined) return [];
  const { fields, ignored } = mapping;
  return [
    `columns: ${fields.map(renderField).join(', ')}`,
    ...(ignored.length === 0 ? [] : [`ignored: ${quoteAll(ignored)}`]),
  ];
}

function totalsLine(totals: DescribedMapping['totals']): string[] {
  const shown = renderTotals(totals);
  return shown === '' ? [] : [`totals: ${shown}`];
}

/** Roles that totals name. */
const SHOWN_ROLES = 5;
const MAX_ROLE_WIDTH = 30;

/** Renders `4,812 active, 88 inactive; employee 4,890, admin 10`. */
function renderTotals({ active, inactive, unset, roles }: DescribedMapping['totals']): string {
  const counts = Object.entries(roles).sort(([, a], [, b]) => b - a);
  const shown = counts
    .slice(0, SHOWN_ROLES)
    .map(([role, count]) => `${shorten(role, MAX_ROLE_WIDTH)} ${formatCount(count)}`);
  if (counts.length > shown.length) shown.push(`${counts.length - shown.length} more`);
  const leftOpen = unset === 0 ? '' : `, ${formatCount(unset)} left to the service`;
  const isLeftOpen = active + inactive === 0;
  const statuses = [
    ...(isLeftOpen ? [] : [`${formatCount(active)} active, ${formatCount(inactive)} inactive${leftOpen}`]),
    ...(isLeftOpen && unset > 0 ? ["everyone's status is left to the service"] : []),
  ];
  return [...statuses, ...(shown.length === 0 ? [] : [shown.join(', ')])].join('; ');
}

/** Renders `isActive ← not "Suspended"`, or only the name of a field that is read as it is from a column of that name. */
function renderField({
  field,
  source,
  inverted,
  lookup,
  values,
  default: fallback,
}: DescribedMapping['fields'][number]): string {
  if (source === null) return `${field} ← ${quote(fallback ?? '')} (default)`;
  const notes = [
    ...(lookup === null ? [] : [renderLookup(lookup)]),
    ...Object.entries(values).map(([from, to]) => cleanLine(`${from} → ${to === '' ? 'blank' : to}`)),
    ...(fallback === null ? [] : [`blank → ${fallback}`]),
  ];
  if (source === field && !inverted && notes.length === 0) return field;
  return `${field} ← ${inverted ? 'not ' : ''}${quote(source)}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`;
}

/** Renders `"email" → "id" in "directory.csv": 2,897 of 2,899 values found`. */
function renderLookup({
  file,
  from,
  to,
  found,
  missing,
}: NonNullable<DescribedMapping['fields'][number]['lookup']>): string {
  const counts = `${formatCount(found)} of ${countOf(found + missing, 'value')} found`;
  return `${quote(from)} → ${quote(to)} in ${quote(basename(file))}: ${counts}`;
}
