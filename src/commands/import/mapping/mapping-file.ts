import { stat } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { isColumnNumber, TABLE_BINDER } from '../../../import/list/columns/table-binder.ts';
import { entriesOf, type Mapping, mappingSchema, sourcesOf } from '../../../import/mapping.ts';
import { fieldForSpelling } from '../../../import/new-member.ts';
import { quote, quoteForShell } from '../../../output/sanitize.ts';
import { describeFsError, UsageError } from '../../../util/errors.ts';
import { checkWritable, MAX_CONFIG_BYTES, readFileUpTo, replaceFile } from '../../../util/files.ts';
import { parseJsonFile } from '../../../util/json/parse-json-file.ts';
import type { Context } from '../../command-context.ts';
import { checkMapping } from './check-mapping.ts';
import { fieldOptions, type MappingFlags, mappingFromFlags } from './mapping-flags.ts';
import type { MappedList } from './mapping-in-effect.ts';
import { mergeMappings } from './merge-mappings.ts';
import { rejectOtherColumn } from './reject-other-column.ts';

const HINT = 'To write a mapping file, use --dry-run --save-mapping <file>.';

/** A file names the columns that it ignores, so that a new one is not overlooked. */
const fileSchema = z.extend(z.omit(mappingSchema, { ignoreExtraColumns: true }), { $schema: z.optional(z.string()) });

/** How the user wants a list to be read. */
export interface GivenMapping {
  /** The flags merged with the file of --mapping. Flags win. */
  readonly mapping: Mapping;
  /** The file of --mapping. */
  readonly saved: Mapping | undefined;
}

/**
 * Reads how the user wants a list to be read.
 *
 * @throws UsageError for a file that is not valid, and for options that no list can have, or that do not fit the file
 */
export async function readMapping(flags: MappingFlags & { mapping?: string }): Promise<GivenMapping> {
  const { mapping: file } = flags;
  const given = mappingFromFlags(flags);
  const saved = file === undefined ? undefined : await readMappingFile(file);
  if (saved !== undefined) rejectOtherColumn(saved, given);
  const mapping = saved === undefined ? given : mergeMappings(saved, given);
  checkMapping(mapping);
  return { mapping, saved };
}

/**
 * Rejects a list with a column that spells a field for which the file of --mapping has one value for everyone: the list for which
 * the file was made had no such column.
 *
 * @throws UsageError that names the column, and the options that read or ignore it
 */
export function rejectNewFields({ columns, defaults }: Mapping, { list, check }: MappedList): void {
  for (const { name, column } of check.fields) {
    const isSameForAll = defaults?.[name] !== undefined && columns?.[name] === undefined;
    if (!isSameForAll || column === undefined || list.mapping.columns?.[name] !== undefined) continue;
    throw new UsageError(
      `${list.name} has the column ${quote(column)}, but the mapping file has the same ${name} for everyone`,
      `Read the column with --map ${quoteForShell(`${name}=${column}`)}, or ignore it with --omit ${name}.`,
      'bad-columns',
    );
  }
}

/**
 * Rejects a list in which the file of --mapping numbers a column that has a name: orgadm saves a number only for a column without a
 * name of its own, so a column has been inserted before that one. One has also moved if the file ignores the number of a column that
 * has a name, or that the list does not have.
 *
 * @throws UsageError that names the column, and the option that reads it
 */
export function rejectShiftedColumns(saved: Mapping, { list, check: { header } }: MappedList): void {
  if (header === undefined) return;
  const names = TABLE_BINDER.namesOf(header);
  const nameOf = (number: string) => names[Number(number.slice(1)) - 1];
  const moved = saved.ignored?.find((name) => isColumnNumber(name) && nameOf(name) !== name);
  for (const [field, wanted] of entriesOf(saved.columns)) {
    if (list.mapping.columns?.[field] !== wanted) continue;
    for (const source of sourcesOf(saved, field)) {
      if (!isColumnNumber(source.name)) continue;
      const name = nameOf(source.name);
      if (moved !== undefined && name !== undefined && isColumnNumber(name))
        throw new UsageError(
          `the mapping file reads ${field} from ${source.name}, but ${list.name} no longer has a column ${moved} without a name of its own`,
          `Columns may have moved. Say which one has the ${field}: --map ${field}=<column>`,
          'bad-columns',
        );
      if (name === undefined || isColumnNumber(name)) continue;
      const column = `${source.isInverted ? '!' : ''}${name}`;
      throw new UsageError(
        `the mapping file reads ${field} from ${source.name}, a column without a name of its own, but in ${list.name} that is ${quote(name)}`,
        `Columns may have moved. Name the column with --map ${quoteForShell(`${field}=${column}`)}, or another one.`,
        'bad-columns',
      );
    }
  }
}

/** @throws UsageError if the file cannot be read or is not valid */
async function readMappingFile(file: string): Promise<Mapping> {
  const bytes = await readFileUpTo(file, MAX_CONFIG_BYTES).catch((error: unknown) => {
    throw new UsageError(`--mapping: cannot read ${file}: ${describeFsError(error)}`, HINT);
  });
  const value = parseJsonFile(bytes.toString('utf8'), `--mapping: ${file}`, HINT);
  const parsed = fileSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
    throw new UsageError(`--mapping ${file}: ${where}${describeMappingIssue(issue)}`, HINT);
  }
  const { $schema: _, ...mapping } = parsed.data;
  return withPaths(mapping, (lookup) => path.resolve(path.dirname(file), lookup));
}

function describeMappingIssue(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'unrecognized_keys') return `unknown key ${JSON.stringify(issue.keys[0])}`;
  if (issue?.code === 'invalid_type') return `is not a valid ${issue.expected}`;
  if (issue?.code === 'invalid_value') return `is not one of ${issue.values.join(', ')}`;
  return 'is not valid';
}

/** Returns a mapping with other paths of its second lists. */
function withPaths(mapping: Mapping, change: (file: string) => string): Mapping {
  const lookups = entriesOf(mapping.lookups).map(([field, lookup]) => [
    field,
    { ...lookup, file: change(lookup.file) },
  ]);
  return { ...mapping, lookups: Object.fromEntries(lookups) };
}

/**
 * Checks that a mapping can be saved, before orgadm asks questions, and that it would replace nothing but another mapping: the file
 * may be the list itself.
 *
 * @throws UsageError for a file that has anything else, and for a folder in which nothing can be written
 */
export async function checkSavedPath(file: string): Promise<void> {
  try {
    checkWritable(path.resolve(path.dirname(file)));
  } catch (error) {
    throw cannotSave(file, error);
  }
  const existing = await stat(file).catch(() => undefined);
  if (existing === undefined) return;
  if (existing.isFile() && (existing.size === 0 || (await isMappingFile(file)))) return;
  throw new UsageError(
    `--save-mapping: ${file} exists and is not a mapping file`,
    'Name another file. orgadm replaces only mapping files.',
  );
}

function cannotSave(file: string, error: unknown): UsageError {
  return new UsageError(`--save-mapping: cannot write ${file}: ${describeFsError(error)}`);
}

function isMappingFile(file: string): Promise<boolean> {
  return readMappingFile(file).then(
    () => true,
    (error: unknown) => {
      if (error instanceof UsageError) return false;
      throw error;
    },
  );
}

/**
 * Writes the mapping of a list without its empty parts, and says how to use it. The paths of second lists are written relative to
 * the file, so that they can be moved together.
 *
 * @param flags the options of the command, which the file has, too
 * @throws UsageError if the file cannot be written
 */
export function saveMapping(
  file: string,
  { list, check }: MappedList,
  flags: MappingFlags,
  { output }: Pick<Context, 'output'>,
): void {
  const folder = path.resolve(path.dirname(file));
  const read = namingRead(namingLookups(namingNumbered(list.mapping, check.header), list), check.fields);
  const named = namingIgnored(read, check.ignored);
  const saved = withPaths(named, (lookup) => path.relative(folder, lookup));
  const filled = Object.entries(saved).filter(([, part]) => Object.keys(part).length > 0);
  try {
    replaceFile(file, `${JSON.stringify(Object.fromEntries(filled), null, 2)}\n`, { durable: false });
  } catch (error) {
    throw cannotSave(file, error);
  }
  // Next to the file, they would override answers that have replaced them.
  const replaced = fieldOptions(mappingFromFlags(flags)).length > 0 ? ' instead of the options for columns' : '';
  output.note(`saved the mapping; next time, use --mapping ${quoteForShell(file)}${replaced}`);
  const numbered = check.header === undefined ? [] : numberedFields(saved);
  // Nothing shows later that two columns without names have changed places.
  if (numbered.length > 0)
    output.warn(
      `the columns of ${numbered.join(' and ')} have no names of their own: the mapping file fits only lists with the same order of columns`,
    );
}

/** Returns the fields that a mapping reads from numbered columns. */
function numberedFields(mapping: Mapping): string[] {
  return entriesOf(mapping.columns).flatMap(([field]) =>
    sourcesOf(mapping, field).some(({ name }) => isColumnNumber(name)) ? [field] : [],
  );
}

/** Returns a mapping that names the columns that it numbers: in a later list, they may be in another order. */
function namingNumbered(mapping: Mapping, header: readonly string[] | undefined): Mapping {
  if (header === undefined) return mapping;
  const nameOf = namer(header);
  const columns = entriesOf(mapping.columns).map(([field, wanted]) => {
    const named = sourcesOf(mapping, field).map(({ name, isInverted }) => `${isInverted ? '!' : ''}${nameOf(name)}`);
    return [field, typeof wanted === 'string' ? named[0] : named];
  });
  return { ...mapping, columns: Object.fromEntries(columns) };
}

/** Returns a mapping that names the columns of second lists that it numbers. */
function namingLookups(mapping: Mapping, { lookups }: MappedList['list']): Mapping {
  const named = entriesOf(mapping.lookups).map(([field, { from, to, file }]) => {
    const nameOf = namer(lookups.get(field)?.header ?? []);
    return [field, { file, from: nameOf(from), to: nameOf(to) }];
  });
  return { ...mapping, lookups: Object.fromEntries(named) };
}

/** Returns a function that replaces the number of a column by its name, if it has one of its own. */
function namer(header: readonly string[]): (name: string) => string {
  const names = TABLE_BINDER.namesOf(header);
  return (name) => (isColumnNumber(name) ? (names[Number(name.slice(1)) - 1] ?? name) : name);
}

/**
 * Returns a mapping that names the columns that it reads: a later list without one of them is an error, and not a list of people
 * without departments.
 *
 * @param fields what the list has
 */
function namingRead(mapping: Mapping, fields: MappedList['check']['fields']): Mapping {
  const read = fields.flatMap(({ name, column }) => (column === undefined ? [] : [[name, column]]));
  return { ...mapping, columns: { ...Object.fromEntries(read), ...mapping.columns } };
}

/**
 * Returns a mapping that names the columns that it ignores, so that a later list with another one is an error.
 *
 * @param ignored the columns that it ignores in this list
 */
function namingIgnored(mapping: Mapping, ignored: readonly string[]): Mapping {
  const { ignoreExtraColumns: _, ...others } = mapping;
  const isOmitted = (name: string) => (mapping.omit ?? []).some((field) => field === fieldForSpelling(name));
  return { ...others, ignored: ignored.filter((name) => !isOmitted(name)) };
}
