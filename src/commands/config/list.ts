import type { Command } from 'commander';
import { readProfiles, selectProfile } from '../../config/profiles.ts';
import { readSettingSources } from '../../config/settings.ts';
import type { Context } from '../command-context.ts';
import { renderSettings } from './setting-argument.ts';

const HELP = `
${renderSettings()}
Examples:
  $ orgadm config list
  $ orgadm config list --profile staging --json

JSON output: an object of profiles, each an object of its settings. ndjson and csv give {"profile","name","value"}.
Keys are not among them: see orgadm auth status.
`;

/** Registers `config list` under the noun `config`. */
export function registerConfigList(parent: Command, context: () => Context, run = runConfigList): void {
  parent
    .command('list')
    .description('List what all profiles set, or the one that is named.')
    .addHelpText('after', HELP)
    .action(() => run(context()));
}

/** Prints the settings as the file holds them. */
export async function runConfigList(context: Context): Promise<void> {
  const { host, flags, output } = context;
  const { name: chosen, namedBy } = selectProfile(flags, host.env);
  if (namedBy !== undefined) await readSettingSources(flags, host);
  const profiles = [...(await readProfiles(host))].filter(([name]) => namedBy === undefined || name === chosen);
  const rows = profiles.flatMap(([profile, settings]) =>
    Object.entries(settings).map(([name, value]) => ({ profile, name, value })),
  );
  switch (output.format) {
    case 'json':
      return output.json(Object.fromEntries(profiles));
    case 'ndjson':
      for (const row of rows) await output.ndjson(row);
      return;
    case 'csv':
      await output.csvRow(['profile', 'name', 'value']);
      for (const { profile, name, value } of rows) await output.csvRow([profile, name, value]);
      return;
    case 'table':
      if (rows.length === 0) return output.note('nothing is set; see orgadm config set --help');
      return output.table(
        [{ header: 'profile' }, { header: 'name', min: 20 }, { header: 'value', wrap: true }],
        rows.map(({ profile, name, value }) => [
          profile,
          name,
          typeof value === 'object' ? value.join(', ') : String(value),
        ]),
      );
  }
}
