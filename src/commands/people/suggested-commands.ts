import type { GlobalFlags } from '../../config/settings.ts';
import { shortRunId } from '../../import/journal/open-run.ts';
import { quoteForShell } from '../../output/sanitize.ts';

/** Returns the command `orgadm runs <verb>` for a run. */
export function runsCommand(verb: 'show' | 'resume', id: string, journal: string | undefined): string {
  const more = journal === undefined ? '' : ` --journal ${quoteForShell(journal)}`;
  return `orgadm runs ${verb} ${shortRunId(id)}${more}`;
}

/**
 * Returns the command that imports a file into the same service as this command.
 *
 * @param flags the global options of this command
 */
export function importCommand(file: string, flags: GlobalFlags): string {
  const word = file.startsWith('-') ? `./${file}` : file;
  return ['orgadm', 'people', 'bulk-add', word, ...flagsForSameService(flags)].map(quoteForShell).join(' ');
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
