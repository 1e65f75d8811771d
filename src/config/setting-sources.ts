import type { Environment, Host } from '../util/host.ts';
import { unknownNameError } from '../util/suggest.ts';
import type { GlobalFlags } from './global-flags.ts';
import {
  DEFAULT_PROFILE,
  type Profile,
  type Profiles,
  readProfiles,
  type SelectedProfile,
  selectProfile,
} from './profiles.ts';
import { SETTINGS, type Setting, type SettingName, type SettingValue } from './setting-table.ts';
import { readStoredKeys } from './stored-keys.ts';

/** Where the settings of a run come from. */
export interface SettingSources {
  flags: GlobalFlags;
  env: Environment;
  /** All profiles of the configuration file. */
  profiles: Profiles;
  /** The profile of this run; without values where the file does not have it. */
  profile: SelectedProfile & { values: Profile };
}

/**
 * Reads the configuration file and selects the profile of this run, which need not exist yet.
 *
 * @throws UsageError for an invalid profile name or file
 */
export async function readSettingSources(flags: GlobalFlags, host: Host): Promise<SettingSources> {
  const selected = selectProfile(flags, host.env);
  const profiles = await readProfiles(host);
  return { flags, env: host.env, profiles, profile: { ...selected, values: profiles.get(selected.name) ?? {} } };
}

/**
 * Checks that the profile of this run exists: that it has settings or a stored key.
 *
 * @throws UsageError that lists the known profiles
 */
export async function checkProfileExists({ profile, profiles }: SettingSources, host: Host): Promise<void> {
  if (profile.name === DEFAULT_PROFILE || profiles.has(profile.name)) return;
  const known = [...new Set([...profiles.keys(), ...(await readStoredKeys(host)).keys()])];
  if (known.includes(profile.name)) return;
  const where = profile.namedBy === 'flag' ? '--profile' : 'ORGADM_PROFILE';
  throw unknownNameError(`${where}: unknown profile`, profile.name, known);
}

/** A value, and the flag, variable or profile that sets it. */
export interface ResolvedSetting<T> {
  value: T;
  from: string;
}

/**
 * Resolves one setting: a flag overrides a profile named by flag, then the environment, then any other profile.
 *
 * @returns undefined where none of them sets it
 * @throws UsageError that names the flag, variable or profile with the bad value
 */
export function resolveSetting<N extends SettingName>(
  name: N,
  { flags, env, profile }: Omit<SettingSources, 'profiles'>,
): ResolvedSetting<SettingValue<N>> | undefined {
  const setting = SETTINGS[name] as Setting<SettingValue<N>>;
  const fromFlag = setting.flag && ([flags[setting.flag], `--${name}`] as const);
  const fromProfile = [profile.values[name], `profile ${profile.name}`] as const;
  const fromVariable = setting.env === undefined ? undefined : ([env[setting.env] || undefined, setting.env] as const);
  const order =
    profile.namedBy === 'flag' ? [fromFlag, fromProfile, fromVariable] : [fromFlag, fromVariable, fromProfile];
  for (const source of order) {
    const [value, from] = source ?? [];
    if (value === undefined || from === undefined) continue;
    return { value: setting.read(value, source === fromProfile ? `${from}: ${name}` : from), from };
  }
  return undefined;
}
