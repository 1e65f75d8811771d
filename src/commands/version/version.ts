import type { Command } from 'commander';
import { printRecords, recordOf } from '../../output/print-records.ts';
import { text } from '../../output/text.ts';
import { VERSION } from '../../util/package-version.ts';
import type { Context } from '../command-context.ts';
import { setHelpText } from '../define-command.ts';

const HELP = `
Examples:
  $ orgadm version

JSON output: {"version","node"}.
`;

/** Registers `version`. */
export function registerVersion(command: Command, context: () => Context): void {
  setHelpText(command, HELP);
  command.action(() => runVersion(context()));
}

async function runVersion({ output }: Context): Promise<void> {
  const views = recordOf({ version: VERSION, node: process.versions.node }, () => [
    text`${VERSION}\nNode.js ${process.versions.node}`,
  ]);
  await printRecords(views, output);
}
