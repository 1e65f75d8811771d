import { comparableText } from '../../../util/visible-text.ts';
import { type Mapping, sourcesOf } from '../../mapping.ts';
import { FIELD_KINDS, type FieldValue, MEMBER_FIELDS, type MemberField } from '../../new-member.ts';
import { type BoundField, type ReadValue, readValue } from './field-value.ts';
import { type LoadedLookup, LookupTable } from './lookup-table.ts';

/**
 * Returns the fields that a list may have, for one pass over it. A field that several columns give is there for each of them.
 *
 * @param lookups the second lists of the mapping, by field
 */
export function bindFields(mapping: Mapping, lookups: ReadonlyMap<MemberField, LoadedLookup>): BoundField[] {
  const { values, defaults, omit = [] } = mapping;
  return MEMBER_FIELDS.flatMap((name): BoundField[] => {
    const lookup = lookups.get(name);
    const translations = values?.[name];
    const sources = sourcesOf(mapping, name);
    const field = {
      ...fieldNamed(name, undefined),
      isOneOfSeveral: sources.length > 1,
      lookup: lookup && new LookupTable(lookup),
      translations:
        translations && new Map(Object.entries(translations).map(([from, to]) => [comparableText(from), to])),
      known: name === 'userId' || lookup !== undefined ? undefined : new Map<string, ReadValue>(),
      default: defaultOf(name, defaults?.[name]),
      isOmitted: omit.includes(name),
    };
    if (sources.length === 0) return [field];
    return sources.map((source) => ({ ...field, wanted: source.name, isInverted: source.isInverted }));
  });
}

/** Whether a list has a column or key for a field. */
export function hasColumn(name: MemberField, fields: readonly BoundField[]): boolean {
  return fields.some((field) => field.name === name && field.column !== undefined);
}

/** Returns a field as interface 4.2 has it, which is read from a column or key. */
export function fieldNamed(name: MemberField, wanted: string | undefined): BoundField {
  return {
    name,
    kind: FIELD_KINDS[name],
    wanted,
    isInverted: false,
    isOneOfSeveral: false,
    lookup: undefined,
    translations: undefined,
    translated: new Set(),
    known: undefined,
    default: undefined,
    isOmitted: false,
    column: undefined,
  };
}

/** Reads a text that the mapping has as a value of a field, like a cell. */
export function readGivenValue(name: MemberField, text: string): ReadValue {
  return readValue(fieldNamed(name, undefined), text);
}

function defaultOf(name: MemberField, text = ''): FieldValue | undefined {
  const read = readGivenValue(name, text);
  return 'value' in read ? read.value : undefined;
}
