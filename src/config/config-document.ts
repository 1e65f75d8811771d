import * as z from 'zod/mini';
import { UsageError } from '../util/errors.ts';
import { parseJsonFile } from '../util/json/parse-json-file.ts';
import { unknownNameError } from '../util/suggest.ts';
import { SETTING_NAMES, type SettingName } from './setting-table.ts';

/*
 * The schemas of the files in the configuration directory. Loaded only if there is such a file: zod takes a third as
 * long to load as Node to start. No message repeats a value, which may be a secret.
 */

const settingSchema = (name: SettingName) =>
  z.optional(
    z.union([z.string(), z.number(), z.boolean(), z.array(z.string())], {
      error: `${name}: the value has the wrong type`,
    }),
  );

const profileSchema = z.strictObject(
  Object.fromEntries(SETTING_NAMES.map((name) => [name, settingSchema(name)])) as {
    [Name in SettingName]: ReturnType<typeof settingSchema>;
  },
  { error: 'must be an object of settings' },
);

/** The file that holds the profiles. It does not check whether a setting accepts its value. */
export const profilesSchema = z.strictObject({ profiles: z.record(z.string(), profileSchema) });

/** The key of a profile (interface 5). */
const storedKeySchema = z.object(
  {
    apiKey: z.string({ error: 'apiKey must be a string' }).check(z.minLength(1, { error: 'apiKey is empty' })),
    /** The one service that it is sent to, in the normal form of `readBaseUrl`. */
    baseUrl: z.string({ error: 'baseUrl must be a string' }),
  },
  { error: 'must be an object with apiKey and baseUrl' },
);
export type StoredKey = z.infer<typeof storedKeySchema>;

/** The file that holds the keys. */
export const storedKeysSchema = z.strictObject({ profiles: z.record(z.string(), storedKeySchema) });

/**
 * Parses a file of the configuration directory: `{"profiles": {"<name>": ...}}`.
 *
 * @param invalidEntryHint returns the hint for an invalid entry
 * @returns the entries by profile
 * @throws UsageError that names the file and the key, or mostly the line and column where the text is not JSON
 */
export async function parseConfigDocument<Entry>(
  text: string,
  file: string,
  schema: z.ZodMiniType<{ profiles: Record<string, Entry> }>,
  invalidEntryHint?: (profile: string) => string,
): Promise<Map<string, Entry>> {
  const parsed = z.safeParse(schema, parseJsonFile(text, file, 'Correct it in an editor. The file was not changed.'));
  if (parsed.success) return new Map(Object.entries(parsed.data.profiles));
  const { issues } = parsed.error;
  // A misspelled key explains a missing one.
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  throw issue === undefined ? parsed.error : await issueError(issue, file, invalidEntryHint);
}

async function issueError(
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
  return new UsageError(`${where}: ${issue.message}`, invalidEntryHint?.(profile));
}
