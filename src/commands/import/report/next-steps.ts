import { basename } from 'node:path';
import type { Settings } from '../../../config/settings.ts';
import { text } from '../../../output/text.ts';
import { countOf, formatCount } from '../../../util/units.ts';
import type { Context } from '../../command-context.ts';
import { importCommand, runsCommand } from '../suggested-commands.ts';
import { canContinue, type Ending } from './ending.ts';
import type { WrittenErrors } from './errors-file.ts';
import type { RunReport } from './print-report.ts';

/**
 * Prints what to do after a run, in at most two lines: fix the rows in the errors file, continue the run, save the rejected
 * rows, send them again, or accept existing members.
 *
 * @param errors the errors file; undefined if orgadm wrote none
 * @param hasAdvice whether the report gives advice, which comes first
 */
export function noteNextSteps(
  report: RunReport,
  { errors, hasAdvice }: { errors: WrittenErrors | undefined; hasAdvice: boolean },
  context: Context,
): void {
  const { run, options, id, layout, ending } = report;
  const { output } = context;
  const { failed, invalid, existing } = run.counts();
  if (errors !== undefined) noteErrorsFile(errors, report, context);
  if (canContinue(ending)) noteResumeCommand(report, context);
  if (run.failing.size > 0 && errors === undefined && id !== undefined && layout !== undefined) {
    const rows = run.failing.size === 1 ? 'row that makes' : `${formatCount(run.failing.size)} rows that make`;
    output.note(
      `To save the ${rows} the service fail: ${runsCommand('show', id)} --errors-file ${errorsFileName(report)}`,
    );
  }
  if (run.isUnfinished || ending.kind === 'checked') return;
  const rejected = failed + invalid;
  if (run.duplicates.length === 0 && !hasAdvice && options.errorsFile === undefined) {
    if (rejected > 0 && (layout !== undefined || id === undefined)) {
      const those =
        rejected === 1
          ? 'rejected row, fix it, and import it'
          : `${formatCount(rejected)} rejected rows, fix them, and import them`;
      const toFix = `To save the ${those} again`;
      const file = errorsFileName(report);
      output.note(
        id === undefined
          ? `${toFix}, run ${sameCommand(ending)} with --errors-file ${file}${options.restart ? ', without --restart' : ''}`
          : `${toFix}: ${runsCommand('show', id)} --errors-file ${file}`,
      );
    } else if (rejected === 0 && existing > 0 && !options.ignoreExisting && ending.kind !== 'recorded') {
      output.note('To exit 0 when people are already members, add --ignore-existing');
    }
  }
}

/** Returns a name for an errors file that is not the list. */
function errorsFileName({ list, layout }: RunReport): string {
  if (layout === undefined) return '<file>';
  const name = `rejected.${layout.format}`;
  return basename(list.name) === name ? `still-${name}` : name;
}

/** Prints how to continue a run. */
export function noteResumeCommand(
  { id, options, ending }: Pick<RunReport, 'id' | 'options'> & { ending: Pick<Ending, 'kind'> },
  { output }: Pick<Context, 'output'>,
): void {
  const { restart, limit } = options;
  const purpose = limit === undefined ? 'To continue' : 'To send the rest';
  // With these options, the same command would start over, or end early again. The journal does not say whether it had them.
  const without = [...(restart ? ['--restart'] : []), ...(limit === undefined ? [] : ['--limit'])];
  const left = without.length === 0 ? 'again' : `without ${without.join(' and ')}`;
  const again = ending.kind === 'recorded' ? '(without --restart or --limit)' : left;
  const resume = id === undefined ? '' : `, or: ${runsCommand('resume', id)}`;
  output.note(`${purpose}, run ${sameCommand(ending)} ${again}${resume}`);
}

/** Prints what to do after the first import into the sandbox, for people who try orgadm out. */
export function noteFirstImport({ sandbox }: Pick<Settings, 'sandbox'>, { output }: Pick<Context, 'output'>): void {
  if (sandbox === undefined || output.format !== 'table') return;
  output.note('To check a list without sending it: orgadm people bulk-add <your list> --dry-run');
}

/** Names the command that reads the list again. */
function sameCommand({ kind }: Pick<Ending, 'kind'>): string {
  return kind === 'recorded' ? 'the command that started the run' : 'the same command';
}

/** Prints how many rows the errors file has, and the command that imports them, unless the run may still add rows to it. */
function noteErrorsFile(
  { rows, backup }: WrittenErrors,
  { run, options: { errorsFile = '', requestLifetime, invalid }, mapping, ending }: RunReport,
  { output, flags }: Context,
): void {
  if (backup !== undefined) output.note(text`kept the earlier ${errorsFile} as ${backup}`);
  output.note(
    rows === 0 ? 'errors file: no rows to fix' : `errors file: ${countOf(rows, 'row')} to fix in ${errorsFile}`,
  );
  if (rows === 0 || (run.isUnfinished && ending.kind !== 'checked')) return;
  // Someone who needs it for one import into the service needs it for all.
  const lifetime = requestLifetime === undefined ? '' : ` --request-lifetime ${requestLifetime / 1000}s`;
  output.note(
    `After you fix ${rows === 1 ? 'it' : 'them'}, run: ${importCommand(errorsFile, flags, mapping)}${lifetime}`,
  );
  const { unsent } = run.counts();
  // Nobody is to think that the list has been imported after that.
  if (ending.kind === 'checked' && invalid === 'abort' && unsent > 0) {
    const others = unsent === 1 ? 'other row' : `other ${countOf(unsent, 'row')}`;
    output.note(`That file does not have the ${others}, which --invalid skip sends from the list.`);
  }
}
