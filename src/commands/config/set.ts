import { Argument } from 'commander';
import { readCertificates } from '../../config/certificates.ts';
import { changeProfile, configFile, DEFAULT_PROFILE } from '../../config/profiles.ts';
import type { SettingSources } from '../../config/setting-sources.ts';
import {
  isSettingName,
  SETTING_NAMES,
  SETTINGS,
  type Setting,
  type SettingName,
  type StoredSetting,
} from '../../config/setting-table.ts';
import type { Output } from '../../output/output.ts';
import { printNotice, recordOf } from '../../output/print-records.ts';
import { successText, text } from '../../output/text.ts';
import { isLoopback } from '../../util/base-url.ts';
import { UsageError } from '../../util/errors.ts';
import { unknownNameError } from '../../util/suggest.ts';
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
    { heading: 'Settings', items: describeSettings() },
    'orgadm changes the profile that --profile or ORGADM_PROFILE names, or else "default". ' +
      'It creates the profile if necessary. If the profile has a base-url, its wire settings and allow-http hold only for that service.',
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
  const { name: profile } = (await context.sources()).profile;
  const value = await checkValue(name, values);
  await changeProfile(host, profile, (settings) => ({ ...settings, [name]: value }));
  const file = configFile(host);
  await printNotice(
    recordOf({ profile, name, value, file }),
    successText(text`profile ${profile}: set ${name} in ${file}`),
    output,
  );
  if (name === 'base-url') warnOfBaseUrl(String(value), await context.sources(), output);
}

/** Warns about a base URL that commands will reject. */
function warnOfBaseUrl(value: string, { profile }: SettingSources, output: Output): void {
  const { read } = SETTINGS['base-url'];
  const url = new URL(read(value, 'base-url'));
  const isAllowed = SETTINGS['allow-http'].read(profile.values['allow-http'] ?? false, 'allow-http');
  if (url.protocol !== 'http:' || isLoopback(url.hostname) || isAllowed) return;
  const named = profile.name === DEFAULT_PROFILE ? '' : ` --profile ${profile.name}`;
  output.warn(
    text`orgadm rejects plain http to ${url.host}, because it would send the API key unencrypted
  Use https or, if you trust the network: orgadm config set allow-http true${named}`,
  );
}

async function checkValue(name: SettingName, values: readonly string[]): Promise<StoredSetting> {
  const setting: Setting<unknown> = SETTINGS[name];
  const [first = '', ...more] = values;
  if (more.length > 0 && !setting.isList) {
    throw new UsageError(`${name}: expected one value`, 'Quote a value that contains spaces.');
  }
  const value = setting.isList ? values : (setting.toStored?.(first) ?? first);
  setting.read(value, name);
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

/** Describes the settings, for help. */
function describeSettings(): Record<string, string> {
  const settings: [string, Setting<unknown>][] = Object.entries(SETTINGS);
  return Object.fromEntries(
    settings.map(([name, { description, default: standard }]) => {
      const note = standard === undefined || typeof standard === 'object' ? '' : ` (default: ${standard})`;
      return [name, `${description}${note}`];
    }),
  );
}
