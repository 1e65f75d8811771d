import type { Source } from '../../../import/list/source/bytes.ts';
import type { Output } from '../../../output/output.ts';
import { OrgadmError } from '../../../util/errors.ts';
import type { ReportRow } from './document.ts';
import { ErrorsFile, type WrittenErrors } from './errors-file.ts';
import { ReportFold } from './fold-report.ts';
import type { RunReport } from './print-report.ts';
import type { ListedRow } from './report.ts';

/** The one pass over the rows of a run, from which its report, its errors file, its annotations, and its advice come. */
export interface ReportPass {
  readonly fold: ReportFold;
  /**
   * Reads the rows that the report has not read, and ends the errors file.
   *
   * @returns the errors file, or why it could not be written; undefined without `--errors-file`
   */
  finish(): Promise<WrittenErrors | OrgadmError | undefined>;
}

/** Starts the pass over the rows of a run. It reads nothing yet. */
export function startReportPass(report: RunReport, output: Output): ReportPass {
  const { layout, list, advice } = report;
  const { errorsFile: path, annotate: isAnnotated, ignoreExisting } = report.options;
  const isDryRun = report.ending.kind === 'checked' && report.ending.isDryRun;
  const errorsFile = path === undefined || layout === undefined ? undefined : new ErrorsFile(path, layout);
  const isForPeople = output.format === 'table';
  const fold = new ReportFold(report, {
    listsUnsent: !isDryRun && !isForPeople,
    // Recovered rows were added.
    isShown: (state) => state !== 'recovered' && !(ignoreExisting && state === 'existing'),
    async onRow(listed) {
      advice?.add(listed);
      if (isAnnotated) annotate(listed.row, list, output);
      if (errorsFile !== undefined && mayBeFixed(listed)) await addRejected(errorsFile, listed);
    },
  });
  return {
    fold,
    async finish() {
      try {
        await fold.finish();
      } catch (error) {
        await errorsFile?.discard();
        throw error;
      }
      try {
        return await errorsFile?.finish();
      } catch (error) {
        if (error instanceof OrgadmError) return error;
        throw error;
      }
    },
  };
}

/** Whether someone may fix a row: it has failed, is invalid, or makes the service fail. */
function mayBeFixed({ outcome }: ListedRow): boolean {
  const { state } = outcome;
  return state === 'failed' || state === 'invalid' || (state === 'unknown' && outcome.note === 'failing');
}

/** Adds a row to an errors file. A hidden one has no user ID there, so its error says where it is in the sheet. */
async function addRejected(errorsFile: ErrorsFile, { row, listRow }: ListedRow): Promise<void> {
  if (listRow === undefined) return;
  const place = listRow.isHidden ? `row ${listRow.line}: ` : '';
  await errorsFile.add(listRow.raw, `${place}${row.error ?? ''}`);
}

/**
 * Writes a GitHub annotation for a row that was not added: `::error file=/w/members.csv,line=4::usr_7: not found`. GitHub finds
 * it in the log of a job, on standard error too. The path is absolute, because GitHub takes a relative one as relative to the
 * repository, and the step may have a working directory of its own.
 */
function annotate({ line, userId, state, error }: ReportRow, { path }: Source, output: Output): void {
  if (state !== 'failed' && state !== 'invalid' && state !== 'unknown') return;
  const place = [
    ...(path === undefined ? [] : [`file=${escapeProperty(path)}`]),
    ...(line === null ? [] : [`line=${line}`]),
  ].join(',');
  const message = [userId, `${state}${error === null ? '' : `: ${error}`}`].filter(Boolean).join(' ');
  output.annotate(`::error${place === '' ? '' : ` ${place}`}::${escapeData(message)}`);
}

/** Escapes the message of a workflow command. */
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** Escapes a property of a workflow command, such as a file name. */
function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
