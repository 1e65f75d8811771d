import type { Command } from 'commander';
import { printRecord } from '../../output/output.ts';
import { VERSION } from '../../util/package-version.ts';
import type { Context } from '../command-context.ts';
import { setHelpText } from '../define-command.ts';

const HELP = `
Examples:
  $ orgadm version

JSON output: {"version"}.
`;

/** Registers `version`. */
export function registerVersion(command: Command, context: () => Context): void {
  setHelpText(command, HELP);
  command.action(() => runVersion(context()));
}

async function runVersion({ output }: Context): Promise<void> {
  if (output.isForPeople) return output.write(`${VERSION}\n`);
  await printRecord({ version: VERSION }, output);
}
