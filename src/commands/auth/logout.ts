import { deleteKey, requireProfile } from '../../config/profiles.ts';
import { printNotice, recordOf } from '../../output/print-records.ts';
import { text } from '../../output/text.ts';
import { authProfile, type Context } from '../command-context.ts';
import type { HelpText, OrgadmCommand } from '../orgadm-command.ts';

const HELP: HelpText = {
  examples: ['orgadm auth logout', 'orgadm auth logout --profile staging'],
  notes: [
    'orgadm keeps the base URL and the other settings of the profile. The key itself stays valid. ' +
      'If someone may have seen it, revoke it at the service.',
    'JSON output: {"profile","removed"}, where removed is false if there was no key.',
  ],
};

/** Registers `auth logout`. */
export default function registerAuthLogout(command: OrgadmCommand, context: () => Context): void {
  command.helpText = HELP;
  command.action(() => runAuthLogout(context()));
}

/** Deletes the stored key of the profile. */
async function runAuthLogout(context: Context): Promise<void> {
  const { host, output } = context;
  const { name: profile } = authProfile(context);
  await requireProfile(await context.profile(), host);
  const removed = await deleteKey(host, profile);
  const message = removed ? text`profile ${profile}: removed the key` : text`profile ${profile}: no key is stored`;
  await printNotice(recordOf({ profile, removed }), message, output);
  if (host.env.ORGADM_API_KEY) output.warn('ORGADM_API_KEY is still set and in use');
}
