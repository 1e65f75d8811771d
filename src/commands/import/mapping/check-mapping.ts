import { readGivenValue } from '../../../import/list/fields/bind-fields.ts';
import { entriesOf, type FileOptions, isInversion, type Mapping } from '../../../import/mapping.ts';
import type { MemberField } from '../../../import/new-member.ts';
import { UsageError } from '../../../util/errors.ts';
import { comparableText } from '../../../util/visible-text.ts';

/**
 * Checks what no list can have, and combinations that make no sense. Its errors name the options of `people bulk-add`, also for
 * a mapping file.
 *
 * @throws UsageError
 */
export function checkMapping(mapping: Mapping): void {
  checkFileOptions(mapping.options ?? {});
  checkOmitted(mapping);
  checkStatus(mapping);
  for (const [field, sources] of entriesOf(mapping.columns)) checkSources(field, [sources].flat());
  for (const [field, values] of entriesOf(mapping.values)) checkRepeated(field, Object.keys(values));
  checkFieldValues(mapping);
}

function checkFileOptions({ columns, headerRow, delimiter, records }: FileOptions): void {
  if (columns !== undefined && headerRow !== undefined)
    throw new UsageError('--columns cannot be used with --header-row', '--columns is for a list without a header.');
  if (delimiter !== undefined && !/^(?:[^"\r\n]|tab|\\t)$/.test(delimiter))
    throw new UsageError(`--delimiter: "${delimiter}" is not a delimiter`, 'Use a single character, or "tab".');
  if (records?.split('.').includes(''))
    throw new UsageError(
      `--records: "${records}" is not a path`,
      'Name the keys with dots between them: --records data.members',
    );
}

function checkOmitted({ omit = [], columns = {} }: Mapping): void {
  if (omit.includes('userId'))
    throw new UsageError('--omit userId: every row needs an ID', 'Map it to another column: --map userId=<column>');
  const both = omit.find((field) => columns[field] !== undefined);
  if (both === undefined) return;
  const [first] = [columns[both]].flat();
  throw new UsageError(`--omit ${both} cannot be used with --map ${both}=${first}`, 'Remove one of them.');
}

/** Rejects options that contradict the columns that say who is active. */
function checkStatus({ columns, lookups, values, defaults }: Mapping): void {
  const [first, second] = [columns?.isActive ?? []].flat();
  const translation = [
    ...(values?.isActive === undefined ? [] : ['--map-value isActive:…']),
    ...(lookups?.isActive === undefined ? [] : ['--lookup isActive=…']),
  ][0];
  const other = translation ?? (defaults?.isActive === undefined ? undefined : '--default isActive=…');
  if (second !== undefined && other !== undefined)
    throw new UsageError(
      `several --map isActive=… cannot be used with ${other}`,
      'Each of these columns must say true or false in every row. Otherwise, add one column to the list that says who is active.',
    );
  // Translated values are not inverted, so a mapping with both reads as the opposite of what it does.
  if (first !== undefined && isInversion(first) && translation !== undefined)
    throw new UsageError(
      `--map isActive=${first} cannot be used with ${translation}`,
      'Remove the "!", and translate each value to whether the person is active: --map-value isActive:<value>=<true or false>',
    );
}

function checkSources(field: MemberField, sources: readonly string[]): void {
  const inverted = sources.find(isInversion);
  if (inverted === undefined) return;
  if (field !== 'isActive')
    throw new UsageError(
      `--map: only isActive can be inverted (got "${field}=${inverted}")`,
      `If the name of the column begins with "!", use its number: --map ${field}=#<number>`,
    );
  const blank = sources.find((source) => /^!\s*$/.test(source));
  if (blank !== undefined) throw new UsageError(`--map: "${field}=${blank}" is not of the form <field>=<column>`);
}

function checkRepeated(field: MemberField, texts: readonly string[]): void {
  const keys = texts.map(comparableText);
  const repeated = keys.find((key, at) => keys.indexOf(key) < at);
  if (repeated !== undefined) throw new UsageError(`--map-value: "${field}:${repeated}" is specified twice`);
}

/** Rejects values that the fields cannot have. */
function checkFieldValues({ defaults, values }: Mapping): void {
  if (defaults?.userId !== undefined)
    throw new UsageError('--default userId: every row needs its own ID', 'Name its column: --map userId=<column>');
  const given: [option: string, field: MemberField, text: string][] = [
    ...entriesOf(defaults).map(([field, text]): [string, MemberField, string] => [`--default ${field}`, field, text]),
    ...entriesOf(values).flatMap(([field, byText]) =>
      Object.values(byText).map((to): [string, MemberField, string] => [`--map-value ${field}`, field, to]),
    ),
  ];
  const issues = given.flatMap(([option, field, text]) => {
    const read = readGivenValue(field, text);
    return 'issue' in read ? [`${option}: ${read.shown} ${read.issue}`] : [];
  });
  if (issues.length > 0) throw new UsageError([...new Set(issues)].join('\n'));
}
