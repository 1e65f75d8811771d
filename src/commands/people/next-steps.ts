import { basename } from 'node:path';
import type { GlobalFlags } from '../../config/settings.ts';
import { type RejectedRow, writeErrorsFile } from '../../import/errors-file.ts';
import type { ImportRun } from '../../import/journal/import-run.ts';
import type { ListLayout } from '../../import/list/open-list.ts';
import { type ReportSource, reportRows } from '../../import/report.ts';
import { quoteForShell } from '../../output/sanitize.ts';
import { OrgadmError } from '../../util/errors.ts';
import { countOf, formatCount } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import type { CheckedImport } from './bulk-options.ts';
import { resumingCommand } from './recorded-command.ts';

/** The number of rows in the errors file, or why it could not be written. */
export type ErrorsFileResult = { rows: number } | { failure: OrgadmError };

/**
 * Writes the rows to fix into the errors file, before the report: failed and invalid rows, and those that make the
 * service fail. A failure is returned, not thrown: the outcome of the rows is still reported.
 *
 * @param failedAlone rows that were sent alone without a usable response
 * @returns undefined without `--errors-file`
 */
export async function writeRejectedRows(
  { options, check }: { options: { errorsFile: string | undefined }; check: { layout: ListLayout } },
  source: ReportSource,
  failedAlone: ReadonlySet<number>,
): Promise<ErrorsFileResult | undefined> {
  if (options.errorsFile === undefined) return undefined;
  try {
    return { rows: await writeErrorsFile(options.errorsFile, check.layout, rejectedRows(source, failedAlone)) };
  } catch (failure) {
    if (!(failure instanceof OrgadmError)) throw failure;
    return { failure };
  }
}

async function* rejectedRows(source: ReportSource, failedAlone: ReadonlySet<number>): AsyncGenerator<RejectedRow> {
  const mayBeFixed = (state: string) => state === 'failed' || state === 'invalid' || state === 'unknown';
  for await (const { row, listRow } of reportRows(source, mayBeFixed)) {
    if (row.state === 'unknown' && !failedAlone.has(row.entry)) continue;
    if (listRow !== undefined) yield { row: listRow, error: row.error ?? '' };
  }
}

/** A run that has ended, as far as the next step depends on it. */
export interface EndedImport extends CheckedImport {
  /** The short ID of the run. */
  id: string;
  run: ImportRun;
  /** Whether the report gives advice, which comes first. */
  hasAdvice: boolean;
  errorsFile: ErrorsFileResult | undefined;
}

/**
 * Prints what to do after a run, in at most two lines: fix the rows in the errors file, continue the run, save the rejected
 * rows, or accept existing members.
 */
export function noteNextSteps(ended: EndedImport, context: Context): void {
  const { options, run, errorsFile, id } = ended;
  const { output } = context;
  const counts = run.rowStates.counts();
  if (errorsFile !== undefined && 'rows' in errorsFile)
    noteErrorsFile(errorsFile.rows, options.errorsFile ?? '', run.isUnfinished, context);
  if (run.isUnfinished) noteResumeCommand(ended, context);
  if (run.isUnfinished || run.duplicates.length > 0 || ended.hasAdvice || errorsFile !== undefined) return;
  const rejected = counts.failed + counts.invalid;
  if (rejected > 0) {
    const rows = rejected === 1 ? '1 row' : `${formatCount(rejected)} rows`;
    const file = errorsFileName(ended);
    output.hint(
      ended.file === '-'
        ? `To fix ${rows} and import ${rejected === 1 ? 'it' : 'them'} again, pipe the same list in with --resume --errors-file ${file}`
        : `To fix ${rows} and import ${rejected === 1 ? 'it' : 'them'} again: orgadm runs show ${id}${journalOption(options)} --errors-file ${file}`,
    );
  } else if (counts.existing > 0 && !options.ignoreExisting) {
    output.hint('To exit 0 when people are already members, add --ignore-existing');
  }
}

/**
 * Prints how many rows the errors file has, and the command that imports them.
 *
 * @param isUnfinished whether the run may still add rows to the file: then it is too early to import it
 */
export function noteErrorsFile(rows: number, file: string, isUnfinished: boolean, { output, flags }: Context): void {
  output.note(rows === 0 ? 'errors file: no rows to fix' : `errors file: ${countOf(rows, 'row')} to fix in ${file}`);
  if (rows === 0 || isUnfinished) return;
  const word = file.startsWith('-') ? `./${file}` : file;
  const command = ['orgadm', 'people', 'bulk-add', word, ...flagsForSameService(flags)];
  output.hint(`After you fix them, run: ${command.map(quoteForShell).join(' ')}`);
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

/** Returns a name for an errors file that is not the list. */
function errorsFileName({ file, check }: CheckedImport): string {
  const name = `rejected.${check.layout.format}`;
  return basename(file) === name ? `still-${name}` : name;
}

/** Prints the command that continues a run. Prints nothing if no row has an outcome, because then there is no run. */
export function noteResumeCommand(
  { file, options, id, run }: Pick<EndedImport, 'file' | 'options' | 'id' | 'run'>,
  { output, argv }: Context,
): void {
  if (!run.hasOutcome || !run.isUnfinished) return;
  if (file === '-') {
    output.note(`to continue, pipe the same list into: ${resumingCommand(argv)}`);
  } else output.note(`to continue: orgadm runs resume ${id}${journalOption(options)}`);
}

function journalOption({ journal }: CheckedImport['options']): string {
  return journal === undefined ? '' : ` --journal ${quoteForShell(journal)}`;
}
