import { Argument, type Option } from 'commander';
import type { Context } from '../command-context.ts';
import { choiceParser } from '../define-command.ts';
import type { HelpText, OrgadmCommand } from '../orgadm-command.ts';
import { bashScript, type CompletedOption, fishScript, type Place, zshScript } from './scripts.ts';

const HELP: HelpText = {
  examples: ['orgadm completion bash', 'orgadm completion fish > orgadm.fish'],
  notes: [
    'The script completes commands, options, and their values. Add one of these lines to the startup file of your shell:',
    {
      items: {
        bash: 'source <(orgadm completion bash)',
        zsh: 'source <(orgadm completion zsh)',
        fish: 'orgadm completion fish | source',
      },
    },
  ],
};

/** The scripts by shell. */
const COMPLETION_SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

type Shell = keyof typeof COMPLETION_SCRIPTS;

const SHELLS = Object.keys(COMPLETION_SCRIPTS) as readonly Shell[];

/** Registers `completion`. */
export default function registerCompletion(command: OrgadmCommand, context: () => Context): void {
  command.helpText = HELP;
  const shell = new Argument('<shell>', 'your shell').argParser((name) => choiceParser(name, 'completion', SHELLS));
  shell.argChoices = [...SHELLS];
  command.addArgument(shell).action((shell: Shell) => runCompletion(shell, command, context()));
}

/** Prints the script for the command tree of this version. */
async function runCompletion(shell: Shell, { parent: program }: OrgadmCommand, { output }: Context): Promise<void> {
  if (program === null) return;
  await output.writeRendered(COMPLETION_SCRIPTS[shell](await placesBelow(program, '')));
}

/** Returns a place for a command and for each below it. */
async function placesBelow(command: OrgadmCommand, path: string): Promise<Place[]> {
  await command.load();
  const inner = await Promise.all(
    command.commands.map((sub) => placesBelow(sub, path === '' ? sub.name() : `${path} ${sub.name()}`)),
  );
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  const words = [
    ...command.commands.map((sub) => ({ name: sub.name(), description: sub.summary() })),
    ...choices.map((name) => ({ name, description: '' })),
  ];
  return [{ path, words, options: command.options.map(completedOption) }, ...inner.flat()];
}

function completedOption({ long, short, description, required, argChoices = [] }: Option): CompletedOption {
  return { name: long ?? '', short, description, takesValue: required, choices: argChoices };
}
