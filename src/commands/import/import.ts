import { checkService } from '../../client/check-service.ts';
import { stateSubdirectory } from '../../config/directories.ts';
import type { Settings } from '../../config/target.ts';
import { claimRun, type OpenedRun, openRun, type RunClaim } from '../../import/journal/open-run.ts';
import type { RunSelection } from '../../import/journal/plan-run.ts';
import { shortenMessage } from '../../import/send/response/row-messages.ts';
import { EXIT, OrgadmError, withHint } from '../../util/errors.ts';
import { SIGNAL_EXIT } from '../../util/host.ts';
import { parseDuration } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import { announceRun, announceTarget, confirmImport } from './announce-import.ts';
import type { PendingImport } from './checked-list.ts';
import { runsCommand } from './describe-run.ts';
import type { ImportOptions } from './import-options.ts';
import { type ImportTarget, importTarget } from './import-target.ts';
import { beforeSending, Interruption, SignalReceived } from './interruption.ts';
import type { StopReason } from './report/document.ts';
import { type Ending, stopReasonOf } from './report/ending.ts';
import { ImportProgress } from './report/import-progress.ts';
import { noteFirstImport } from './report/next-steps.ts';
import { reportRun } from './report/report-run.ts';
import { type ActiveImport, endingOf, sendList } from './send-list.ts';

/** How long a service may keep working on a request after orgadm stops waiting for it. */
const DEFAULT_LIFETIME = '2m';
/** A request to the embedded sandbox ends when its connection does. */
const SANDBOX_LIFETIME = '1s';

/**
 * Sends a list, or what an earlier run of it has left, and prints the report. On a terminal, asks for confirmation first.
 *
 * @param id the run to continue; undefined for the last run of the list
 * @throws OrgadmError what ended the run early, after the report; `canceled` if the user declines
 */
export async function runImport(pending: PendingImport, context: Context, id?: string): Promise<void> {
  const target = await importTarget(context);
  const selection = selectRun(pending, target, id, context);
  const confirmed = await confirmImport(pending, selection, target.name, context);
  const claim = await claimRun(selection, confirmed);
  try {
    if (claim.plan.kind !== 'report') await requireApi(context);
    await runClaimed(pending, claim, { target, isConfirmed: confirmed !== undefined }, context);
  } finally {
    await claim.release();
  }
}

function selectRun(
  { options, list, digest }: PendingImport,
  { service, apiKey }: ImportTarget,
  id: string | undefined,
  { host }: Context,
): RunSelection {
  return {
    root: stateSubdirectory(host, 'runs'),
    services: stateSubdirectory(host, 'services'),
    identity: { digest, service },
    apiKey,
    id,
    restart: options.restart ?? false,
    list: list.name,
    path: list.path,
  };
}

/** Makes sure that the service speaks the API, before the first row is sent. The sandbox does. */
async function requireApi(context: Context): Promise<void> {
  const { sandbox, wire } = await context.settings();
  if (sandbox !== undefined) return;
  const client = await context.service();
  await beforeSending((progress) => {
    progress.update(() => `checking ${client.baseUrl}`);
    return checkService(client, wire.findings.task, true);
  }, context);
}

/** Opens a run, sends its rows, and prints the report. */
async function runClaimed(
  pending: PendingImport,
  claim: RunClaim,
  { target, isConfirmed }: { target: ImportTarget; isConfirmed: boolean },
  context: Context,
): Promise<void> {
  const settings = await context.settings();
  const { clock } = context.host;
  const { plan, selection } = claim;
  const { rows, position, list, options } = pending;
  const opened = await openRun(claim, rows && { rows, position, file: list.digest }, {
    clock,
    timeoutMs: settings.timeoutMs,
    lifetimeMs: lifetimeMs(options, settings),
    keepsMemberIds: options.allRows ?? false,
  });
  let stopped: StopReason | null = null;
  let isReported = false;
  const interruption = new Interruption();
  try {
    if (!isConfirmed) announceRun(plan, pending, selection.id !== undefined, context);
    announceTarget(opened, pending, target.name, isConfirmed, context);
    const end = await sendAndReport({ ...pending, opened, interruption }, context);
    stopped = stopReasonOf(end.ending);
    isReported = true;
    setExitCode(end, opened, options, context);
    if (plan.kind === 'start' && plan.isFirst && context.exitCode === EXIT.ok) noteFirstImport(settings, context);
  } finally {
    interruption.release();
    const reason = stopped && { ...stopped, message: shortenMessage(stopped.message) };
    await opened.close({ atMs: clock.now(), ...(reason !== null && { stopped: reason }) }, isReported);
  }
}

function lifetimeMs({ requestLifetime }: ImportOptions, { sandbox }: Settings): number {
  const fallback = sandbox === undefined ? DEFAULT_LIFETIME : SANDBOX_LIFETIME;
  return requestLifetime ?? parseDuration(fallback, 'the default');
}

/** The end of an import. */
interface ImportEnd {
  /** The reason why it ended early; undefined if it reached its end. */
  reason: unknown;
  ending: Ending;
  /** Why the errors file could not be written. */
  failure: OrgadmError | undefined;
}

async function sendAndReport(active: ActiveImport, context: Context): Promise<ImportEnd> {
  const { opened, read, options } = active;
  const { plan } = opened;
  const run = opened.run.state;
  const progress = new ImportProgress(run, context.host.clock, await context.progress());
  const reason = await sendList(active, progress, context);
  const ending = endingOf(reason, opened);
  const { sandbox } = await context.settings();
  try {
    const failure = await reportRun(
      {
        run,
        rows: opened.rows,
        position: plan.kind === 'start' ? active.position : plan.run.position,
        allRows: options.allRows ?? false,
        options,
        read,
        ending,
        sendsNothing: plan.kind === 'report',
        journaled: run.hasOutcome ? { id: opened.id, continued: plan.kind !== 'start' } : undefined,
        isSandbox: sandbox !== undefined,
        durationText: progress.describeTime(),
      },
      context,
    );
    return { reason, ending, failure };
  } catch (error) {
    throw explainOutputFailure(error, active);
  }
}

/** Sets the exit code. Throws the error that ended the run, or that of the errors file. */
function setExitCode(
  { reason, ending, failure }: ImportEnd,
  { run: { state } }: OpenedRun,
  options: ImportOptions,
  context: Context,
): void {
  if (ending.kind === 'stopped' && failure !== undefined && (ending.isError || reason instanceof SignalReceived))
    context.output.warn(failure.message);
  if (reason instanceof SignalReceived) {
    context.exitCode = SIGNAL_EXIT[reason.signal];
    return;
  }
  if (ending.kind === 'stopped' && ending.isError) throw finalError(reason);
  if (failure !== undefined) throw failure;
  const { existing, failed, invalid, unknown, unsent } = state.counts();
  const incompleteRows = failed + invalid + unknown + unsent + (options.ignoreExisting ? 0 : existing);
  const possibleDuplicates = state.possibleDuplicates().length + state.strangers().length;
  const toCheck = state.duplicates.length + possibleDuplicates + state.mismatches.length;
  context.exitCode = incompleteRows + toCheck > 0 ? EXIT.incomplete : EXIT.ok;
}

/** Returns the error that ends the command. */
function finalError(reason: unknown): Error {
  return reason instanceof OrgadmError ? reason : new Error('the run failed unexpectedly', { cause: reason });
}

/** A failure to print the report does not mean that the import failed. */
function explainOutputFailure(error: unknown, { opened }: ActiveImport): unknown {
  if (!(error instanceof OrgadmError) || error.code !== 'output-failed') return error;
  const state = opened.run.state.isUnfinished
    ? 'The journal has the outcome of every row'
    : 'The import itself finished';
  return withHint(error, `${state}: ${runsCommand('show', opened.id)}`);
}
