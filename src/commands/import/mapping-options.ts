import { relative } from 'node:path';
import { entriesOf, type ListMapping } from './list-mapping.ts';

/**
 * Returns the options of `people bulk-add` that say which columns are which fields, as words of a command line. They do not
 * include those about the file, such as --sheet.
 */
export function fieldOptions({ columns, lookups, values, defaults, omit, ...mapping }: ListMapping): string[] {
  const ignores =
    mapping.ignoreExtraColumns || (mapping.ignored ?? []).length > 0 || mapping.options?.columns?.includes('-');
  const pairs: [option: string, value: string][] = [
    ...entriesOf(columns ?? {}).map(([field, source]): [string, string] => ['--map', `${field}=${source}`]),
    ...entriesOf(lookups ?? {}).map(([field, { file, from, to }]): [string, string] => [
      '--lookup',
      `${field}=${shortPath(file)}:${from}=${to}`,
    ]),
    ...entriesOf(values ?? {}).flatMap(([field, byText]) =>
      Object.entries(byText).map(([from, to]): [string, string] => ['--map-value', `${field}:${from}=${to}`]),
    ),
    ...entriesOf(defaults ?? {}).map(([field, value]): [string, string] => ['--default', `${field}=${value}`]),
    ...(omit ?? []).map((field): [string, string] => ['--omit', field]),
  ];
  return [...pairs.flat(), ...(ignores ? ['--ignore-extra-columns'] : [])];
}

/** Whether `fieldOptions` can write a mapping: "=" and ":" separate the parts of some options. */
export function fitsOptions({ lookups, values }: ListMapping): boolean {
  const names = entriesOf(lookups ?? {}).flatMap(([, { file, from, to }]) => [shortPath(file), from, to]);
  const texts = entriesOf(values ?? {}).flatMap(([, byText]) => Object.entries(byText).flat());
  return !names.some((name) => /[=:]/.test(name)) && !texts.some((text) => text.includes('='));
}

/** Returns a path relative to the working directory, if it is in it. */
function shortPath(file: string): string {
  const short = relative('', file);
  return short.startsWith('..') ? file : short;
}
