import { resolveKey } from '../../config/keys.ts';
import { originOrNull } from '../../config/origin.ts';
import { configFile } from '../../config/profiles.ts';
import { checkProfileExists, resolveSetting, type SettingSources } from '../../config/setting-sources.ts';
import { SETTING_NAMES, type SettingName, type StoredSetting } from '../../config/setting-table.ts';
import { resolveForService } from '../../config/settings.ts';
import type { Block } from '../../output/blocks.ts';
import { listOf, printRecords } from '../../output/print-records.ts';
import { text } from '../../output/text.ts';
import { UsageError } from '../../util/errors.ts';
import type { Host } from '../../util/host.ts';
import type { Context } from '../command-context.ts';
import type { HelpText, OrgadmCommand } from '../orgadm-command.ts';

const HELP: HelpText = {
  examples: [
    'orgadm config list',
    'orgadm config list --profile staging --json',
    'orgadm config list --effective',
    'orgadm config list --effective --jq \'.[] | select(.name == "timeout") | .value\'',
    '"$EDITOR" "$(orgadm config list | head -n 1)"',
  ],
  notes: [
    'orgadm config set --help describes each setting.',
    'The first line is the path of the configuration file, which need not exist. ' +
      'Its directory is ORGADM_CONFIG_DIR. If that variable is not set, it is orgadm in XDG_CONFIG_HOME, or else ' +
      '~/.config/orgadm.',
    '--effective shows the value of every setting for a command with the same options and environment, and where ' +
      'the value comes from. It includes the profile and the source of the API key, but never the key.',
    'JSON, ndjson, and csv do not have the path. JSON output: ' +
      'an object of profiles, each an object of its settings. ndjson and csv: {"profile","name","value"}. ' +
      'With --effective: an array of {"name","value","from"}. ' +
      'from names the option, variable, or profile, or is "default", or null if nothing sets the value. ' +
      'value is null for the key, and for a setting without a value.',
  ],
};

/** Registers `config list`. */
export default function registerConfigList(command: OrgadmCommand, context: () => Context): void {
  command.helpText = HELP;
  command
    .description('List the settings of all profiles, or of the one you name with --profile.')
    .option('--effective', 'list the value and the source of every setting of this run')
    .action(({ effective }: { effective?: boolean }) =>
      effective ? listEffective(context()) : runConfigList(context()),
    );
}

/** Prints the settings in the file. */
async function runConfigList({ host, output, sources }: Context): Promise<void> {
  const resolved = await sources();
  const { name: selected, from } = resolved.profile;
  await checkProfileExists(resolved, host);
  const profiles = [...resolved.profiles].filter(([name]) => from.kind === 'default' || name === selected);
  const rows = profiles.flatMap(([profile, settings]) =>
    Object.entries(settings).map(([name, value]) => ({ profile, name, value })),
  );
  const columns = ['profile', 'name', { name: 'value', isWhole: true }] as const;
  const list = listOf(rows, columns, text`no settings; to add one, see orgadm config set --help`);
  const people = () => [fileBlock(host), ...list.people()];
  await printRecords({ ...list, json: () => Object.fromEntries(profiles), people }, output);
}

/** Prints every setting with its source. */
async function listEffective({ host, flags, output, sources }: Context): Promise<void> {
  if (flags.sandbox) throw new UsageError('--effective cannot be used with --sandbox');
  const resolved = await sources();
  await checkProfileExists(resolved, host);
  const settings = await effectiveSettings(resolved, host);
  const table = listOf(settings, [
    'name',
    {
      name: 'value',
      value: ({ name, value, from }) => (name === 'api-key' && from !== null ? '(not shown)' : value),
    },
    'from',
  ]);
  const people = () => [fileBlock(host), ...table.people()];
  await printRecords({ ...listOf(settings, ['name', 'value', 'from']), people }, output);
}

/** Returns the path of the configuration file, to copy. */
function fileBlock(host: Host): Block {
  return { code: [configFile(host)] };
}

/** A setting as it applies to this run. */
interface EffectiveSetting {
  name: SettingName | 'profile' | 'api-key';
  /** Null without a value, and for the API key. */
  value: StoredSetting | null;
  /** The option, variable, or profile, or `default`; null without a value. */
  from: string | null;
}

async function effectiveSettings(sources: SettingSources, host: Host): Promise<EffectiveSetting[]> {
  const { flags, profile } = sources;
  const settings = SETTING_NAMES.map((name) => {
    const setting = resolveForService(name, sources);
    // The normal form of a base URL is the one that keys are stored for.
    const value = name === 'base-url' ? setting?.value : setting?.stored;
    return { name, value: value ?? null, from: originOrNull(setting?.from) };
  });
  const base = resolveSetting('base-url', sources);
  const request = { keyFile: flags.keyFile, profile, baseUrl: base?.value, baseUrlFrom: base?.from };
  const { apiKeyFrom } = await resolveKey(request, host);
  return [
    { name: 'profile', value: profile.name, from: originOrNull(profile.from) },
    ...settings,
    { name: 'api-key', value: null, from: originOrNull(apiKeyFrom) },
  ];
}
