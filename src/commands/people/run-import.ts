import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { stateDirectory } from '../../config/private-file.ts';
import type { Settings } from '../../config/settings.ts';
import { type OpenedRun, openRun, shortRunId } from '../../import/journal/open-run.ts';
import { readRecordedRun } from '../../import/journal/recorded-runs.ts';
import { type RunIdentity, runIdOf } from '../../import/journal/run-identity.ts';
import type { StopReason } from '../../import/report.ts';
import { shortenMessage } from '../../import/send/row-messages.ts';
import { type SendOptions, send } from '../../import/send/send.ts';
import { LimitReached } from '../../import/send/send-events.ts';
import { confirmChange } from '../../output/prompt.ts';
import { text } from '../../output/text.ts';
import { EXIT, OrgadmError, withHint } from '../../util/errors.ts';
import { hasTerminal, SIGNAL_EXIT } from '../../util/host.ts';
import { countOf, formatCount, formatTime, parseDuration, renderDuration } from '../../util/units.ts';
import { announceChange, type Context, describeTarget, needsConfirmation } from '../command-context.ts';
import { Advice } from './advice.ts';
import type { CheckedImport, InvalidAction } from './bulk-options.ts';
import { ImportProgress } from './import-progress.ts';
import { Interruption, SignalReceived } from './interruption.ts';
import { LiveRows } from './live-rows.ts';
import { type ErrorsFileResult, noteNextSteps, noteResumeCommand, writeRejectedRows } from './next-steps.ts';
import { printReport } from './print-report.ts';
import { recordCommand } from './recorded-command.ts';

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
  const opened = await openRun({
    ...{ root, identity, mode: options.mode, retryFailed: options.retryFailed, acceptNewKey: options.acceptNewKey },
    services: join(stateDirectory(context.host), 'services'),
    apiKey,
    list: list.name,
    path: isFile(checked) ? resolve(checked.file) : undefined,
    total: checked.check.total,
    invalid: invalidRows(checked),
    command: recordCommand(checked, settings, apiKey, context),
    limits: {
      clock,
      timeoutMs: settings.timeoutMs,
      lifetimeMs: lifetimeMs(checked, settings),
      keepsMemberIds: options.allRows,
    },
  });
  let stopped: StopReason | null = null;
  const interruption = new Interruption();
  const id = shortRunId(runIdOf(identity));
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

/** Returns the directory of the journals. */
export function runsDirectory(journal: string | undefined, { host }: Pick<Context, 'host'>): string {
  return journal ?? join(stateDirectory(host), 'runs');
}

/** Identifies a run: the same list with other options is another run. */
export function runDigest(digest: string, invalid: InvalidAction): string {
  return createHash('sha256').update(`${digest}\n${invalid}`).digest('hex');
}

/** Whether the list can be read again by its path. */
function isFile({ file, list }: CheckedImport): boolean {
  return file !== '-' && list.file !== undefined;
}

function invalidRows({ check }: CheckedImport): number[] {
  if (check.invalid === 0) return [];
  return Array.from({ length: check.total }, (_, at) => at + 1).filter((entry) => check.isInvalid(entry));
}

function lifetimeMs({ options }: CheckedImport, { sandbox }: Settings): number {
  const fallback = sandbox === undefined ? DEFAULT_LIFETIME : SANDBOX_LIFETIME;
  return options.requestLifetimeMs ?? parseDuration(fallback, 'the default');
}

/** An import in progress. */
interface ActiveImport extends CheckedImport {
  /** The short ID of the run. */
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
  const { opened, list, options } = active;
  const { run } = opened;
  const source = {
    rows: () => list.rows(),
    rowStates: run.rowStates,
    messageFor: (entry: number) => run.messageFor(entry),
    plainMessageFor: (entry: number) => run.plainMessageFor(entry),
    memberIdFor: options.allRows ? (entry: number) => run.memberIdFor(entry) : undefined,
  };
  const live = new LiveRows(context.output);
  await live.printEarlier(run, source);
  const progress = new ImportProgress(run.rowStates, context.host.clock, await context.progress());
  const reason = await sendList(active, live, progress, context);
  const stopped = stopReason(reason);
  const took = progress.describeTime();
  const settings = await context.settings();
  const advice = new Advice(settings.wire.member);
  let errorsFile: ErrorsFileResult | undefined;
  try {
    errorsFile = await writeRejectedRows(active, source, run.failedAlone);
    const report = { stopped, facts: run.facts, duplicates: run.duplicates, isPrinted: live.hasPrinted, advice, took };
    const listAll = isFile(active) ? `orgadm runs show ${active.id} -o csv` : undefined;
    const annotatedFile = options.annotate ? active.file : undefined;
    const isSandbox = settings.sandbox !== undefined;
    await printReport(source, { ...report, listAll, annotatedFile, isSandbox, ...options }, context);
    if (took !== undefined && !isForPeople(context)) context.output.note(`took ${took}`);
    // A failure is this report's, and not that of the import.
    await context.output.flush();
  } catch (error) {
    throw explainOutputFailure(error, active);
  } finally {
    // Also if the report could not be printed.
    noteNextSteps({ ...active, run, hasAdvice: advice.hints(run.rowStates.total).length > 0, errorsFile }, context);
  }
  const failure = errorsFile && 'failure' in errorsFile ? errorsFileFailure(errorsFile.failure, active) : undefined;
  return { reason, stopped, failure };
}

function isForPeople({ output }: Context): boolean {
  return output.format === 'table' || output.format === 'markdown';
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
  const warnOfInconsistency = once((message) =>
    output.warn(text`the response from the service is inconsistent: ${message}`),
  );
  const noteDeactivated = once((users) =>
    output.note(text`the service also returned a deactivated membership of ${users}`),
  );
  let reason: unknown;
  interruption.listen(() => {
    // The progress line would be drawn again before the process ends.
    progress.stop();
    noteResumeCommand({ ...active, run: opened.run }, context);
  }, context);
  try {
    for await (const event of send(await sendOptions(active, context))) {
      if ('inFlight' in event) interruption.inFlight = event.inFlight;
      if (event.type === 'outcomes') await live.print(event.rows);
      if (event.type === 'inconsistency') warnOfInconsistency(event.message);
      if (event.type === 'deactivated')
        noteDeactivated(`${event.userIds.slice(0, 3).join(', ')}${event.userIds.length > 3 ? ', …' : ''}`);
      if (event.type === 'batch-halved')
        output.note(batchHalved(event.batchSize, (await context.settings()).timeoutMs));
      if (event.type === 'stopped') reason = event.reason;
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

/** Reports an inconsistency once, because some services repeat it in every response. */
function once(print: (message: string) => void): (message: string) => void {
  let isPrinted = false;
  return (message) => {
    if (!isPrinted) print(message);
    isPrinted = true;
  };
}

/** Asks before it opens anything, so that declining changes nothing. Does not ask about a run that sends nothing. */
async function confirmImport(
  { options, list, check }: CheckedImport,
  identity: RunIdentity,
  root: string,
  target: string,
  context: Context,
): Promise<void> {
  const earlier = await readRecordedRun(root, runIdOf(identity));
  const counts = options.mode === 'restart' ? undefined : earlier?.details?.counts;
  const unfinished = counts === undefined ? 0 : counts.unsent + counts.unknown;
  // It is an error, see `openRun`.
  if (unfinished > 0 && options.mode === 'new') return;
  const isContinued = counts !== undefined && options.mode === 'resume';
  const remaining = unfinished === 0 && options.retryFailed ? (counts?.failed ?? 0) : unfinished;
  const left = isContinued ? remaining : check.total - check.invalid;
  if (left === 0 || !(await needsConfirmation(options.yes, context))) return;
  const people = `${limitOf(left, options.limit)}${isContinued ? 'the remaining ' : ''}${countPeople(left)}`;
  await confirmChange(`Import ${people} from ${list.name} into ${target}?`, 'nothing was sent', context.host);
}

/** Returns `10 of ` if only so many of those left are sent. */
function limitOf(left: number, limit: number | undefined): string {
  return limit !== undefined && limit < left ? `${formatCount(limit)} of ` : '';
}

function countPeople(count: number): string {
  return countOf(count, 'person', 'people');
}

/** Prints how many people orgadm sends to which service. Prints nothing if no rows remain. */
function announceTarget(
  { run, resumed, reopened }: OpenedRun,
  target: string,
  limit: number | undefined,
  { output }: Context,
): void {
  const { unsent, unknown } = run.rowStates.counts();
  if (unsent + unknown === 0) return;
  const left = unsent + unknown;
  const people = `${limitOf(left, limit)}${resumed && reopened === 0 ? 'the remaining ' : ''}${countPeople(left)}`;
  const outcome = unknown > 0 ? ` (${formatCount(unknown)} may have been added already)` : '';
  announceChange(`Importing ${people}${outcome} into ${target}`, output);
}

function announceRun(
  { run, resumed, replaced, reopened }: OpenedRun,
  { options }: CheckedImport,
  { output }: Context,
): void {
  if (replaced !== undefined) {
    const { endedAtMs, created, hadOtherKey } = replaced;
    const key = hadOtherKey ? ' with another API key' : '';
    const time = formatTime(endedAtMs);
    output.note(`this list was imported${key} on ${time} UTC (${formatCount(created)} created); importing it again`);
  }
  if (options.mode !== 'resume') return;
  if (reopened > 0) output.note(`sending ${countOf(reopened, 'failed row')} again`);
  else if (!resumed && replaced === undefined) output.note('this list has no earlier run, so orgadm starts a new one');
  else if (resumed && !run.isUnfinished) {
    output.note('this list was already imported, so nothing was sent. The report of that run:');
    const { failed } = run.rowStates.counts();
    if (failed > 0) output.note(`to send its ${countOf(failed, 'failed row')} again, add --retry-failed`);
  }
}

/** Returns what the report says about the end of a run; null if it reached its end. */
function stopReason(reason: unknown): StopReason | null {
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

/** Once sending has begun, a failure to write the errors file is no longer invalid usage. */
function errorsFileFailure(error: OrgadmError, active: ActiveImport): OrgadmError {
  const again = isFile(active)
    ? `Write them to another file: orgadm runs show ${active.id} --errors-file <file>`
    : 'To write them to another file, pipe the same list in with --resume --errors-file <file>';
  return withHint(error, `The report still lists these rows. ${again}`, { exitCode: EXIT.failure });
}

/** A failure to print the report does not mean that the import failed. */
function explainOutputFailure(error: unknown, { id, opened }: ActiveImport): unknown {
  if (!(error instanceof OrgadmError) || error.code !== 'output-failed') return error;
  const state = opened.run.isUnfinished ? 'The journal has the outcome of every row' : 'The import itself finished';
  return withHint(error, `${state}: orgadm runs show ${id}`);
}
