import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findKey } from './credentials.ts';
import { parseDuration } from './duration.ts';
import { UsageError } from './errors.ts';
import type { Environment, Host } from './host.ts';
import { stateDirectory } from './places.ts';

/** The options that every command takes, as Commander hands them over. */
export interface GlobalFlags {
  profile?: string;
  baseUrl?: string;
  sandbox?: boolean;
  fault?: string;
  variant?: string;
  keyFile?: string;
  output?: string;
  json?: boolean;
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

/** The names on the wire that the interface leaves open (interface 4.2, 4.4). */
export interface WireNames {
  findings: { task: string; evidenceSubmission: string; evidenceFormType: string; scope: string };
  member: { deviceMgmtLabelId: string; existing: readonly string[] };
}

export const DEFAULT_WIRE_NAMES: WireNames = {
  findings: {
    task: 'taskId',
    evidenceSubmission: 'evidenceSubmissionId',
    evidenceFormType: 'evidenceFormType',
    scope: 'scope',
  },
  member: { deviceMgmtLabelId: 'deviceMgmtLabelId', existing: [] },
};

export interface Settings {
  /** Undefined where none is set: not every command needs the service. */
  baseUrl: string | undefined;
  apiKey: string | undefined;
  /** Runs against the embedded service instead of `baseUrl`. */
  sandbox: { stateFile: string; fault: string | undefined; variant: string | undefined } | undefined;
  timeoutMs: number;
  /** Further attempts after the first. */
  retries: number;
  allowHttp: boolean;
  /** PEM text of `--ca-cert`. */
  caCert: string | undefined;
  proxy: { http?: string; https?: string; no?: string };
  wire: WireNames;
}

export const DEFAULT_TIMEOUT = '30s';
export const DEFAULT_RETRIES = '4';

/**
 * Settles what a command runs with: flag beats environment beats default.
 *
 * @throws UsageError that names the flag or the variable which holds the bad value
 */
export async function resolveSettings(flags: GlobalFlags, host: Host): Promise<Settings> {
  const { env } = host;
  return {
    baseUrl: flags.baseUrl ?? (env.ORGADM_BASE_URL || undefined),
    apiKey: flags.sandbox ? undefined : await findKey(flags.keyFile, host),
    sandbox: sandboxOf(flags, host),
    timeoutMs: timeoutOf(flags, env),
    retries: retriesOf(flags, env),
    allowHttp: flags.allowHttp ?? false,
    caCert: flags.caCert === undefined ? undefined : await readCertificate(flags.caCert),
    proxy: proxyOf(env),
    wire: DEFAULT_WIRE_NAMES,
  };
}

/** Where the state of the embedded service is kept. */
export function sandboxStateFile(host: Host): string {
  return join(stateDirectory(host), 'sandbox.json');
}

function sandboxOf(flags: GlobalFlags, host: Host): Settings['sandbox'] {
  if (flags.sandbox && flags.baseUrl !== undefined) {
    throw new UsageError(
      '--sandbox and --base-url exclude each other',
      'The sandbox is a service of its own, inside this process.',
    );
  }
  if (!flags.sandbox && (flags.fault !== undefined || flags.variant !== undefined)) {
    throw new UsageError(`--${flags.fault === undefined ? 'variant' : 'fault'} goes with --sandbox`);
  }
  if (!flags.sandbox) return undefined;
  return { stateFile: sandboxStateFile(host), fault: flags.fault, variant: flags.variant };
}

function timeoutOf(flags: GlobalFlags, env: Environment): number {
  const name = flags.timeout === undefined ? 'ORGADM_TIMEOUT' : '--timeout';
  const ms = parseDuration(flags.timeout ?? (env.ORGADM_TIMEOUT || DEFAULT_TIMEOUT), name);
  if (ms === 0) throw new UsageError(`${name}: a timeout of 0 would give no answer a chance`);
  return ms;
}

function retriesOf(flags: GlobalFlags, env: Environment): number {
  const text = flags.retries ?? (env.ORGADM_RETRIES || DEFAULT_RETRIES);
  if (!/^\d{1,3}$/.test(text)) {
    throw new UsageError(
      `${flags.retries === undefined ? 'ORGADM_RETRIES' : '--retries'}: "${text}" is not a number from 0 to 999`,
    );
  }
  return Number(text);
}

async function readCertificate(file: string): Promise<string> {
  let pem: string;
  try {
    pem = await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`--ca-cert: cannot read ${file}: ${(error as NodeJS.ErrnoException).code}`);
  }
  if (!pem.includes('-----BEGIN CERTIFICATE-----')) {
    throw new UsageError(
      `--ca-cert: ${file} holds no certificate`,
      'It must be a PEM file: -----BEGIN CERTIFICATE-----',
    );
  }
  return pem;
}

function proxyOf(env: Environment): Settings['proxy'] {
  // Lower case first, as curl and undici have it; HTTP_PROXY in capitals can be set by a web server's client.
  return {
    http: env.http_proxy || env.HTTP_PROXY || '',
    https: env.https_proxy || env.HTTPS_PROXY || '',
    no: env.no_proxy || env.NO_PROXY || '',
  };
}
