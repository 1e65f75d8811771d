import type { GlobalFlags } from '../../config/settings.ts';
import type { BulkAddFlags } from './bulk-options.ts';

/**
 * The command line that continues a run: the flags that it must share, and those that its user chose. Without
 * --no-confirm, for whoever continues wants to know.
 */
export function resumeCommand(file: string, flags: BulkAddFlags, global: GlobalFlags): string {
  return commandLine([
    ...['orgadm', 'people', 'bulk-add', fileWord(file)],
    ...readingWords(flags),
    ...flag('--invalid', flags.invalid),
    ...flag('--errors-file', flags.errorsFile),
    ...flag('--journal', flags.journal),
    ...sendingWords(flags, global),
    '--resume',
  ]);
}

/** The command line that adds the rows of the errors file once they are mended: it is read as it is. */
export function mendedCommand(errorsFile: string, flags: BulkAddFlags, global: GlobalFlags): string {
  return commandLine(['orgadm', 'people', 'bulk-add', fileWord(errorsFile), ...sendingWords(flags, global)]);
}

/** How the list is read. */
function readingWords(flags: BulkAddFlags): string[] {
  return [
    ...flag('--format', flags.format),
    ...(flags.map ?? []).flatMap((pair) => ['--map', pair]),
    ...(flags.default ?? []).flatMap((pair) => ['--default', pair]),
    ...(flags.ignoreExtraColumns ? ['--ignore-extra-columns'] : []),
  ];
}

/** Where and how it is sent. */
function sendingWords(flags: BulkAddFlags, global: GlobalFlags): string[] {
  return [
    ...(flags.ignoreExisting ? ['--ignore-existing'] : []),
    ...flag('--batch-size', flags.batchSize),
    ...flag('--concurrency', flags.concurrency),
    ...flag('--quiet-period', flags.quietPeriod),
    ...flag('--request-lifetime', flags.requestLifetime),
    ...(flags.allowParallel ? ['--allow-parallel'] : []),
    ...flag('--profile', global.profile),
    ...flag('--base-url', global.baseUrl),
    ...(global.sandbox ? ['--sandbox'] : []),
    ...flag('--fault', global.fault),
    ...flag('--variant', global.variant),
    ...flag('--key-file', global.keyFile),
    ...flag('--timeout', global.timeout),
    ...flag('--retries', global.retries),
    ...flag('--ca-cert', global.caCert),
    ...(global.allowHttp ? ['--allow-http'] : []),
  ];
}

function flag(name: string, value: string | undefined): string[] {
  if (value === undefined) return [];
  // As a word of its own, a value that looks like an option is rejected.
  return value.startsWith('-') && value !== '-' ? [`${name}=${value}`] : [name, value];
}

/** A file as an argument: one that starts with `-` would be read as an option. */
function fileWord(file: string): string {
  return file.startsWith('-') && file !== '-' ? `./${file}` : file;
}

function commandLine(words: readonly string[]): string {
  return words.map(quoteForShell).join(' ');
}

export function quoteForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
