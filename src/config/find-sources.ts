import type { Host } from '../util/host.ts';
import { unknownNameError } from '../util/unknown-name.ts';
import { DEFAULT_PROFILE, selectProfile } from './profile-name.ts';
import { readProfiles } from './profiles.ts';
import type { SettingSources } from './setting-sources.ts';
import type { GlobalFlags } from './settings.ts';
import { readStoredKeys } from './stored-keys.ts';

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
