import { UsageError } from '../../util/errors.ts';
import {
  FIELD_KINDS,
  type FieldKind,
  type FieldValue,
  isField,
  isForbiddenKey,
  MEMBER_FIELDS,
  type MemberField,
} from '../entry.ts';
import type { FieldRule } from './field-rule.ts';
import { readValue } from './field-value.ts';
import type { FieldSource, ListOptions } from './list-options.ts';
import { createLookupTable, type LoadedLookup } from './lookup-table.ts';

/**
 * Returns the rules of all fields that a list may have, for one pass over it: those of interface 4.2, then the extra ones.
 *
 * @param lookups the second lists of the options, by field
 * @throws UsageError that lists every invalid value of --default
 */
export function createFieldRules(options: ListOptions, lookups: ReadonlyMap<MemberField, LoadedLookup>): FieldRule[] {
  const { map, valueMap, omit, extraFields } = options;
  const defaults = readDefaults(options);
  const members = MEMBER_FIELDS.map((field): FieldRule => {
    const source = map.get(field);
    const lookup = lookups.get(field);
    return {
      field,
      kind: FIELD_KINDS[field],
      source,
      isInverted: source?.isInverted ?? false,
      lookup: lookup && createLookupTable(lookup),
      translations: valueMap.get(field),
      default: defaults.get(field),
      isOmitted: omit.has(field),
      isExtra: false,
    };
  });
  const extra = extraFields.map(({ field, kind, source }) => extraRule(field, kind, source));
  return [...members, ...extra];
}

function extraRule(field: string, kind: FieldKind, source: FieldSource): FieldRule {
  const { isInverted } = source;
  const none = { lookup: undefined, translations: undefined, default: undefined };
  return { field, kind, source, isInverted, ...none, isOmitted: false, isExtra: true };
}

/** Returns the name under which an errors file has a field, so that it is read again without options. */
export function plainFieldName({ field, kind, isExtra }: FieldRule): string {
  return isExtra ? `extra:${field}:${kind}` : field;
}

/** Returns the rule of an extra field by its name in an errors file; undefined for any other name. */
export function extraFieldRule(name: string): FieldRule | undefined {
  const [, field, kind] = /^extra:(.+):(string|number|boolean)$/.exec(name) ?? [];
  if (field === undefined || isForbiddenKey(field) || isField(field)) return undefined;
  return extraRule(field, kind as FieldKind, { name, isInverted: false });
}

/** Reads the values of --default like cells. */
function readDefaults({ defaults }: ListOptions): Map<MemberField, FieldValue> {
  const values = new Map<MemberField, FieldValue>();
  const issues: string[] = [];
  for (const [field, text] of defaults) {
    if (field === 'userId') {
      throw new UsageError('--default userId: every row needs its own ID', 'Name its column: --map userId=<column>');
    }
    const rule = { field, kind: FIELD_KINDS[field], isInverted: false, lookup: undefined, translations: undefined };
    const read = readValue(rule, text);
    if ('issue' in read) issues.push(`--default ${field}: ${read.shown} ${read.issue}`);
    else if (read.value !== undefined) values.set(field, read.value);
  }
  if (issues.length > 0) throw new UsageError(issues.join('\n'));
  return values;
}
