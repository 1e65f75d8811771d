import type { Command } from 'commander';
import type { StoredValue } from '../../config/setting-table.ts';
import { readSettingSources } from '../../config/settings.ts';
import { cleanLine } from '../../output/sanitize.ts';
import { EXIT, OrgadmError } from '../../util/errors.ts';
import type { Context } from '../command-context.ts';
import { readSettingName, settingArgument } from './setting-argument.ts';

const HELP = `
Examples:
  $ orgadm config get base-url
  $ orgadm config get timeout --profile staging

The exit code is 5 where the profile does not set it. JSON output: the value (a text, number, boolean, or list of texts).
`;

/** Registers `config get` under the noun `config`. */
export function registerConfigGet(parent: Command, context: () => Context, run = runConfigGet): void {
  parent
    .command('get')
    .description('Print what a profile sets a setting to.')
    .addArgument(settingArgument('<name>', 'the setting'))
    .addHelpText('after', HELP)
    .action((name: string) => run(name, context()));
}

/** Prints the value, a list one a line. */
export async function runConfigGet(written: string, { host, flags, output }: Context): Promise<void> {
  const name = await readSettingName(written);
  const { profile } = await readSettingSources(flags, host);
  const value: StoredValue | undefined = profile.values[name];
  if (value === undefined) {
    throw new OrgadmError('not-set', EXIT.notFound, `profile ${profile.name} does not set ${name}`, {
      hint: `Set it with: orgadm config set ${name} <value>`,
    });
  }
  const lines = (typeof value === 'object' ? value : [value]).map(String);
  switch (output.format) {
    case 'json':
      return output.json(value);
    case 'ndjson':
      return output.ndjson(value);
    case 'csv':
      for (const line of lines) await output.csvRow([line]);
      return;
    case 'table':
      return output.write(lines.map((line) => `${cleanLine(line)}\n`).join(''));
  }
}
