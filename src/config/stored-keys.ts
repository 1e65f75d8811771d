import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UsageError } from '../util/errors.ts';
import type { Host } from '../util/host.ts';
import { isJsonObject } from '../util/json-object.ts';
import {
  changeFile,
  configFileError,
  ensurePrivateDirectory,
  parseConfigDocument,
  readPrivateFile,
  rejectSharedDirectory,
  renderConfigDocument,
  replacePrivateFile,
} from './config-file.ts';
import { configDirectory } from './paths.ts';

/** The key of a profile (interface 5). */
export interface StoredKey {
  apiKey: string;
  /** The one service that it goes to, in the normal form of `readBaseUrl`. */
  baseUrl: string;
  /** Whether the service accepted it when it was stored. */
  verified: boolean;
}

type ConfigLocation = Pick<Host, 'env' | 'home' | 'uid'>;

/** The file that holds the keys of all profiles, readable by its owner alone. */
export function credentialsFile(host: ConfigLocation): string {
  return join(configDirectory(host), 'credentials.json');
}

/**
 * Reads the keys by profile; a file that is not there holds none.
 *
 * @throws UsageError for a file or a directory that is open to other users, and for a broken file; no error repeats a key
 */
export async function readStoredKeys(host: ConfigLocation): Promise<ReadonlyMap<string, StoredKey>> {
  const file = credentialsFile(host);
  const text = await readPrivateFile(file, host.uid);
  if (text === undefined) return new Map();
  await rejectSharedDirectory(dirname(file), host.uid);
  return new Map(parseConfigDocument(text, file).map(([name, entry]) => [name, parseStoredKey(entry, file, name)]));
}

/** Stores the key of a profile, or replaces it. Throws as `readStoredKeys` does, and where the file cannot be written. */
export async function storeKey(host: ConfigLocation, profile: string, key: StoredKey): Promise<void> {
  const file = credentialsFile(host);
  await ensurePrivateDirectory(dirname(file), host.uid);
  await changeFile(file, async () => writeKeys(host, new Map(await readStoredKeys(host)).set(profile, key)));
}

/** Deletes the key of a profile. Returns false where there is none. */
export async function deleteKey(host: ConfigLocation, profile: string): Promise<boolean> {
  // Without a key there may be no directory in which a lock could be created.
  if (!(await readStoredKeys(host)).has(profile)) return false;
  return changeFile(credentialsFile(host), async () => {
    const keys = new Map(await readStoredKeys(host));
    if (!keys.delete(profile)) return false;
    await writeKeys(host, keys);
    return true;
  });
}

async function writeKeys(host: ConfigLocation, keys: ReadonlyMap<string, StoredKey>): Promise<void> {
  const file = credentialsFile(host);
  if (keys.size > 0) return replacePrivateFile(file, renderConfigDocument(keys));
  await rm(file, { force: true }).catch((error: unknown) => {
    throw configFileError(file, 'remove', error);
  });
}

function parseStoredKey(entry: unknown, file: string, profile: string): StoredKey {
  const { apiKey, baseUrl, verified } = isJsonObject(entry) ? entry : {};
  if (typeof apiKey !== 'string' || typeof baseUrl !== 'string' || typeof verified !== 'boolean' || apiKey === '') {
    throw new UsageError(
      `${file}: the key of the profile "${profile}" cannot be understood`,
      `Remove that profile from the file, then: orgadm auth login --profile ${profile}`,
    );
  }
  return { apiKey, baseUrl, verified };
}
