import type { GlobalFlags } from '../../config/setting-sources.ts';
import { shortRunId } from '../../import/journal/run-identity.ts';
import type { Mapping } from '../../import/mapping.ts';
import { quoteForShell } from '../../output/sanitize.ts';
import { fieldOptions, fitsOptions } from './mapping/mapping-flags.ts';

/** Returns the command `orgadm runs <verb>` for a run. */
export function runsCommand(verb: 'show' | 'resume', id: string): string {
  return `orgadm runs ${verb} ${shortRunId(id)}`;
}

/**
 * Returns the command that imports a file into the same service as this command.
 *
 * @param flags the global options of this command
 * @param mapping says which of its columns are which fields
 */
export function importCommand(file: string, flags: GlobalFlags, mapping: Mapping = {}): string {
  const word = file.startsWith('-') ? `./${file}` : file;
  const options = fitsOptions(mapping) ? fieldOptions(mapping) : ['--mapping', '<file>'];
  return ['orgadm', 'people', 'bulk-add', word, ...options, ...flagsForSameService(flags)].map(quoteForShell).join(' ');
}

/** Returns the options of a command line that reach the same service again. */
function flagsForSameService({ sandbox, profile, baseUrl, keyFile, caCert, allowHttp }: GlobalFlags): string[] {
  const named = { profile, 'base-url': baseUrl, 'key-file': keyFile, 'ca-cert': caCert };
  return [
    ...(sandbox ? ['--sandbox'] : []),
    ...Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value])),
    ...(allowHttp ? ['--allow-http'] : []),
  ];
}
