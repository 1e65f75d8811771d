import { UsageError } from '../../util/errors.ts';
import type { ListOptions } from '../mapping.ts';
import { FIELD_KINDS, type FieldValue, MEMBER_FIELDS, type MemberField } from '../new-member.ts';
import { type FieldRule, type ReadValue, readValue } from './field-value.ts';
import { createLookupTable, type LoadedLookup } from './lookup-table.ts';

/**
 * Returns the rules of all fields that a list may have, for one pass over it: those of interface 4.2. A field that several
 * columns give has a rule for each of them.
 *
 * @param lookups the second lists of the options, by field
 * @throws UsageError that lists every invalid value of --default and --map-value
 */
export function createFieldRules(options: ListOptions, lookups: ReadonlyMap<MemberField, LoadedLookup>): FieldRule[] {
  const { map, valueMap, omit } = options;
  const { defaults, issues } = readDefaults(options);
  for (const [field, byText] of valueMap)
    for (const to of byText.values())
      if (to !== '') issues.push(...issuesOf(`--map-value ${field}`, readAlone(field, to)));
  if (issues.length > 0) throw new UsageError([...new Set(issues)].join('\n'));
  return MEMBER_FIELDS.flatMap((field): FieldRule[] => {
    const lookup = lookups.get(field);
    const sources = map.get(field) ?? [];
    const rule = {
      field,
      kind: FIELD_KINDS[field],
      isOneOfSeveral: sources.length > 1,
      lookup: lookup && createLookupTable(lookup),
      translations: valueMap.get(field),
      translated: new Set<string>(),
      known: field === 'userId' || lookup !== undefined ? undefined : new Map<string, ReadValue>(),
      default: defaults.get(field),
      isOmitted: omit.has(field),
    };
    if (sources.length === 0) return [{ ...rule, source: undefined, isInverted: false }];
    return sources.map((source) => ({ ...rule, source, isInverted: source.isInverted }));
  });
}

/** Reads the values of --default like cells. */
function readDefaults({ defaults }: ListOptions): { defaults: Map<MemberField, FieldValue>; issues: string[] } {
  const values = new Map<MemberField, FieldValue>();
  const issues: string[] = [];
  for (const [field, text] of defaults) {
    if (field === 'userId') {
      throw new UsageError('--default userId: every row needs its own ID', 'Name its column: --map userId=<column>');
    }
    const read = readAlone(field, text);
    issues.push(...issuesOf(`--default ${field}`, read));
    if ('value' in read && read.value !== undefined) values.set(field, read.value);
  }
  return { defaults: values, issues };
}

/** Reads a value of an option like a cell, without the other options of its field. */
function readAlone(field: MemberField, text: string): ReadValue {
  const others = {
    isInverted: false,
    isOneOfSeveral: false,
    lookup: undefined,
    translations: undefined,
    translated: new Set<string>(),
    known: undefined,
  };
  return readValue({ field, kind: FIELD_KINDS[field], ...others }, text);
}

function issuesOf(option: string, read: ReadValue): string[] {
  return 'issue' in read ? [`${option}: ${read.shown} ${read.issue}`] : [];
}
