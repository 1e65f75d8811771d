import type { GlobalFlags } from '../../settings.ts';
import type { BulkAddFlags } from './bulk-options.ts';

/**
 * The command line that continues a run: the flags that it must share, and those that its user chose. Without
 * --no-confirm, for whoever continues wants to know.
 */
export function resumeCommand(file: string, flags: BulkAddFlags, global: GlobalFlags): string {
  const words = ['orgadm', 'people', 'bulk-add', file];
  const add = (name: string, value: string | undefined) => {
    if (value !== undefined) words.push(name, value);
  };
  add('--format', flags.format);
  for (const pair of flags.map ?? []) add('--map', pair);
  for (const pair of flags.default ?? []) add('--default', pair);
  if (flags.ignoreExtraColumns) words.push('--ignore-extra-columns');
  add('--invalid', flags.invalid);
  if (flags.ignoreExisting) words.push('--ignore-existing');
  add('--errors-file', flags.errorsFile);
  add('--journal', flags.journal);
  add('--batch-size', flags.batchSize);
  add('--concurrency', flags.concurrency);
  add('--settle', flags.settle);
  add('--profile', global.profile);
  add('--base-url', global.baseUrl);
  if (global.sandbox) words.push('--sandbox');
  add('--fault', global.fault);
  add('--variant', global.variant);
  add('--key-file', global.keyFile);
  add('--timeout', global.timeout);
  add('--retries', global.retries);
  add('--ca-cert', global.caCert);
  if (global.allowHttp) words.push('--allow-http');
  words.push('--resume');
  return words.map(quoteForShell).join(' ');
}

function quoteForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
