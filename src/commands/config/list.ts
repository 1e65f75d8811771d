import { configFile, requireProfile } from '../../config/profiles.ts';
import { resolveValues, SETTING_NAMES, type SettingName, type SettingValue } from '../../config/settings.ts';
import { resolveKey } from '../../config/target.ts';
import { listOf, printRecords } from '../../output/print-records.ts';
import { UsageError } from '../../util/errors.ts';
import type { Context } from '../command-context.ts';
import type { HelpText, OrgadmCommand } from '../orgadm-command.ts';

const HELP: HelpText = {
  examples: [
    'orgadm config list',
    'orgadm config list --profile staging',
    'orgadm config list --jq \'.[] | select(.name == "timeout") | .value\'',
    '"$EDITOR" "$(orgadm config list | head -n 1)"',
  ],
  notes: [
    'The first line of a table is the path of the configuration file, which need not exist. The API key is never shown. ' +
      'orgadm help settings describes each setting.',
    'JSON output: an array of {"name","value","from"}. from is the option, the variable, the profile, or "default"; ' +
      'null if nothing sets the value. value is null for the key, and for a setting without a value.',
  ],
};

/** Registers `config list`. */
export default function registerConfigList(command: OrgadmCommand, context: () => Context): void {
  command.helpText = HELP;
  command
    .description('List every setting with its value and where it comes from: an option, a variable, or the profile.')
    .action(() => runConfigList(context()));
}

/** A setting as it applies to this run. */
interface ListedSetting {
  name: SettingName | 'profile' | 'api-key';
  /** Null without a value, and for the API key. */
  value: SettingValue | null;
  /** The option, variable, or profile, or `default`; null without a value. */
  from: string | null;
}

/** Prints every setting of a command with the same options and environment. */
async function runConfigList(context: Context): Promise<void> {
  const { host, flags, output } = context;
  if (flags.sandbox) throw new UsageError('config list cannot be used with --sandbox');
  await requireProfile(await context.profile(), host);
  const settings = await listSettings(context);
  const table = listOf(settings, [
    'name',
    {
      name: 'value',
      value: ({ name, value, from }) => (name === 'api-key' && from !== null ? '(not shown)' : value),
    },
    'from',
  ]);
  const people = () => [{ code: [configFile(host)] }, ...table.people()];
  await printRecords({ ...listOf(settings, ['name', 'value', 'from']), people }, output);
}

async function listSettings(context: Context): Promise<ListedSetting[]> {
  const { flags, host } = context;
  const profile = await context.profile();
  const values = resolveValues({ flags, env: host.env, profile });
  const settings = SETTING_NAMES.map((name) => {
    const { value = null, from = null } = values[name] ?? {};
    return { name, value, from };
  });
  const { value: baseUrl, from: baseUrlFrom } = values['base-url'] ?? {};
  const { apiKeyFrom = null } = await resolveKey({ baseUrl, baseUrlFrom }, profile, flags, host);
  return [
    { name: 'profile', value: profile.name, from: profile.from },
    ...settings.slice(0, 1),
    { name: 'api-key', value: null, from: apiKeyFrom },
    ...settings.slice(1),
  ];
}
