import { join } from 'node:path';
import { UsageError } from '../util/errors.ts';
import type { Host } from '../util/host.ts';
import { type ResolvedKey, resolveKey } from './api-key.ts';
import { type Connection, resolveConnection, sandboxConnection } from './connection.ts';
import type { GlobalFlags } from './global-flags.ts';
import { stateDirectory } from './paths.ts';
import { checkProfileExists, type SettingSources } from './setting-sources.ts';

export interface Settings extends Connection, ResolvedKey {
  /** Set for a run against the embedded sandbox instead of `baseUrl`. */
  sandbox: { stateFile: string; fault: string | undefined; variant: string | undefined } | undefined;
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
    const noKey = { apiKey: undefined, apiKeyFrom: undefined, apiKeyVerified: undefined, keyBoundTo: undefined };
    return { ...sandboxConnection(sources), ...noKey, sandbox };
  }
  const connection = await resolveConnection(sources);
  const key = await resolveKey({ keyFile: flags.keyFile, profile, baseUrl: connection.baseUrl }, host);
  return { ...connection, ...key, sandbox };
}

/** Returns the path of the sandbox's state. */
export function sandboxStateFile(host: Host): string {
  return join(stateDirectory(host), 'sandbox.json');
}

function sandboxOf({ sandbox, fault, variant }: GlobalFlags, host: Host): Settings['sandbox'] {
  if (sandbox) return { stateFile: sandboxStateFile(host), fault, variant };
  if (fault === undefined && variant === undefined) return undefined;
  throw new UsageError(`--${fault === undefined ? 'variant' : 'fault'} requires --sandbox`);
}
