import { printRecords, recordOf } from '../../output/print-records.ts';
import { text } from '../../output/text.ts';
import { VERSION } from '../../util/package-version.ts';
import type { Context } from '../command-context.ts';
import type { HelpText, OrgadmCommand } from '../orgadm-command.ts';

const HELP: HelpText = {
  examples: ['orgadm version'],
  notes: ['JSON output: {"version","node"}.'],
};

/** Registers `version`. */
export default function registerVersion(command: OrgadmCommand, context: () => Context): void {
  command.helpText = HELP;
  command.action(() => runVersion(context()));
}

async function runVersion({ output }: Context): Promise<void> {
  const views = recordOf({ version: VERSION, node: process.versions.node }, () => [
    text`${VERSION}\nNode.js ${process.versions.node}`,
  ]);
  await printRecords(views, output);
}
