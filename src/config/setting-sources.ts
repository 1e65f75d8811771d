import type { OutputFormat } from '../output/output.ts';
import { UsageError } from '../util/errors.ts';
import type { Environment, Host } from '../util/host.ts';
import { suggest } from '../util/suggest.ts';
import { readStoredKeys } from './keys.ts';
import { type Origin, renderOrigin } from './origin.ts';
import {
  DEFAULT_PROFILE,
  type Profile,
  type Profiles,
  readProfiles,
  type SelectedProfile,
  selectProfile,
} from './profiles.ts';
import {
  SETTING_NAMES,
  SETTINGS,
  type Setting,
  type SettingName,
  type SettingValue,
  type StoredSetting,
} from './setting-table.ts';

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
 * @throws UsageError for an invalid profile name or file, and for a misspelled variable
 */
export async function readSettingSources(flags: GlobalFlags, host: Host): Promise<SettingSources> {
  rejectMisspelledVariable(host.env);
  const selected = selectProfile(flags, host.env);
  const profiles = await readProfiles(host);
  return { flags, env: host.env, profiles, profile: { ...selected, values: profiles.get(selected.name) ?? {} } };
}

const PREFIX = 'ORGADM_';

/** The variables that orgadm reads, without their prefix. */
const VARIABLES = [
  ...SETTING_NAMES.map((name): Setting<unknown> => SETTINGS[name]).flatMap(
    ({ env }) => env?.slice(PREFIX.length) ?? [],
  ),
  ...['API_KEY', 'PROFILE', 'OUTPUT', 'NO_INPUT', 'CONFIG_DIR', 'STATE_DIR'],
];

/** Rejects a variable whose name is close to one that is not set: without it, a job may use another service, or another key. */
function rejectMisspelledVariable(env: Environment): void {
  const unset = VARIABLES.filter((name) => !env[`${PREFIX}${name}`]);
  for (const [variable, value] of Object.entries(env)) {
    const name = variable.slice(PREFIX.length);
    if (!value || !variable.startsWith(PREFIX) || VARIABLES.includes(name)) continue;
    const near = suggest(name, unset);
    if (near === undefined) continue;
    throw new UsageError(
      `${variable} is set, but orgadm does not read it`,
      `Did you mean ${PREFIX}${near}? If not, unset ${variable}.`,
    );
  }
}

/**
 * Checks that the profile of this run exists: that it has settings or a stored key.
 *
 * @throws UsageError that lists the known profiles, with the closest one
 */
export async function checkProfileExists({ profile, profiles }: SettingSources, host: Host): Promise<void> {
  if (profile.name === DEFAULT_PROFILE || profiles.has(profile.name)) return;
  const known = [...new Set([DEFAULT_PROFILE, ...profiles.keys(), ...(await readStoredKeys(host)).keys()])];
  if (known.includes(profile.name)) return;
  const near = suggest(profile.name, known);
  const create = `Create it with: orgadm auth login --profile ${profile.name}`;
  const hint = near === undefined ? create : `Did you mean ${near}?`;
  throw new UsageError(
    `${renderOrigin(profile.from)}: unknown profile "${profile.name}"; known: ${known.join(', ')}`,
    hint,
  );
}

/** A value and its source. */
export interface ResolvedSetting<T> {
  value: T;
  /** The value as a profile would store it. */
  stored: StoredSetting;
  from: Origin;
  /** What to begin an error with: the option, the variable, or the profile and the name of its setting. */
  where: string;
}

/** A setting without a default is undefined if nothing sets it. */
export type Resolved<N extends SettingName> =
  | ResolvedSetting<SettingValue<N>>
  | ((typeof SETTINGS)[N] extends { default: StoredSetting } ? never : undefined);

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
  const toStored = (given: string | boolean | undefined) =>
    given ? (setting.toStored?.(String(given)) ?? String(given)) : undefined;
  const option = given('option', `--${name}`, setting.flag && toStored(flags[setting.flag]));
  const variable = given('variable', setting.env ?? '', setting.env && toStored(env[setting.env]));
  const ofProfile = given('profile', profile.name, profile.values[name]);
  const order = profile.from.kind === 'option' ? [option, ofProfile, variable] : [option, variable, ofProfile];
  const found = order.find(({ stored }) => stored !== undefined);
  const { stored = setting.default, from = { kind: 'default' } } = found ?? {};
  if (stored === undefined) return undefined as Resolved<N>;
  const where = from.kind === 'profile' ? `${renderOrigin(from)}: ${name}` : renderOrigin(from);
  return { value: setting.read(stored, where), stored, from, where } as Resolved<N>;
}

function given(kind: 'option' | 'variable' | 'profile', name: string, stored: StoredSetting | undefined) {
  return { stored, from: { kind, name } satisfies Origin };
}

/** The global options, as Commander parses them. */
export interface GlobalFlags {
  profile?: string;
  baseUrl?: string;
  sandbox?: boolean;
  fault?: string;
  keyFile?: string;
  output?: OutputFormat;
  json?: boolean;
  jq?: string;
  rawOutput?: boolean;
  quiet?: boolean;
  debug?: boolean;
  color?: boolean;
  /** False under --no-input. */
  input?: boolean;
  timeout?: string;
  retries?: string;
  caCert?: string;
  allowHttp?: boolean;
}
