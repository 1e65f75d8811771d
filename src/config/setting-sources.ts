import type { Environment } from '../util/host.ts';
import type { GlobalFlags } from './global-flags.ts';
import type { Profile, SelectedProfile } from './profiles.ts';
import { SETTINGS, type Setting, type SettingName, type SettingValue } from './setting-table.ts';

/** Where values come from, the strongest first: see `settle`. */
export interface SettingSources {
  flags: GlobalFlags;
  env: Environment;
  profile: SelectedProfile & { values: Profile };
}

/** A value, and the words that tell where it was set. */
export interface ResolvedSetting<T> {
  value: T;
  from: string;
}

/**
 * Settles one setting: flag beats profile named by flag beats environment beats any other profile.
 *
 * @returns undefined where none of them sets it
 * @throws UsageError that names the flag, variable or profile with the bad value
 */
export function resolveSetting<N extends SettingName>(
  name: N,
  sources: SettingSources,
): ResolvedSetting<SettingValue<N>> | undefined {
  const setting = SETTINGS[name] as Setting<SettingValue<N>>;
  const { flags, env, profile } = sources;
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
