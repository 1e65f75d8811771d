import { quoteForShell } from '../output/sanitize.ts';
import { UsageError } from '../util/errors.ts';

/**
 * Returns the command line as the user typed it, with more options, quoted for a shell.
 *
 * @param argv the words after the program's name
 */
export function typedCommand(argv: readonly string[], options: readonly string[]): string {
  const end = argv.indexOf('--');
  const at = end < 0 ? argv.length : end;
  return ['orgadm', ...argv.slice(0, at), ...options, ...argv.slice(at)].map(quoteForShell).join(' ');
}

/** Options that a dry run does not have. */
const RUN_OPTIONS = new Set(['--restart', '--dry-run']);

/**
 * Returns the command line as the user typed it, with more options, as a dry run.
 *
 * @param argv the words after the program's name
 */
export function completedCommand(argv: readonly string[], options: readonly string[]): string {
  const end = argv.indexOf('--');
  const kept = argv.filter((word, at) => !RUN_OPTIONS.has(word) || (end >= 0 && at > end));
  return typedCommand(kept, [...options, '--dry-run']);
}

/**
 * Returns the error for an option that has no effect without another one, with the command line that has both.
 *
 * @param argv the words after the program's name
 */
export function missingOptionError(option: string, required: string, argv: readonly string[]): UsageError {
  return new UsageError(`${option} requires ${required}`, `Try: ${typedCommand(argv, [required])}`);
}
