import type { Command } from 'commander';
import { changeProfile } from '../../config/profiles.ts';
import { readSettingSources } from '../../config/settings.ts';
import type { Context } from '../command-context.ts';
import { readSettingName, settingArgument } from './setting-argument.ts';

const HELP = `
Examples:
  $ orgadm config unset timeout
  $ orgadm config unset ca-cert allow-http --profile staging

A profile that is left without settings is dropped; its key stays until orgadm auth logout.
`;

/** Registers `config unset` under the noun `config`. */
export function registerConfigUnset(parent: Command, context: () => Context, run = runConfigUnset): void {
  parent
    .command('unset')
    .description('Take settings out of a profile.')
    .addArgument(settingArgument('<name...>', 'the settings'))
    .addHelpText('after', HELP)
    .action((names: string[]) => run(names, context()));
}

/** Removes the settings from the profile; one that is not set is no error. */
export async function runConfigUnset(written: readonly string[], { host, flags, output }: Context): Promise<void> {
  const names: string[] = await Promise.all(written.map(readSettingName));
  const { profile } = await readSettingSources(flags, host);
  if (!Object.keys(profile.values).some((name) => names.includes(name))) {
    output.note(`profile ${profile.name}: nothing to take out`);
    return;
  }
  await changeProfile(host, profile.name, (settings) =>
    Object.fromEntries(Object.entries(settings).filter(([name]) => !names.includes(name))),
  );
  output.note(`profile ${profile.name}: ${names.join(', ')} taken out`);
}
