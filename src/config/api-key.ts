import { EXIT, OrgadmError, UsageError } from '../util/errors.ts';
import type { Host } from '../util/host.ts';
import { inputName, MAX_KEY_BYTES, readInputFile } from '../util/read-file.ts';
import type { SelectedProfile } from './profiles.ts';
import { readStoredKeys } from './stored-keys.ts';

/** A key and where it was found, or why there is none. */
export type ResolvedKey =
  | { apiKey: string; from: string }
  | {
      apiKey: undefined;
      /** The profile has a key, for this base URL: it goes to no other. */
      boundTo: string | undefined;
    };

/** No key where one is needed. Exit code 4. */
export function missingKeyError(boundTo?: string): OrgadmError {
  const elsewhere =
    'Set ORGADM_API_KEY, or name a file that holds the key with --key-file; orgadm auth login stores one.';
  return new OrgadmError('no-key', EXIT.auth, 'no API key', {
    hint:
      boundTo === undefined
        ? `${elsewhere} To try the tool without an account, add --sandbox.`
        : `The stored key belongs to ${boundTo} and is sent nowhere else. ${elsewhere}`,
  });
}

export interface KeyRequest {
  keyFile: string | undefined;
  profile: SelectedProfile;
  /** Where the key would go, in the normal form of `readBaseUrl`; undefined where that is not known yet. */
  baseUrl: string | undefined;
}

/**
 * Finds the key for the header `X-API-Key` (interface 5): `--key-file` (`-` is standard input), the stored key of a
 * profile that is named by flag, `ORGADM_API_KEY`, the stored key of the profile.
 *
 * @throws UsageError for a file that cannot be read or is open to others; the key itself is in no message
 */
export async function resolveKey({ keyFile, profile, baseUrl }: KeyRequest, host: Host): Promise<ResolvedKey> {
  if (keyFile !== undefined) return { apiKey: await readKeyFile(keyFile, '--key-file', host), from: '--key-file' };
  const variable = host.env.ORGADM_API_KEY?.trim();
  const fromVariable = variable ? { apiKey: variable, from: 'ORGADM_API_KEY' } : undefined;
  if (fromVariable !== undefined && profile.namedBy !== 'flag') return fromVariable;

  const stored = (await readStoredKeys(host)).get(profile.name);
  if (stored !== undefined && (baseUrl === undefined || stored.baseUrl === baseUrl)) {
    return { apiKey: stored.apiKey, from: `profile ${profile.name}` };
  }
  return fromVariable ?? { apiKey: undefined, boundTo: stored?.baseUrl };
}

/**
 * Reads a key from a file, or from standard input for `-`.
 *
 * @param flag how the file was named, for errors
 * @returns the key without the line end of its file
 * @throws UsageError for a file that cannot be read or holds no key; the key itself is in no message
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
      `${flag}: ${name} holds more than one word`,
      `${file === '-' ? 'It' : 'The file'} must hold the key and nothing else.`,
    );
  }
  return key;
}
