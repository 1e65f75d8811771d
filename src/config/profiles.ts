import { promises } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from '../util/errors.ts';
import type { Environment } from '../util/host.ts';
import { type ConfigLocation, configDirectory, hasConfigDirectory } from './directories.ts';
import type { Origin } from './origin.ts';
import { changeFile, ensurePrivateDirectory, readConfigFile, writeConfigDocument } from './private-file.ts';
import { SETTING_NAMES, SETTINGS, type SettingName, type StoredSetting } from './setting-table.ts';

/** The settings of one profile, validated, as the file holds them. */
export type Profile = { readonly [Name in SettingName]?: StoredSetting | undefined };
export type Profiles = ReadonlyMap<string, Profile>;

/** Returns the path of the file that holds the settings of all profiles. */
export function configFile(host: ConfigLocation): string {
  return join(configDirectory(host), 'config.json');
}

/**
 * Reads the profiles; none if there is no file.
 *
 * @throws UsageError for a file or a directory that other users can write to, a file that is not JSON (with the line),
 *   an unknown setting (with the closest name) and a bad value
 */
export async function readProfiles(host: ConfigLocation): Promise<Profiles> {
  if (!hasConfigDirectory(host)) return new Map();
  const file = configFile(host);
  const text = readConfigFile(file, host.uid, { isSecret: false });
  if (text === undefined) return new Map();
  const { parseConfigDocument, profilesSchema } = await import('./config-document.ts');
  const profiles = await parseConfigDocument<Profile>(text, file, profilesSchema);
  for (const [name, profile] of profiles) {
    checkProfileName(name, file);
    checkSettings(profile, `${file}: profile "${name}"`);
  }
  return profiles;
}

/** Throws UsageError for a value that `config set` would reject. */
function checkSettings(profile: Profile, where: string): void {
  for (const name of SETTING_NAMES) {
    const value = profile[name];
    if (value !== undefined) SETTINGS[name].read(value, `${where}: ${name}`);
  }
}

/**
 * Changes one profile and writes the file; the others stay as they are, also those that another process changes at the
 * same time. A profile left without settings is dropped.
 *
 * @throws UsageError if the file is invalid: it is never overwritten
 */
export async function changeProfile(
  host: ConfigLocation,
  name: string,
  change: (profile: Profile) => Profile,
): Promise<void> {
  await ensurePrivateDirectory(dirname(configFile(host)), host.uid);
  // Keeps a symbolic link, for example into a dotfiles repository.
  const file = await promises.realpath(configFile(host)).catch(() => configFile(host));
  await changeFile(file, async () => {
    const profiles = new Map(await readProfiles(host));
    const changed = change(profiles.get(name) ?? {});
    if (Object.keys(changed).length > 0) profiles.set(name, changed);
    else profiles.delete(name);
    writeConfigDocument(file, profiles);
  });
}

/** The profile used if none is named. */
export const DEFAULT_PROFILE = 'default';

export interface SelectedProfile {
  name: string;
  /** What names it. A profile that an option names ranks as an option. */
  from: Origin;
}

/** Returns the profile that this run uses: `--profile`, else `ORGADM_PROFILE`, else `default`. */
export function selectProfile({ profile }: { profile?: string }, env: Environment): SelectedProfile {
  const [option, variable] = ['--profile', 'ORGADM_PROFILE'];
  if (profile !== undefined) {
    const name = checkProfileName(profile, option);
    return { name, from: { kind: 'option', name: option } };
  }
  if (env.ORGADM_PROFILE)
    return { name: checkProfileName(env.ORGADM_PROFILE, variable), from: { kind: 'variable', name: variable } };
  return { name: DEFAULT_PROFILE, from: { kind: 'default' } };
}

/** Throws UsageError for a name that no profile can have. */
function checkProfileName(name: string, where: string): string {
  if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(name)) {
    throw new UsageError(
      `${where}: "${name}" is not a valid profile name`,
      'Use up to 64 letters, digits, _, -, and ., starting with a letter or a digit.',
    );
  }
  return name;
}
