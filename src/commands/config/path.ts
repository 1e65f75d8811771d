import type { Command } from 'commander';
import { configFile, credentialsFile } from '../../config/profiles.ts';
import { printRecords, recordOf } from '../../output/print-records.ts';
import type { Context } from '../command-context.ts';
import { setHelpText } from '../define-command.ts';

const HELP = `
The file may not exist yet. Its directory is ORGADM_CONFIG_DIR. If that variable is not set, it is orgadm in
XDG_CONFIG_HOME, or else ~/.config/orgadm.

Examples:
  $ orgadm config path
  $ "$EDITOR" "$(orgadm config path)"

JSON output: {"config","credentials"}, the paths of the settings and of the keys.
`;

/** Registers `config path`. */
export function registerConfigPath(command: Command, context: () => Context): void {
  setHelpText(command, HELP);
  command.action(() => runConfigPath(context()));
}

/** Prints the path. */
async function runConfigPath({ host, output }: Context): Promise<void> {
  const paths = { config: configFile(host), credentials: credentialsFile(host) };
  const views = recordOf(paths, () => [{ code: [paths.config] }]);
  await printRecords(views, output);
}
