import { relative } from 'node:path';
import type { GlobalFlags } from '../../config/settings.ts';
import { shortRunId } from '../../import/journal/run-identity.ts';
import { entriesOf, type Mapping } from '../../import/mapping.ts';
import { quoteForShell } from '../../output/sanitize.ts';

/** Returns the command `orgadm runs <verb>` for a run. */
export function runsCommand(verb: 'show' | 'resume', id: string): string {
  return `orgadm runs ${verb} ${shortRunId(id)}`;
}

/**
 * Returns the command that imports a file into the same service as this command.
 *
 * @param flags the global options of this command
 * @param mapping says which of its columns are which fields
 */
export function importCommand(file: string, flags: GlobalFlags, mapping: Mapping = {}): string {
  const word = file.startsWith('-') ? `./${file}` : file;
  const options = fitsOptions(mapping) ? fieldOptions(mapping) : ['--mapping', '<file>'];
  return ['orgadm', 'people', 'bulk-add', word, ...options, ...flagsForSameService(flags)].map(quoteForShell).join(' ');
}

/** Returns the options of a command line that reach the same service again. */
function flagsForSameService({ sandbox, profile, baseUrl, keyFile, caCert, allowHttp }: GlobalFlags): string[] {
  const named = { profile, 'base-url': baseUrl, 'key-file': keyFile, 'ca-cert': caCert };
  return [
    ...(sandbox ? ['--sandbox'] : []),
    ...Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value])),
    ...(allowHttp ? ['--allow-http'] : []),
  ];
}

/**
 * Returns the options of `people bulk-add` that say which columns are which fields, as words of a command line. They do not
 * include those about the file, such as --sheet.
 */
export function fieldOptions({ columns, lookups, values, defaults, omit, ...mapping }: Mapping): string[] {
  const ignores =
    mapping.ignoreExtraColumns || (mapping.ignored ?? []).length > 0 || mapping.options?.columns?.includes('-');
  const pairs: [option: string, value: string][] = [
    ...entriesOf(columns).flatMap(([field, sources]) =>
      [sources].flat().map((source): [string, string] => ['--map', `${field}=${source}`]),
    ),
    ...entriesOf(lookups).map(([field, { file, from, to }]): [string, string] => [
      '--lookup',
      `${field}=${shortPath(file)}:${from}=${to}`,
    ]),
    ...entriesOf(values).flatMap(([field, byText]) =>
      Object.entries(byText).map(([from, to]): [string, string] => ['--map-value', `${field}:${from}=${to}`]),
    ),
    ...entriesOf(defaults).map(([field, value]): [string, string] => ['--default', `${field}=${value}`]),
    ...(omit ?? []).map((field): [string, string] => ['--omit', field]),
  ];
  return [...pairs.flat(), ...(ignores ? ['--ignore-extra-columns'] : [])];
}

/** Returns the options of `people bulk-add` that a dialog asks about a file, as words of a command line. */
export function fileOptions({ options }: Mapping): string[] {
  const { columns, headerRow, sheet } = options ?? {};
  return [
    ...(sheet === undefined ? [] : ['--sheet', sheet]),
    ...(columns === undefined ? [] : ['--columns', columns.join(',')]),
    ...(headerRow === undefined ? [] : ['--header-row', String(headerRow)]),
  ];
}

/** Whether `fieldOptions` can write a mapping: "=" and ":" separate the parts of some options. */
export function fitsOptions({ lookups, values }: Mapping): boolean {
  const names = entriesOf(lookups).flatMap(([, { file, from, to }]) => [shortPath(file), from, to]);
  const texts = entriesOf(values).flatMap(([, byText]) => Object.entries(byText).flat());
  return !names.some((name) => /[=:]/.test(name)) && !texts.some((text) => text.includes('='));
}

/** Returns a path relative to the working directory, if it is in it. */
function shortPath(file: string): string {
  const short = relative('', file);
  return short.startsWith('..') ? file : short;
}
