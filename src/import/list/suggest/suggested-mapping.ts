import type { MemberField } from '../../entry.ts';
import type { FieldSource, ListOptions } from '../list-options.ts';
import { isPlaceholder } from './placeholders.ts';

/** Options that would make a list readable. The user replaces placeholders. */
export interface SuggestedMapping {
  readonly headerRow?: number | undefined;
  readonly map: ReadonlyMap<MemberField, FieldSource>;
  /** Translations of isActive, from the text in the list. */
  readonly statuses: ReadonlyMap<string, string>;
  readonly defaults: ReadonlyMap<MemberField, string>;
  readonly ignoreExtraColumns: boolean;
}

/** Options for a list, and sentences about decisions of the user. */
export interface Suggestion {
  readonly mapping: SuggestedMapping;
  readonly advice: readonly string[];
}

/** Returns the options as words of a command line: `['--map', 'userId=User Name', '--ignore-extra-columns']`. */
export function optionWords({ headerRow, map, statuses, defaults, ignoreExtraColumns }: SuggestedMapping): string[] {
  return [
    ...(headerRow === undefined ? [] : ['--header-row', String(headerRow)]),
    ...[...map].flatMap(([field, { name, isInverted }]) => ['--map', `${field}=${isInverted ? '!' : ''}${name}`]),
    ...[...statuses].flatMap(([from, to]) => ['--map-value', `isActive:${from}=${to}`]),
    ...[...defaults].flatMap(([field, value]) => ['--default', `${field}=${value}`]),
    ...(ignoreExtraColumns ? ['--ignore-extra-columns'] : []),
  ];
}

/** Returns the options of a list with the suggested ones, apart from placeholders. */
export function applySuggestion(options: ListOptions, suggested: SuggestedMapping): ListOptions {
  const { headerRow = options.headerRow, map, statuses, defaults } = suggested;
  const known = options.valueMap.get('isActive') ?? new Map<string, string>();
  const translations = new Map([...known, ...chosen(statuses, (value) => value)]);
  return {
    ...options,
    headerRow,
    map: new Map([...options.map, ...chosen(map, ({ name }) => name)]),
    valueMap: translations.size === 0 ? options.valueMap : new Map([...options.valueMap, ['isActive', translations]]),
    defaults: new Map([...options.defaults, ...chosen(defaults, (value) => value)]),
    ignoreExtraColumns: options.ignoreExtraColumns || suggested.ignoreExtraColumns,
  };
}

function chosen<K, V>(values: ReadonlyMap<K, V>, textOf: (value: V) => string): [K, V][] {
  return [...values].filter(([, value]) => !isPlaceholder(textOf(value)));
}
