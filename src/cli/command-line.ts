import type { Option } from 'commander';
import type { OrgadmCommand } from '../commands/orgadm-command.ts';

/**
 * Returns the command that these words name, with its arguments and options: `people`, `bulk-add`.
 *
 * @param from the command that the first word is below
 * @returns undefined if a word names no command
 */
export async function findCommand(from: OrgadmCommand, words: readonly string[]): Promise<OrgadmCommand | undefined> {
  let command: OrgadmCommand | undefined = from;
  for (const word of words) command = command?.commands.find((sub) => sub.name() === word);
  await command?.load();
  return command;
}

/** Returns the words that call a command: `orgadm people bulk-add`. */
export function pathOf(command: OrgadmCommand): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** The command's own options, then those of the nouns and the program above it. */
export function optionsInReach(command: OrgadmCommand): Option[] {
  const above = command.parent === null ? [] : optionsInReach(command.parent);
  return [...command.options, ...above];
}
