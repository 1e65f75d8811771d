import { changeProfile } from '../../config/profiles.ts';
import { checkProfileExists } from '../../config/setting-sources.ts';
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
async function runConfigUnset(names: readonly string[], { host, output, sources }: Context): Promise<void> {
  const resolved = await sources();
  await checkProfileExists(resolved, host);
  const { profile } = resolved;
  const removed = Object.keys(profile.values).filter((name) => names.includes(name));
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
