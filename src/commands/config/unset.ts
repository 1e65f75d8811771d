import { changeProfile, requireProfile } from '../../config/profiles.ts';
import { printNotice, recordOf } from '../../output/print-records.ts';
import { text } from '../../output/text.ts';
import type { Context } from '../command-context.ts';
import type { HelpText, OrgadmCommand } from '../orgadm-command.ts';
import { settingArgument } from './set.ts';

const HELP: HelpText = {
  examples: ['orgadm config unset timeout', 'orgadm config unset ca-cert allow-http --profile staging'],
  notes: [
    'When you remove the last setting of a profile, orgadm removes the profile. ' +
      'Its key stays until you run orgadm auth logout.',
    'JSON output: {"profile","removed"}, where removed has the names of the settings that were set.',
  ],
};

/** Registers `config unset`. */
export default function registerConfigUnset(command: OrgadmCommand, context: () => Context): void {
  command.helpText = HELP;
  command
    .addArgument(settingArgument('<name...>', 'names of the settings'))
    .action((names: string[]) => runConfigUnset(names, context()));
}

/** Removes the settings from the profile; a setting that is not set is ignored. */
async function runConfigUnset(names: readonly string[], context: Context): Promise<void> {
  const { host, output } = context;
  const profile = await context.profile();
  await requireProfile(profile, host);
  const removed = Object.keys(profile.settings).filter((name) => names.includes(name));
  if (removed.length > 0) {
    await changeProfile(host, profile.name, (settings) =>
      Object.fromEntries(Object.entries(settings).filter(([name]) => !names.includes(name))),
    );
  }
  const message =
    removed.length === 0
      ? text`profile ${profile.name} does not set ${names.join(' or ')}`
      : text`profile ${profile.name}: removed ${removed.join(', ')}`;
  await printNotice(recordOf({ profile: profile.name, removed }), message, output);
}
