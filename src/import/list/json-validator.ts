import { duplicateKey } from '../../client/json/object-members.ts';
import { cleanLine } from '../../output/sanitize.ts';
import { UsageError } from '../../util/errors.ts';
import { nearestField } from '../field-names.ts';
import { Draft, type Values } from './entry-builder.ts';
import { JsonKeys } from './json-keys.ts';
import type { ListOptions } from './list-options.ts';
import type { ListRow } from './list-row.ts';
import { quote } from './quote.ts';

/** Turns the JSON texts of a list's elements into checked rows; knows nothing of other rows. */
export class JsonChecker {
  readonly #keys: JsonKeys;
  readonly #defaults: Values;
  readonly #ignoreExtra: boolean;

  constructor(options: ListOptions, defaults: Values) {
    this.#keys = new JsonKeys(options.map);
    this.#defaults = defaults;
    this.#ignoreExtra = options.ignoreExtraColumns;
  }

  /** Checks the row number `entry` (1-based), whose text starts on `line`. Throws `UsageError` when it is no JSON object. */
  check(text: string, line: number, entry: number): ListRow {
    const object = parseObject(text, line);
    const draft = new Draft();
    const keys = Object.keys(object);
    const twice = duplicateKey(text, keys);
    if (twice !== undefined) draft.report({ column: twice, message: `the key ${quote(twice)} stands twice` });
    const takenFrom = new Map<string, string>();
    // An errors file of ours has the keys that its list had; they were left unread then too.
    const ignoreExtra = this.#ignoreExtra || keys.some((key) => this.#keys.meaning(key) === 'error');
    for (const key of keys) this.#take(draft, key, object[key], takenFrom, ignoreExtra);
    const value = draft.finish(this.#defaults);
    return { line, entry, userId: draft.values.userId, value, problems: draft.problems, raw: { text } };
  }

  #take(draft: Draft, key: string, value: unknown, takenFrom: Map<string, string>, ignoreExtra: boolean): void {
    const meaning = this.#keys.meaning(key);
    if (meaning === 'error') return;
    if (meaning === 'forbidden') {
      draft.report({ column: key, message: `the key ${quote(key)} cannot be used` });
    } else if (meaning === 'unknown') {
      if (!ignoreExtra) draft.report({ column: key, message: unknownKey(key) });
    } else {
      const earlier = takenFrom.get(meaning);
      if (earlier === undefined) draft.set(meaning, value, key);
      else
        draft.report({
          field: meaning,
          column: key,
          message: `${quote(earlier)} and ${quote(key)} both stand for ${meaning}`,
        });
      takenFrom.set(meaning, key);
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
  const words = error instanceof Error ? error.message : String(error);
  return cleanLine(words.replace(/(?:, "|, \.\.\.).* is not valid JSON$| in JSON at position .*$/s, ''));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unknownKey(key: string): string {
  const near = nearestField(key);
  const meant =
    near === undefined ? 'name its field with --map, or pass --ignore-extra-columns' : `did you mean ${near}?`;
  return `unknown key ${quote(key)} (${meant})`;
}
