import { UsageError } from '../../util/errors.ts';
import { FIELD_KINDS, type FieldValue, MEMBER_FIELDS, type MemberField } from '../entry.ts';
import type { ListOptions } from '../list-options.ts';
import { type FieldRule, readValue, TRANSLATE } from './field-value.ts';
import { createLookupTable, type LoadedLookup } from './lookup-table.ts';

/**
 * Returns the rules of all fields that a list may have, for one pass over it: those of interface 4.2.
 *
 * @param lookups the second lists of the options, by field
 * @throws UsageError that lists every invalid value of --default
 */
export function createFieldRules(options: ListOptions, lookups: ReadonlyMap<MemberField, LoadedLookup>): FieldRule[] {
  const { map, valueMap, omit } = options;
  const defaults = readDefaults(options);
  return MEMBER_FIELDS.map((field): FieldRule => {
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
    };
  });
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
    if ('issue' in read) issues.push(`--default ${field}: ${read.shown} ${read.issue.replace(TRANSLATE, ')')}`);
    else if (read.value !== undefined) values.set(field, read.value);
  }
  if (issues.length > 0) throw new UsageError(issues.join('\n'));
  return values;
}
