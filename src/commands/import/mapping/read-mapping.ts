import path from 'node:path';
import type * as z from 'zod/mini';
import { Rejected } from '../../../import/check/read-cell-text.ts';
import { readWord } from '../../../import/check/read-field.ts';
import {
  type GivenMapping,
  lookupSchema,
  MAPPED_FIELDS,
  type Mapping,
  mappingSchema,
  TRANSLATED_FIELDS,
  type TranslatedField,
} from '../../../import/mapping.ts';
import { quote } from '../../../output/sanitize.ts';
import { describeFsError, UsageError } from '../../../util/errors.ts';
import { MAX_CONFIG_BYTES, readFileUpTo } from '../../../util/files.ts';
import { parseJsonFile } from '../../../util/json/parse-json-file.ts';
import { comparableText } from '../../../util/visible-text.ts';
import type { MappingOptions } from './mapping-options.ts';

/**
 * Reads how the user wants a list to be read: the file of `--mapping`, in which an option replaces the entry of its name.
 *
 * @throws UsageError for a file that is not a mapping, and for a mapping that contradicts itself
 */
export async function readMapping(options: MappingOptions): Promise<GivenMapping> {
  const { mapping: file, ignoreExtraColumns = false } = options;
  const saved = file === undefined ? {} : await readMappingFile(file);
  const mapping = withOptions(saved, options);
  rejectContradictions(mapping, file === undefined ? '' : `${file}: `);
  return { mapping, file, ignoresOthers: ignoreExtraColumns };
}

/** Returns a mapping in which options replace the entries of their names. */
function withOptions(
  saved: Mapping,
  { map, active, mapValue, lookup, default: fallback, ignoreExtraColumns }: MappingOptions,
): Mapping {
  const { inactive, ignored, ...others } = saved;
  return {
    ...others,
    ...(map !== undefined && { columns: { ...saved.columns, ...map } }),
    // The values of inactive people belong to those of active ones.
    ...(active === undefined ? inactive !== undefined && { inactive } : { active }),
    ...(mapValue !== undefined && { values: { ...saved.values, ...mapValue } }),
    ...(fallback !== undefined && { default: { ...saved.default, ...fallback } }),
    ...(lookup !== undefined && { lookup }),
    ...(!ignoreExtraColumns && ignored !== undefined && { ignored }),
  };
}

/** @throws UsageError if the file cannot be read, or is not a mapping: names the path of the entry */
async function readMappingFile(file: string): Promise<Mapping> {
  const bytes = await readFileUpTo(file, MAX_CONFIG_BYTES).catch((error: unknown) => {
    throw new UsageError(`--mapping: cannot read ${file}: ${describeFsError(error)}`);
  });
  const parsed = mappingSchema.safeParse(parseJsonFile(bytes.toString('utf8'), `--mapping: ${file}`));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new UsageError(`--mapping ${file}: ${describeIssue(issue)}`, knownNames(issue));
  }
  const { lookup, ...mapping } = parsed.data;
  if (lookup === undefined) return mapping;
  const secondList = path.isAbsolute(lookup.file) ? lookup.file : path.join(path.dirname(file), lookup.file);
  return { ...mapping, lookup: { ...lookup, file: secondList } };
}

/** Names the entry of a mapping file that is wrong, and says what is: `columns.userId: expected string`. */
function describeIssue(issue: z.core.$ZodIssue | undefined, above: readonly PropertyKey[] = []): string {
  if (issue === undefined) return 'is not a mapping';
  const keys = [...above, ...issue.path];
  // The last alternative is the one that people write: an object of columns and values.
  const inner = issue.code === 'invalid_union' ? issue.errors.at(-1)?.[0] : undefined;
  if (inner !== undefined) return describeIssue(inner, keys);
  if (issue.code === 'unrecognized_keys') return `${pathOf([...keys, issue.keys[0] ?? ''])} is not known`;
  if (issue.code === 'invalid_key')
    return keys.at(-1) === '' ? `${pathOf(keys.slice(0, -1))} has a blank name` : `${pathOf(keys)} is not known`;
  if (issue.code === 'too_small') return `${pathOf(keys)} is blank`;
  const expected = issue.code === 'invalid_type' ? EXPECTED[issue.expected] : undefined;
  return `${pathOf(keys)} is not ${expected ?? 'an allowed value'}`;
}

/** The names of entries, by the entry that has them: `''` for the file. */
const KNOWN_NAMES: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(mappingSchema.shape),
  columns: MAPPED_FIELDS,
  values: TRANSLATED_FIELDS,
  default: TRANSLATED_FIELDS,
  lookup: Object.keys(lookupSchema.shape),
};

/** Returns a hint with the known names; undefined if something else is wrong. */
function knownNames(issue: z.core.$ZodIssue | undefined): string | undefined {
  if (issue?.code !== 'unrecognized_keys' && issue?.code !== 'invalid_key') return undefined;
  // The path of an invalid key ends with it.
  const above = issue.code === 'invalid_key' ? issue.path.slice(0, -1) : issue.path;
  const names = KNOWN_NAMES[above.map(String).join('.')];
  return names && `Known: ${names.join(', ')}.`;
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'a text',
  array: 'an array of texts',
  object: 'an object',
  record: 'an object',
};

function pathOf(keys: readonly PropertyKey[]): string {
  return keys.length === 0 ? 'the file' : keys.map(String).join('.');
}

/** @param place what comes before an error: the name of the mapping file */
function rejectContradictions(mapping: Mapping, place: string): void {
  const reject = (message: string, hint?: string) => {
    throw new UsageError(`${place}${message}`, hint);
  };
  const { active, inactive = {}, columns, values } = mapping;
  if (columns?.userId === null) reject('userId cannot be left out', 'Name its column: --map userId=<column>');
  const statuses = Object.keys(typeof active === 'object' ? active : {}).map(comparableText);
  const repeatedStatus = statuses.find((key, at) => statuses.indexOf(key) < at);
  if (repeatedStatus !== undefined) reject(`active has ${quote(repeatedStatus)} twice`);
  for (const [column, others] of Object.entries(inactive)) {
    const isSame = ([name]: [string, unknown]) => comparableText(name) === comparableText(column);
    const texts = active === 'all' ? undefined : Object.entries(active ?? {}).find(isSame)?.[1];
    if (texts === undefined) reject(`inactive.${column}: "active" does not have this column`);
    const both = others.find((text) => texts?.some((other) => comparableText(other) === comparableText(text)));
    if (both !== undefined) reject(`active.${column} and inactive.${column} both have ${quote(both)}`);
  }
  for (const field of TRANSLATED_FIELDS) {
    const keys = Object.keys(values?.[field] ?? {}).map(comparableText);
    const repeated = keys.find((key, at) => keys.indexOf(key) < at);
    if (repeated !== undefined) reject(`values.${field} has ${quote(repeated)} twice`);
    for (const text of wordsOf(mapping, field)) {
      const read = readWord(text, field, undefined);
      if (read instanceof Rejected) reject(read.message);
    }
  }
}

/** Returns what a mapping itself gives people as a role or a department. */
function wordsOf({ values, default: fallback }: Mapping, field: TranslatedField): string[] {
  return [...Object.values(values?.[field] ?? {}), ...(fallback?.[field] === undefined ? [] : [fallback[field]])];
}
