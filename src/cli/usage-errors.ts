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
  return new UsageError(shown, suggestion ?? `See ${command.path} --help.`);
}
