import { join } from 'node:path';
import type { OutputFormat } from '../output/output.ts';
import { describeFsError, UsageError } from '../util/errors.ts';
import { MAX_PEM_BYTES, readFileUpTo } from '../util/files.ts';
import type { Environment, Host } from '../util/host.ts';
import { suggest } from '../util/suggest.ts';
import { NO_KEY, type ResolvedKey, readStoredKeys, resolveKey } from './keys.ts';
import { type Origin, renderOrigin } from './origin.ts';
import { stateDirectory } from './private-file.ts';
import {
  DEFAULT_PROFILE,
  type Profile,
  type Profiles,
  readProfiles,
  type SelectedProfile,
  selectProfile,
} from './profiles.ts';
import { SETTINGS, type Setting, type SettingName, type SettingValue, type StoredSetting } from './setting-table.ts';

export interface Settings extends Connection, ResolvedKey {
  /** Set for a run against the embedded sandbox instead of `baseUrl`. */
  sandbox: { stateFile: string; fault: string | undefined } | undefined;
}

/**
 * Resolves the settings of a run: a flag overrides the environment, which overrides the profile and the default; a
 * profile that is named by flag ranks as a flag. `--sandbox` overrides everything else that names a service.
 *
 * @throws UsageError that names the flag, variable or profile with the bad value
 */
export async function resolveSettings(sources: SettingSources, host: Host): Promise<Settings> {
  const { flags, profile } = sources;
  const sandbox = sandboxOf(flags, host);
  await checkProfileExists(sources, host);
  if (sandbox !== undefined) {
    return { ...sandboxConnection(sources), ...NO_KEY, sandbox };
  }
  const connection = await resolveConnection(sources);
  const { baseUrl, baseUrlFrom } = connection;
  const key = await resolveKey({ keyFile: flags.keyFile, profile, baseUrl, baseUrlFrom }, host);
  return { ...connection, ...key, sandbox };
}

/** Whether the base URL or the key is that of the profile. */
export function usesProfile({ baseUrlFrom, apiKeyFrom }: Pick<Settings, 'baseUrlFrom' | 'apiKeyFrom'>): boolean {
  return [baseUrlFrom, apiKeyFrom].some((origin) => origin?.kind === 'profile');
}

/** Returns the path of the sandbox's state. */
export function sandboxStateFile(host: Host): string {
  return join(stateDirectory(host), 'sandbox.json');
}

function sandboxOf({ sandbox, fault }: GlobalFlags, host: Host): Settings['sandbox'] {
  if (sandbox) return { stateFile: sandboxStateFile(host), fault };
  if (fault === undefined) return undefined;
  throw new UsageError('--fault requires --sandbox');
}

/** How to reach a service: everything but the key. */
export interface Connection {
  /** Name of the profile in use. */
  profile: string;
  /** Undefined if none is set. */
  baseUrl: string | undefined;
  /** What set it. */
  baseUrlFrom: Origin | undefined;
  timeoutMs: number;
  /** Further attempts after the first. */
  retries: number;
  allowHttp: boolean;
  /** PEM text of `--ca-cert` or the profile's `ca-cert`. */
  caCert: string | undefined;
  /** PEM text of NODE_EXTRA_CA_CERTS, if there is a `caCert`. */
  extraCaCerts: string | undefined;
  proxy: { http?: string; https?: string; no?: string };
  wire: FieldNames;
}

/** Returns the error for a missing base URL. Exit code 2. */
export function missingBaseUrlError(): UsageError {
  return new UsageError(
    'no base URL',
    'Set ORGADM_BASE_URL, pass --base-url https://api.example.com, or store one with orgadm auth login.',
  );
}

/**
 * Resolves how to reach the service.
 *
 * @throws UsageError that names the flag, variable or profile with the bad value
 */
export async function resolveConnection(sources: SettingSources): Promise<Connection> {
  const base = resolveSetting('base-url', sources);
  const certificates = resolveSetting('ca-cert', sources);
  const caCert = certificates && (await readCertificates(certificates.value, certificates.where));
  return {
    ...commonSettings(sources),
    baseUrl: base?.value,
    baseUrlFrom: base?.from,
    allowHttp: resolveAllowHttp(sources).value,
    caCert,
    extraCaCerts: caCert === undefined ? undefined : await readExtraCertificates(sources.env.NODE_EXTRA_CA_CERTS),
    wire: resolveFieldNames(sources),
  };
}

/** Resolves the connection to the sandbox, which uses the default field names. */
function sandboxConnection(sources: SettingSources): Connection {
  return {
    ...commonSettings(sources),
    baseUrl: undefined,
    baseUrlFrom: undefined,
    allowHttp: false,
    caCert: undefined,
    extraCaCerts: undefined,
    wire: resolveFieldNames(withoutProfile(sources)),
  };
}

function commonSettings(sources: SettingSources): Pick<Connection, 'profile' | 'timeoutMs' | 'retries' | 'proxy'> {
  return {
    profile: sources.profile.name,
    timeoutMs: resolveSetting('timeout', sources).value,
    retries: resolveSetting('retries', sources).value,
    proxy: proxyOf(sources.env),
  };
}

function withoutProfile({ flags, env, profile }: SettingSources) {
  return { flags, env, profile: { ...profile, values: {} } };
}

/** Resolves `allow-http`. A profile allows plain http only to its own service: other keys must not be sent unencrypted. */
export function resolveAllowHttp(sources: SettingSources): ResolvedSetting<boolean> {
  const ofProfile = resolveSetting('base-url', { flags: {}, env: {}, profile: sources.profile })?.value;
  const isOwnService = ofProfile === resolveSetting('base-url', sources)?.value;
  return resolveSetting('allow-http', isOwnService ? sources : withoutProfile(sources));
}

function proxyOf(env: Environment): Connection['proxy'] {
  // Lower case first, like curl and undici: in CGI, a client can set HTTP_PROXY by a Proxy header.
  return {
    http: env.http_proxy || env.HTTP_PROXY || '',
    https: env.https_proxy || env.HTTPS_PROXY || '',
    no: env.no_proxy || env.NO_PROXY || '',
  };
}

const PEM_MARKER = '-----BEGIN CERTIFICATE-----';

/**
 * Reads a PEM file of certificates to trust.
 *
 * @param where the flag or setting that names it
 * @throws UsageError if it cannot be read or contains no certificate
 */
export async function readCertificates(file: string, where: string): Promise<string> {
  let pem: string;
  try {
    pem = (await readFileUpTo(file, MAX_PEM_BYTES)).toString('utf8');
  } catch (error) {
    throw new UsageError(`${where}: cannot read ${file}: ${describeFsError(error)}`);
  }
  if (pem.includes(PEM_MARKER)) return pem;
  throw new UsageError(`${where}: ${file} contains no certificate`, `It must be a PEM file: ${PEM_MARKER}`);
}

/** Reads the file of NODE_EXTRA_CA_CERTS; like Node, ignores one that cannot be used. */
async function readExtraCertificates(file: string | undefined): Promise<string | undefined> {
  if (!file) return undefined;
  const pem = (await readFileUpTo(file, MAX_PEM_BYTES).catch(() => '')).toString('utf8');
  return pem.includes(PEM_MARKER) ? pem : undefined;
}

function resolveFieldNames(sources: Pick<SettingSources, 'flags' | 'env' | 'profile'>): FieldNames {
  return {
    findings: {
      task: resolveSetting('wire.findings.task', sources).value,
      evidenceSubmission: resolveSetting('wire.findings.evidenceSubmission', sources).value,
      evidenceFormType: resolveSetting('wire.findings.evidenceFormType', sources).value,
      scope: resolveSetting('wire.findings.scope', sources).value,
      ignore: resolveSetting('wire.findings.ignore', sources).value,
    },
    domain: { ignore: resolveSetting('wire.domain.ignore', sources).value },
    member: {
      deviceMgmtLabelId: resolveSetting('wire.member.deviceMgmtLabelId', sources).value,
      existing: resolveSetting('wire.member.existing', sources).value,
      errorIndexBase: resolveSetting('wire.member.errorIndexBase', sources)?.value,
    },
  };
}

/** Field and parameter names that the interface leaves open (interface 4.2, 4.4). */
export interface FieldNames {
  findings: {
    task: string;
    evidenceSubmission: string;
    evidenceFormType: string;
    scope: string;
    /** Members next to a list of findings that say nothing about its completeness, with their values. */
    ignore: readonly string[];
  };
  domain: {
    /** Members of a domain's status that say nothing about whether it is ready, with their values. */
    ignore: readonly string[];
  };
  member: {
    deviceMgmtLabelId: string;
    /** Phrases of messages for a user who is already a member. */
    existing: readonly string[];
    /** The number of the first member in `errors[].index`; undefined if it is not known. */
    errorIndexBase: 0 | 1 | undefined;
  };
}

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
  throw new UsageError(
    `${renderOrigin(profile.from)}: unknown profile "${profile.name}"; known: ${known.join(', ')}`,
    near === undefined ? `Create it with: orgadm auth login --profile ${profile.name}` : `Did you mean ${near}?`,
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
type Resolved<N extends SettingName> =
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
  /** Whether `profile` is from the journal of a run, and not an option. */
  isProfileRecorded?: boolean;
  baseUrl?: string;
  sandbox?: boolean;
  fault?: string;
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
  /** False under --no-input. */
  input?: boolean;
  timeout?: string;
  retries?: string;
  caCert?: string;
  allowHttp?: boolean;
}
