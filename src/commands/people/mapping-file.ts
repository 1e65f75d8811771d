import * as z from 'zod/mini';
import { FIELD_KINDS, type MemberField } from '../../import/entry.ts';
import { LIST_FORMATS } from '../../import/list/list-options.ts';
import { describeFsError, UsageError } from '../../util/errors.ts';
import { MAX_CONFIG_BYTES, readFileUpTo, replaceFile } from '../../util/files.ts';
import type { ListFlags } from './list-flags.ts';

const memberField = z.enum(Object.keys(FIELD_KINDS) as MemberField[]);
const text = z.string().check(z.minLength(1));

/** What --mapping reads and --save-mapping writes: the options of `people bulk-add` that say how a list is read. */
export const mappingSchema = z.strictObject({
  $schema: z.optional(z.string()),
  columns: z
    .optional(z.partialRecord(memberField, text))
    .check(z.describe('column, #number, key or dotted path of each field; "!" in front inverts a boolean (--map)')),
  values: z
    .optional(z.partialRecord(memberField, z.record(text, text)))
    .check(z.describe('translated values of each field; * is any other value (--map-value)')),
  defaults: z
    .optional(z.partialRecord(memberField, text))
    .check(z.describe('values of fields that the list does not have, or has blank (--default)')),
  extraFields: z
    .optional(z.record(text, text))
    .check(z.describe('column of each further field, with :number or :boolean after it (--extra-field)')),
  options: z
    .optional(
      z.strictObject({
        format: z.optional(z.enum(LIST_FORMATS)),
        delimiter: z.optional(text),
        encoding: z.optional(text),
        headerRow: z.optional(z.int().check(z.minimum(1))),
        columns: z.optional(z.array(text)),
        records: z.optional(text),
        sheet: z.optional(text),
        ignoreExtraColumns: z.optional(z.boolean()),
      }),
    )
    .check(z.describe('the options of the same names')),
});

type Mapping = z.infer<typeof mappingSchema>;

/**
 * Reads the file of --mapping and adds its settings to the flags, which override it field by field.
 *
 * @throws UsageError if it cannot be read or is not valid
 */
export async function applyMapping<T extends ListFlags>(file: string, flags: T): Promise<T> {
  const { columns, values, defaults, extraFields, options = {} } = await readMapping(file);
  const { headerRow, columns: names, ...others } = options;
  const pairs = (record: Readonly<Record<string, string | undefined>> = {}) =>
    Object.entries(record).map(([field, value]) => `${field}=${value}`);
  const translations = Object.entries(values ?? {}).flatMap(([field, byText]) =>
    Object.entries(byText ?? {}).map(([from, to]) => {
      if (!to.includes('=')) return `${field}:${from}=${to}`;
      throw new UsageError(`--mapping ${file}: values.${field}: "${to}" contains "=", which a value cannot`);
    }),
  );
  const withComma = names?.find((name) => name.includes(','));
  if (withComma !== undefined) {
    throw new UsageError(`--mapping ${file}: options.columns: "${withComma}" contains a comma, which a name cannot`);
  }
  return {
    ...others,
    headerRow: headerRow?.toString(),
    columns: names?.join(','),
    ...flags,
    map: override(pairs(columns), flags.map, /^[^=]*/),
    mapValue: override(translations, flags.mapValue, /^.*(?==)/),
    default: override(pairs(defaults), flags.default, /^[^=]*/),
    extraField: override(pairs(extraFields), flags.extraField, /^[^=]*/),
  };
}

/** The pairs of a file without those whose key, what `key` matches, the flags have too, then those of the flags. */
function override(fromFile: readonly string[], flags: readonly string[] = [], key: RegExp): string[] {
  const keyOf = (pair: string) => key.exec(pair)?.[0].trim().toLowerCase() ?? pair;
  const overridden = new Set(flags.map(keyOf));
  return [...fromFile.filter((pair) => !overridden.has(keyOf(pair))), ...flags];
}

async function readMapping(file: string): Promise<Mapping> {
  let value: unknown;
  try {
    value = JSON.parse((await readFileUpTo(file, MAX_CONFIG_BYTES)).toString('utf8').replace(/^\ufeff/, ''));
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'it is not JSON' : describeFsError(error);
    throw new UsageError(`--mapping: cannot read ${file}: ${reason}`, HINT);
  }
  const parsed = mappingSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  throw new UsageError(`--mapping ${file}: ${where}${describeIssue(issue)}`, HINT);
}

const HINT = 'Write one with --dry-run --save-mapping <file>. Its schema: orgadm schema mapping';

function describeIssue(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'unrecognized_keys') return `unknown key ${JSON.stringify(issue.keys[0])}`;
  if (issue?.code === 'invalid_type') return `is not a valid ${issue.expected}`;
  if (issue?.code === 'invalid_value') return `is not one of ${issue.values.join(', ')}`;
  return 'is not valid';
}

/**
 * Writes the flags that say how the list is read as a mapping.
 *
 * @throws UsageError if the file cannot be written
 */
export function saveMapping(file: string, flags: ListFlags): void {
  const { format, delimiter, encoding, records, sheet, ignoreExtraColumns } = flags;
  const headerRow = flags.headerRow && Number(flags.headerRow);
  const columns = flags.columns?.split(',').map((name) => name.trim());
  const options = { format, delimiter, encoding, headerRow, columns, records, sheet, ignoreExtraColumns };
  const values: Record<string, Record<string, string>> = {};
  for (const pair of flags.mapValue ?? []) {
    const [, field = '', from = '', to = ''] = /^([^:]*):(.*)=(.*)$/s.exec(pair) ?? [];
    values[field.trim()] = { ...values[field.trim()], [from.trim()]: to.trim() };
  }
  const mapping = {
    columns: record(flags.map),
    values,
    defaults: record(flags.default),
    extraFields: record(flags.extraField),
    options: JSON.parse(JSON.stringify(options)) as object,
  };
  const filled = Object.entries(mapping).filter(([, part]) => Object.keys(part).length > 0);
  try {
    replaceFile(file, `${JSON.stringify(Object.fromEntries(filled), null, 2)}\n`, { durable: false });
  } catch (error) {
    throw new UsageError(`--save-mapping: cannot write ${file}: ${describeFsError(error)}`);
  }
}

function record(pairs: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/s, 2).map((part) => part.trim())));
}
