import type { Command } from 'commander';
import { sandboxStateFile } from '../../config/settings.ts';
import type { Context } from '../command-context.ts';
import { setHelpText } from '../help-text.ts';

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
  const { resetSandbox } = await import('../../sandbox/server.ts');
  const file = sandboxStateFile(context.host);
  await resetSandbox(file);
  if (context.output.format === 'json' || context.output.format === 'ndjson') await context.output.ndjson({ file });
  context.output.note('the sandbox was reset');
}
