import { basename } from 'node:path';
import { toWireEntry } from '../../import/entry.ts';
import { shorten } from '../../import/list/columns-error.ts';
import type { ListValidation, MemberList } from '../../import/list/open-list.ts';
import type { ListTotals, LookupCounts, MappedField } from '../../import/list-options.ts';
import type { Block } from '../../output/blocks.ts';
import { renderCell, renderJson } from '../../output/json.ts';
import { cleanLine, quote, quoteAll } from '../../output/sanitize.ts';
import { text } from '../../output/text.ts';
import { countOf, formatCount } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import type { ListMapping } from './list-mapping.ts';

/** The mapping in effect, and totals that expose a column that is read the wrong way around. */
export interface DescribedMapping {
  fields: readonly TranslatedField[];
  /** Names of columns or keys. */
  ignored: readonly string[];
  totals: Omit<ListTotals, 'roles'> & { roles: Readonly<Record<string, number>> };
  /** Of a dry run: the first entries that orgadm would send. */
  sample?: readonly Readonly<Record<string, unknown>>[];
}

interface TranslatedField extends MappedField {
  /** Translated values, as the user wrote them; `*` is any other value. */
  values: Readonly<Record<string, string>>;
}

/** A list as a mapping reads it. */
export interface MappedList {
  readonly list: MemberList;
  readonly mapping: ListMapping;
  readonly check: ListValidation;
}

/** Describes the mapping in effect. */
export function describeMapping({ check, mapping }: Pick<MappedList, 'check' | 'mapping'>): DescribedMapping {
  const values: Readonly<Record<string, Readonly<Record<string, string>>>> = mapping.values ?? {};
  return {
    fields: check.mapping.fields.map((mapped) => ({ ...mapped, values: values[mapped.field] ?? {} })),
    ignored: check.mapping.ignored,
    totals: { ...check.totals, roles: Object.fromEntries(check.totals.roles) },
  };
}

/** Entries that a dry run shows. */
const SAMPLE_ENTRIES = 3;

/** Returns the first entries that orgadm would send. */
export async function sampleOf(list: MemberList, context: Context): Promise<Record<string, unknown>[]> {
  const { wire } = await context.settings();
  const sample: Record<string, unknown>[] = [];
  for await (const rows of list.rows()) {
    for (const { value } of rows) {
      if (value !== undefined) sample.push(toWireEntry(value, wire.member.deviceMgmtLabelId));
      if (sample.length === SAMPLE_ENTRIES) return sample;
    }
  }
  return sample;
}

/**
 * Returns the mapping of a dry run for people, and the sample as a table with the columns that orgadm would send.
 *
 * @param valid number of valid rows in the list
 */
export function mappingBlocks(mapping: DescribedMapping, valid: number): Block[] {
  const { sample = [] } = mapping;
  const lines = { items: mappingLines(mapping) };
  if (sample.length === 0) return [lines];
  const columns = [...new Set(sample.flatMap((entry) => Object.keys(entry)))];
  const rows = sample.map((entry) => columns.map((column) => renderCell(entry[column])));
  return [lines, text`${sampleTitle(sample.length, valid)}`, { columns, rows }];
}

/** Returns the same as lines for standard error, with the entries of the sample as JSON. */
export function mappingNotes(mapping: DescribedMapping, valid: number): string[] {
  const { sample = [] } = mapping;
  const entries = sample.map((entry) => renderJson(entry).replace(/\n\s*/g, ' '));
  return [...mappingLines(mapping), ...(sample.length === 0 ? [] : [sampleTitle(sample.length, valid), ...entries])];
}

function mappingLines(mapping: DescribedMapping): string[] {
  return [...mapping.fields.map(renderField), ...ignoredAndTotals(mapping)];
}

function sampleTitle(shown: number, valid: number): string {
  const which = shown < valid ? `first ${shown} of ${formatCount(valid)} entries` : 'entries';
  return `${which} that orgadm would send:`;
}

/** Renders the mapping in at most three lines, next to a question or an announcement. */
export function summarizeMapping(mapping: DescribedMapping): string[] {
  const fields = mapping.fields.map((mapped) =>
    renderField(mapped) === plainField(mapped) ? mapped.field : renderField(mapped),
  );
  return [`columns: ${fields.join(', ')}`, ...ignoredAndTotals(mapping)];
}

function ignoredAndTotals({ ignored, totals }: DescribedMapping): string[] {
  const shown = renderTotals(totals);
  return [
    ...(ignored.length === 0 ? [] : [`ignored: ${quoteAll(ignored)}`]),
    ...(shown === '' ? [] : [`totals: ${shown}`]),
  ];
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
  const notSet = unset === 0 ? '' : `, ${formatCount(unset)} not set`;
  const statuses =
    active + inactive === 0 ? [] : [`${formatCount(active)} active, ${formatCount(inactive)} inactive${notSet}`];
  return [...statuses, ...(shown.length === 0 ? [] : [shown.join(', ')])].join('; ');
}

/** Renders a field that is in a column of its own name, with its values as they are: `role ← "role"`. */
function plainField({ field }: TranslatedField): string {
  return `${field} ← ${quote(field)}`;
}

/** Renders `isActive ← not "Suspended"`. */
function renderField({ field, source, inverted, lookup, values, default: fallback }: TranslatedField): string {
  if (source === null) return `${field} ← ${quote(fallback ?? '')} (default)`;
  const notes = [
    ...(lookup === null ? [] : [renderLookup(lookup)]),
    ...Object.entries(values).map(([from, to]) => cleanLine(`${from} → ${to}`)),
    ...(fallback === null ? [] : [`blank → ${fallback}`]),
  ];
  return `${field} ← ${inverted ? 'not ' : ''}${quote(source)}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`;
}

/** Renders `"email" → "id" in "directory.csv": 2,897 of 2,899 values found`. */
function renderLookup({ file, from, to, found, missing }: LookupCounts): string {
  const counts = `${formatCount(found)} of ${countOf(found + missing, 'value')} found`;
  return `${quote(from)} → ${quote(to)} in ${quote(basename(file))}: ${counts}`;
}
