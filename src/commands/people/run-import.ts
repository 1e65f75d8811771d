import { resolve } from 'node:path';
import { addMembers } from '../../client/add-members.ts';
import { selectProfile } from '../../config/profiles.ts';
import type { Settings } from '../../config/settings.ts';
import { type MemberEntry, toWireEntry } from '../../import/entry.ts';
import type { ImportRun } from '../../import/journal/import-run.ts';
import type { RunRecord } from '../../import/journal/journal-records.ts';
import { type OpenedRun, openRun } from '../../import/journal/open-run.ts';
import { ListChangedError, type ListValidation } from '../../import/list/open-list.ts';
import type { StopReason } from '../../import/report.ts';
import { shortenMessage } from '../../import/send/row-messages.ts';
import { type SendContext, type SendOptions, sendRows } from '../../import/send/scheduler.ts';
import { EXIT, OrgadmError } from '../../util/errors.ts';
import { SIGNAL_EXIT, type Signal } from '../../util/host.ts';
import { formatCount } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import { type BulkAddOptions, entrySettings, requestLifetime } from './bulk-options.ts';
import { ImportProgress } from './import-progress.ts';
import { LiveRows } from './live-rows.ts';
import { type CheckedImport, reportImport } from './print-report.ts';
import { recordOptions } from './recorded-options.ts';
import { resumeCommand } from './resume-command.ts';
import { SettingHints } from './setting-hints.ts';

/** What sending needs in addition to the list. */
export interface PreparedImport {
  /** Directory of the journals. */
  root: string;
  /** Directory of the locks, one per service and key. */
  locks: string;
}

/** Why a run ended that a signal has stopped. */
class SignalReceived {
  readonly signal: Signal;
  constructor(signal: Signal) {
    this.signal = signal;
  }
}

/** Sends a list that was checked, and reports. Throws what ended the run early, after the report. */
export async function runImport(checked: CheckedImport & PreparedImport, context: Context): Promise<void> {
  const { options, list, check, root, locks } = checked;
  const { output, host } = context;
  const settings = await context.settings();
  const client = await context.service();
  const labelName = settings.wire.member.deviceMgmtLabelId;
  const opened = await openRun({
    root,
    locks,
    identity: {
      digest: check.digest,
      settings: entrySettings(options, labelName),
      service: settings.sandbox?.stateFile ?? client.baseUrl,
    },
    apiKey: settings.apiKey,
    allowParallel: options.allowParallel,
    mode: options.mode,
    retryFailed: options.retryFailed,
    recorded: recordedOptions(checked, settings, context),
    list: list.name,
    path: checked.file === '-' || list.file === undefined ? undefined : resolve(checked.file),
    total: check.total,
    rows: () => list.rows(),
    invalid: invalidRows(check),
    nowMs: host.clock.now(),
  });
  const { run } = opened;
  let stopped: StopReason | null = null;
  const interruption = new Interruption(() => noteResumeCommand(undefined, run, checked, context), context);
  try {
    announceRun(opened, options, context);
    announceKey(run, context);
    const { rowStates } = run;
    const source = {
      rows: () => list.rows(),
      rowStates,
      messageFor: (entry: number) => run.messageFor(entry),
      memberIdFor: options.allRows ? (entry: number) => run.memberId(entry) : undefined,
    };
    const live = new LiveRows(run, output);
    await live.printEarlier(source);
    const sendOptions = {
      ...options,
      requestLifetimeMs: requestLifetime(options, settings.sandbox !== undefined),
      retries: settings.retries,
      timeoutMs: settings.timeoutMs,
    };
    const sendContext = {
      run,
      rows: source.rows,
      clock: host.clock,
      random: host.random,
      conventions: settings.wire.member,
      post: (entries: readonly MemberEntry[]) =>
        addMembers(
          client,
          entries.map((entry) => toWireEntry(entry, labelName)),
        ),
      signal: interruption.signal,
    };
    const progress = new ImportProgress(rowStates, host.clock, await context.progress());
    const end = await send(sendOptions, sendContext, live, progress, interruption, context);
    stopped = stopReason(end);
    let failure: OrgadmError | undefined;
    try {
      const report = {
        stopped,
        metadata: run.metadata,
        duplicates: run.duplicates,
        isPrinted: live.hasPrinted,
        hints: new SettingHints(settings.wire.member),
      };
      failure = await reportImport(checked, source, report, context);
      const rateLimit = progress.describeRateLimit();
      if (rateLimit !== undefined) output.note(rateLimit);
    } finally {
      // Also if the report could not be printed.
      noteResumeCommand(end, run, checked, context);
    }
    if (end !== undefined && failure !== undefined) output.warn(failure.message);
    setExitCode(end ?? failure, run, options, context);
  } finally {
    interruption.release();
    await opened.close({
      atMs: host.clock.now(),
      ...(stopped !== null && { stopped: { ...stopped, message: shortenMessage(stopped.message) } }),
    });
  }
}

/** Returns what the journal keeps to continue the run from another place; without the key, even where a flag repeats it. */
function recordedOptions(
  { file, flags }: CheckedImport,
  { apiKey, sandbox, baseUrl, baseUrlFrom }: Settings,
  { flags: global, host }: Context,
): Pick<RunRecord, 'profile' | 'options'> {
  // The variable may name another service by the time that the run is continued, which would get the whole list.
  const isFromVariable = sandbox === undefined && baseUrlFrom === 'ORGADM_BASE_URL';
  const options = recordOptions(file, flags, isFromVariable ? { ...global, baseUrl } : global);
  const hasKey = apiKey !== undefined && JSON.stringify(options).includes(JSON.stringify(apiKey).slice(1, -1));
  return {
    ...(sandbox === undefined && { profile: selectProfile(global, host.env).name }),
    ...(!hasKey && { options }),
  };
}

/** Sends what is left to be sent. Returns what ended it early; undefined where it reached its end. */
async function send(
  options: SendOptions,
  sending: SendContext,
  live: LiveRows,
  progress: ImportProgress,
  interruption: Interruption,
  context: Context,
): Promise<unknown> {
  const { output } = context;
  const { run } = sending;
  const warnOfInconsistency = once((message) => output.warn(`the response of the service is inconsistent: ${message}`));
  const noteDeactivated = once((users) => output.note(`the service also lists a deactivated membership of ${users}`));
  let end: unknown;
  interruption.listen();
  try {
    for await (const event of sendRows(options, sending)) {
      switch (event.type) {
        case 'batch-sent':
          interruption.inFlight = event.inFlight;
          break;
        case 'rows':
          interruption.inFlight = event.inFlight;
          await live.print(event.rows, event.created);
          progress.update();
          break;
        case 'waiting':
          progress.wait(event);
          break;
        case 'inconsistency':
          warnOfInconsistency(event.message);
          break;
        case 'deactivated':
          noteDeactivated(`${event.userIds.slice(0, 3).join(', ')}${event.userIds.length > 3 ? ', …' : ''}`);
          break;
        case 'stopped':
          end = event.reason;
      }
    }
  } catch (error) {
    // The output failed. The iteration has waited for the requests in flight.
    end = error;
  } finally {
    interruption.sent();
    progress.stop();
  }
  // Nothing was left to do when the signal came: the run is complete.
  return end instanceof SignalReceived && isComplete(run, options) ? undefined : end;
}

/** Stops the run at the first signal, ends the process at the second. */
class Interruption {
  /** Number of requests in flight. */
  inFlight = 0;
  readonly #stop = new AbortController();
  readonly #noteResumeCommand: () => void;
  readonly #context: Context;
  #release: () => void = () => {};

  constructor(noteResumeCommand: () => void, context: Context) {
    this.#noteResumeCommand = noteResumeCommand;
    this.#context = context;
  }

  /** Aborted at the first signal, with `SignalReceived` as its reason. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  listen(): void {
    const { host, output } = this.#context;
    this.#release = host.onSignal((signal) => {
      if (this.signal.aborted) {
        this.#noteResumeCommand();
        host.exitNow(SIGNAL_EXIT[signal]);
      }
      this.#stop.abort(new SignalReceived(signal));
      const requests = this.inFlight === 1 ? '1 request' : `${this.inFlight} requests`;
      output.note(this.inFlight === 0 ? 'stopping' : `finishing ${requests}; interrupt again to stop now`);
    });
  }

  /** Nothing more is sent: restores the default action, unless the run was stopped and is yet to print its resume command. */
  sent(): void {
    if (!this.signal.aborted) this.#release();
  }

  release(): void {
    this.#release();
  }
}

/** Some services repeat the same inconsistency in every response, so it is reported once. */
function once(print: (text: string) => void): (text: string) => void {
  let isPrinted = false;
  return (text) => {
    if (!isPrinted) print(text);
    isPrinted = true;
  };
}

/** Whether every row was sent, and those of unknown outcome need not be confirmed. */
function isComplete({ rowStates }: ImportRun, { confirm }: SendOptions): boolean {
  const { unsent, unknown } = rowStates.counts();
  return unsent === 0 && (unknown === 0 || !confirm);
}

function announceRun(
  { run, resumed, replaced, retried }: OpenedRun,
  options: BulkAddOptions,
  { output }: Context,
): void {
  if (replaced !== undefined) {
    const date = new Date(replaced.endedAtMs).toISOString().slice(0, 10);
    output.note(`this list was imported on ${date} (${formatCount(replaced.created)} created); importing it again`);
  }
  if (options.mode !== 'resume') return;
  if (retried > 0)
    output.note(`sending ${retried === 1 ? '1 failed row' : `${formatCount(retried)} failed rows`} once more`);
  else if (!resumed) output.note('no earlier run of this list was found: it starts now');
  else if (!run.unfinished) {
    output.note('the earlier run of this list is finished: this is its report, nothing is sent');
    const { failed } = run.rowStates.counts();
    if (failed > 0)
      output.note(
        `to send its ${failed === 1 ? 'failed row' : `${formatCount(failed)} failed rows`} once more, add --retry-failed`,
      );
  } else {
    const { unsent, unknown } = run.rowStates.counts();
    output.note(`continuing: ${formatCount(unsent)} unsent, ${formatCount(unknown)} of unknown outcome`);
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

/** Returns what the report says about the end of a run; null where it reached its end. */
function stopReason(end: unknown): StopReason | null {
  if (end === undefined) return null;
  if (end instanceof SignalReceived) return { code: 'interrupted', message: `interrupted by ${end.signal}` };
  if (end instanceof OrgadmError) return { code: end.code, message: end.message };
  return { code: 'internal', message: end instanceof Error ? end.message : String(end) };
}

function noteResumeCommand(
  end: unknown,
  run: ImportRun,
  { file, list, flags }: CheckedImport,
  { output, flags: global }: Context,
): void {
  if (!run.unfinished) return;
  // A command for the list as it is now would start another run.
  if (end instanceof ListChangedError) {
    output.note(`to continue this run, restore ${list.name} as it was; then add --resume to the same command`);
    return;
  }
  const again = file === '-' ? ' (with the same list on standard input)' : '';
  output.note(`to continue${again}: ${resumeCommand(file, flags, global)}`);
}

/** Sets the exit code. Throws the error that ended the run, or that of the errors file. */
function setExitCode(end: unknown, run: ImportRun, options: BulkAddOptions, context: Context): void {
  if (end instanceof SignalReceived) {
    context.exitCode = SIGNAL_EXIT[end.signal];
    return;
  }
  if (end instanceof ListChangedError) throw listChangedError(end);
  if (end !== undefined)
    throw end instanceof OrgadmError ? end : new Error('the run failed unexpectedly', { cause: end });
  const { existing, failed, invalid, unknown, unsent } = run.rowStates.counts();
  const notAsAsked = failed + invalid + unknown + unsent + (options.ignoreExisting ? 0 : existing);
  context.exitCode = notAsAsked + run.duplicates.length > 0 ? EXIT.incomplete : EXIT.ok;
}

/** Once sending has begun, a changed list is a failure and no longer invalid usage. */
function listChangedError(end: ListChangedError): OrgadmError {
  return new OrgadmError(end.code, EXIT.failure, end.message, {
    hint: 'The report shows the outcome of the rows as they were. Import the list as it is now in a run of its own.',
    cause: end,
  });
}

function* invalidRows(check: ListValidation): Generator<number> {
  if (check.invalid === 0) return;
  for (let entry = 1; entry <= check.total; entry++) if (check.isInvalid(entry)) yield entry;
}
