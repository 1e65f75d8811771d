import { basename } from 'node:path';
import type { ListSource } from '../../import/list/source/list-bytes.ts';
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
  list: ListSource;
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
  const { run, options, id, list, isRepeated } = ended;
  const { output } = context;
  const { failed, invalid, existing } = run.rowStates.counts();
  const { isUnfinished } = run;
  if (errors !== undefined)
    noteErrorsFile(errors, { file: options.errorsFile ?? '', mapping: ended.mapping, isUnfinished }, context);
  if (ended.isResumable) noteResumeCommand(ended, context);
  if (isUnfinished) return;
  const rejected = failed + invalid;
  const isListReadable = ended.layout !== undefined || list.path === undefined;
  if (run.duplicates.length === 0 && !hasAdvice && options.errorsFile === undefined) {
    if (rejected > 0 && isListReadable) {
      const toFix = `To fix ${countOf(rejected, 'row')} and import ${rejected === 1 ? 'it' : 'them'} again`;
      const file = errorsFileName(ended);
      output.note(
        list.path === undefined
          ? `${toFix}, run ${sameCommand(ended)} with --errors-file ${file}${options.restart ? ', without --restart' : ''}`
          : `${toFix}: ${runsCommand('show', id)} --errors-file ${file}`,
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
  return basename(list.name) === name ? `still-${name}` : name;
}

/** Prints how to continue a run. */
export function noteResumeCommand(
  { id, list, options, isRepeated }: Pick<EndedRun, 'id' | 'list' | 'options' | 'isRepeated'>,
  { output }: Pick<Context, 'output'>,
): void {
  const { restart, limit } = options;
  const purpose = limit === undefined ? 'To continue' : 'To send the rest';
  // With these options, the same command would start over, or end early again.
  const without = [...(restart ? ['--restart'] : []), ...(limit === undefined ? [] : ['--limit'])];
  const again = without.length === 0 ? 'again' : `without ${without.join(' and ')}`;
  const resume = list.path === undefined ? '' : `, or: ${runsCommand('resume', id)}`;
  output.note(`${purpose}, run ${sameCommand({ isRepeated })} ${again}${resume}`);
}

/** Names the command that reads the list again. */
function sameCommand({ isRepeated }: Pick<EndedRun, 'isRepeated'>): string {
  return isRepeated ? 'the command that started the run' : 'the same command';
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
