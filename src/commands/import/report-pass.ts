import type { ListSource } from '../../import/list/source/list-bytes.ts';
import { ErrorsFile, type WrittenErrors } from '../../import/report/errors-file.ts';
import { ReportFold } from '../../import/report/fold-report.ts';
import type { ListedRow, ReportRow, ReportSource } from '../../import/report/report.ts';
import type { Output } from '../../output/output.ts';
import { OrgadmError } from '../../util/errors.ts';
import type { Advice } from './advice.ts';

/** Receivers of the rows of a report, in addition to its table or document. */
export interface RowConsumers {
  /** The errors file as the user named it; undefined for none. */
  readonly errorsFile: string | undefined;
  /** The list, for annotations; undefined for none. */
  readonly annotatedList: ListSource | undefined;
  /** Finds settings that would have helped. */
  readonly advice?: Advice | undefined;
  /** Whether existing members are as requested: people read only their number. */
  readonly ignoreExisting: boolean | undefined;
  /** Whether the formats for programs list unsent rows. */
  readonly listsUnsent: boolean;
}

/** The errors file, or why it could not be written; neither without `--errors-file`. */
export interface RejectedRowsResult {
  written?: WrittenErrors;
  failure?: OrgadmError;
}

/** The one pass over the rows of a run, from which its report, its errors file, its annotations, and its advice come. */
export interface ReportPass {
  readonly fold: ReportFold;
  /** Reads the rows that the report has not read, and ends the errors file. A failure of that file is returned. */
  finish(): Promise<RejectedRowsResult>;
}

/** Starts the pass over the rows of a run. It reads nothing yet. */
export function startReportPass(source: ReportSource, consumers: RowConsumers, output: Output): ReportPass {
  const { annotatedList, advice, ignoreExisting, listsUnsent } = consumers;
  const { errorsFile: path } = consumers;
  const errorsFile =
    path === undefined || source.layout === undefined ? undefined : new ErrorsFile(path, source.layout);
  const isForPeople = output.format === 'table' || output.format === 'markdown';
  const fold = new ReportFold(source, {
    listsUnsent: listsUnsent && !isForPeople,
    // Recovered rows were added.
    isShown: (state) => state !== 'recovered' && !(ignoreExisting && state === 'existing'),
    async onRow(listed) {
      advice?.add(listed, source.run.plainMessageFor(listed.row.entry));
      if (annotatedList !== undefined) annotate(listed.row, annotatedList, output);
      if (errorsFile !== undefined && mayBeFixed(listed, source)) await addRejected(errorsFile, listed);
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
        return errorsFile === undefined ? {} : { written: await errorsFile.finish() };
      } catch (failure) {
        if (!(failure instanceof OrgadmError)) throw failure;
        return { failure };
      }
    },
  };
}

/** Whether someone may fix a row: it has failed, is invalid, or makes the service fail. */
function mayBeFixed({ row: { state, entry } }: ListedRow, { run }: ReportSource): boolean {
  return state === 'failed' || state === 'invalid' || (state === 'unknown' && run.failing.has(entry));
}

async function addRejected(errorsFile: ErrorsFile, { row, listRow }: ListedRow): Promise<void> {
  if (listRow !== undefined) await errorsFile.add(listRow.raw, row.error ?? '');
}

/**
 * Writes a GitHub annotation for a row that was not added: `::error file=members.csv,line=4::usr_7: not found`. GitHub finds
 * it in the log of a job, on standard error too.
 */
function annotate({ line, userId, state, error }: ReportRow, { name, path }: ListSource, output: Output): void {
  if (state !== 'failed' && state !== 'invalid' && state !== 'unknown') return;
  const place = [
    ...(path === undefined ? [] : [`file=${escapeProperty(name)}`]),
    ...(line === null ? [] : [`line=${line}`]),
  ].join(',');
  const message = [userId, `${state}${error === null ? '' : `: ${error}`}`].filter(Boolean).join(' ');
  output.trace(`::error${place === '' ? '' : ` ${place}`}::${escapeData(message)}`);
}

/** Escapes the message of a workflow command. */
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** Escapes a property of a workflow command, such as a file name. */
function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
