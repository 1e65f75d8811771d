import { basename } from 'node:path';
import { toWireEntry } from '../../import/entry.ts';
import type { LookupCounts, MappedField } from '../../import/list/list-options.ts';
import { quote } from '../../import/list/list-row.ts';
import type { MemberList } from '../../import/list/open-list.ts';
import { renderJson } from '../../output/json.ts';
import { countOf, formatCount } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import type { CheckedImport } from './checked-list.ts';

/** Entries that a dry run shows. */
const SAMPLE_ENTRIES = 3;

/** The mapping in effect, and the first entries that orgadm would send. */
export interface DescribedMapping {
  fields: readonly TranslatedField[];
  /** Names of columns or keys. */
  ignored: readonly string[];
  sample: readonly unknown[];
}

interface TranslatedField extends MappedField {
  /** Translated values, as the user wrote them; `*` is any other value. */
  values: Readonly<Record<string, string>>;
}

/** Describes the mapping as a dry run shows it. */
export async function describeMapping(
  { check, list, mapping }: CheckedImport,
  context: Context,
): Promise<DescribedMapping> {
  const values: Readonly<Record<string, Readonly<Record<string, string>>>> = mapping.values ?? {};
  return {
    fields: check.mapping.fields.map((mapped) => ({ ...mapped, values: values[mapped.field] ?? {} })),
    ignored: check.mapping.ignored,
    sample: await sampleOf(list, context),
  };
}

/** Returns the first entries that orgadm would send. */
async function sampleOf(list: MemberList, context: Context): Promise<unknown[]> {
  const { wire } = await context.settings();
  const sample: unknown[] = [];
  for await (const rows of list.rows()) {
    for (const { value } of rows) {
      if (value !== undefined) sample.push(toWireEntry(value, wire.member.deviceMgmtLabelId));
      if (sample.length === SAMPLE_ENTRIES) return sample;
    }
  }
  return sample;
}

/**
 * Renders the mapping for people.
 *
 * @param valid number of valid rows in the list
 */
export function renderMapping({ fields, ignored, sample }: DescribedMapping, valid: number): string[] {
  const lines = fields.map(renderField);
  if (ignored.length > 0) lines.push(`ignored: ${ignored.map(quote).join(', ')}`);
  if (sample.length > 0) {
    const which = sample.length < valid ? `first ${sample.length} of ${formatCount(valid)} entries` : 'entries';
    lines.push(
      '',
      `${which} that orgadm would send:`,
      ...sample.map((entry) => renderJson(entry).replace(/\n\s*/g, ' ')),
    );
  }
  return lines;
}

/** Renders `isActive ← not "Suspended"`. */
function renderField({ field, source, inverted, lookup, values, default: fallback }: TranslatedField): string {
  if (source === null) return `${field} ← ${quote(fallback ?? '')} (default)`;
  const notes = [
    ...(lookup === null ? [] : [renderLookup(lookup)]),
    ...Object.entries(values).map(([from, to]) => `${from} → ${to}`),
    ...(fallback === null ? [] : [`blank → ${fallback}`]),
  ];
  return `${field} ← ${inverted ? 'not ' : ''}${quote(source)}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`;
}

/** Renders `"email" → "id" in "directory.csv": 2,897 of 2,899 values found`. */
function renderLookup({ file, from, to, found, missing }: LookupCounts): string {
  const counts = `${formatCount(found)} of ${countOf(found + missing, 'value')} found`;
  return `${quote(from)} → ${quote(to)} in ${quote(basename(file))}: ${counts}`;
}
