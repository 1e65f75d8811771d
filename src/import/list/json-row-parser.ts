import { JsonStructureError } from '../../client/json-envelope.ts';
import { JsonArrayReader, type JsonElement } from '../../client/json-stream.ts';
import { cleanLine } from '../../output/sanitize.ts';
import { UsageError } from '../../util/errors.ts';
import { isJsonObject } from '../../util/json-object.ts';
import {
  ERROR_COLUMN,
  fieldForSpelling,
  isForbiddenKey,
  type MemberField,
  normalizeSpelling,
  suggestField,
} from '../entry.ts';
import { EntryBuilder, type FieldValues } from './entry-builder.ts';
import { findDuplicateKey } from './json-members.ts';
import type { ListLayout, ListOptions } from './list-options.ts';
import { emptyListError, inChunks, type ListRow, MAX_ROW_BYTES, quote, quoteAll } from './list-row.ts';
import type { ParserOptions, RowParser } from './row-parser.ts';

const MAX_DEPTH = 64;
const HINT = 'The list was read as JSON. For one object a line pass --format ndjson.';

/** Reads a list that is a JSON array of entries, or the request body of interface 4.2 with `members`. */
export class JsonRowParser implements RowParser {
  readonly #bom: boolean;
  readonly #options: ListOptions;
  readonly #elements = new JsonArrayReader({ key: 'members', maxElementBytes: MAX_ROW_BYTES, maxDepth: MAX_DEPTH });
  readonly #validator: JsonValidator;
  #entries = 0;

  constructor({ options, defaults, encoding }: ParserOptions) {
    this.#bom = encoding.bomBytes > 0;
    this.#options = options;
    this.#validator = new JsonValidator(options, defaults);
  }

  *push(text: Buffer): Generator<ListRow[]> {
    for (const elements of inChunks(this.#split(text))) {
      yield elements.map((element) =>
        this.#validator.validate(element.bytes.toString(), element.line, ++this.#entries),
      );
    }
  }

  // biome-ignore lint/correctness/useYield: the last element is complete before the list ends
  *end(): Generator<ListRow[]> {
    const { envelope } = this.#elements;
    if (envelope.top === undefined) throw emptyListError();
    try {
      this.#elements.end();
    } catch (error) {
      throw asUsageError(error);
    }
    if (envelope.top === 'array') return;
    if (envelope.arrayKey === undefined) {
      throw new UsageError(
        'the JSON object has no "members"',
        'Write an array of entries, or {"members": [...]}. For one object a line pass --format ndjson.',
        'bad-list',
      );
    }
    if (envelope.keys.length > 0) {
      throw new UsageError(
        `beside "members" stands ${quoteAll(envelope.keys)}`,
        'A request body holds "members" and nothing else. Remove the other keys.',
        'bad-list',
      );
    }
  }

  layout(): ListLayout {
    return { format: 'json', bom: this.#bom, options: this.#options };
  }

  #split(text: Buffer): JsonElement[] {
    const elements: JsonElement[] = [];
    try {
      this.#elements.push(text, elements);
      return elements;
    } catch (error) {
      throw asUsageError(error);
    }
  }
}

function asUsageError(error: unknown): unknown {
  if (!(error instanceof JsonStructureError)) return error;
  return new UsageError(`line ${error.line}: ${cleanLine(error.message)}`, HINT, 'bad-list');
}

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
  if (isJsonObject(value)) return value;
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

function unknownKey(key: string): string {
  const near = suggestField(key);
  const suggestion =
    near === undefined ? 'name its field with --map, or pass --ignore-extra-columns' : `did you mean ${near}?`;
  return `unknown key ${quote(key)} (${suggestion})`;
}

/** What a key of a JSON entry stands for. */
export type KeyRole = MemberField | 'error' | 'forbidden' | 'unknown';

const MAX_KNOWN = 1000;

/** Tells what the keys of a list's entries stand for; the same few come again in each row. */
export class JsonKeys {
  readonly #map: ReadonlyMap<MemberField, string>;
  readonly #known = new Map<string, KeyRole>();

  /** `map` holds the keys that `--map` names, by exact text or else by spelling. */
  constructor(map: ReadonlyMap<MemberField, string>) {
    this.#map = map;
  }

  roleOf(key: string): KeyRole {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const role = this.#find(key);
    if (this.#known.size < MAX_KNOWN) this.#known.set(key, role);
    return role;
  }

  #find(key: string): KeyRole {
    if (isForbiddenKey(key)) return 'forbidden';
    for (const [field, wanted] of this.#map) {
      if (normalizeSpelling(wanted) === normalizeSpelling(key)) return field;
    }
    const field = fieldForSpelling(key);
    if (field !== undefined) return field;
    return normalizeSpelling(key) === ERROR_COLUMN ? 'error' : 'unknown';
  }
}
