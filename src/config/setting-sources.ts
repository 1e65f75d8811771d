import type { OutputFormat } from '../output/output.ts';
import { UsageError } from '../util/errors.ts';
import type { Environment, Host } from '../util/host.ts';
import { suggest } from '../util/suggest.ts';
import {
  DEFAULT_PROFILE,
  type Profile,
  type Profiles,
  readProfiles,
  readStoredKeys,
  type SelectedProfile,
  selectProfile,
} from './profiles.ts';
import { SETTINGS, type Setting, type SettingName, type SettingValue, type StoredValue } from './setting-table.ts';

/** Where the settings of a run come from. */
export interface SettingSources {
  flags: GlobalFlags;
  env: Environment;
  /** All profiles of the configuration file. */
  profiles: Profiles;
  /** The profile of this run; without values if the file does not have it. */
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

/** Profiles that an error lists. */
const MAX_LISTED = 20;

/**
 * Checks that the profile of this run exists: that it has settings or a stored key.
 *
 * @throws UsageError that lists the known profiles, with the closest one
 */
export async function checkProfileExists({ profile, profiles }: SettingSources, host: Host): Promise<void> {
  if (profile.name === DEFAULT_PROFILE || profiles.has(profile.name)) return;
  const known = [...new Set([DEFAULT_PROFILE, ...profiles.keys(), ...(await readStoredKeys(host)).keys()])];
  if (known.includes(profile.name)) return;
  const where = profile.namedBy === 'flag' ? '--profile' : 'ORGADM_PROFILE';
  const more = known.length > MAX_LISTED ? ` and ${known.length - MAX_LISTED} more` : '';
  const near = suggest(profile.name, known);
  throw new UsageError(
    `${where}: unknown profile "${profile.name}"; known: ${known.slice(0, MAX_LISTED).join(', ')}${more}`,
    near === undefined ? `Create it with: orgadm auth login --profile ${profile.name}` : `Did you mean ${near}?`,
  );
}

/** A value and its source. */
export interface ResolvedSetting<T> {
  value: T;
  /** The value as a profile would store it. */
  stored: StoredValue;
  /** The flag, variable or profile that sets it, or `default`. */
  from: string;
  /** The same, with the name of a profile's setting, to begin an error with. */
  where: string;
}

/** A setting without a default is undefined if nothing sets it. */
type Resolved<N extends SettingName> =
  | ResolvedSetting<SettingValue<N>>
  | ((typeof SETTINGS)[N] extends { default: StoredValue } ? never : undefined);

/**
 * Resolves one setting: a flag overrides a profile named by flag, then the environment, then any other profile.
 *
 * @throws UsageError that names the flag, variable or profile with the bad value
 */
export function resolveSetting<N extends SettingName>(
  name: N,
  { flags, env, profile }: Omit<SettingSources, 'profiles'>,
): Resolved<N> {
  const setting: Setting<unknown> = SETTINGS[name];
  const toStored = (text: string | undefined) => text && (setting.toStored?.(text) ?? text);
  const fromFlag = { stored: setting.flag && toStored(flags[setting.flag]), from: `--${name}` };
  const fromVariable = { stored: setting.env && toStored(env[setting.env]), from: setting.env ?? '' };
  const fromProfile = { stored: profile.values[name], from: `profile ${profile.name}` };
  const order =
    profile.namedBy === 'flag' ? [fromFlag, fromProfile, fromVariable] : [fromFlag, fromVariable, fromProfile];
  const found = order.find(({ stored }) => stored !== undefined && stored !== '');
  const { stored = setting.default, from = 'default' } = found ?? {};
  if (stored === undefined) return undefined as Resolved<N>;
  const where = found === fromProfile ? `${from}: ${name}` : from;
  return { value: setting.read(stored, where), stored, from, where } as Resolved<N>;
}

/** The global options, as Commander parses them. */
export interface GlobalFlags {
  profile?: string;
  baseUrl?: string;
  sandbox?: boolean;
  fault?: string;
  variant?: string;
  keyFile?: string;
  output?: OutputFormat;
  json?: boolean;
  jq?: string;
  rawOutput?: boolean;
  rawCsv?: boolean;
  quiet?: boolean;
  verbose?: boolean;
  debug?: boolean;
  color?: boolean;
  timeout?: string;
  retries?: string;
  caCert?: string;
  allowHttp?: boolean;
}
