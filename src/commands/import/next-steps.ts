import { basename } from 'node:path';
import type { WrittenErrors } from '../../import/report/errors-file.ts';
import type { ReportSource } from '../../import/report/report.ts';
import { text } from '../../output/text.ts';
import { countOf } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import type { ImportOptions } from './import-options.ts';
import type { ListMapping } from './list-mapping.ts';
import { importCommand, runsCommand } from './suggested-commands.ts';

/** A run that has ended, as far as the next steps depend on it. */
export interface EndedRun extends Pick<ReportSource, 'run' | 'layout'> {
  /** How the list is read; undefined if the journal does not say it. */
  mapping: ListMapping | undefined;
  /** The ID of the run. */
  id: string;
  /** The list as the user named it; `-` for standard input. */
  list: string;
  /** For a list that only the user can pipe in again: the command that continues the run. */
  pipedInto: string | undefined;
  /** Whether the user can continue the run. */
  isResumable: boolean;
  /** Whether the run had ended before this command. */
  isRepeated: boolean;
  options: Pick<ImportOptions, 'errorsFile' | 'ignoreExisting' | 'annotate' | 'limit' | 'restart'>;
}

/**
 * Prints what to do after a run, in at most two lines: fix the rows in the errors file, continue the run, save the rejected
 * rows, send them again, or accept existing members.
 *
 * @param errors the errors file; undefined if orgadm wrote none
 * @param hasAdvice whether the report gives advice, which comes first
 */
export function noteNextSteps(
  ended: EndedRun,
  { errors, hasAdvice }: { errors: WrittenErrors | undefined; hasAdvice: boolean },
  context: Context,
): void {
  const { run, options, id, pipedInto, isRepeated } = ended;
  const { output } = context;
  const { unsent, unknown, failed, invalid, existing } = run.rowStates.counts();
  const isUnfinished = unsent + unknown > 0;
  if (errors !== undefined)
    noteErrorsFile(errors, { file: options.errorsFile ?? '', mapping: ended.mapping, isUnfinished }, context);
  if (ended.isResumable) noteResumeCommand(ended, context);
  if (isUnfinished) return;
  const rejected = failed + invalid;
  const isListReadable = ended.layout !== undefined || pipedInto !== undefined;
  if (run.duplicates.length === 0 && !hasAdvice && options.errorsFile === undefined) {
    if (rejected > 0 && isListReadable) {
      const toFix = `To fix ${countOf(rejected, 'row')} and import ${rejected === 1 ? 'it' : 'them'} again`;
      const file = errorsFileName(ended);
      output.note(
        pipedInto === undefined
          ? `${toFix}: ${runsCommand('show', id)} --errors-file ${file}`
          : `${toFix}, pipe the same list in with --errors-file ${file}`,
      );
    } else if (rejected === 0 && existing > 0 && !options.ignoreExisting && !isRepeated) {
      output.note('To exit 0 when people are already members, add --ignore-existing');
    }
  }
}

/** Returns a name for an errors file that is not the list. */
function errorsFileName({ list, layout }: EndedRun): string {
  if (layout === undefined) return '<file>';
  const name = `rejected.${layout.format}`;
  return basename(list) === name ? `still-${name}` : name;
}

/** Prints how to continue a run. */
export function noteResumeCommand(
  { id, pipedInto, options }: Pick<EndedRun, 'id' | 'pipedInto' | 'options'>,
  { output }: Pick<Context, 'output'>,
): void {
  if (pipedInto !== undefined) {
    output.note(`To continue, pipe the same list into: ${pipedInto}`);
    return;
  }
  // With these options, the same command would start over, or end early again.
  const without = [...(options.restart ? ['--restart'] : []), ...(options.limit === undefined ? [] : ['--limit'])];
  const command = without.length === 0 ? 'the same command again' : `the same command without ${without.join(' and ')}`;
  const purpose = options.limit === undefined ? 'To continue' : 'To send the rest';
  output.note(`${purpose}, run ${command}, or: ${runsCommand('resume', id)}`);
}

/** The facts that the next step after an errors file depends on. */
interface ErrorsFileStep {
  /** The errors file as the user named it. */
  readonly file: string;
  /** How the list is read. Its options about columns apply to the errors file, too. */
  readonly mapping: ListMapping | undefined;
  /** Whether the run may still add rows to the file: then it is too early to import it. */
  readonly isUnfinished: boolean;
}

/** Prints how many rows the errors file has, and the command that imports them. */
export function noteErrorsFile(
  { rows, backup }: WrittenErrors,
  { file, mapping, isUnfinished }: ErrorsFileStep,
  { output, flags }: Context,
): void {
  if (backup !== undefined) output.note(text`kept the earlier ${file} as ${backup}`);
  output.note(rows === 0 ? 'errors file: no rows to fix' : `errors file: ${countOf(rows, 'row')} to fix in ${file}`);
  if (rows === 0 || isUnfinished) return;
  output.note(`After you fix them, run: ${importCommand(file, flags, mapping)}`);
}
