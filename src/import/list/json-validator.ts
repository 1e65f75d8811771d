import { findDuplicateKey } from '../../client/json/object-members.ts';
import { cleanLine } from '../../output/sanitize.ts';
import { UsageError } from '../../util/errors.ts';
import { suggestField } from '../field-names.ts';
import { EntryBuilder, type FieldValues } from './entry-builder.ts';
import { JsonKeys } from './json-keys.ts';
import type { ListOptions } from './list-options.ts';
import type { ListRow } from './list-row.ts';
import { quote } from './quote.ts';

/** Turns the JSON texts of a list's elements into checked rows; knows nothing of other rows. */
export class JsonValidator {
  readonly #keys: JsonKeys;
  readonly #defaults: FieldValues;
  readonly #ignoreExtra: boolean;

  constructor(options: ListOptions, defaults: FieldValues) {
    this.#keys = new JsonKeys(options.map);
    this.#defaults = defaults;
    this.#ignoreExtra = options.ignoreExtraColumns;
  }

  /** Checks the row number `entry` (1-based), whose text starts on `line`. Throws `UsageError` when it is no JSON object. */
  validate(text: string, line: number, entry: number): ListRow {
    const object = parseObject(text, line);
    const builder = new EntryBuilder();
    const keys = Object.keys(object);
    const twice = findDuplicateKey(text, keys);
    if (twice !== undefined) builder.report({ column: twice, message: `the key ${quote(twice)} stands twice` });
    const sourceKeys = new Map<string, string>();
    // An errors file of ours has the keys that its list had; they were left unread then too.
    const ignoreExtra = this.#ignoreExtra || keys.some((key) => this.#keys.roleOf(key) === 'error');
    for (const key of keys) this.#take(builder, key, object[key], sourceKeys, ignoreExtra);
    const value = builder.finish(this.#defaults);
    return { line, entry, userId: builder.values.userId, value, issues: builder.issues, raw: { text } };
  }

  #take(
    builder: EntryBuilder,
    key: string,
    value: unknown,
    sourceKeys: Map<string, string>,
    ignoreExtra: boolean,
  ): void {
    const role = this.#keys.roleOf(key);
    if (role === 'error') return;
    if (role === 'forbidden') {
      builder.report({ column: key, message: `the key ${quote(key)} cannot be used` });
    } else if (role === 'unknown') {
      if (!ignoreExtra) builder.report({ column: key, message: unknownKey(key) });
    } else {
      const earlier = sourceKeys.get(role);
      if (earlier === undefined) builder.set(role, value, key);
      else
        builder.report({
          field: role,
          column: key,
          message: `${quote(earlier)} and ${quote(key)} both stand for ${role}`,
        });
      sourceKeys.set(role, key);
    }
  }
}

function parseObject(text: string, line: number): Record<string, unknown> {
  const value = parse(text, line);
  if (isObject(value)) return value;
  throw new UsageError(
    `line ${line}: ${quote(text)} is not an object`,
    'A member is written {"userId": "...", "role": "..."}.',
    'bad-list',
  );
}

function parse(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(
      `line ${line}: the element that starts here is not JSON: ${reason(error)}`,
      undefined,
      'bad-list',
    );
  }
}

/** The parser's words without the excerpt and the position, which is counted from the start of the element. */
function reason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return cleanLine(message.replace(/(?:, "|, \.\.\.).* is not valid JSON$| in JSON at position .*$/s, ''));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unknownKey(key: string): string {
  const near = suggestField(key);
  const suggestion =
    near === undefined ? 'name its field with --map, or pass --ignore-extra-columns' : `did you mean ${near}?`;
  return `unknown key ${quote(key)} (${suggestion})`;
}
