import type { CommanderError } from 'commander';
import type { OrgadmCommand } from '../commands/orgadm-command.ts';
import { UsageError } from '../util/errors.ts';

/**
 * Converts an error of Commander, which `command` reported. The value of an option that Commander does not know is left out,
 * because it may be a key: `--token=<key>`.
 */
export function toUsageError({ code, message }: CommanderError, command: OrgadmCommand): UsageError {
  // `error: unknown option '--nmae=QA'\n(Did you mean --name?)`
  const [, text = '', suggestion] = /^error: (.*?)\.?(?:\n\((.*)\))?$/s.exec(message) ?? [];
  const shown = code === 'commander.unknownOption' ? text.replace(/=.*/s, "'") : text;
  // The shell splits a value with spaces, so its second word becomes an argument.
  const quoting = code === 'commander.excessArguments' ? 'Put a value with spaces in quotes. ' : '';
  return new UsageError(shown, suggestion ?? `${quoting}See ${command.path} --help.`);
}
