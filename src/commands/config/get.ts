import type { Command } from 'commander';
import type { SettingName } from '../../config/setting-table.ts';
import { checkProfileExists } from '../../config/settings.ts';
import { printRecords } from '../../output/print-records.ts';
import { EXIT, OrgadmError } from '../../util/errors.ts';
import type { Context } from '../command-context.ts';
import { setHelpText } from '../define-command.ts';
import { settingArgument } from './set.ts';

const HELP = `
Examples:
  $ orgadm config get base-url
  $ orgadm config get timeout --profile staging

If the profile does not have the setting, orgadm exits 5. JSON output: the value (a string, number, boolean, or array of
strings).
`;

/** Registers `config get`. */
export function registerConfigGet(command: Command, context: () => Context): void {
  setHelpText(command, HELP);
  command
    .addArgument(settingArgument('<name>', 'name of the setting'))
    .action((name: SettingName) => runConfigGet(name, context()));
}

/** Prints the value, of a list one per line. */
async function runConfigGet(name: SettingName, { host, output, sources }: Context): Promise<void> {
  const resolved = await sources();
  await checkProfileExists(resolved, host);
  const { profile } = resolved;
  const value = profile.values[name];
  if (value === undefined) {
    throw new OrgadmError('not-set', EXIT.notFound, `profile ${profile.name} does not set ${name}`, {
      hint: `Set it with: orgadm config set ${name} <value>`,
    });
  }
  const lines = (typeof value === 'object' ? value : [value]).map(String);
  const views = {
    json: () => value,
    ndjson: () => [value],
    csv: () => lines.map((line) => [line]),
    people: () => [{ code: lines }],
  };
  await printRecords(views, output);
}
