import type { OutputFormat } from '../output/output.ts';
import type { Host } from '../util/host.ts';
import { selectProfile } from './profile-name.ts';
import { readProfiles } from './profiles.ts';
import { resolveSetting } from './setting-sources.ts';
import type { GlobalFlags } from './settings.ts';

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
