import type { Command } from 'commander';
import { checkProfileExists } from '../../config/setting-sources.ts';
import type { Context } from '../command-context.ts';
import { setHelpText } from '../help-text.ts';
import { renderSettings } from './setting-argument.ts';

const HELP = `
${renderSettings()}
Examples:
  $ orgadm config list
  $ orgadm config list --profile staging --json

JSON output: an object of profiles, each an object of its settings. ndjson and csv: {"profile","name","value"}.
API keys are not included: see orgadm auth status.
`;

/** Registers `config list`. */
export function registerConfigList(command: Command, context: () => Context): void {
  setHelpText(command, HELP);
  command
    .description('List the settings of all profiles, or of the one that is named.')
    .action(() => runConfigList(context()));
}

/** Prints the settings as the file has them. */
async function runConfigList({ host, output, sources }: Context): Promise<void> {
  const resolved = await sources();
  const { name: selected, namedBy } = resolved.profile;
  await checkProfileExists(resolved, host);
  const profiles = [...resolved.profiles].filter(([name]) => namedBy === undefined || name === selected);
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
    case 'markdown':
      if (rows.length === 0) return output.note('there are no settings; see orgadm config set --help');
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
