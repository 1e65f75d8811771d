import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UsageError } from '../util/errors.ts';
import type { Environment, Host } from '../util/host.ts';
import { isJsonObject } from '../util/json-object.ts';
import { unknownNameError } from '../util/suggest.ts';
import {
  changeFile,
  ensurePrivateDirectory,
  parseConfigDocument,
  readOwnFile,
  renderConfigDocument,
  replacePrivateFile,
} from './config-file.ts';
import { configDirectory } from './paths.ts';
import { isSettingName, SETTING_NAMES, SETTINGS, type SettingName, type StoredValue } from './setting-table.ts';

/** The settings of one profile, as the file holds them; all of them have been checked. */
export type Profile = Readonly<Partial<Record<SettingName, StoredValue>>>;
export type Profiles = ReadonlyMap<string, Profile>;

type ConfigLocation = Pick<Host, 'env' | 'home' | 'uid'>;

/** The file that holds the settings of all profiles. */
export function configFile(host: ConfigLocation): string {
  return join(configDirectory(host), 'config.json');
}

/**
 * Reads the profiles; a file that is not there holds none.
 *
 * @throws UsageError for a file or a directory that other users can write to, a broken file (naming the line), an unknown setting (naming the nearest) or a bad value
 */
export async function readProfiles(host: ConfigLocation): Promise<Profiles> {
  const file = configFile(host);
  const profiles = new Map<string, Profile>();
  const text = await readOwnFile(file, host.uid);
  if (text === undefined) return profiles;
  for (const [name, entry] of parseConfigDocument(text, file)) {
    checkProfileName(name, file);
    profiles.set(name, await checkProfile(entry, `${file}: profile "${name}"`));
  }
  return profiles;
}

/**
 * Changes one profile and writes the file; the others stay as they are, also those that another process changes at the
 * same time. A profile left without settings is dropped.
 *
 * @throws UsageError where the file is broken: it is never overwritten
 */
export async function changeProfile(
  host: ConfigLocation,
  name: string,
  change: (profile: Profile) => Profile,
): Promise<void> {
  await ensurePrivateDirectory(dirname(configFile(host)), host.uid);
  // A link, as those who keep their settings in a repository have it, stays one.
  const file = await realpath(configFile(host)).catch(() => configFile(host));
  await changeFile(file, async () => {
    const profiles = new Map(await readProfiles(host));
    const changed = change(profiles.get(name) ?? {});
    if (Object.keys(changed).length > 0) profiles.set(name, changed);
    else profiles.delete(name);
    replacePrivateFile(file, renderConfigDocument(profiles));
  });
}

async function checkProfile(entry: unknown, where: string): Promise<Profile> {
  if (!isJsonObject(entry)) throw new UsageError(`${where} is not an object`);
  const profile: Partial<Record<SettingName, StoredValue>> = {};
  for (const [name, value] of Object.entries(entry)) {
    if (!isSettingName(name)) throw await unknownNameError(`${where}: unknown setting`, name, SETTING_NAMES);
    if (!isStored(value)) throw new UsageError(`${where}: ${name}: the value is of the wrong type`);
    SETTINGS[name].read(value, `${where}: ${name}`);
    profile[name] = value;
  }
  return profile;
}

function isStored(value: unknown): value is StoredValue {
  if (Array.isArray(value)) return value.every((one) => typeof one === 'string');
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** The profile of those who need only one. */
export const DEFAULT_PROFILE = 'default';

export interface SelectedProfile {
  name: string;
  /** Who named it: a profile that a flag names ranks as a flag. Undefined for the default one. */
  namedBy: 'flag' | 'environment' | undefined;
}

/** The profile that this run is about: `--profile`, else `ORGADM_PROFILE`, else `default`. */
export function selectProfile(flags: { profile?: string }, env: Environment): SelectedProfile {
  if (flags.profile !== undefined) return { name: checkProfileName(flags.profile, '--profile'), namedBy: 'flag' };
  if (env.ORGADM_PROFILE)
    return { name: checkProfileName(env.ORGADM_PROFILE, 'ORGADM_PROFILE'), namedBy: 'environment' };
  return { name: DEFAULT_PROFILE, namedBy: undefined };
}

/** Throws UsageError unless `name` can be that of a profile. */
function checkProfileName(name: string, where: string): string {
  if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(name)) {
    throw new UsageError(
      `${where}: "${name}" cannot be the name of a profile`,
      'A letter or digit first, then letters, digits, _ - and . up to 64 in all.',
    );
  }
  return name;
}
