import { entriesOf, type Mapping } from '../../../import/mapping.ts';
import type { MemberField } from '../../../import/new-member.ts';
import { comparableText } from '../../../util/visible-text.ts';

/** Merges two mappings field by field; `over` wins. */
export function mergeMappings(base: Mapping, over: Mapping): Mapping {
  const { omit = [], columns = {} } = over;
  const kept = withoutFields(base, (field) => omit.includes(field));
  return {
    columns: { ...kept.columns, ...columns },
    lookups: { ...kept.lookups, ...over.lookups },
    values: mergeValues(base.values, over.values),
    defaults: { ...base.defaults, ...over.defaults },
    omit: [...new Set([...(base.omit ?? []).filter((field) => !Object.hasOwn(columns, field)), ...omit])],
    ignored: [...new Set([...(base.ignored ?? []), ...(over.ignored ?? [])])],
    ignoreExtraColumns: over.ignoreExtraColumns ?? base.ignoreExtraColumns ?? false,
    options: { ...base.options, ...over.options },
  };
}

function mergeValues(base: Mapping['values'] = {}, over: Mapping['values'] = {}): Mapping['values'] {
  const merged = { ...base };
  for (const [field, values] of entriesOf(over)) {
    const replaced = new Set(Object.keys(values).map(comparableText));
    const kept = Object.entries(base[field] ?? {}).filter(([from]) => !replaced.has(comparableText(from)));
    merged[field] = { ...Object.fromEntries(kept), ...values };
  }
  return merged;
}

/** Returns a mapping without what it says about some fields. */
export function withoutFields(mapping: Mapping, isDropped: (field: MemberField) => boolean): Mapping {
  const { columns, lookups, values, defaults, omit } = mapping;
  const keep = <T>(part: { readonly [F in MemberField]?: T | undefined } | undefined) =>
    Object.fromEntries(entriesOf<MemberField, T>(part).filter(([field]) => !isDropped(field)));
  return {
    ...mapping,
    columns: keep(columns),
    lookups: keep(lookups),
    values: keep(values),
    defaults: keep(defaults),
    omit: (omit ?? []).filter((field) => !isDropped(field)),
  };
}
