import * as z from 'zod/mini';
import { UsageError } from '../util/errors.ts';
import { unknownNameError } from '../util/suggest.ts';
import { SETTING_NAMES, SETTINGS, type SettingName, type StoredValue } from './setting-table.ts';

/*
 * The schemas of the files in the configuration directory. Loaded only if there is such a file: zod takes a third as
 * long to load as Node to start. No message repeats a value, which may be a secret.
 */

/** Returns the schema of a setting, which rejects the same values as `config set`. */
function settingSchema(name: SettingName) {
  const value = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())], {
    error: `${name}: the value has the wrong type`,
  });
  const isReadable = ({ value, issues }: z.core.ParsePayload<StoredValue>) => {
    try {
      SETTINGS[name].read(value, name);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      issues.push({ code: 'custom', message: error.message, params: { hint: error.hint }, input: value });
    }
  };
  return z.optional(value.check(isReadable));
}

const profileSchema = z.strictObject(
  Object.fromEntries(SETTING_NAMES.map((name) => [name, settingSchema(name)])) as {
    [Name in SettingName]: ReturnType<typeof settingSchema>;
  },
  { error: 'must be an object of settings' },
);

/** The file that holds the profiles. */
export const profilesSchema = z.strictObject({ profiles: z.record(z.string(), profileSchema) });

/** The key of a profile (interface 5). */
export const storedKeySchema = z.object(
  {
    apiKey: z.string({ error: 'apiKey must be a string' }).check(z.minLength(1, { error: 'apiKey is empty' })),
    /** The one service that it is sent to, in the normal form of `readBaseUrl`. */
    baseUrl: z.string({ error: 'baseUrl must be a string' }),
    /** Whether the service accepted it when it was stored. */
    verified: z.boolean({ error: 'verified must be true or false' }),
  },
  { error: 'must be an object with apiKey, baseUrl and verified' },
);
export type StoredKey = z.infer<typeof storedKeySchema>;

/** The file that holds the keys. */
export const storedKeysSchema = z.strictObject({ profiles: z.record(z.string(), storedKeySchema) });

/**
 * Parses a file of the configuration directory: `{"profiles": {"<name>": ...}}`.
 *
 * @param invalidEntryHint returns the hint for an invalid entry
 * @returns the entries by profile
 * @throws UsageError that names the file and the key, or the line where the text is not JSON
 */
export async function parseConfigDocument<Entry>(
  text: string,
  file: string,
  schema: z.ZodMiniType<{ profiles: Record<string, Entry> }>,
  invalidEntryHint?: (profile: string) => string,
): Promise<Map<string, Entry>> {
  const json = text.replace(/^\uFEFF/, '');
  const syntaxError = findJsonSyntaxError(json);
  if (syntaxError !== undefined) {
    throw new UsageError(
      `${file}, line ${syntaxError.line}: ${syntaxError.message}`,
      'Correct it in an editor. The file was not changed.',
    );
  }
  const parsed = z.safeParse(schema, JSON.parse(json));
  if (parsed.success) return new Map(Object.entries(parsed.data.profiles));
  const { issues } = parsed.error;
  // A misspelled key explains a missing one.
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  throw issue === undefined ? parsed.error : await describeIssue(issue, file, invalidEntryHint);
}

async function describeIssue(
  issue: z.core.$ZodIssue,
  file: string,
  invalidEntryHint?: (profile: string) => string,
): Promise<UsageError> {
  const [, profile] = issue.path.map(String);
  if (profile === undefined) {
    const [extra] = issue.code === 'unrecognized_keys' ? issue.keys : [];
    return new UsageError(
      extra === undefined ? `${file}: "profiles" is missing or not an object` : `${file}: unknown key "${extra}"`,
      'The file must have the form {"profiles": {"default": {...}}}.',
    );
  }
  const where = `${file}: profile "${profile}"`;
  if (issue.code === 'unrecognized_keys') {
    return unknownNameError(`${where}: unknown setting`, issue.keys[0] ?? '', SETTING_NAMES);
  }
  const hint: unknown = issue.code === 'custom' ? issue.params?.hint : invalidEntryHint?.(profile);
  return new UsageError(`${where}: ${issue.message}`, typeof hint === 'string' ? hint : undefined);
}

/** Where a text stops being JSON. The message repeats nothing of the text but keys: values may be secrets. */
export interface JsonSyntaxError {
  /** The physical line, 1-based. */
  line: number;
  message: string;
}

const TOKEN =
  /([{}[\],:])|("(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y;
const BLANK = /[ \t\r\n]*/y;

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma';

/** An array or object that is not closed yet, with the keys of the object so far. */
type Open = { end: ']' } | { end: '}'; keys: Set<string> };

/**
 * Finds the first place where a text is not JSON, or where an object has a duplicate key. `JSON.parse` quotes the text in
 * its message, names no line and silently keeps the last of two equal keys.
 *
 * @returns undefined for valid JSON without duplicate keys
 */
export function findJsonSyntaxError(text: string): JsonSyntaxError | undefined {
  const open: Open[] = [];
  let expected: Expected = 'value';
  let at = 0;
  const skipBlanks = () => {
    BLANK.lastIndex = at;
    at += BLANK.exec(text)?.[0].length ?? 0;
  };
  const errorAt = (message: string): JsonSyntaxError => ({ line: text.slice(0, at).split('\n').length, message });

  for (skipBlanks(); at < text.length; skipBlanks()) {
    const inside = open.at(-1);
    if (expected === 'comma' && inside === undefined) return errorAt('unexpected text after the end');
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.[0] ?? '';
    const next = nextExpected(token, expected, inside);
    if (next === undefined) return errorAt(`expected ${describe(expected, inside)}`);
    if (next === 'repeated') return errorAt(`duplicate key ${token}`);
    if (token === '{') open.push({ end: '}', keys: new Set() });
    else if (token === '[') open.push({ end: ']' });
    else if (token === '}' || token === ']') open.pop();
    expected = next;
    at += token.length;
  }
  return expected === 'comma' && open.length === 0 ? undefined : errorAt('unexpected end of the text');
}

/** What is expected after a token, or undefined where the token is not what was expected. */
function nextExpected(token: string, expected: Expected, inside: Open | undefined): Expected | 'repeated' | undefined {
  const closes = token === inside?.end;
  switch (expected) {
    case 'comma':
      if (closes) return 'comma';
      if (token !== ',') return undefined;
      return inside?.end === '}' ? 'key' : 'value';
    case 'colon':
      return token === ':' ? 'value' : undefined;
    case 'key':
    case 'key or }':
      if (closes && expected === 'key or }') return 'comma';
      return token.startsWith('"') && inside?.end === '}' ? afterKey(token, inside.keys) : undefined;
    default:
      if (closes && expected === 'value or ]') return 'comma';
      if (token === '{') return 'key or }';
      if (token === '[') return 'value or ]';
      return /^["\w-]/.test(token) ? 'comma' : undefined;
  }
}

function afterKey(token: string, keys: Set<string>): Expected | 'repeated' {
  const key = String(JSON.parse(token));
  if (keys.has(key)) return 'repeated';
  keys.add(key);
  return 'colon';
}

function describe(expected: Expected, inside: Open | undefined): string {
  if (expected === 'comma') return `a comma or ${inside?.end}`;
  return { value: 'a value', 'value or ]': 'a value or ]', key: 'a key', 'key or }': 'a key or }', colon: 'a colon' }[
    expected
  ];
}
