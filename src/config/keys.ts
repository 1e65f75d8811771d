import { dirname, join } from 'node:path';
import { EXIT, OrgadmError, UsageError } from '../util/errors.ts';
import { inputName, MAX_KEY_BYTES, readInputFile } from '../util/files.ts';
import type { Environment, Host } from '../util/host.ts';
import { isPrintedNothing, isReference } from '../util/unresolved.ts';
import type { StoredKey } from './config-document.ts';
import { type ConfigLocation, configDirectory, hasConfigDirectory } from './directories.ts';
import type { Origin } from './origin.ts';
import { changeFile, ensurePrivateDirectory, readConfigFile, writeConfigDocument } from './private-file.ts';
import { DEFAULT_PROFILE, type SelectedProfile } from './profiles.ts';

/** Returns the path of the file that holds the keys of all profiles, readable by its owner alone. */
export function credentialsFile(host: ConfigLocation): string {
  return join(configDirectory(host), 'credentials.json');
}

/**
 * Reads the keys by profile; none if there is no file.
 *
 * @throws UsageError for a file or a directory that is open to other users, and for an invalid file; no error contains a key
 */
export async function readStoredKeys(host: ConfigLocation): Promise<ReadonlyMap<string, StoredKey>> {
  if (!hasConfigDirectory(host)) return new Map();
  const file = credentialsFile(host);
  const text = readConfigFile(file, host.uid, { isSecret: true });
  if (text === undefined) return new Map();
  const { parseConfigDocument, storedKeysSchema } = await import('./config-document.ts');
  return parseConfigDocument(
    text,
    file,
    storedKeysSchema,
    (profile) => `Remove that profile from the file, then run: orgadm auth login --profile ${profile}`,
  );
}

/** Stores the key of a profile, or replaces it. Throws as `readStoredKeys` does, and where the file cannot be written. */
export async function storeKey(host: ConfigLocation, profile: string, key: StoredKey): Promise<void> {
  const file = credentialsFile(host);
  await ensurePrivateDirectory(dirname(file), host.uid);
  await changeFile(file, async () => writeConfigDocument(file, new Map(await readStoredKeys(host)).set(profile, key)));
}

/** Deletes the key of a profile. Returns false if there is none. */
export async function deleteKey(host: ConfigLocation, profile: string): Promise<boolean> {
  // Without a key there may be no directory in which a lock could be created.
  if (!(await readStoredKeys(host)).has(profile)) return false;
  const file = credentialsFile(host);
  return changeFile(file, async () => {
    const keys = new Map(await readStoredKeys(host));
    const isStored = keys.delete(profile);
    if (isStored) writeConfigDocument(file, keys);
    return isStored;
  });
}

/** A key and where it was found, or why there is none. */
export interface ResolvedKey {
  /** Returns the key; undefined if there is none. */
  readKey(): string | undefined;
  /** What holds it; undefined if there is none. */
  apiKeyFrom: Origin | undefined;
  /** If there is no key: the base URL that the profile's key belongs to, which is another one. */
  keyBoundTo: string | undefined;
}

/** No key was found. */
export const NO_KEY: ResolvedKey = {
  readKey: () => undefined,
  apiKeyFrom: undefined,
  keyBoundTo: undefined,
};

/** What the error for a missing key depends on. */
interface KeySettings extends Pick<ResolvedKey, 'keyBoundTo'> {
  /** The name of the profile. */
  readonly profile: string;
  readonly baseUrl: string | undefined;
  readonly baseUrlFrom: Origin | undefined;
  /** Whether the profile has another base URL. */
  readonly isOtherService: boolean;
}

/**
 * Returns the error for a missing key. Exit code 4.
 *
 * @param settings those of the run
 */
export function missingKeyError({ env }: Pick<Host, 'env'>, settings: KeySettings): OrgadmError {
  const { profile, baseUrl = '', baseUrlFrom, isOtherService, keyBoundTo: boundTo } = settings;
  const isNamed = profile !== DEFAULT_PROFILE;
  const isBlank = env.ORGADM_API_KEY?.trim() === '';
  // A profile belongs to one service.
  const isElsewhere = isOtherService || (boundTo !== undefined && baseUrlFrom?.kind !== 'profile');
  const options = isElsewhere ? ` --profile <name> --base-url ${baseUrl}` : isNamed ? ` --profile ${profile}` : '';
  const login = `orgadm auth login${options}`;
  const keySources = `Set ORGADM_API_KEY, pass a file with --key-file, or store a key with ${login}.`;
  const where = isNamed ? ` in profile ${profile}` : '';
  return new OrgadmError('no-key', EXIT.auth, `no API key${where}${isBlank ? ', and ORGADM_API_KEY is empty' : ''}`, {
    hint:
      boundTo === undefined
        ? `${keySources} To try orgadm without an account, add --sandbox.`
        : `The key of the profile belongs to ${boundTo}, and orgadm sends it nowhere else. ${keySources}`,
  });
}

/** Says where the key comes from, and how to use another one; undefined without a key. */
export function otherKeyHint({ apiKeyFrom }: ResolvedKey): string | undefined {
  switch (apiKeyFrom?.kind) {
    case 'option':
      return 'To use another key, pass another file with --key-file.';
    case 'variable':
      return 'To use another key, change or unset ORGADM_API_KEY.';
    case 'profile':
      return `The key is stored in profile ${apiKeyFrom.name}. To store another one: orgadm auth login --profile ${apiKeyFrom.name}`;
    default:
      return undefined;
  }
}

const KEY_VARIABLE = 'ORGADM_API_KEY';

export interface KeyRequest {
  keyFile: string | undefined;
  profile: SelectedProfile;
  /** Where the key would be sent, in the normal form of `readBaseUrl`; undefined if that is not known yet. */
  baseUrl: string | undefined;
  /** What set it. */
  baseUrlFrom: Origin | undefined;
}

/**
 * Finds the key for the header `X-API-Key` (interface 5): `--key-file` (`-` is standard input), the key of a profile that is
 * named by flag, `ORGADM_API_KEY`, the key of the profile.
 *
 * If both `ORGADM_API_KEY` and the profile that names the base URL have a key, `readKey` throws UsageError: orgadm never
 * chooses between two keys.
 *
 * @throws UsageError for a file that cannot be read or that other users can access; the key itself is in no message
 */
export async function resolveKey(request: KeyRequest, host: Host): Promise<ResolvedKey> {
  const { keyFile, profile, baseUrl, baseUrlFrom } = request;
  if (keyFile !== undefined) {
    const key = await readKeyFile(keyFile, host);
    return { ...NO_KEY, readKey: () => key, apiKeyFrom: { kind: 'option', name: '--key-file' } };
  }
  const fromVariable = variableKey(host.env);
  const isAfterVariable = profile.from.kind !== 'option';
  const isOwnUrl = baseUrlFrom?.kind === 'profile';
  if (fromVariable !== undefined && isAfterVariable && !isOwnUrl) return fromVariable;
  const fromProfile = await storedKey(profile.name, baseUrl, host);
  if (fromVariable === undefined) return fromProfile;
  if (fromProfile.apiKeyFrom === undefined) return fromVariable;
  return isAfterVariable ? twoKeys(profile.name, baseUrl) : fromProfile;
}

function twoKeys(profile: string, baseUrl = ''): ResolvedKey {
  const readKey = () => {
    throw new UsageError(
      `ORGADM_API_KEY is set, and profile ${profile} has a key for ${baseUrl}, too`,
      'Nothing was sent. To use the key of the profile, unset ORGADM_API_KEY. To use ORGADM_API_KEY, set ORGADM_BASE_URL to the service that it belongs to.',
    );
  };
  return { ...NO_KEY, readKey, apiKeyFrom: { kind: 'both', name: profile } };
}

/** Returns the key of the environment; undefined if there is none, or a blank one. */
function variableKey(env: Environment): ResolvedKey | undefined {
  const key = env.ORGADM_API_KEY?.trim();
  if (!key) return undefined;
  const readKey = () => {
    rejectKeyMistakes(
      key,
      KEY_VARIABLE,
      'It must be the key and nothing else. Files of variables, such as those of docker --env-file, keep quotation marks and resolve no references.',
    );
    return key;
  };
  return { ...NO_KEY, readKey, apiKeyFrom: { kind: 'variable', name: KEY_VARIABLE } };
}

/** Quotation marks that shells, word processors, and JSON put around text. */
const QUOTED = /^["'`‘’“”„«»]|["'`‘’“”„«»]$/;

/** A line of a file of variables. The padding of Base32 is no value. */
const VARIABLE = /^[A-Z][A-Z0-9_]*=[^=]/;

/** Says what a text contains in the place of a key, or around it; undefined if it may be a key. */
function keyMistake(text: string): string | undefined {
  if (QUOTED.test(text)) return 'quotation marks around the key';
  // Password managers have addresses such as op://vault/item/field. The secrets of some clouds are JSON documents.
  if (isReference(text) || /^(?:[a-z][a-z0-9+.-]*:\/\/|\{.*\}$)/s.test(text))
    return 'a reference to the key, not the key itself';
  if (VARIABLE.test(text)) return 'the name of a variable before the key';
  return isPrintedNothing(text) ? 'what programs print for a missing value, not a key' : undefined;
}

/** Throws UsageError, without the key in it, if a text is no key, or has something around the key. */
export function rejectKeyMistakes(key: string, where: string, hint: string): void {
  const contents = keyMistake(key);
  if (contents !== undefined) throw new UsageError(`${where} contains ${contents}`, hint);
}

async function storedKey(profile: string, baseUrl: string | undefined, host: Host): Promise<ResolvedKey> {
  const stored = (await readStoredKeys(host)).get(profile);
  if (stored === undefined) return NO_KEY;
  if (baseUrl !== undefined && stored.baseUrl !== baseUrl) return { ...NO_KEY, keyBoundTo: stored.baseUrl };
  return { ...NO_KEY, readKey: () => stored.apiKey, apiKeyFrom: { kind: 'profile', name: profile } };
}

/**
 * Reads a key from the file of `--key-file`, or from standard input for `-`.
 *
 * @returns the key without the line end of its file
 * @throws UsageError for a file that cannot be read or contains no key; the key itself is in no message
 */
export async function readKeyFile(file: string, host: Host): Promise<string> {
  const content = await readInputFile(file, host.stdin, {
    option: '--key-file',
    maxBytes: MAX_KEY_BYTES,
    terminalHint: 'Pipe the key in, because the terminal would show it as you type.',
    secretHint: 'Pass the path of a file that contains the key, not the key itself.',
  });
  const key = content.toString('utf8').trim();
  const name = inputName(file);
  const onlyKey = `${file === '-' ? 'It' : 'The file'} must contain the key and nothing else.`;
  if (key === '') throw new UsageError(`--key-file: ${name} is empty`, onlyKey);
  rejectKeyMistakes(key, `--key-file: ${name}`, onlyKey);
  if (/\s/.test(key)) {
    throw new UsageError(`--key-file: ${name} contains white space in the key`, onlyKey);
  }
  return key;
}
