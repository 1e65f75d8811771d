import type { Command } from 'commander';
import { configFile } from '../../config/profiles.ts';
import { credentialsFile } from '../../config/stored-keys.ts';
import { cleanLine } from '../../output/sanitize.ts';
import type { Context } from '../command-context.ts';

const HELP = `
The file need not be there yet. Its folder is ORGADM_CONFIG_DIR, else orgadm in XDG_CONFIG_HOME, else ~/.config/orgadm.

Examples:
  $ orgadm config path
  $ "$EDITOR" "$(orgadm config path)"

JSON output: {"config","credentials"}, the paths of the settings and of the keys.
`;

/** Registers `config path` under the noun `config`. */
export function registerConfigPath(parent: Command, context: () => Context, run = runConfigPath): void {
  parent
    .command('path')
    .description('Print the path of the file that holds the settings.')
    .addHelpText('after', HELP)
    .action(() => run(context()));
}

/** Prints the path. */
export async function runConfigPath({ host, output }: Context): Promise<void> {
  const paths = { config: configFile(host), credentials: credentialsFile(host) };
  if (output.format === 'table') return output.write(`${cleanLine(paths.config)}\n`);
  if (output.format !== 'csv') return output.ndjson(paths);
  await output.csvRow(Object.keys(paths));
  await output.csvRow(Object.values(paths));
}
