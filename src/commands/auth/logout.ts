import type { Command } from 'commander';
import { readSettingSources } from '../../config/settings.ts';
import { deleteKey } from '../../config/stored-keys.ts';
import type { Context } from '../command-context.ts';
import { authProfile } from './auth-profile.ts';

const HELP = `
The base URL and the other settings of the profile stay. The key itself stays valid: revoke it at the service if it may
have been seen.

Examples:
  $ orgadm auth logout
  $ orgadm auth logout --profile staging

JSON output: {"profile","removed"}, where removed is false if there was no key.
`;

/** Registers `auth logout` under the noun `auth`. */
export function registerAuthLogout(parent: Command, context: () => Context, run = runAuthLogout): void {
  parent
    .command('logout')
    .description('Forget the API key of a profile.')
    .addHelpText('after', HELP)
    .action(() => run(context()));
}

/** Removes the key of the profile from the file of keys. */
export async function runAuthLogout(context: Context): Promise<void> {
  const { host, output, flags } = context;
  const { name: profile } = authProfile(context);
  await readSettingSources(flags, host);
  const removed = await deleteKey(host, profile);
  if (output.format !== 'table') await output.ndjson({ profile, removed });
  output.note(removed ? `profile ${profile}: the key is forgotten` : `profile ${profile}: no key is stored`);
  if (host.env.ORGADM_API_KEY) output.warn('ORGADM_API_KEY is still set, and used');
}
