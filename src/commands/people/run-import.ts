import { join, resolve } from 'node:path';
import { stateDirectory } from '../../config/private-file.ts';
import type { Settings } from '../../config/settings.ts';
import { type OpenedRun, openRun } from '../../import/journal/open-run.ts';
import { runIdOf } from '../../import/journal/run-identity.ts';
import type { StopReason } from '../../import/report.ts';
import { shortenMessage } from '../../import/send/row-messages.ts';
import { type SendOptions, send } from '../../import/send/send.ts';
import { LimitReached, type SendEvent } from '../../import/send/send-events.ts';
import { text } from '../../output/text.ts';
import { EXIT, OrgadmError, withHint } from '../../util/errors.ts';
import { hasTerminal, SIGNAL_EXIT } from '../../util/host.ts';
import { countOf, parseDuration, renderDuration } from '../../util/units.ts';
import { type Context, describeTarget } from '../command-context.ts';
import { Advice } from './advice.ts';
import { announceRun, announceTarget, confirmImport } from './announce-import.ts';
import type { CheckedImport } from './checked-list.ts';
import { runModeOf, runsDirectory } from './import-options.ts';
import { ImportProgress } from './import-progress.ts';
import { Interruption, SignalReceived } from './interruption.ts';
import { runDigest } from './list-digest.ts';
import { LiveRows } from './live-rows.ts';
import { noteResumeCommand } from './next-steps.ts';
import { recordCommand } from './recorded-command.ts';
import { reportRun } from './report-run.ts';
import { runsCommand } from './suggested-commands.ts';

/** How long a service may keep working on a request after orgadm stops waiting for it. */
const DEFAULT_LIFETIME = '2m';
/** A request to the embedded sandbox ends when its connection does. */
const SANDBOX_LIFETIME = '1s';

/**
 * Sends a checked list and prints the report. On a terminal, asks for confirmation first.
 *
 * @throws OrgadmError what ended the run early, after the report; `canceled` if the user declines
 */
export async function runImport(checked: CheckedImport, context: Context): Promise<void> {
  const { options, list } = checked;
  const settings = await context.settings();
  const client = await context.service();
  const identity = {
    digest: runDigest(checked.digest, options.invalid),
    service: settings.sandbox?.stateFile ?? client.baseUrl,
  };
  const root = runsDirectory(options.journal, context);
  const target = (await describeTarget(context)) ?? client.baseUrl;
  if (!options.yes && hasTerminal(context.host)) await confirmImport(checked, identity, root, target, context);
  const { clock } = context.host;
  const apiKey = (await settings.readKey()) ?? '';
  const id = runIdOf(identity);
  const opened = await openRun({
    ...{ root, identity, mode: runModeOf(options) },
    ...{ retryFailed: options.retryFailed ?? false, acceptNewKey: options.acceptNewKey ?? false },
    services: join(stateDirectory(context.host), 'services'),
    apiKey,
    list: list.name,
    path: checked.pipedInto === undefined ? resolve(checked.file) : undefined,
    total: checked.check.total,
    invalid: invalidRows(checked),
    resumeCommand: runsCommand('resume', id, options.journal),
    command: recordCommand(checked, settings, apiKey, context.flags),
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
    announceRun(opened, checked, context);
    announceTarget(opened, target, options.limit, context);
    const end = await sendAndReport({ ...checked, id, opened, interruption }, context);
    stopped = end.stopped;
    setExitCode(end, opened, checked, context);
  } finally {
    interruption.release();
    await opened.close({
      atMs: clock.now(),
      ...(stopped !== null && { stopped: { ...stopped, message: shortenMessage(stopped.message) } }),
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
  /** The ID of the run. */
  id: string;
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
  const { opened, list, check, file, options } = active;
  const { run } = opened;
  const source = { run, rows: () => list.rows(), layout: check.layout, allRows: options.allRows ?? false };
  const isRepeated = opened.resumed && !run.isUnfinished;
  const live = new LiveRows(context.output);
  await live.printEarlier(source);
  const progress = new ImportProgress(run.rowStates, context.host.clock, await context.progress());
  const reason = await sendList(active, live, progress, context);
  const stopped = describeStop(reason);
  const { sandbox, wire } = await context.settings();
  try {
    const failure = await reportRun(
      {
        ...source,
        ...{ id: active.id, list: file, pipedInto: active.pipedInto, options },
        ...{ stopped, isResumable: isResumable(opened), isRepeated, isSandbox: sandbox !== undefined },
        ...{ advice: new Advice(wire.member), isPrinted: live.hasPrinted, durationText: progress.describeTime() },
      },
      context,
    );
    return { reason, stopped, failure };
  } catch (error) {
    throw explainOutputFailure(error, active);
  }
}

/** Whether there is anything to continue. A run without any outcome leaves nothing behind. */
function isResumable({ run }: OpenedRun): boolean {
  return run.hasOutcome && run.isUnfinished;
}

/** Sends the remaining rows. Returns the reason if the run ended early, otherwise undefined. */
async function sendList(
  active: ActiveImport,
  live: LiveRows,
  progress: ImportProgress,
  context: Context,
): Promise<unknown> {
  const { opened, interruption, options } = active;
  const { output } = context;
  // Some services repeat these in every response.
  const reported = new Set<SendEvent['type']>();
  let reason: unknown;
  interruption.listen(() => {
    // The progress line would be drawn again before the process ends.
    progress.stop();
    if (isResumable(opened)) noteResumeCommand(active, context);
  }, context);
  try {
    for await (const event of send(await sendOptions(active, context))) {
      if ('inFlight' in event) interruption.inFlight = event.inFlight;
      if (event.type === 'outcomes') await live.print(event.rows);
      if (event.type === 'inconsistency' && !reported.has(event.type))
        output.warn(text`the response from the service is inconsistent: ${event.message}`);
      if (event.type === 'deactivated' && !reported.has(event.type)) {
        const users = `${event.userIds.slice(0, 3).join(', ')}${event.userIds.length > 3 ? ', …' : ''}`;
        output.note(text`the service also returned a deactivated membership of ${users}`);
      }
      if (event.type === 'batch-halved')
        output.note(batchHalved(event.batchSize, (await context.settings()).timeoutMs));
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
  // Nothing was left to do when the signal came: the run is complete.
  const { unsent, unknown } = opened.run.rowStates.counts();
  const isComplete = unsent === 0 && (unknown === 0 || !options.confirm);
  return reason instanceof SignalReceived && isComplete ? undefined : reason;
}

async function sendOptions(
  { opened, options, list, interruption }: ActiveImport,
  context: Context,
): Promise<SendOptions> {
  const { retries, wire } = await context.settings();
  const { batchSize, concurrency, limit, confirm } = options;
  const { clock, random } = context.host;
  return {
    ...{ batchSize, concurrency, limit, confirm, retries, clock, random },
    run: opened.run,
    client: await context.service(),
    conventions: wire.member,
    rows: () => list.rows(),
    isResumed: opened.resumed,
    signal: interruption.signal,
  };
}

function batchHalved(batchSize: number, timeoutMs: number): string {
  return (
    `the service took longer than ${renderDuration(timeoutMs)} to respond, so orgadm now sends at most ${countOf(batchSize, 'row')} in each request. ` +
    'To send more at once, allow more time with --timeout. To start with fewer, use --batch-size.'
  );
}

/** Returns what the report says about the end of a run; null if it reached its end. */
function describeStop(reason: unknown): StopReason | null {
  if (reason === undefined) return null;
  if (reason instanceof SignalReceived) return { code: 'interrupted', message: `interrupted by ${reason.signal}` };
  if (reason instanceof LimitReached)
    return { code: 'limit', message: `stopped after ${countOf(reason.limit, 'row')} (--limit)` };
  if (reason instanceof OrgadmError) return { code: reason.code, message: reason.message };
  return { code: 'internal', message: reason instanceof Error ? reason.message : String(reason) };
}

/** Sets the exit code. Throws the error that ended the run, or that of the errors file. */
function setExitCode(
  { reason, failure }: RunEnd,
  { run }: OpenedRun,
  { options }: CheckedImport,
  context: Context,
): void {
  if (reason instanceof SignalReceived) {
    context.exitCode = SIGNAL_EXIT[reason.signal];
    return;
  }
  if (reason !== undefined && !(reason instanceof LimitReached)) {
    if (failure !== undefined) context.output.warn(failure.message);
    throw reason instanceof OrgadmError ? reason : new Error('the run failed unexpectedly', { cause: reason });
  }
  if (failure !== undefined) throw failure;
  const { existing, failed, invalid, unknown, unsent } = run.rowStates.counts();
  const incompleteRows = failed + invalid + unknown + unsent + (options.ignoreExisting ? 0 : existing);
  context.exitCode = incompleteRows + run.duplicates.length > 0 ? EXIT.incomplete : EXIT.ok;
}

/** A failure to print the report does not mean that the import failed. */
function explainOutputFailure(error: unknown, { id, opened, options }: ActiveImport): unknown {
  if (!(error instanceof OrgadmError) || error.code !== 'output-failed') return error;
  const state = opened.run.isUnfinished ? 'The journal has the outcome of every row' : 'The import itself finished';
  return withHint(error, `${state}: ${runsCommand('show', id, options.journal)}`);
}
