import { type SelectedProfile, selectProfile } from '../../config/profiles.ts';
import { UsageError } from '../../util/errors.ts';
import type { Context } from '../command-context.ts';

/**
 * Returns the profile that an auth command works on.
 *
 * @throws UsageError under --sandbox, which has no profile and a public key
 */
export function authProfile({ flags, host }: Context): SelectedProfile {
  if (flags.sandbox)
    throw new UsageError('--sandbox needs no key', 'Remove --sandbox to work with the keys of a profile.');
  return selectProfile(flags, host.env);
}
