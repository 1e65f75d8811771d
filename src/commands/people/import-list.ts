import { join } from 'node:path';
import { stateDirectory } from '../../config/paths.ts';
import { checkErrorsPath } from '../../import/errors-file.ts';
import { type ListValidation, type MemberList, openList } from '../../import/list/open-list.ts';
import { ColumnsError } from '../../import/list/row-parser.ts';
import { UsageError } from '../../util/errors.ts';
import { formatCount } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import { type BulkAddFlags, type BulkAddOptions, readBulkFlags } from './bulk-options.ts';
import { checkListFlags, listDigest } from './list-flags.ts';
import { suggestedCommand } from './resume-command.ts';
import type { PreparedImport } from './run-import.ts';

/** Validates the entire list, sends it, and reports the outcome of every row. */
export async function importList(file: string, flags: BulkAddFlags, context: Context): Promise<void> {
  const allFlags = flags.mapping === undefined ? flags : await withMapping(flags.mapping, flags);
  const options = readBulkFlags(allFlags);
  if (file === '-' && context.flags.keyFile === '-')
    throw new UsageError('the list and the key cannot both come from standard input');
  const sending = options.dryRun ? undefined : await prepareImport(options, context);
  const list = await openList(
    { path: file, stdin: context.host.stdin, spoolDir: join(stateDirectory(context.host), 'spool') },
    options.list,
  );
  try {
    checkListFlags(list.format, allFlags);
    if (options.errorsFile !== undefined) await checkErrorsPath(options.errorsFile, list);
    const check = await validateList(list, context).catch((error: unknown) => {
      throw withSuggestedCommand(error, file, flags, context);
    });
    checkDigest(listDigest(check.digest, options.list), options, list.name);
    if (flags.saveMapping !== undefined) await writeMapping(flags.saveMapping, file, allFlags, context);
    for (const warning of check.warnings) context.output.warn(`${list.name}: ${warning}`);
    if (sending === undefined || (check.invalid > 0 && options.invalid === 'abort')) {
      const { reportValidation } = await import('./validation-report.ts');
      await reportValidation({ file, flags, options, list, check }, context);
    } else {
      const { runImport } = await import('./run-import.ts');
      await runImport({ file, flags, options, list, check, ...sending }, context);
    }
  } finally {
    await list.close();
  }
}

async function withMapping(file: string, flags: BulkAddFlags): Promise<BulkAddFlags> {
  const { applyMapping } = await import('./mapping-file.ts');
  return applyMapping(file, flags);
}

async function writeMapping(mapping: string, file: string, flags: BulkAddFlags, context: Context): Promise<void> {
  const { saveMapping } = await import('./mapping-file.ts');
  saveMapping(mapping, flags);
  context.output.note(`mapping saved. To import with it: ${suggestedCommand(file, { mapping }, context.flags, [])}`);
}

async function validateList(list: MemberList, context: Context): Promise<ListValidation> {
  const progress = await context.progress();
  try {
    return await list.validate((rows) => progress.update(() => `validating ${list.name}: ${formatCount(rows)} rows`));
  } finally {
    progress.stop();
  }
}

/** @throws UsageError if another list is expected */
function checkDigest(digest: string, { expectDigest }: BulkAddOptions, name: string): void {
  if (expectDigest === undefined || expectDigest === digest) return;
  throw new UsageError(
    `${name} is not the expected list: its digest is ${digest}, not ${expectDigest}`,
    'Nothing was sent. The list, or an option for reading it, differs from the dry run: review it with --dry-run again.',
    'digest-mismatch',
  );
}

/** Adds the command to run next to an error about columns, with the options that it can infer. */
function withSuggestedCommand(error: unknown, file: string, flags: BulkAddFlags, context: Context): unknown {
  if (!(error instanceof ColumnsError) || error.suggestedOptions.length === 0) return error;
  const command = suggestedCommand(file, flags, context.flags, error.suggestedOptions);
  return new UsageError(error.message, [error.hint, `Try: ${command}`].filter(Boolean).join('\n'), error.code);
}

/**
 * Prepares what does not need the list. A directory that cannot be used is reported by `runImport`.
 *
 * @throws what `context.service` throws
 */
async function prepareImport({ journal }: BulkAddOptions, context: Context): Promise<PreparedImport> {
  await context.service();
  const state = stateDirectory(context.host);
  return { root: journal ?? join(state, 'runs'), locks: join(state, 'locks') };
}
