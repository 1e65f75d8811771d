import type { Command } from 'commander';

const texts = new WeakMap<Command, string>();

/**
 * Sets what the help of a command says in addition to its arguments and options: paragraphs, and sections that start with
 * a line such as `Examples:`. The help shows the examples first, before the options.
 */
export function setHelpText(command: Command, text: string): void {
  texts.set(command, text.trim());
}

/** The text of `setHelpText`, empty if there is none. */
export function helpTextOf(command: Command): string {
  return texts.get(command) ?? '';
}
