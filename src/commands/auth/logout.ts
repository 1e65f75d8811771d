import type { Command } from 'commander';
import { deleteKey } from '../../config/profiles.ts';
import { checkProfileExists } from '../../config/settings.ts';
import { printNotice, recordOf } from '../../output/print-records.ts';
import { text } from '../../output/text.ts';
import { authProfile, type Context } from '../command-context.ts';
import { setHelpText } from '../define-command.ts';

const HELP = `
orgadm keeps the base URL and the other settings of the profile. The key itself stays valid. If someone may have seen it,
revoke it at the service.

Examples:
  $ orgadm auth logout
  $ orgadm auth logout --profile staging

JSON output: {"profile","removed"}, where removed is false if there was no key.
`;

/** Registers `auth logout`. */
export function registerAuthLogout(command: Command, context: () => Context): void {
  setHelpText(command, HELP);
  command.action(() => runAuthLogout(context()));
}

/** Deletes the stored key of the profile. */
async function runAuthLogout(context: Context): Promise<void> {
  const { host, output } = context;
  const { name: profile } = authProfile(context);
  await checkProfileExists(await context.sources(), host);
  const removed = await deleteKey(host, profile);
  const message = removed ? text`profile ${profile}: removed the key` : text`profile ${profile}: no key is stored`;
  await printNotice(recordOf({ profile, removed }), message, output);
  if (host.env.ORGADM_API_KEY) output.warn('ORGADM_API_KEY is still set and in use');
  if ((await context.sources()).profile.values['key-command'] !== undefined) {
    output.warn(text`profile ${profile} still has a key-command, which is in use`);
    output.note(text`To remove it: orgadm config unset key-command --profile ${profile}`);
  }
}
