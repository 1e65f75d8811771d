import type { GlobalFlags } from '../../config/global-flags.ts';
import { quoteForShell } from '../../util/shell-quote.ts';
import type { BulkAddFlags } from './bulk-options.ts';
import { listArguments, optionWords } from './list-flags.ts';

/**
 * The command line that continues a run: the flags that it must share, and those that its user chose. Without
 * --no-confirm, for whoever continues wants to know.
 */
export function resumeCommand(file: string, flags: BulkAddFlags, global: GlobalFlags): string {
  return commandLine([
    ...['orgadm', 'people', 'bulk-add', fileWord(file)],
    ...listArguments(flags),
    ...optionArguments('--invalid', flags.invalid),
    ...optionArguments('--errors-file', flags.errorsFile),
    ...optionArguments('--journal', flags.journal),
    ...sendArguments(flags, global),
    '--resume',
  ]);
}

/** The command line that adds the rows of the errors file once they are fixed: it is read as it is. */
export function retryCommand(errorsFile: string, flags: BulkAddFlags, global: GlobalFlags): string {
  return commandLine(['orgadm', 'people', 'bulk-add', fileWord(errorsFile), ...sendArguments(flags, global)]);
}

/** Where and how it is sent. */
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
