import type { OpenedRun } from '../../import/journal/open-run.ts';
import { planRun, type RunPlan, type RunSelection, type SupersededRun } from '../../import/journal/plan-run.ts';
import type { RunDetails } from '../../import/journal/recorded-runs.ts';
import { shortRunId } from '../../import/journal/run-identity.ts';
import { quote } from '../../output/sanitize.ts';
import { text } from '../../output/text.ts';
import { countOf, formatCount, formatTime } from '../../util/units.ts';
import { type Context, needsConfirmation, promptTerminal, requirePrompts } from '../command-context.ts';
import type { PendingImport } from './checked-list.ts';
import { continueQuestion, describePeople, describeRemaining, describeSource } from './describe-run.ts';
import { announcedLines, readLines } from './mapping/describe-mapping.ts';

/**
 * Says what the command does with an earlier run, shows how the list was read, and asks. It locks nothing, so declining changes
 * nothing, and another process can import in the meantime. Does not ask about a run that sends nothing.
 *
 * @returns the plan that the user has confirmed; undefined if orgadm did not ask
 */
export async function confirmImport(
  pending: PendingImport,
  selection: RunSelection,
  target: string,
  context: Context,
): Promise<RunPlan | undefined> {
  const { options, read, isReviewed } = pending;
  if (!isReviewed && !(await needsConfirmation(options.yes, context))) return undefined;
  const { plan } = await planRun(selection);
  if (plan.kind === 'report') return undefined;
  if (isReviewed) {
    announceRun(plan, pending, selection.id !== undefined, context);
    return plan;
  }
  requirePrompts('import', context);
  announceRun(plan, pending, selection.id !== undefined, context);
  if (read !== undefined) for (const line of readLines(read)) context.output.note(line);
  const { confirmChange } = await import('../../output/prompt.ts');
  await confirmChange(importQuestion(plan, pending, target), promptTerminal('Nothing was sent.', context));
  return plan;
}

function importQuestion(plan: RunPlan, pending: PendingImport, target: string): string {
  const { options, rows } = pending;
  const source = describeSource(pending);
  if (plan.kind === 'resend') return `Send ${failedRows(plan.run, options.limit)} from ${source} to ${target} again?`;
  if (plan.kind === 'continue') return continueQuestion(plan.run, source, target, options.limit);
  const unsent = rows === undefined ? 0 : rows.total - rows.invalid.length;
  return `Import ${describePeople({ unsent }, options.limit, plan.kind)} from ${source} into ${target}?`;
}

/**
 * Prints how many people orgadm sends to which service, and who is active. Prints nothing if no rows remain.
 *
 * @param isConfirmed whether the user has just seen how the list was read
 */
export function announceTarget(
  { run, plan }: OpenedRun,
  { options, read }: PendingImport,
  target: string,
  isConfirmed: boolean,
  { output }: Context,
): void {
  const { unsent, unknown, failed } = run.state.counts();
  const rows = { unsent: unsent + (plan.kind === 'resend' ? failed : 0), unknown };
  if (rows.unsent + unknown === 0) return;
  const described = describePeople(rows, options.limit, plan.kind);
  const sheet = read?.sheet;
  const source = sheet === undefined ? '' : ` from sheet ${quote(sheet)}`;
  const outcome = unknown > 0 ? ` (${formatCount(unknown)} may have been added already)` : '';
  // The totals are of the whole list, which the command that started the run has printed.
  const lines = isConfirmed || read === undefined || plan.kind !== 'start' ? [] : announcedLines(read);
  output.note([`Importing ${described}${source}${outcome} into ${target}`, ...lines].join('\n'));
}

/**
 * Says what the command does with an earlier run of the list.
 *
 * @param isNamed whether the user named the run, in a command that has no `--restart`
 */
export function announceRun(
  plan: RunPlan,
  { list, digest, options }: Pick<PendingImport, 'list' | 'digest' | 'options'>,
  isNamed: boolean,
  { output }: Pick<Context, 'output'>,
): void {
  const name = list.path === undefined ? 'this list' : list.name;
  if (plan.kind === 'start') {
    if (plan.superseded !== undefined) output.note(supersededText(plan.superseded, digest, name));
    return;
  }
  const { id, startedAtMs, lastActiveMs, counts } = plan.run;
  const run = shortRunId(id);
  if (plan.kind === 'continue') {
    const started = `started ${formatTime(startedAtMs)}`;
    output.note(text`Continuing run ${run} (${plan.run.list}, ${started}): ${describeRemaining(plan.run)}`);
  } else if (plan.kind === 'resend') {
    output.note(`Sending ${failedRows(plan.run, options.limit)} of run ${run} again`);
  } else {
    output.note(
      text`${name} was imported on ${formatTime(lastActiveMs)} (run ${run}). ${againText(counts.failed, isNamed)}`,
    );
  }
  if (plan.run.list !== list.name && plan.run.position === 'line')
    output.note(text`Line numbers in the report refer to ${plan.run.list}`);
}

/** Returns `6 failed rows`, or `2 of 6 failed rows` if `--limit` allows no more. */
function failedRows({ counts: { failed } }: RunDetails, limit = failed): string {
  return `${limit < failed ? `${formatCount(limit)} of ` : ''}${countOf(failed, 'failed row')}`;
}

/** Says how to send a finished run again. */
function againText(failed: number, isNamed: boolean): string {
  if (!isNamed) return 'To import it again, add --restart.';
  const command = 'run the command that started the run';
  return failed > 0
    ? `To send its ${countOf(failed, 'failed row')} again, ${command}, without --restart.`
    : `To import it again, ${command}, with --restart.`;
}

function supersededText({ id, counts, ...run }: SupersededRun, digest: string, name: string) {
  const change = run.digest === digest ? 'The API key has' : text`${name} or its options have`;
  const outcome = counts === undefined ? 'whose journal orgadm cannot read' : leftBehind(counts);
  return text`${change} changed since run ${shortRunId(id)}, ${outcome}. Importing it as a new list.`;
}

function leftBehind({ created, unsent, unknown }: RunDetails['counts']): string {
  const left = [
    ...(unsent > 0 ? [`${formatCount(unsent)} unsent`] : []),
    ...(unknown > 0 ? [`${formatCount(unknown)} unknown`] : []),
  ].join(' and ');
  return `which added ${countOf(created, 'person', 'people')} and left ${left}`;
}
