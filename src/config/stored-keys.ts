import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Host } from '../util/host.ts';
import type { StoredKey } from './config-document.ts';
import { configDirectory } from './paths.ts';
import {
  changeFile,
  configFileError,
  ensurePrivateDirectory,
  readPrivateFile,
  rejectSharedDirectory,
  writeConfigDocument,
} from './private-file.ts';

type ConfigLocation = Pick<Host, 'env' | 'home' | 'uid'>;

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
  const file = credentialsFile(host);
  const text = await readPrivateFile(file, host.uid);
  if (text === undefined) return new Map();
  await rejectSharedDirectory(dirname(file), host.uid);
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
    if (!keys.delete(profile)) return false;
    if (keys.size > 0) writeConfigDocument(file, keys);
    else {
      await rm(file, { force: true }).catch((error: unknown) => {
        throw configFileError(file, 'remove', error);
      });
    }
    return true;
  });
}
