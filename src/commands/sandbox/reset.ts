import type { Command } from 'commander';
import { sandboxStateFile } from '../../config/settings.ts';
import { printRecord } from '../../output/output.ts';
import type { Context } from '../command-context.ts';
import { setHelpText } from '../define-command.ts';

const HELP = `
Examples:
  $ orgadm sandbox reset

JSON output: {"file"}, the file of the state, now removed.
`;

/** Registers `sandbox reset`. */
export function registerSandboxReset(command: Command, context: () => Context): void {
  setHelpText(command, HELP);
  command
    .description('Reset the sandbox to its initial people, roles and domains.')
    .action(() => runSandboxReset(context()));
}

/** Removes the state file. */
async function runSandboxReset(context: Context): Promise<void> {
  const { resetSandbox } = await import('../../sandbox/store.ts');
  const file = sandboxStateFile(context.host);
  await resetSandbox(file);
  await printRecord({ file }, context.output);
  context.output.note('the sandbox was reset');
}
