import { join } from 'node:path';
import { EXIT, OrgadmError, UsageError } from '../util/errors.ts';
import { inputName, MAX_KEY_BYTES, readInputFile } from '../util/files.ts';
import type { Environment, Host } from '../util/host.ts';
import { durationMs } from '../util/units.ts';
import { readCertificates, readExtraCertificates } from './certificates.ts';
import { stateDirectory } from './directories.ts';
import { DEFAULT_PROFILE, readStoredKeys, requireProfile } from './profiles.ts';
import { type GlobalFlags, isOtherService, type Profile, resolveValues, type SettingSources } from './settings.ts';

/** The service of a run, and how to reach it. */
export interface Settings extends Connection, TargetKey {
  /** Set for a run in the embedded sandbox, instead of a base URL and a key. */
  sandbox: { stateFile: string; fault: string | undefined } | undefined;
}

/** How to reach a service: everything but the key. */
export interface Connection {
  /** Name of the profile in use. */
  profile: string;
  /** Undefined if none is set. */
  baseUrl: string | undefined;
  /** The option, variable, or profile that set it. */
  baseUrlFrom: string | undefined;
  /** Whether the profile has another base URL, so that nothing it sets holds. */
  isOtherService: boolean;
  timeoutMs: number;
  /** Further attempts after the first. */
  retries: number;
  allowHttp: boolean;
  /** PEM text of `ca-cert`. */
  caCert: string | undefined;
  /** PEM text of NODE_EXTRA_CA_CERTS, if there is a `caCert`. */
  extraCaCerts: string | undefined;
  proxy: { http: string; https: string; no: string };
  wire: FieldNames;
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
  };
}

/** The key for the base URL. */
export interface TargetKey {
  /** Returns the key; undefined if there is none. Throws UsageError if there are two for the base URL: orgadm never chooses. */
  readKey(): string | undefined;
  /** The option, variable, or profile that has it. */
  apiKeyFrom: string | undefined;
  /** If there is no key: the base URL that the profile's key belongs to, which is another one. */
  keyBoundTo: string | undefined;
}

const NO_KEY: TargetKey = { readKey: () => undefined, apiKeyFrom: undefined, keyBoundTo: undefined };

/**
 * Resolves the service of a run and its key. `--sandbox` overrides everything else that names a service.
 *
 * @throws UsageError for a profile that does not exist, and for a bad value
 */
export async function resolveSettings(profile: Profile, flags: GlobalFlags, host: Host): Promise<Settings> {
  if (flags.fault !== undefined && !flags.sandbox) throw new UsageError('--fault requires --sandbox');
  await requireProfile(profile, host);
  if (flags.sandbox) {
    const connection = await resolveConnection({
      flags,
      env: withoutBaseUrl(host.env),
      profile: { ...profile, settings: {} },
    });
    return { ...connection, ...NO_KEY, sandbox: { stateFile: sandboxStateFile(host), fault: flags.fault } };
  }
  const connection = await resolveConnection({ flags, env: host.env, profile });
  return { ...connection, ...(await resolveKey(connection, profile, flags, host)), sandbox: undefined };
}

/** Returns the path of the sandbox's state. */
export function sandboxStateFile(host: Host): string {
  return join(stateDirectory(host), 'sandbox.json');
}

function withoutBaseUrl(env: Environment): Environment {
  return { ...env, ORGADM_BASE_URL: undefined };
}

/** Resolves how to reach the service. Throws UsageError that names the option, variable, or profile with the bad value. */
export async function resolveConnection(sources: SettingSources): Promise<Connection> {
  const values = resolveValues(sources);
  const { profile, env } = sources;
  const [base, certificates] = [values['base-url'], values['ca-cert']];
  const caCert = certificates && (await readCertificates(certificates.value, certificatesName(certificates.from)));
  return {
    profile: profile.name,
    baseUrl: base?.value,
    baseUrlFrom: base?.from,
    isOtherService: isOtherService(sources),
    timeoutMs: durationMs(values.timeout.value) ?? 0,
    retries: values.retries.value,
    allowHttp: values['allow-http'].value,
    caCert,
    extraCaCerts: caCert === undefined ? undefined : await readExtraCertificates(env.NODE_EXTRA_CA_CERTS),
    proxy: proxyOf(env),
    wire: {
      findings: {
        task: values['wire.findings.task'].value,
        evidenceSubmission: values['wire.findings.evidenceSubmission'].value,
        evidenceFormType: values['wire.findings.evidenceFormType'].value,
        scope: values['wire.findings.scope'].value,
        ignore: values['wire.findings.ignore'].value,
      },
      domain: { ignore: values['wire.domain.ignore'].value },
      member: {
        deviceMgmtLabelId: values['wire.member.deviceMgmtLabelId'].value,
        existing: values['wire.member.existing'].value,
      },
    },
  };
}

/** `--ca-cert`, or `profile default: ca-cert`. */
function certificatesName(from: string): string {
  return isProfile(from) ? `${from}: ca-cert` : from;
}

function proxyOf(env: Environment): Connection['proxy'] {
  // Lower case first, like curl and undici: in CGI, a client can set HTTP_PROXY by a Proxy header.
  return {
    http: env.http_proxy || env.HTTP_PROXY || '',
    https: env.https_proxy || env.HTTPS_PROXY || '',
    no: env.no_proxy || env.NO_PROXY || '',
  };
}

const KEY_VARIABLE = 'ORGADM_API_KEY';

/** Whether an origin is a profile. */
const isProfile = (from: string | undefined) => from?.startsWith('profile ') ?? false;

/**
 * Finds the key for the header `X-API-Key` (interface 5). A stored key goes only to the base URL that it was stored with.
 * `ORGADM_API_KEY` goes to the base URL of an option or a variable, and to that of a profile without a key. `--key-file` always
 * wins, and a profile that an option names comes before `ORGADM_API_KEY`.
 *
 * @throws UsageError for a file that cannot be read; the key is in no message
 */
export async function resolveKey(
  { baseUrl, baseUrlFrom }: Pick<Connection, 'baseUrl' | 'baseUrlFrom'>,
  profile: Profile,
  { keyFile }: GlobalFlags,
  host: Host,
): Promise<TargetKey> {
  if (keyFile !== undefined) return keyFrom('--key-file', await readKeyFile(keyFile, host));
  const text = host.env[KEY_VARIABLE]?.trim();
  const variable = text ? keyFrom(KEY_VARIABLE, text) : undefined;
  if (variable !== undefined && !profile.isOption && !isProfile(baseUrlFrom)) return variable;
  const stored = (await readStoredKeys(host)).get(profile.name);
  if (stored === undefined || (baseUrl !== undefined && stored.baseUrl !== baseUrl))
    return variable ?? { ...NO_KEY, keyBoundTo: stored?.baseUrl };
  if (variable === undefined || profile.isOption) return keyFrom(`profile ${profile.name}`, stored.apiKey);
  const readKey = () => {
    throw new UsageError(
      `${KEY_VARIABLE} is set, and profile ${profile.name} also has a key for ${baseUrl}`,
      `Nothing was sent. To use the key of the profile, unset ${KEY_VARIABLE}. To use ${KEY_VARIABLE}, set ORGADM_BASE_URL to the service that it belongs to.`,
    );
  };
  return { ...NO_KEY, readKey, apiKeyFrom: `${KEY_VARIABLE} and profile ${profile.name}` };
}

function keyFrom(apiKeyFrom: string, key: string): TargetKey {
  return { ...NO_KEY, readKey: () => key, apiKeyFrom };
}

/**
 * Reads a key from the file of `--key-file`, which may be a pipe, or from standard input for `-`.
 *
 * @returns the key without the line end of its file
 * @throws UsageError for a file that cannot be read or contains no key; the key itself is in no message
 */
export async function readKeyFile(file: string, host: Pick<Host, 'stdin'>): Promise<string> {
  const content = await readInputFile(file, host.stdin, {
    option: '--key-file',
    maxBytes: MAX_KEY_BYTES,
    terminalHint: 'Pipe the key in, because the terminal would show it as you type.',
    secretHint: 'Pass the path of a file that contains the key, not the key itself.',
  });
  const key = content.toString('utf8').trim();
  const onlyKey = `${file === '-' ? 'It' : 'The file'} must contain the key and nothing else.`;
  if (key === '') throw new UsageError(`--key-file: ${inputName(file)} is empty`, onlyKey);
  if (/\s/.test(key)) throw new UsageError(`--key-file: ${inputName(file)} contains white space in the key`, onlyKey);
  return key;
}

/** Returns the error for a missing base URL. Exit code 2. */
export function missingBaseUrlError(): UsageError {
  return new UsageError(
    'no base URL',
    'Set ORGADM_BASE_URL, pass --base-url https://api.example.com, or store one with orgadm auth login.',
  );
}

/** Returns the error for a missing key. Exit code 4. */
export function missingKeyError({ env }: Pick<Host, 'env'>, settings: Connection & TargetKey): OrgadmError {
  const { profile, baseUrl = '', baseUrlFrom, isOtherService, keyBoundTo: boundTo } = settings;
  const isNamed = profile !== DEFAULT_PROFILE;
  const isBlank = env[KEY_VARIABLE]?.trim() === '';
  // A profile belongs to one service.
  const isElsewhere = isOtherService || (boundTo !== undefined && !isProfile(baseUrlFrom));
  const options = isElsewhere ? ` --profile <name> --base-url ${baseUrl}` : isNamed ? ` --profile ${profile}` : '';
  const keySources = `Set ${KEY_VARIABLE}, pass a file with --key-file, or store a key with orgadm auth login${options}.`;
  const where = isNamed ? ` in profile ${profile}` : '';
  return new OrgadmError('no-key', EXIT.auth, `no API key${where}${isBlank ? `, and ${KEY_VARIABLE} is empty` : ''}`, {
    hint:
      boundTo === undefined
        ? `${keySources} To try orgadm without an account, add --sandbox.`
        : `The key of the profile belongs to ${boundTo}, and orgadm sends it nowhere else. ${keySources}`,
  });
}

/** Says where the key comes from, and how to use another one; undefined without a key. */
export function otherKeyHint({ apiKeyFrom, profile }: Pick<Settings, 'apiKeyFrom' | 'profile'>): string | undefined {
  if (apiKeyFrom === undefined) return undefined;
  if (apiKeyFrom === '--key-file') return 'To use another key, pass another file with --key-file.';
  if (apiKeyFrom === KEY_VARIABLE) return `To use another key, change or unset ${KEY_VARIABLE}.`;
  return `The key is stored in profile ${profile}. To store another one: orgadm auth login --profile ${profile}`;
}

/** Whether the base URL or the key is that of the profile. */
export function usesProfile({ baseUrlFrom, apiKeyFrom }: Pick<Settings, 'baseUrlFrom' | 'apiKeyFrom'>): boolean {
  return isProfile(baseUrlFrom) || isProfile(apiKeyFrom);
}
