import { join } from 'node:path';
import { UsageError } from '../util/errors.ts';
import type { Environment, Host } from '../util/host.ts';
import { readCertificates, readExtraCertificates } from './certificates.ts';
import { stateDirectory } from './directories.ts';
import { NO_KEY, type ResolvedKey, resolveKey } from './keys.ts';
import type { Origin } from './origin.ts';
import {
  checkProfileExists,
  type GlobalFlags,
  type Resolved,
  resolveSetting,
  type SettingSources,
} from './setting-sources.ts';
import type { SettingName } from './setting-table.ts';

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
  /** Whether the profile has another base URL. */
  isOtherService: boolean;
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
    isOtherService: isOtherService(sources),
    allowHttp: resolveForService('allow-http', sources).value,
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
    isOtherService: false,
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

function withoutProfile(sources: SettingSources): SettingSources {
  return { ...sources, profile: { ...sources.profile, values: {} } };
}

/**
 * Resolves a setting for the service of this run. What a profile says about its own, `allow-http` and `wire.*`, holds for no other
 * one, to which an option or a variable leads. A profile without a base URL describes any service, but allows plain http to none.
 */
export function resolveForService<N extends SettingName>(name: N, sources: SettingSources): Resolved<N> {
  const describesService = name === 'allow-http' || name.startsWith('wire.');
  const isOther = name === 'allow-http' ? !isOwnService(sources) : isOtherService(sources);
  return resolveSetting(name, describesService && isOther ? withoutProfile(sources) : sources);
}

/** Whether the profile has another base URL than this run. */
export function isOtherService(sources: SettingSources): boolean {
  return ownBaseUrl(sources) !== undefined && !isOwnService(sources);
}

function isOwnService(sources: SettingSources): boolean {
  return ownBaseUrl(sources) === resolveSetting('base-url', sources)?.value;
}

function ownBaseUrl({ profile }: Pick<SettingSources, 'profile'>): string | undefined {
  return resolveSetting('base-url', { flags: {}, env: {}, profile })?.value;
}

function proxyOf(env: Environment): Connection['proxy'] {
  // Lower case first, like curl and undici: in CGI, a client can set HTTP_PROXY by a Proxy header.
  return {
    http: env.http_proxy || env.HTTP_PROXY || '',
    https: env.https_proxy || env.HTTPS_PROXY || '',
    no: env.no_proxy || env.NO_PROXY || '',
  };
}

function resolveFieldNames(sources: SettingSources): FieldNames {
  return {
    findings: {
      task: resolveForService('wire.findings.task', sources).value,
      evidenceSubmission: resolveForService('wire.findings.evidenceSubmission', sources).value,
      evidenceFormType: resolveForService('wire.findings.evidenceFormType', sources).value,
      scope: resolveForService('wire.findings.scope', sources).value,
      ignore: resolveForService('wire.findings.ignore', sources).value,
    },
    domain: { ignore: resolveForService('wire.domain.ignore', sources).value },
    member: {
      deviceMgmtLabelId: resolveForService('wire.member.deviceMgmtLabelId', sources).value,
      existing: resolveForService('wire.member.existing', sources).value,
      errorIndexBase: resolveForService('wire.member.errorIndexBase', sources)?.value,
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
