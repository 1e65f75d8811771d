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
  return MEMBER_FIELDS.flatMap((name) => {
    const lookup = lookups.get(name);
    const translations = Object.entries(values?.[name] ?? {});
    const sources = sourcesOf(mapping, name);
    return (sources.length > 0 ? sources : [undefined]).map((source): BoundField => {
      return {
        ...fieldNamed(name, source?.name),
        isInverted: source?.isInverted ?? false,
        isOneOfSeveral: sources.length > 1,
        lookup: lookup && new LookupTable(lookup),
        translations:
          translations.length > 0 ? new Map(translations.map(([from, to]) => [comparableText(from), to])) : undefined,
        // Each column has its own: one of them may be inverted.
        known: name === 'userId' || lookup !== undefined ? undefined : new Map<string, ReadValue>(),
        default: defaultOf(name, defaults?.[name]),
        isOmitted: omit.includes(name),
      };
    });
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
    untranslated: new Set(),
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
