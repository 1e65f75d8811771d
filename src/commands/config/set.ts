import type { Command } from 'commander';
import { readCertificates } from '../../config/connection.ts';
import { changeProfile, configFile, selectProfile } from '../../config/profiles.ts';
import { SETTINGS, type Setting, type SettingName, type StoredValue } from '../../config/setting-table.ts';
import { repeatedVersionHint } from '../../util/base-url.ts';
import { UsageError } from '../../util/errors.ts';
import type { Context } from '../command-context.ts';
import { readSettingName, renderSettings, settingArgument } from './setting-argument.ts';

const HELP = `
${renderSettings()}
Examples:
  $ orgadm config set output json
  $ orgadm config set timeout 1m --profile staging
  $ orgadm config set wire.findings.task task_id
  $ orgadm config set wire.member.existing "is on board" "user exists"

The profile is that of --profile or ORGADM_PROFILE, else "default"; one that is not there is made.
`;

/** Registers `config set` under the noun `config`. */
export function registerConfigSet(parent: Command, context: () => Context, run = runConfigSet): void {
  parent
    .command('set')
    .description('Set a setting of a profile.')
    .addArgument(settingArgument('<name>', 'the setting'))
    .argument('<value...>', 'its value; several for a list')
    .addHelpText('after', HELP)
    .action((name: string, values: string[]) => run(name, values, context()));
}

/** Checks the value and writes it into the profile. */
export async function runConfigSet(written: string, values: readonly string[], context: Context): Promise<void> {
  const { host, flags, output } = context;
  const name = await readSettingName(written);
  const { name: profile } = selectProfile(flags, host.env);
  const value = await checkValue(name, values);
  await changeProfile(host, profile, (settings) => ({ ...settings, [name]: value }));
  output.note(`profile ${profile}: ${name} is set in ${configFile(host)}`);
  const versionHint =
    name === 'base-url' ? repeatedVersionHint(SETTINGS['base-url'].read(String(value), name)) : undefined;
  if (versionHint !== undefined) output.warn(versionHint);
}

async function checkValue(name: SettingName, values: readonly string[]): Promise<StoredValue> {
  const setting: Setting<unknown> = SETTINGS[name];
  const [text = '', ...more] = values;
  if (more.length > 0 && !setting.isList) {
    throw new UsageError(`${name}: one value is taken`, 'Put quotes around a value that holds blanks.');
  }
  const value = setting.isList ? values : (setting.toStored?.(text) ?? text);
  setting.read(value, name);
  if (name === 'ca-cert') await readCertificates(String(value), name);
  return value;
}
