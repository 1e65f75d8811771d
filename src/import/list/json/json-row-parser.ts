import { isJsonObject, type JsonObject } from '../../../output/json.ts';
import { cleanLine } from '../../../output/sanitize.ts';
import { UsageError } from '../../../util/errors.ts';
import { countOf } from '../../../util/units.ts';
import { ERROR_COLUMN, fieldForSpelling, isForbiddenKey, normalizeSpelling, suggestField } from '../../entry.ts';
import { EntryBuilder, extraFieldRule, type FieldRule } from '../field-rules.ts';
import { CHUNK_ROWS, emptyListError, type ListRow, quote, quoteAll } from '../list-row.ts';
import {
  ColumnsError,
  describeMapping,
  type ParserOptions,
  type ParserSummary,
  type RowParser,
  suggestOptions,
  warnOfIgnoredStatus,
} from '../row-parser.ts';
import { describeMore, JsonElements, type ListElement, objectMembers } from './json-elements.ts';

const MAX_NAMES = 100;

/** Reads a JSON or NDJSON list. */
export class JsonRowParser implements RowParser {
  readonly #options: ParserOptions;
  readonly #elements: JsonElements;
  #entries = 0;
  /** The rules of the options, and those of the extra fields of an errors file. */
  #rules: readonly FieldRule[];
  #roleOf: (key: string) => KeyRole;
  readonly #paths: readonly PathRule[];
  /** The keys or paths from which fields were read, by field. */
  readonly #sources = new Map<string, string>();
  /** Keys that no field is read from; at most 100. */
  readonly #ignored = new Set<string>();
  #isErrorsFile = false;

  constructor(options: ParserOptions) {
    this.#options = options;
    this.#elements = new JsonElements(options.shape, options.options.records);
    this.#rules = options.rules;
    this.#roleOf = createKeyRoles(options.rules);
    this.#paths = options.rules.flatMap((rule) =>
      rule.source?.name.includes('.') ? { rule, path: rule.source.name.split('.') } : [],
    );
  }

  push(text: string): Iterable<ListRow[]> {
    return this.#validateAll(this.#elements.push(text));
  }

  *end(): Generator<ListRow[]> {
    yield* this.#validateAll(this.#elements.end());
    if (this.#elements.isEmpty) throw emptyListError();
    if (!this.#elements.found) throw this.#elements.notFound();
    if (this.#entries > 0) this.#checkSources();
  }

  summary(): ParserSummary {
    const { encoding, format, options, defaults } = this.#options;
    const ignored = [...this.#ignored];
    const hasActive = this.#sources.has('isActive') || options.defaults.has('isActive');
    const more = describeMore(this.#elements.siblings, this.#entries);
    const missing = (['userId', 'role'] as const).filter(
      (field) => !this.#sources.has(field) && defaults[field] === undefined,
    );
    const mayIgnore = options.ignoreExtraColumns || this.#isErrorsFile;
    return {
      layout: { format: format === 'ndjson' ? 'ndjson' : 'json', hasBom: encoding.hasBom, options },
      mapping: describeMapping({ options, rules: this.#rules }, (field) => this.#sources.get(field), ignored),
      warnings: [
        ...(this.#isErrorsFile ? [] : warnOfIgnoredStatus(ignored, hasActive)),
        ...(more === undefined
          ? []
          : [`the list has ${countOf(this.#entries, 'entry', 'entries')}, but there may be more: ${more}`]),
      ],
      suggestedOptions:
        missing.length === 0 && mayIgnore ? [] : suggestOptions(ignored, missing, new Set(this.#sources.keys())),
    };
  }

  *#validateAll(elements: readonly ListElement[]): Generator<ListRow[]> {
    for (let from = 0; from < elements.length; from += CHUNK_ROWS) {
      const chunk = elements.slice(from, from + CHUNK_ROWS);
      yield chunk.map((element) => this.#validate(element, ++this.#entries));
    }
  }

  /** Validates the row number `entry` (1-based). Throws `UsageError` if it is not a JSON object. */
  #validate({ text, line }: ListElement, entry: number): ListRow {
    const object = parseObject(text, line, entry);
    const keys = Object.keys(object);
    // An errors file keeps the unknown keys of its list, which were ignored when that was read.
    const isErrorsFile = keys.some((key) => this.#roleOf(key) === 'error');
    if (isErrorsFile) this.#addExtraFields(keys);
    this.#isErrorsFile ||= isErrorsFile;
    const builder = new EntryBuilder(this.#rules, this.#options.defaults);
    const duplicate = findDuplicateKey(text, keys);
    if (duplicate !== undefined)
      builder.report({ column: duplicate, message: `the key ${quote(duplicate)} appears twice` });
    const ignoreExtra = this.#options.options.ignoreExtraColumns || isErrorsFile;
    const sources = new Map<string, string>();
    for (const key of keys) this.#read(builder, key, object[key], sources, ignoreExtra);
    for (const { rule, path } of this.#paths) {
      const value = valueAt(object, path);
      if (value !== undefined) this.#set(builder, rule, value, path.join('.'), sources);
    }
    const value = builder.finish();
    return { line, entry, userId: builder.values.userId, value, issues: builder.issues, raw: { text } };
  }

  #addExtraFields(keys: readonly string[]): void {
    const known = new Set(this.#rules.map(({ field }) => field));
    const added = keys.flatMap((key) => extraFieldRule(key) ?? []).filter(({ field }) => !known.has(field));
    if (added.length === 0) return;
    this.#rules = [...this.#rules, ...added];
    this.#roleOf = createKeyRoles(this.#rules);
  }

  /** Throws if --map or --extra-field names a key that no entry has. */
  #checkSources(): void {
    const unused = this.#options.rules.filter(({ field, source }) => source !== undefined && !this.#sources.has(field));
    if (unused.length === 0) return;
    const lines = unused.map(({ field, source, isExtra, isInverted }) => {
      return `${isExtra ? '--extra-field' : '--map'} ${field}=${isInverted ? '!' : ''}${source?.name}: no entry has this key`;
    });
    const names = [...new Set([...this.#sources.values(), ...this.#ignored])];
    throw new ColumnsError([...lines, `keys: ${quoteAll(names)}`].join('\n'), undefined, []);
  }

  #read(builder: EntryBuilder, key: string, value: unknown, sources: Map<string, string>, ignoreExtra: boolean): void {
    const role = this.#roleOf(key);
    if (role === 'error' || role === 'path') return;
    if (role === 'forbidden') {
      builder.report({ column: key, message: `the key ${quote(key)} cannot be used` });
    } else if (role === 'unknown') {
      this.#ignore(key, value);
      if (!ignoreExtra) builder.report({ column: key, message: unknownKey(key) });
    } else if (role.isReplaced) {
      this.#ignore(key, value);
      if (!ignoreExtra)
        for (const rule of role.rules)
          builder.report({ field: rule.field, column: key, message: this.#bothRead(rule, key) });
    } else {
      for (const rule of role.rules) this.#set(builder, rule, value, key, sources);
    }
  }

  #bothRead({ field, source }: FieldRule, key: string): string {
    return `both ${quote(source?.name ?? '')} and ${quote(key)} are ${field} (to ignore the second: --ignore-extra-columns)`;
  }

  #set(builder: EntryBuilder, rule: FieldRule, value: unknown, key: string, sources: Map<string, string>): void {
    const { field } = rule;
    const earlier = sources.get(field);
    if (earlier === undefined) {
      builder.set(rule, value, key);
    } else {
      builder.report({ field, column: key, message: `both ${quote(earlier)} and ${quote(key)} are ${field}` });
    }
    sources.set(field, key);
    if (!this.#sources.has(field)) this.#sources.set(field, key);
  }

  /** Records a key, and those of the object under it, for the user to choose from. */
  #ignore(key: string, value: unknown): void {
    if (this.#ignored.size >= MAX_NAMES) return;
    const inner = isJsonObject(value) ? Object.keys(value).map((name) => `${key}.${name}`) : [];
    for (const name of inner.length > 0 ? inner : [key]) this.#ignored.add(name);
  }
}

interface PathRule {
  rule: FieldRule;
  /** Keys, as --map names them. */
  path: readonly string[];
}

/** Returns the value at a path of keys, which may have dots of their own, and of numbers in arrays. */
function valueAt(value: unknown, path: readonly string[]): unknown {
  if (path.length === 0) return value;
  if (typeof value !== 'object' || value === null) return undefined;
  for (let count = path.length; count > 0; count--) {
    const key = path.slice(0, count).join('.');
    if (!Object.hasOwn(value, key)) continue;
    const found = valueAt((value as Record<string, unknown>)[key], path.slice(count));
    if (found !== undefined) return found;
  }
  return undefined;
}

function parseObject(text: string, line: number, entry: number): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const message = `line ${line} (entry ${entry}): the element that starts here is not JSON: ${reason(error)}`;
    throw new UsageError(message, undefined, 'bad-list');
  }
  if (isJsonObject(value)) return value;
  throw new UsageError(
    `line ${line} (entry ${entry}): ${quote(text)} is not an object`,
    'A member looks like {"userId": "...", "role": "..."}.',
    'bad-list',
  );
}

/** The parser's message without the excerpt and the position, which is counted from the start of the element. */
function reason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return cleanLine(message.replace(/(?:, "|, \.\.\.).* is not valid JSON$| in JSON at position .*$/s, ''));
}

function unknownKey(key: string): string {
  const near = suggestField(key);
  const suggestion = near === undefined ? 'map it with --map, or add --ignore-extra-columns' : `did you mean ${near}?`;
  return `unknown key ${quote(key)} (${suggestion})`;
}

/**
 * What a key of an entry is: one or several fields (`isReplaced`: but --map names another key for them), the beginning of a
 * dotted path, the error of an errors file, or something else.
 */
export type KeyRole =
  | { readonly rules: readonly FieldRule[]; readonly isReplaced: boolean }
  | 'path'
  | 'error'
  | 'forbidden'
  | 'unknown';

const MAX_KNOWN = 1000;

/** Returns a function that finds the role of a key; the same few keys are repeated in each row. */
export function createKeyRoles(rules: readonly FieldRule[]): (key: string) => KeyRole {
  const known = new Map<string, KeyRole>();
  return (key) => {
    const role = known.get(key);
    if (role !== undefined) return role;
    const found = findKeyRole(rules, key);
    if (known.size < MAX_KNOWN) known.set(key, found);
    return found;
  };
}

function findKeyRole(all: readonly FieldRule[], key: string): KeyRole {
  if (isForbiddenKey(key)) return 'forbidden';
  const rules = all.filter(({ source }) => source !== undefined && isSameKey(source.name, key));
  if (rules.length > 0) return { rules, isReplaced: false };
  // Values at dotted paths are read separately.
  if (all.some(({ source }) => source !== undefined && `${source.name}.`.startsWith(`${key}.`))) return 'path';
  const field = fieldForSpelling(key);
  const rule = all.find((candidate) => candidate.field === field && !candidate.isExtra);
  if (rule !== undefined) return { rules: [rule], isReplaced: rule.source !== undefined };
  return normalizeSpelling(key) === ERROR_COLUMN ? 'error' : 'unknown';
}

function isSameKey(wanted: string, key: string): boolean {
  return !wanted.includes('.') && normalizeSpelling(wanted) === normalizeSpelling(key);
}

/** Returns a key that appears more than once in the object that `text` is: `JSON.parse` silently keeps the last one. */
export function findDuplicateKey(text: string, keys: readonly string[]): string | undefined {
  // Each key has a colon: a text with no more colons than keys has no duplicate key.
  let colon = text.indexOf(':');
  for (let count = 0; count < keys.length; count++) colon = text.indexOf(':', colon + 1);
  if (colon < 0) return undefined;
  const seen = new Set<string>();
  return objectMembers(text).find(({ key }) => seen.size === seen.add(key).size)?.key;
}
