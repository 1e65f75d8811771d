import { join } from 'node:path';
import type { OutputFormat } from '../output/output.ts';
import { UsageError } from '../util/errors.ts';
import type { Host } from '../util/host.ts';
import { unknownNameError } from '../util/suggest.ts';
import { resolveKey } from './api-key.ts';
import { type Connection, embeddedConnection, resolveConnection } from './connection.ts';
import type { GlobalFlags } from './global-flags.ts';
import { stateDirectory } from './paths.ts';
import { DEFAULT_PROFILE, readProfiles, selectProfile } from './profiles.ts';
import { resolveSetting, type SettingSources } from './setting-sources.ts';
import { readStoredKeys } from './stored-keys.ts';
export interface Settings extends Connection {
  apiKey: string | undefined;
  /** The flag, variable or profile that holds it. */
  apiKeyFrom: string | undefined;
  /** Where there is no key: the base URL that the profile's stored key belongs to, which is not `baseUrl`. */
  keyBoundTo: string | undefined;
  /** Runs against the embedded service instead of `baseUrl`. */
  sandbox: { stateFile: string; fault: string | undefined; variant: string | undefined } | undefined;
}

/**
 * Settles what a command runs with: flag beats environment beats profile beats default, and a profile that is named by
 * flag ranks as a flag. `--sandbox` beats whatever else names a service.
 *
 * @throws UsageError that names the flag, variable or profile which holds the bad value
 */
export async function resolveSettings(flags: GlobalFlags, host: Host): Promise<Settings> {
  const sandbox = sandboxOf(flags, host);
  const sources = await readSettingSources(flags, host);
  if (sandbox !== undefined) {
    return { ...embeddedConnection(sources), apiKey: undefined, apiKeyFrom: undefined, keyBoundTo: undefined, sandbox };
  }
  const connection = await resolveConnection(sources);
  const key = await resolveKey({ keyFile: flags.keyFile, profile: sources.profile, baseUrl: connection.baseUrl }, host);
  return {
    ...connection,
    apiKey: key.apiKey,
    apiKeyFrom: key.apiKey === undefined ? undefined : key.from,
    keyBoundTo: key.apiKey === undefined ? key.boundTo : undefined,
    sandbox,
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

/**
 * Finds what a run is to be settled from: its flags, its environment, its profile.
 *
 * @param mayBeNew a profile that is not there yet is no error: the command is about to make it
 * @throws UsageError for a profile that is not there, naming the nearest, and for a broken file
 */
export async function readSettingSources(flags: GlobalFlags, host: Host, mayBeNew = false): Promise<SettingSources> {
  const choice = selectProfile(flags, host.env);
  const profiles = await readProfiles(host);
  const values = profiles.get(choice.name);
  if (values === undefined && choice.name !== DEFAULT_PROFILE && !mayBeNew) {
    const known = [...new Set([...profiles.keys(), ...(await readStoredKeys(host)).keys()])];
    if (!known.includes(choice.name)) {
      const where = choice.namedBy === 'flag' ? '--profile' : 'ORGADM_PROFILE';
      throw await unknownNameError(`${where}: unknown profile`, choice.name, known);
    }
  }
  return { flags, env: host.env, profile: { ...choice, values: values ?? {} } };
}

/**
 * The output format that environment and profile set. A profile that is not there sets none: whether that is an error
 * is for the command to say, since `config set` may be about to make it.
 *
 * @throws UsageError for a bad value and for a broken file
 */
export async function configuredFormat(flags: GlobalFlags, host: Host): Promise<OutputFormat | undefined> {
  const choice = selectProfile(flags, host.env);
  const values = (await readProfiles(host)).get(choice.name) ?? {};
  return resolveSetting('output', { flags, env: host.env, profile: { ...choice, values } })?.value;
}
