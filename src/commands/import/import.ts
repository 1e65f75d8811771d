import { requireApi } from '../../client/read-before-write.ts';
import { stateSubdirectory } from '../../config/private-file.ts';
import type { Settings } from '../../config/settings.ts';
import { type OpenedRun, openRun } from '../../import/journal/open-run.ts';
import { planRun } from '../../import/journal/plan-run.ts';
import { shortenMessage } from '../../import/send/row-messages.ts';
import { FirstBatchRejected, type SendOptions, send } from '../../import/send/send.ts';
import { LimitReached, type SendEvent } from '../../import/send/send-events.ts';
import { text } from '../../output/text.ts';
import { EXIT, OrgadmError, withHint } from '../../util/errors.ts';
import { SIGNAL_EXIT } from '../../util/host.ts';
import { countOf, parseDuration, renderDuration } from '../../util/units.ts';
import { type Context, describeTarget } from '../command-context.ts';
import { announceRun, announceTarget, confirmImport } from './announce-import.ts';
import { beforeSending } from './before-sending.ts';
import type { CheckedImport } from './checked-list.ts';
import { Interruption, SignalReceived } from './interruption.ts';
import { describeMapping } from './mapping/mapping-in-effect.ts';
import { withPendingPeople } from './pending-people.ts';
import { type RecordedCommand, recordCommand, redactorForJournal } from './recorded-command.ts';
import { Advice } from './report/advice.ts';
import { ImportProgress } from './report/import-progress.ts';
import { noteResumeCommand } from './report/next-steps.ts';
import type { StopReason } from './report/report.ts';
import { countSent, reportRun } from './report/report-run.ts';
import { runsCommand } from './suggested-commands.ts';

/** How long a service may keep working on a request after orgadm stops waiting for it. */
const DEFAULT_LIFETIME = '2m';
/** A request to the embedded sandbox ends when its connection does. */
const SANDBOX_LIFETIME = '1s';

/**
 * Sends a checked list, or what an earlier run of it has left, and prints the report. On a terminal, asks for confirmation
 * first.
 *
 * @param id the run to continue; undefined for the last run of the list
 * @throws OrgadmError what ended the run early, after the report; `canceled` if the user declines
 */
export async function runImport(checked: CheckedImport, context: Context, id?: string): Promise<void> {
  const { options, list } = checked;
  const settings = await context.settings();
  const client = await context.service();
  const target = (await describeTarget(context)) ?? client.baseUrl;
  const { clock } = context.host;
  const apiKey = (await settings.readKey()) ?? '';
  const redact = redactorForJournal(apiKey);
  const identity = {
    digest: checked.digest,
    service: redact(settings.sandbox?.stateFile ?? client.baseUrl),
  };
  const selection = {
    root: stateSubdirectory(context.host, 'runs'),
    identity,
    apiKey,
    id,
    restart: options.restart ?? false,
    path: list.path && redact(list.path),
    heads: new Map(),
  };
  const plan = await planRun(selection);
  const isNamed = id !== undefined;
  const { accepted } = checked;
  const pending = await withPendingPeople(checked, plan, selection.root);
  const isConfirmed = accepted !== undefined || (await confirmImport(plan, pending, target, isNamed, context));
  if (plan.kind !== 'report' && settings.sandbox === undefined)
    await beforeSending((progress) => {
      progress.update(() => `checking ${client.baseUrl}`);
      return requireApi(client, settings.wire.findings.task);
    }, context);
  const command = recordCommand(checked, settings, redact, context.flags);
  const opened = await openRun({
    ...selection,
    confirmed: accepted ?? (isConfirmed ? plan : undefined),
    services: stateSubdirectory(context.host, 'services'),
    list: redact(list.name),
    total: checked.check.total,
    invalid: invalidRows(checked),
    command,
    limits: {
      clock,
      timeoutMs: settings.timeoutMs,
      lifetimeMs: lifetimeMs(checked, settings),
      keepsMemberIds: options.allRows ?? false,
    },
  });
  let stopped: StopReason | null = null;
  const interruption = new Interruption();
  try {
    if (!isConfirmed) announceRun(opened.plan, checked, isNamed, context);
    announceTarget(opened, pending, target, isConfirmed, context);
    const end = await sendAndReport({ ...checked, command, opened, interruption }, context);
    stopped = end.stopped;
    setExitCode(end, opened, checked, context);
  } finally {
    interruption.release();
    await opened.close({
      atMs: clock.now(),
      ...(stopped !== null && { stopped: { ...stopped, message: shortenMessage(redact(stopped.message)) } }),
    });
  }
}

function invalidRows({ check }: CheckedImport): number[] {
  if (check.invalid === 0) return [];
  return Array.from({ length: check.total }, (_, at) => at + 1).filter((entry) => check.isInvalid(entry));
}

function lifetimeMs({ options }: CheckedImport, { sandbox }: Settings): number {
  const fallback = sandbox === undefined ? DEFAULT_LIFETIME : SANDBOX_LIFETIME;
  return options.requestLifetime ?? parseDuration(fallback, 'the default');
}

/** An import in progress. */
interface ActiveImport extends CheckedImport {
  /** What the journal keeps of the command. */
  command: RecordedCommand | undefined;
  opened: OpenedRun;
  interruption: Interruption;
}

/** How a run ended. */
interface RunEnd {
  /** The reason why it ended early; undefined if it reached its end. */
  reason: unknown;
  stopped: StopReason | null;
  /** Why the errors file could not be written. */
  failure: OrgadmError | undefined;
}

async function sendAndReport(active: ActiveImport, context: Context): Promise<RunEnd> {
  const { opened, list, check, options } = active;
  const run = opened.run.state;
  const source = { run, rows: () => list.rows(), layout: check.layout, allRows: options.allRows ?? false };
  const isRepeated = opened.plan.kind === 'report';
  const progress = new ImportProgress(run.rowStates, context.host.clock, await context.progress());
  const reason = await sendList(active, progress, context);
  const stopped = describeStop(reason);
  const { sandbox, wire } = await context.settings();
  const advice = new Advice(wire.member);
  const rejected = reason instanceof FirstBatchRejected ? reason : undefined;
  try {
    const failure = await reportRun(
      {
        ...source,
        id: readableId(active),
        list,
        options,
        mapping: active.mapping,
        described: describeMapping(active),
        stopped,
        isResumable: rejected === undefined && isResumable(opened),
        isRepeated,
        endsInError: endsInError(reason),
        hintsInError: rejected !== undefined,
        quotedMessage: rejected?.sharedMessage,
        journaled: run.hasOutcome ? { id: opened.id, continued: opened.plan.kind !== 'start' } : undefined,
        isSandbox: sandbox !== undefined,
        advice,
        durationText: progress.describeTime(),
      },
      context,
    );
    if (rejected === undefined) return { reason, stopped, failure };
    const advised = advice.hints(countSent(run));
    if (advised.length === 0) return { reason: rejected, stopped, failure };
    const hint = `${advised.join('. ')}. Otherwise, fix the list and import it again. ${rejected.notSent}`;
    return { reason: withHint(rejected, hint), stopped, failure };
  } catch (error) {
    throw explainOutputFailure(error, active);
  }
}

/** Returns the ID of the run, if other commands can read the run and its list. */
function readableId({ opened, list, command }: ActiveImport): string | undefined {
  return list.path !== undefined && command !== undefined && opened.run.state.hasOutcome ? opened.id : undefined;
}

/** Whether there is anything to continue. A run without any outcome leaves nothing behind. */
function isResumable({ run: { state } }: OpenedRun): boolean {
  return state.hasOutcome && state.isUnfinished;
}

/** Sends the remaining rows. Returns the reason if the run ended early, otherwise undefined. */
async function sendList(active: ActiveImport, progress: ImportProgress, context: Context): Promise<unknown> {
  const { opened, interruption } = active;
  const { output } = context;
  // Some services repeat these in every response.
  const reported = new Set<SendEvent['type']>();
  const reducedTo: number[] = [];
  let isReduced = false;
  let reason: unknown;
  interruption.listen(() => {
    // The progress line would be drawn again before the process ends.
    progress.stop();
    if (isResumable(opened)) noteResumeCommand({ ...active, id: readableId(active), isRepeated: false }, context);
  }, context);
  try {
    for await (const event of send(await sendOptions(active, context))) {
      if ('inFlight' in event) interruption.inFlight = event.inFlight;
      if (event.type === 'inconsistency' && !reported.has(event.type))
        output.warn(text`the response from the service is inconsistent: ${event.message}`);
      if (event.type === 'batch-size') {
        reducedTo.push(event.rows);
        isReduced = event.isReduced;
      }
      if (event.type === 'stopped') reason = event.reason;
      reported.add(event.type);
      progress.show(event);
    }
  } catch (error) {
    // The output failed. The iteration has waited for the requests in flight.
    reason = error;
  } finally {
    progress.stop();
    // A run that was stopped is yet to print its resume command.
    if (!interruption.signal.aborted) interruption.release();
  }
  const last = reducedTo.at(-1);
  if (last !== undefined) {
    const { timeoutMs } = await context.settings();
    output.note(isReduced ? batchReduced(last, timeoutMs) : batchRestored(Math.min(...reducedTo), timeoutMs));
  }
  // Nothing was left to do when the signal came: the run is complete.
  const isComplete = !opened.run.state.isUnfinished && opened.plan.kind !== 'resend';
  return reason instanceof SignalReceived && isComplete ? undefined : reason;
}

async function sendOptions(
  { opened, options, list, interruption }: ActiveImport,
  context: Context,
): Promise<SendOptions> {
  const { retries, wire } = await context.settings();
  const { batchSize, concurrency, limit } = options;
  const { clock, random } = context.host;
  return {
    batchSize,
    concurrency,
    limit,
    retries,
    clock,
    random,
    run: opened.run,
    client: await context.service(),
    conventions: wire.member,
    rows: () => list.rows(),
    resendsFailed: opened.plan.kind === 'resend',
    signal: interruption.signal,
  };
}

/** Says how the batch size ended, which may have been reduced several times. */
function batchReduced(batchSize: number, timeoutMs: number): string {
  return (
    `the service took longer than ${renderDuration(timeoutMs)} to respond, so orgadm reduced the batch size to ${countOf(batchSize, 'row')}. ` +
    `To send more at once, allow more time with --timeout. To start with fewer, use --batch-size ${batchSize}.`
  );
}

/** Says that the service was slow for a while. */
function batchRestored(smallest: number, timeoutMs: number): string {
  return `the service took longer than ${renderDuration(timeoutMs)} to respond for a while, so orgadm reduced the batch size to ${countOf(smallest, 'row')}, and raised it again later. To wait longer for responses, use --timeout.`;
}

/** Returns what the report says about the end of a run; null if it reached its end. */
function describeStop(reason: unknown): StopReason | null {
  if (reason === undefined) return null;
  if (reason instanceof SignalReceived) return { code: 'interrupted', message: `interrupted by ${reason.signal}` };
  if (reason instanceof LimitReached)
    return { code: 'limit', message: `stopped after ${countOf(reason.limit, 'row')} (--limit)` };
  if (reason instanceof FirstBatchRejected)
    return { code: reason.code, message: 'the service rejected every row of the first batch' };
  if (reason instanceof OrgadmError) return { code: reason.code, message: reason.message };
  return { code: 'internal', message: reason instanceof Error ? reason.message : String(reason) };
}

/** Whether the command reports the reason of the end of a run as an error. */
function endsInError(reason: unknown): boolean {
  return reason !== undefined && !(reason instanceof SignalReceived) && !(reason instanceof LimitReached);
}

/** Sets the exit code. Throws the error that ended the run, or that of the errors file. */
function setExitCode(
  { reason, failure }: RunEnd,
  { run: { state } }: OpenedRun,
  { options }: CheckedImport,
  context: Context,
): void {
  if (reason instanceof SignalReceived) {
    context.exitCode = SIGNAL_EXIT[reason.signal];
    return;
  }
  if (endsInError(reason)) {
    if (failure !== undefined) context.output.warn(failure.message);
    throw reason instanceof OrgadmError ? reason : new Error('the run failed unexpectedly', { cause: reason });
  }
  if (failure !== undefined) throw failure;
  const { existing, failed, invalid, unknown, unsent } = state.rowStates.counts();
  const incompleteRows = failed + invalid + unknown + unsent + (options.ignoreExisting ? 0 : existing);
  const toCheck = state.duplicates.length + state.stalled.size + state.mismatches.length;
  context.exitCode = incompleteRows + toCheck > 0 ? EXIT.incomplete : EXIT.ok;
}

/** A failure to print the report does not mean that the import failed. */
function explainOutputFailure(error: unknown, { opened }: ActiveImport): unknown {
  if (!(error instanceof OrgadmError) || error.code !== 'output-failed') return error;
  const state = opened.run.state.isUnfinished
    ? 'The journal has the outcome of every row'
    : 'The import itself finished';
  return withHint(error, `${state}: ${runsCommand('show', opened.id)}`);
}
