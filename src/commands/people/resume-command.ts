import type { GlobalFlags } from '../../config/global-flags.ts';
import { quoteForShell } from '../../util/shell-quote.ts';
import type { BulkAddFlags } from './bulk-options.ts';
import { listArguments, optionWords } from './list-flags.ts';

/**
 * Returns the command line that continues a run: the options that identify it, and those that its user chose. Without
 * --no-confirm: a user who continues wants to know the outcome.
 */
export function resumeCommand(file: string, flags: BulkAddFlags, global: GlobalFlags): string {
  return commandLine([
    ...['orgadm', 'people', 'bulk-add', fileWord(file)],
    ...listArguments(flags),
    ...optionArguments('--invalid', flags.invalid),
    ...optionArguments('--errors-file', flags.errorsFile),
    ...(flags.allRows ? ['--all-rows'] : []),
    ...optionArguments('--journal', flags.journal),
    ...sendArguments(flags, global),
    '--resume',
  ]);
}

/** Returns the command line that imports the errors file once its rows are fixed. It needs no options for reading. */
export function retryCommand(errorsFile: string, flags: BulkAddFlags, global: GlobalFlags): string {
  return commandLine(['orgadm', 'people', 'bulk-add', fileWord(errorsFile), ...sendArguments(flags, global)]);
}

/** Options for sending it. */
function sendArguments(flags: BulkAddFlags, global: GlobalFlags): string[] {
  return [
    ...(flags.ignoreExisting ? ['--ignore-existing'] : []),
    ...optionArguments('--batch-size', flags.batchSize),
    ...optionArguments('--concurrency', flags.concurrency),
    ...optionArguments('--quiet-period', flags.quietPeriod),
    ...optionArguments('--request-lifetime', flags.requestLifetime),
    ...(flags.allowParallel ? ['--allow-parallel'] : []),
    ...optionArguments('--profile', global.profile),
    ...optionArguments('--base-url', global.baseUrl),
    ...(global.sandbox ? ['--sandbox'] : []),
    ...optionArguments('--fault', global.fault),
    ...optionArguments('--variant', global.variant),
    ...optionArguments('--key-file', global.keyFile),
    ...optionArguments('--timeout', global.timeout),
    ...optionArguments('--retries', global.retries),
    ...optionArguments('--ca-cert', global.caCert),
    ...(global.allowHttp ? ['--allow-http'] : []),
  ];
}

function optionArguments(name: string, value: string | undefined): string[] {
  return value === undefined ? [] : optionWords(name, value);
}

/** A file as an argument: one that starts with `-` would be read as an option. */
function fileWord(file: string): string {
  return file.startsWith('-') && file !== '-' ? `./${file}` : file;
}

function commandLine(args: readonly string[]): string {
  return args.map(quoteForShell).join(' ');
}
