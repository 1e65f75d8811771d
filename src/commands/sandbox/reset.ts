import type { Command } from 'commander';
import { sandboxStateFile } from '../../config/settings.ts';
import { printNotice, recordOf } from '../../output/print-records.ts';
import { text } from '../../output/text.ts';
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
    .description('Reset the sandbox to its initial people, roles, and domains.')
    .action(() => runSandboxReset(context()));
}

/** Removes the state file. */
async function runSandboxReset(context: Context): Promise<void> {
  const { resetSandbox } = await import('../../sandbox/store.ts');
  const file = sandboxStateFile(context.host);
  await resetSandbox(file);
  await printNotice(recordOf({ file }), text`reset the sandbox`, context.output);
}
