import { UsageError } from '../util/errors.ts';
import type { Environment } from '../util/host.ts';

/** The profile of those who need only one. */
export const DEFAULT_PROFILE = 'default';

export interface SelectedProfile {
  name: string;
  /** Who named it: a profile that a flag names ranks as a flag. Undefined for the default one. */
  namedBy: 'flag' | 'environment' | undefined;
}

/** The profile that this run is about: `--profile`, else `ORGADM_PROFILE`, else `default`. */
export function selectProfile(flags: { profile?: string }, env: Environment): SelectedProfile {
  if (flags.profile !== undefined) return { name: checkProfileName(flags.profile, '--profile'), namedBy: 'flag' };
  if (env.ORGADM_PROFILE)
    return { name: checkProfileName(env.ORGADM_PROFILE, 'ORGADM_PROFILE'), namedBy: 'environment' };
  return { name: DEFAULT_PROFILE, namedBy: undefined };
}

/** Throws UsageError unless `name` can be that of a profile. */
export function checkProfileName(name: string, where: string): string {
  if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(name)) {
    throw new UsageError(
      `${where}: "${name}" cannot be the name of a profile`,
      'A letter or digit first, then letters, digits, _ - and . up to 64 in all.',
    );
  }
  return name;
}
