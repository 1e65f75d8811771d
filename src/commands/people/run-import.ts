import { resolve } from 'node:path';
import { addMembers } from '../../client/add-members.ts';
import type { GlobalFlags, Settings } from '../../config/settings.ts';
import { type MemberEntry, toWireEntry } from '../../import/entry.ts';
import type { ImportRun } from '../../import/journal/import-run.ts';
import type { RunRecord } from '../../import/journal/journal-records.ts';
import { type OpenedRun, openRun } from '../../import/journal/open-run.ts';
import { folderName, type RunIdentity } from '../../import/journal/other-runs.ts';
import type { ListValidation } from '../../import/list/open-list.ts';
import type { ReportSource, StopReason } from '../../import/report.ts';
import { shortenMessage } from '../../import/send/row-messages.ts';
import type { SendContext, SendOptions } from '../../import/send/scheduler.ts';
import type { Output } from '../../output/output.ts';
import { EXIT, OrgadmError, withHint } from '../../util/errors.ts';
import { SIGNAL_EXIT } from '../../util/host.ts';
import { countOf, formatCount, formatLocalTime } from '../../util/units.ts';
import { announceChange, asksFirst, type Context, confirmOrCancel, describeTarget } from '../command-context.ts';
import {
  type BulkAddOptions,
  type CheckedImport,
  entrySettings,
  recordOptions,
  requestLifetime,
  showCommand,
} from './bulk-options.ts';
import {
  type ErrorsFileResult,
  noteNextSteps,
  noteResumeCommand,
  SettingHints,
  writeRejectedRows,
} from './next-steps.ts';
import { printReport } from './print-report.ts';
import { ImportProgress, Interruption, LiveRows, SignalReceived, sendList } from './send-list.ts';

/** What sending needs in addition to the list. */
export interface PreparedImport {
  /** Directory of the journals. */
  root: string;
  /** Directory of the locks, one per service and key. */
  locks: string;
}

/**
 * Sends a list that was checked, and reports. On a terminal, asks first.
 *
 * @throws OrgadmError what ended the run early, after the report; `canceled` if the user declines
 */
export async function runImport(checked: CheckedImport & PreparedImport, context: Context): Promise<void> {
  const { options, list, check, root, locks } = checked;
  const { output, host } = context;
  const settings = await context.settings();
  const client = await context.service();
  const global = await pinService(context);
  const identity: RunIdentity = {
    digest: check.digest,
    settings: entrySettings(options, settings.wire.member.deviceMgmtLabelId),
    service: settings.sandbox?.stateFile ?? client.baseUrl,
  };
  const target = (await describeTarget(context)) ?? client.baseUrl;
  if (await asksFirst(options.yes, context)) await confirmImport(checked, identity, target, context);
  const path = checked.file === '-' || list.file === undefined ? undefined : resolve(checked.file);
  const opened = await openRun({
    root,
    locks,
    identity,
    apiKey: settings.apiKey,
    allowParallel: options.allowParallel,
    mode: options.mode,
    retryFailed: options.retryFailed,
    recorded: recordedOptions(checked, settings, global),
    list: list.name,
    path,
    total: check.total,
    rows: () => list.rows(),
    invalid: invalidRows(check),
    nowMs: host.clock.now(),
  });
  const { run } = opened;
  let stopped: StopReason | null = null;
  const interruption = new Interruption(() => {
    if (run.unfinished) noteResumeCommand(checked, global, output);
  }, context);
  try {
    announceRun(opened, options, context);
    announceKey(run, context);
    announceTarget(opened, target, output);
    const source = {
      rows: () => list.rows(),
      rowStates: run.rowStates,
      messageFor: (entry: number) => run.messageFor(entry),
      memberIdFor: options.allRows ? (entry: number) => run.memberId(entry) : undefined,
    };
    const live = new LiveRows(run, output);
    await live.printEarlier(source);
    const progress = new ImportProgress(run.rowStates, host.clock, await context.progress());
    const sending = await sendingOf(opened, checked, interruption.signal, context);
    const end = await sendList(...sending, live, progress, interruption, context);
    stopped = stopReason(end);
    // Its report has the ids of users only if the list can be read again.
    const listAll = path === undefined ? undefined : `${showCommand(folderName(identity), options.journal)} -o csv`;
    const took = progress.describeTime();
    await reportRun({ run, end, stopped, isPrinted: live.hasPrinted, took, listAll }, source, checked, global, context);
  } finally {
    interruption.release();
    await opened.close({
      atMs: host.clock.now(),
      ...(stopped !== null && { stopped: { ...stopped, message: shortenMessage(stopped.message) } }),
    });
  }
}

/** Returns how the rows of a run are sent, and with what. */
async function sendingOf(
  { run }: OpenedRun,
  { options, list }: CheckedImport,
  signal: AbortSignal,
  { host, settings: readSettings, service }: Context,
): Promise<[SendOptions, SendContext]> {
  const settings = await readSettings();
  const client = await service();
  const labelName = settings.wire.member.deviceMgmtLabelId;
  const sendOptions = {
    ...options,
    requestLifetimeMs: requestLifetime(options, settings.sandbox !== undefined),
    retries: settings.retries,
    timeoutMs: settings.timeoutMs,
  };
  const sendContext = {
    run,
    rows: () => list.rows(),
    clock: host.clock,
    random: host.random,
    conventions: settings.wire.member,
    post: (entries: readonly MemberEntry[]) =>
      addMembers(
        client,
        entries.map((entry) => toWireEntry(entry, labelName)),
      ),
    signal,
  };
  return [sendOptions, sendContext];
}

interface EndedRun {
  run: ImportRun;
  /** What ended it early; undefined if it reached its end. */
  end: unknown;
  stopped: StopReason | null;
  isPrinted: LiveRows['hasPrinted'];
  /** How long it took; undefined if that is not worth mentioning. */
  took: string | undefined;
  /** The command that prints all rows; undefined if they cannot be read again. */
  listAll: string | undefined;
}

/**
 * Writes the errors file, prints the report and the next steps, and sets the exit code.
 *
 * @throws OrgadmError what ended the run early
 */
async function reportRun(
  { run, end, stopped, isPrinted, took, listAll }: EndedRun,
  source: ReportSource,
  checked: CheckedImport,
  global: GlobalFlags,
  context: Context,
): Promise<void> {
  const { output } = context;
  const settings = await context.settings();
  const hints = new SettingHints(settings.wire.member);
  const { metadata, duplicates, rowStates } = run;
  let errorsFile: ErrorsFileResult | undefined;
  try {
    errorsFile = await writeRejectedRows(checked, source);
    const report = { stopped, metadata, duplicates, isPrinted, hints, took, listAll };
    await printReport(source, { ...report, isSandbox: settings.sandbox !== undefined }, context);
    if (took !== undefined && output.format !== 'table' && output.format !== 'markdown') output.note(`took ${took}`);
  } finally {
    // Also if the report could not be printed.
    const hasAdvice = run.duplicates.length > 0 || hints.hints().length > 0;
    const outcome = { isUnfinished: run.unfinished, counts: rowStates.counts(), hasAdvice, errorsFile };
    noteNextSteps(outcome, checked, global, output);
  }
  const failure = errorsFile && 'failure' in errorsFile ? errorsFileFailure(errorsFile.failure) : undefined;
  if (end !== undefined && failure !== undefined) output.warn(failure.message);
  setExitCode(end ?? failure, run, checked.options, context);
}

/** Asks before anything is opened, so that declining changes nothing. Does not ask about a run that sends nothing. */
async function confirmImport(
  { options, list, check, root }: CheckedImport & PreparedImport,
  identity: RunIdentity,
  target: string,
  context: Context,
): Promise<void> {
  const { readRun } = await import('../../import/journal/recorded-runs.ts');
  const earlier = await readRun(root, folderName(identity));
  const counts = options.mode === 'restart' ? undefined : earlier?.record?.counts;
  const unfinished = counts === undefined ? 0 : counts.unsent + counts.unknown;
  // It is an error, see `openRun`.
  if (unfinished > 0 && options.mode === 'new') return;
  const isContinued = counts !== undefined && options.mode === 'resume';
  const left = !isContinued
    ? check.total - check.invalid
    : unfinished === 0 && options.retryFailed
      ? counts.failed
      : unfinished;
  if (left === 0) return;
  const people = isContinued ? `the remaining ${countPeople(left)}` : countPeople(left);
  await confirmOrCancel(`Import ${people} from ${list.name} into ${target}?`, 'nothing was sent', context);
}

function countPeople(count: number): string {
  return countOf(count, 'person', 'people');
}

/** Says how many people are sent where; nothing if all of them are done. */
function announceTarget({ run, resumed, retried }: OpenedRun, target: string, output: Output): void {
  const { unsent, unknown } = run.rowStates.counts();
  const left = unsent + unknown;
  if (left === 0) return;
  const people = resumed && retried === 0 ? `the remaining ${countPeople(left)}` : countPeople(left);
  const outcome = unknown > 0 ? ` (${formatCount(unknown)} of unknown outcome)` : '';
  announceChange(`Importing ${people}${outcome} into ${target}`, output);
}

/** Returns what the journal keeps to continue the run from another place; without the key, even where a flag repeats it. */
function recordedOptions(
  { file, flags }: CheckedImport,
  { apiKey, sandbox, profile }: Settings,
  global: GlobalFlags,
): Pick<RunRecord, 'profile' | 'options'> {
  const options = recordOptions(file, flags, global);
  const hasKey = apiKey !== undefined && JSON.stringify(options).includes(JSON.stringify(apiKey).slice(1, -1));
  return { ...(sandbox === undefined && { profile }), ...(!hasKey && { options }) };
}

/**
 * Returns the flags of the program for a command that reaches the same service: by the time that it is run, the
 * environment may name another one, which would get the entire list.
 */
async function pinService({ flags, settings, sources }: Context): Promise<GlobalFlags> {
  const { sandbox, profile, baseUrl, baseUrlFrom, apiKeyFrom } = await settings();
  if (sandbox !== undefined) return flags;
  const isFromProfile = baseUrlFrom === `profile ${profile}`;
  // A profile that is named by a flag overrides the environment, also the key in it.
  const isNamed = apiKeyFrom !== 'ORGADM_API_KEY' && (isFromProfile || (await sources()).profile.namedBy !== undefined);
  const pinned = flags.profile ?? (isNamed ? profile : undefined);
  if (pinned === undefined) return { ...flags, baseUrl };
  return { ...flags, profile: pinned, ...(!isFromProfile && { baseUrl }) };
}

/** Once sending has begun, an errors file that cannot be written is a failure and no longer invalid usage. */
function errorsFileFailure(error: OrgadmError): OrgadmError {
  const hint =
    'The report still lists these rows. To write them, run the same command with --resume and another --errors-file.';
  return withHint(error, hint, { exitCode: EXIT.failure });
}

function announceRun(
  { run, resumed, replaced, retried }: OpenedRun,
  options: BulkAddOptions,
  { output }: Context,
): void {
  if (replaced !== undefined) {
    const time = formatLocalTime(replaced.endedAtMs);
    output.note(`this list was imported on ${time} (${formatCount(replaced.created)} created); importing it again`);
  }
  if (options.mode !== 'resume') return;
  if (retried > 0) output.note(`sending ${countOf(retried, 'failed row')} once more`);
  else if (!resumed) output.note('no earlier run of this list was found: it starts now');
  else if (!run.unfinished) {
    output.note('the earlier run of this list is finished: this is its report, nothing is sent');
    const { failed } = run.rowStates.counts();
    if (failed > 0) output.note(`to send its ${countOf(failed, 'failed row')} once more, add --retry-failed`);
  }
}

/** The key was rotated, or it belongs to another organization. */
function announceKey({ keyState, metadata }: ImportRun, { output }: Context): void {
  if (keyState === 'checked') {
    output.note(
      `the API key has changed since this run was started: one row is sent first, to check that the key belongs to organization ${metadata.organizationId}`,
    );
  } else if (keyState === 'unverifiable') {
    output.note(
      'the API key has changed since this run was started; no response has named an organization yet, so it cannot be checked',
    );
  }
}

/** Returns what the report says about the end of a run; null if it reached its end. */
function stopReason(end: unknown): StopReason | null {
  if (end === undefined) return null;
  if (end instanceof SignalReceived) return { code: 'interrupted', message: `interrupted by ${end.signal}` };
  if (end instanceof OrgadmError) return { code: end.code, message: end.message };
  return { code: 'internal', message: end instanceof Error ? end.message : String(end) };
}

/** Sets the exit code. Throws the error that ended the run, or that of the errors file. */
function setExitCode(end: unknown, run: ImportRun, options: BulkAddOptions, context: Context): void {
  if (end instanceof SignalReceived) {
    context.exitCode = SIGNAL_EXIT[end.signal];
    return;
  }
  if (end !== undefined)
    throw end instanceof OrgadmError ? end : new Error('the run failed unexpectedly', { cause: end });
  const { existing, failed, invalid, unknown, unsent } = run.rowStates.counts();
  const notAsAsked = failed + invalid + unknown + unsent + (options.ignoreExisting ? 0 : existing);
  context.exitCode = notAsAsked + run.duplicates.length > 0 ? EXIT.incomplete : EXIT.ok;
}

function* invalidRows(check: ListValidation): Generator<number> {
  if (check.invalid === 0) return;
  for (let entry = 1; entry <= check.total; entry++) if (check.isInvalid(entry)) yield entry;
}
