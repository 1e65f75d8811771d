import { Argument, type Command } from 'commander';
import type { Context } from '../../cli/context.ts';
import { choiceParser } from '../option-parsers.ts';
import { COMPLETION_SCRIPTS, SHELLS } from './completion-scripts.ts';

const HELP = `
Load it in the shell's start-up file:
  bash        source <(orgadm completion bash)
  zsh         source <(orgadm completion zsh)      after compinit
  fish        orgadm completion fish | source
  powershell  orgadm completion powershell | Out-String | Invoke-Expression

Examples:
  $ orgadm completion bash
  $ orgadm completion fish > orgadm.fish
`;

/** Registers `completion` under the program. */
export function registerCompletion(program: Command, context: () => Context, run = runCompletion): void {
  const shell = new Argument('<shell>', 'the shell');
  shell.argChoices = [...SHELLS];
  program
    .command('completion')
    .description('Print the script that completes orgadm in a shell.')
    .addArgument(shell)
    .addHelpText('after', HELP)
    .action((name: string) => run(name, context()));
}

/** Prints the script. It asks the tool itself for what to offer, so it does not age. */
export async function runCompletion(name: string, { output }: Context): Promise<void> {
  await output.write(COMPLETION_SCRIPTS[choiceParser(name, 'completion', SHELLS)]);
}
