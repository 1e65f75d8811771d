import { EXIT, OrgadmError, UsageError } from '../util/errors.ts';
import { inputName, MAX_KEY_BYTES, readInputFile } from '../util/files.ts';
import type { Host } from '../util/host.ts';
import { readStoredKeys, type SelectedProfile } from './profiles.ts';

/** A key and where it was found, or why there is none. */
export interface ResolvedKey {
  apiKey: string | undefined;
  /** The flag, variable or profile that holds it. */
  apiKeyFrom: string | undefined;
  /** Whether the service accepted the key when it was stored; undefined for a key from elsewhere. */
  apiKeyVerified: boolean | undefined;
  /** If there is no key: the base URL that the profile's stored key belongs to, which is another one. */
  keyBoundTo: string | undefined;
}

/** Returns the error for a missing key. Exit code 4. */
export function missingKeyError(boundTo?: string): OrgadmError {
  const elsewhere = 'Set ORGADM_API_KEY, pass a file with --key-file, or store a key with orgadm auth login.';
  return new OrgadmError('no-key', EXIT.auth, 'no API key', {
    hint:
      boundTo === undefined
        ? `${elsewhere} To try the tool without an account, add --sandbox.`
        : `The stored key belongs to ${boundTo} and is not sent to other addresses. ${elsewhere}`,
  });
}

export interface KeyRequest {
  keyFile: string | undefined;
  profile: SelectedProfile;
  /** Where the key would be sent, in the normal form of `readBaseUrl`; undefined if that is not known yet. */
  baseUrl: string | undefined;
}

/**
 * Finds the key for the header `X-API-Key` (interface 5): `--key-file` (`-` is standard input), the stored key of a
 * profile that is named by flag, `ORGADM_API_KEY`, the stored key of the profile.
 *
 * @throws UsageError for a file that cannot be read or that other users can access; the key itself is in no message
 */
export async function resolveKey({ keyFile, profile, baseUrl }: KeyRequest, host: Host): Promise<ResolvedKey> {
  const found = (apiKey: string, apiKeyFrom: string, apiKeyVerified?: boolean): ResolvedKey => ({
    apiKey,
    apiKeyFrom,
    apiKeyVerified,
    keyBoundTo: undefined,
  });
  if (keyFile !== undefined) return found(await readKeyFile(keyFile, '--key-file', host), '--key-file');
  const variable = host.env.ORGADM_API_KEY?.trim();
  const fromVariable = variable ? found(variable, 'ORGADM_API_KEY') : undefined;
  if (fromVariable !== undefined && profile.namedBy !== 'flag') return fromVariable;

  const stored = (await readStoredKeys(host)).get(profile.name);
  if (stored !== undefined && (baseUrl === undefined || stored.baseUrl === baseUrl)) {
    return found(stored.apiKey, `profile ${profile.name}`, stored.verified);
  }
  const none = { apiKey: undefined, apiKeyFrom: undefined, apiKeyVerified: undefined };
  return fromVariable ?? { ...none, keyBoundTo: stored?.baseUrl };
}

/**
 * Reads a key from a file, or from standard input for `-`.
 *
 * @param flag the option that names it, for errors
 * @returns the key without the line end of its file
 * @throws UsageError for a file that cannot be read or contains no key; the key itself is in no message
 */
export async function readKeyFile(file: string, flag: string, host: Host): Promise<string> {
  const content = await readInputFile(file, host.stdin, {
    option: flag,
    maxBytes: MAX_KEY_BYTES,
    terminalHint: 'Pipe the key in, so that it is not shown while typed.',
  });
  const key = content.toString('utf8').trim();
  const name = inputName(file);
  if (key === '') throw new UsageError(`${flag}: ${name} is empty`);
  if (/\s/.test(key)) {
    throw new UsageError(
      `${flag}: ${name} contains white space within the key`,
      `${file === '-' ? 'It' : 'The file'} must contain the key and nothing else.`,
    );
  }
  return key;
}
