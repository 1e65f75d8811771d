import { type SelectedProfile, selectProfile } from '../../config/profiles.ts';
import { UsageError } from '../../util/errors.ts';
import type { Context } from '../command-context.ts';

/**
 * The profile that an auth command is about.
 *
 * @throws UsageError under --sandbox, which has no profile and whose key is known to all
 */
export function authProfile({ flags, host }: Context): SelectedProfile {
  if (flags.sandbox) throw new UsageError('--sandbox needs no key', 'Leave out --sandbox, or leave out auth.');
  return selectProfile(flags, host.env);
}
