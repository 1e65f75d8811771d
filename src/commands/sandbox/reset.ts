import type { Command } from 'commander';
import { sandboxStateFile } from '../../config/settings.ts';
import type { Context } from '../command-context.ts';

const HELP = `
Examples:
  $ orgadm sandbox reset
`;

/** Registers `sandbox reset` under the noun `sandbox`. */
export function registerSandboxReset(command: Command, context: () => Context): void {
  command
    .description(
      "Forget the sandbox's state: the next use starts with the people, roles and domains it knows at first.",
    )
    .addHelpText('after', HELP)
    .action(() => runSandboxReset(context()));
}

/** Removes the state file. */
export async function runSandboxReset(context: Context): Promise<void> {
  const { resetSandbox } = await import('../../sandbox/server.ts');
  await resetSandbox(sandboxStateFile(context.host));
  context.output.note('the sandbox starts afresh');
}
