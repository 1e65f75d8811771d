import type { Output } from '../../../output/output.ts';
import { OrgadmError } from '../../../util/errors.ts';
import { ErrorsFile, type WrittenErrors } from './errors-file.ts';
import { ReportFold } from './fold-report.ts';
import type { RunReport } from './print-report.ts';
import type { ListedRow } from './report.ts';

/** The one pass over the rows of a run, from which its report, its errors file, and its advice come. */
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
  const { advice } = report;
  const { errorsFile: path } = report.options;
  const isDryRun = report.ending.kind === 'checked' && report.ending.isDryRun;
  const errorsFile = path === undefined ? undefined : new ErrorsFile(path);
  const isForPeople = output.format === 'table';
  const fold = new ReportFold(report, {
    listsUnsent: !isDryRun && !isForPeople,
    // Recovered rows were added, and existing ones may be most of the list.
    isShown: (state) => state !== 'recovered' && (state !== 'existing' || report.allRows),
    async onRow(listed) {
      advice?.add(listed);
      if (errorsFile !== undefined && mayBeFixed(listed)) await errorsFile.add(listed.checked, listed.row.error ?? '');
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
