import type { Settings } from '../../../config/target.ts';
import { mayBeAlreadyMember } from '../../../import/send/response/already-member.ts';
import { text } from '../../../output/text.ts';
import { countOf, formatCount } from '../../../util/units.ts';
import type { Context } from '../../command-context.ts';
import { runsCommand } from '../describe-run.ts';
import { canContinue, type Ending } from './ending.ts';
import type { WrittenErrors } from './errors-file.ts';
import type { JournaledRun, RunReport } from './print-report.ts';

/** A name for an errors file, for suggested commands. */
const ERRORS_FILE = 'rejected.csv';

/**
 * Prints what to do after a run, in at most two lines: fix the rows in the errors file, continue the run, save the rejected
 * rows, send them again, or accept existing members.
 *
 * @param errors the errors file; undefined if orgadm wrote none
 */
export function noteNextSteps(report: RunReport, errors: WrittenErrors | undefined, context: Context): void {
  const { run, options, journaled, ending } = report;
  const { output } = context;
  const { failed, invalid, existing } = run.counts();
  if (errors !== undefined) noteErrorsFile(errors, report, context);
  if (canContinue(ending)) noteResumeCommand(report, context);
  const save = (purpose: string) =>
    journaled === undefined
      ? `${purpose}, add --errors-file ${ERRORS_FILE}`
      : `${purpose}: ${runsCommand('show', journaled.id)} --errors-file ${ERRORS_FILE}`;
  if (run.failing.size > 0 && errors === undefined && journaled !== undefined) {
    const rows = run.failing.size === 1 ? 'row that makes' : `${formatCount(run.failing.size)} rows that make`;
    output.note(save(`To save the ${rows} the service fail`));
  }
  noteExistingPhrase(run, output);
  if (run.isUnfinished || ending.kind === 'checked') return;
  const rejected = failed + invalid;
  if (run.duplicates.length === 0 && options.errorsFile === undefined) {
    if (rejected > 0) {
      output.note(save(`To fix the ${rejected === 1 ? 'rejected row' : `${formatCount(rejected)} rejected rows`}`));
    } else if (rejected === 0 && existing > 0 && !options.ignoreExisting && ending.kind !== 'recorded') {
      output.note('To exit 0 when people are already members, add --ignore-existing');
    }
  }
}

/** Prints which setting accepts a message that may say that somebody is already a member. */
function noteExistingPhrase(run: RunReport['run'], output: Context['output']): void {
  let left = run.counts().failed;
  for (let number = 1; number <= run.total && left > 0; number++) {
    const outcome = run.outcomeOf(number);
    if (outcome.state !== 'failed') continue;
    left--;
    if (!mayBeAlreadyMember(outcome.message)) continue;
    output.note(
      text`If "${outcome.message}" means that the person is already a member, add the message to the setting wire.member.existing`,
    );
    return;
  }
}

/** Prints how to continue a run. */
export function noteResumeCommand(
  {
    journaled,
    options,
    ending,
  }: Pick<RunReport, 'options'> & {
    journaled?: Pick<JournaledRun, 'id'> | undefined;
    ending: Pick<Ending, 'kind'>;
  },
  { output }: Pick<Context, 'output'>,
): void {
  const { restart, limit } = options;
  const purpose = limit === undefined ? 'To continue' : 'To send the rest';
  const resume = journaled === undefined ? [] : [runsCommand('resume', journaled.id)];
  // With these options, the same command would start over, or end early again.
  const without = [...(restart ? ['--restart'] : []), ...(limit === undefined ? [] : ['--limit'])];
  const again = `run the same command ${without.length === 0 ? 'again' : `without ${without.join(' and ')}`}`;
  if (ending.kind === 'recorded') output.note(`${purpose}: ${resume.join('')}`);
  else output.note([`${purpose}, ${again}`, ...resume].join(', or: '));
}

/** Prints what to do after the first import into the sandbox, for people who try orgadm out. */
export function noteFirstImport({ sandbox }: Pick<Settings, 'sandbox'>, { output }: Pick<Context, 'output'>): void {
  if (sandbox === undefined || output.format !== 'table') return;
  output.note('To check a list of your own without sending it, add --dry-run.');
}

/** Prints how many rows the errors file has, and how to import them, unless the run may still add rows to it. */
function noteErrorsFile(
  { rows, backup }: WrittenErrors,
  { run, options: { errorsFile = '', invalid }, ending }: RunReport,
  { output }: Context,
): void {
  if (backup !== undefined) output.note(text`kept the earlier ${errorsFile} as ${backup}`);
  output.note(
    rows === 0 ? 'errors file: no rows to fix' : `errors file: ${countOf(rows, 'row')} to fix in ${errorsFile}`,
  );
  if (rows === 0 || (run.isUnfinished && ending.kind !== 'checked')) return;
  output.note(`After you fix ${rows === 1 ? 'it' : 'them'}, import that file. It needs no options for its columns.`);
  const { unsent } = run.counts();
  // Nobody is to think that the list has been imported after that.
  if (ending.kind === 'checked' && invalid === 'abort' && unsent > 0) {
    const others = unsent === 1 ? 'other row' : `other ${countOf(unsent, 'row')}`;
    output.note(`That file does not have the ${others}, which --invalid skip sends from the list.`);
  }
}
