import { dirname, join } from 'node:path';
import { UsageError } from '../util/errors.ts';
import type { Environment, Host } from '../util/host.ts';
import { isJsonObject, type JsonObject } from '../util/json/json-object.ts';
import { parseJsonFile } from '../util/json/parse-json-file.ts';
import { type ConfigLocation, configDirectory, hasConfigDirectory } from './directories.ts';
import { ensurePrivateDirectory, readPrivateFile, writePrivateFile } from './private-file.ts';
import {
  type GlobalFlags,
  isSettingName,
  type Profile,
  type ProfileSettings,
  SETTING_NAMES,
  SETTINGS,
  type SelectedProfile,
  type SettingValue,
  settingOf,
} from './settings.ts';

/** The key of a profile (interface 5), and the one base URL that it is sent to, in its normal form. */
export interface StoredKey {
  readonly apiKey: string;
  readonly baseUrl: string;
}

/** Returns the path of the file with the settings of all profiles. */
export function configFile(host: ConfigLocation): string {
  return join(configDirectory(host), 'config.json');
}

/** Returns the path of the file with the keys of all profiles, readable by its owner alone. */
export function credentialsFile(host: ConfigLocation): string {
  return join(configDirectory(host), 'credentials.json');
}

/**
 * Reads the settings by profile; none if there is no file.
 *
 * @throws UsageError for a file that is not private (see `readPrivateFile`), that is not JSON, or that has an unknown setting or a
 *   bad value
 */
export async function readProfiles(host: ConfigLocation): Promise<ReadonlyMap<string, ProfileSettings>> {
  return readEntries(host, configFile, SETTING_NAMES, (entry, where) =>
    Object.fromEntries(
      Object.entries(entry).map(([name, value]) => [
        name,
        isSettingName(name)
          ? settingOf(name).parse(storedValue(value, `${where}: ${name}`), `${where}: ${name}`)
          : value,
      ]),
    ),
  );
}

/** Reads the keys by profile; none if there is no file. Throws as `readProfiles` does; no error contains a key. */
export async function readStoredKeys(host: ConfigLocation): Promise<ReadonlyMap<string, StoredKey>> {
  return readEntries(host, credentialsFile, ['apiKey', 'baseUrl'], ({ apiKey, baseUrl }, where, profile) => {
    if (typeof apiKey === 'string' && apiKey !== '' && typeof baseUrl === 'string') return { apiKey, baseUrl };
    throw new UsageError(
      `${where}: apiKey and baseUrl must be texts`,
      `Remove that profile from the file, then run: orgadm auth login --profile ${profile}`,
    );
  });
}

/**
 * Reads one of the two files: `{"profiles": {"<name>": {…}}}`.
 *
 * @param known the names that an entry may have
 * @param parse receives an entry, and what an error about it begins with
 */
async function readEntries<Entry>(
  host: ConfigLocation,
  fileOf: (host: ConfigLocation) => string,
  known: readonly string[],
  parse: (entry: JsonObject, where: string, profile: string) => Entry,
): Promise<Map<string, Entry>> {
  if (!hasConfigDirectory(host)) return new Map();
  const file = fileOf(host);
  const text = readPrivateFile(file, host.uid, { isSecret: fileOf === credentialsFile });
  if (text === undefined) return new Map();
  const document = parseJsonFile(text, file, 'Correct it in an editor. The file was not changed.');
  const profiles = isJsonObject(document) && Object.keys(document).length === 1 ? document.profiles : undefined;
  if (!isJsonObject(profiles)) throw new UsageError(`${file} must have the form {"profiles": {"default": {…}}}`);
  return new Map(
    Object.entries(profiles).map(([profile, entry]) => {
      const where = `${file}: profile "${checkProfileName(profile, file)}"`;
      if (!isJsonObject(entry)) throw new UsageError(`${where} must be an object`);
      const unknown = Object.keys(entry).find((name) => !known.includes(name));
      if (unknown !== undefined)
        throw new UsageError(`${where}: unknown setting ${JSON.stringify(unknown)}`, `Known: ${known.join(', ')}.`);
      return [profile, parse(entry, where, profile)];
    }),
  );
}

function storedValue(value: unknown, where: string): SettingValue {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  throw new UsageError(`${where}: the value has the wrong type`);
}

/**
 * Changes the settings of one profile. A profile left without settings is removed.
 *
 * @throws UsageError if the file is invalid: it is never overwritten
 */
export async function changeProfile(
  host: ConfigLocation,
  name: string,
  change: (settings: ProfileSettings) => ProfileSettings,
): Promise<void> {
  const profiles = new Map(await readProfiles(host));
  const changed = change(profiles.get(name) ?? {});
  if (Object.keys(changed).length > 0) profiles.set(name, changed);
  else profiles.delete(name);
  await writeEntries(configFile(host), profiles, host);
}

/** Stores the key of a profile, or replaces it. Throws as `readStoredKeys` does, and if the file cannot be written. */
export async function storeKey(host: ConfigLocation, profile: string, key: StoredKey): Promise<void> {
  await writeEntries(credentialsFile(host), new Map(await readStoredKeys(host)).set(profile, key), host);
}

/** Removes the key of a profile. Returns false if there is none. */
export async function deleteKey(host: ConfigLocation, profile: string): Promise<boolean> {
  const keys = new Map(await readStoredKeys(host));
  if (!keys.delete(profile)) return false;
  await writeEntries(credentialsFile(host), keys, host);
  return true;
}

async function writeEntries(file: string, entries: ReadonlyMap<string, unknown>, host: ConfigLocation): Promise<void> {
  await ensurePrivateDirectory(dirname(file), host.uid);
  writePrivateFile(file, `${JSON.stringify({ profiles: Object.fromEntries(entries) }, null, 2)}\n`);
}

/** The profile used if none is named. */
export const DEFAULT_PROFILE = 'default';

/** Returns the profile that `--profile` names, else `ORGADM_PROFILE`, else `default`. Throws UsageError for an invalid name. */
export function selectProfile({ profile }: GlobalFlags, env: Environment): SelectedProfile {
  if (profile !== undefined) return { name: checkProfileName(profile, '--profile'), from: '--profile', isOption: true };
  const variable = 'ORGADM_PROFILE';
  if (env[variable]) return { name: checkProfileName(env[variable], variable), from: variable, isOption: false };
  return { name: DEFAULT_PROFILE, from: 'default', isOption: false };
}

/**
 * Reads the profile of a run, which need not exist.
 *
 * @throws UsageError as `selectProfile` and `readProfiles` do, and for a variable of orgadm that it does not know
 */
export async function readProfile(flags: GlobalFlags, host: Host): Promise<Profile> {
  rejectUnknownVariables(host.env);
  const selected = selectProfile(flags, host.env);
  return { ...selected, settings: (await readProfiles(host)).get(selected.name) ?? {} };
}

/** The variables that orgadm reads. */
const VARIABLES = [
  ...Object.values(SETTINGS).flatMap((setting) => ('variable' in setting ? [setting.variable] : [])),
  ...['ORGADM_API_KEY', 'ORGADM_PROFILE', 'ORGADM_OUTPUT', 'ORGADM_NO_INPUT', 'ORGADM_CONFIG_DIR', 'ORGADM_STATE_DIR'],
];

/** Rejects a misspelled variable: without it, a job may use another service, or another key. */
function rejectUnknownVariables(env: Environment): void {
  const unknown = Object.keys(env).find((name) => name.startsWith('ORGADM_') && env[name] && !VARIABLES.includes(name));
  if (unknown === undefined) return;
  throw new UsageError(
    `orgadm does not know the variable ${unknown}`,
    `Unset or rename it. The variables are ${VARIABLES.join(', ')}.`,
  );
}

/**
 * Checks that a profile has settings or a key.
 *
 * @throws UsageError that lists the known profiles
 */
export async function requireProfile({ name, from, settings }: Profile, host: Host): Promise<void> {
  if (name === DEFAULT_PROFILE || Object.keys(settings).length > 0) return;
  const names = new Set([
    DEFAULT_PROFILE,
    ...(await readProfiles(host)).keys(),
    ...(await readStoredKeys(host)).keys(),
  ]);
  if (names.has(name)) return;
  throw new UsageError(
    `${from}: unknown profile "${name}"; known: ${[...names].join(', ')}`,
    `To create it: orgadm auth login --profile ${name}`,
  );
}

function checkProfileName(name: string, where: string): string {
  if (/^[A-Za-z0-9][\w.-]{0,63}$/.test(name)) return name;
  throw new UsageError(
    `${where}: ${JSON.stringify(name)} is not a valid profile name`,
    'Use up to 64 letters, digits, _, -, and ., starting with a letter or a digit.',
  );
}
