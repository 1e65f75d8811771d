import { Argument } from 'commander';
import { readCertificates } from '../../config/certificates.ts';
import { changeProfile, configFile, DEFAULT_PROFILE } from '../../config/profiles.ts';
import {
  isSettingName,
  type Profile,
  SETTING_NAMES,
  type SettingName,
  type SettingValue,
  settingOf,
} from '../../config/settings.ts';
import type { Output } from '../../output/output.ts';
import { printNotice, recordOf } from '../../output/print-records.ts';
import { successText, text } from '../../output/text.ts';
import { isLoopback } from '../../util/base-url.ts';
import { UsageError } from '../../util/errors.ts';
import { unknownNameError } from '../../util/unknown-name.ts';
import type { Context } from '../command-context.ts';
import type { HelpText, OrgadmCommand } from '../orgadm-command.ts';

const HELP: HelpText = {
  examples: [
    'orgadm config set retries 8',
    'orgadm config set timeout 1m --profile staging',
    'orgadm config set wire.findings.task task_id',
    'orgadm config set wire.member.existing "is on board" "user exists"',
  ],
  notes: [
    'orgadm help settings describes each setting.',
    'orgadm changes the profile that --profile or ORGADM_PROFILE names, or else "default". ' +
      'It creates the profile if necessary. If the profile has a base-url, its settings hold only for that service.',
    'JSON output: {"profile","name","value","file"}.',
  ],
};

/** Registers `config set`. */
export default function registerConfigSet(command: OrgadmCommand, context: () => Context): void {
  command.helpText = HELP;
  command
    .addArgument(settingArgument('<name>', 'name of the setting'))
    .argument('<value...>', 'new value; pass several for a list')
    .action((name: SettingName, values: string[]) => runConfigSet(name, values, context()));
}

/** Validates the value and stores it in the profile. */
async function runConfigSet(name: SettingName, values: readonly string[], context: Context): Promise<void> {
  const { host, output } = context;
  const { name: profile, settings: before } = await context.profile();
  const value = await checkValue(name, values);
  await changeProfile(host, profile, (settings) => ({ ...settings, [name]: value }));
  const file = configFile(host);
  await printNotice(
    recordOf({ profile, name, value, file }),
    successText(text`profile ${profile}: set ${name} in ${file}`),
    output,
  );
  if (name === 'base-url') warnOfBaseUrl(String(value), { name: profile, settings: before }, output);
}

/** Warns about a base URL that commands will reject. */
function warnOfBaseUrl(value: string, { name, settings }: Pick<Profile, 'name' | 'settings'>, output: Output): void {
  const url = new URL(value);
  if (url.protocol !== 'http:' || isLoopback(url.hostname) || settings['allow-http'] === true) return;
  const named = name === DEFAULT_PROFILE ? '' : ` --profile ${name}`;
  output.warn(
    text`orgadm rejects plain http to ${url.host}, because it would send the API key unencrypted
  Use https or, if you trust the network: orgadm config set allow-http true${named}`,
  );
}

/** Returns the value as the profile stores it. */
async function checkValue(name: SettingName, values: readonly string[]): Promise<SettingValue> {
  const { isList, parse, typed = (text: string) => text } = settingOf(name);
  const [first = '', ...more] = values;
  if (more.length > 0 && !isList)
    throw new UsageError(`${name}: expected one value`, 'Quote a value that contains spaces.');
  const value = parse(isList ? values : typed(first), name);
  if (name === 'ca-cert') await readCertificates(String(value), name);
  return value;
}

/** Creates an argument for the name of a setting. Its parser throws UsageError, with the closest name, for an unknown one. */
export function settingArgument(name: string, description: string): Argument {
  const argument = new Argument(name, description);
  argument.argChoices = [...SETTING_NAMES];
  return argument.argParser<SettingName | SettingName[]>((word, previous) => {
    if (/^(api[-_]?)?key$/i.test(word))
      throw new UsageError(`"${word}" is not a setting`, 'Store the API key with: orgadm auth login');
    if (!isSettingName(word)) throw unknownNameError('unknown setting', word, SETTING_NAMES);
    return argument.variadic ? [previous ?? [], word].flat() : word;
  });
}
