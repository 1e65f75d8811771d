import { resolve } from 'node:path';
import { addMembers } from '../../client/add-members.ts';
import type { Member } from '../../client/bulk-response.ts';
import type { Settings } from '../../config/settings.ts';
import { toWireEntry } from '../../import/entry.ts';
import type { ImportRun } from '../../import/journal/import-run.ts';
import { openRun } from '../../import/journal/open-run.ts';
import type { RowState } from '../../import/journal/row-states.ts';
import { ListChangedError, type ListValidation, type MemberList } from '../../import/list/open-list.ts';
import { reportRow, reportRows } from '../../import/report.ts';
import { Scheduler } from '../../import/send/scheduler.ts';
import type { PendingRow } from '../../import/send/send-batch.ts';
import type { Output } from '../../output/output.ts';
import { EXIT, OrgadmError } from '../../util/errors.ts';
import { formatCount } from '../../util/format-count.ts';
import { SIGNAL_EXIT, type Signal } from '../../util/host.ts';
import type { Context } from '../command-context.ts';
import { type BulkAddOptions, entrySettings, requestLifetime } from './bulk-options.ts';
import { ImportProgress } from './import-progress.ts';
import { type CheckedImport, reportImport } from './print-report.ts';
import { resumeCommand } from './resume-command.ts';
import { SettingHints } from './setting-hints.ts';

/** Ended by a signal, in good order. */
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
  const opened = await openRun({
    root,
    locks,
    identity: {
      digest: check.digest,
      settings: entrySettings(options, settings.wire.member.deviceMgmtLabelId),
      service: settings.sandbox?.stateFile ?? client.baseUrl,
    },
    apiKey: settings.apiKey,
    allowParallel: options.allowParallel,
    mode: options.mode,
    list: list.name,
    path: checked.file === '-' || list.file === undefined ? undefined : resolve(checked.file),
    total: check.total,
    rows: () => list.rows(),
    invalid: invalidRows(check),
    nowMs: host.clock.now(),
    processes: host,
  });
  const { run } = opened;
  const interruption = new Interruption(() => noteResumeCommand(undefined, run, checked, context), context);
  try {
    if (options.mode === 'resume') announceResume(opened.resumed, run, context);
    announceKey(run, context);
    const live = new LiveRows(run, list, output);
    await live.printFinal();
    const end = await send(run, settings, checked, live, interruption, context);
    const source = {
      rows: () => list.rows(),
      rowStates: run.rowStates,
      messageFor: (entry: number) => run.messageFor(entry),
    };
    const hints = new SettingHints(settings.wire.member);
    const report = {
      stopped: stopReason(end),
      metadata: run.metadata,
      duplicates: run.duplicates,
      isPrinted: live.hasPrinted,
      hints,
    };
    let failure: OrgadmError | undefined;
    try {
      failure = await reportImport(checked, source, report, context);
    } finally {
      // Also where nobody can read the report.
      noteResumeCommand(end, run, checked, context);
    }
    if (end !== undefined && failure !== undefined) output.warn(failure.message);
    setExitCode(end ?? failure, run, options, context);
  } finally {
    interruption.release();
    await opened.close();
  }
}

/** Sends what is left to be sent. Returns what ended it early; undefined where it reached its end. */
async function send(
  run: ImportRun,
  settings: Settings,
  { options, list }: CheckedImport,
  live: LiveRows,
  interruption: Interruption,
  context: Context,
): Promise<unknown> {
  const { output, host } = context;
  const client = await context.service();
  const progress = new ImportProgress(run.rowStates, host.clock, await context.progress());
  const labelName = settings.wire.member.deviceMgmtLabelId;
  const sender = new Scheduler(
    {
      ...options,
      requestLifetimeMs: requestLifetime(options, settings.sandbox !== undefined),
      retries: settings.retries,
      timeoutMs: settings.timeoutMs,
      existingPhrases: settings.wire.member.existing,
    },
    {
      run,
      rows: () => list.rows(),
      clock: host.clock,
      random: host.random,
      post: (entries) =>
        addMembers(
          client,
          entries.map((entry) => toWireEntry(entry, labelName)),
        ),
      onCreated: (row, member) => live.created(row, member),
      onRows: async (rows) => {
        await live.print(rows);
        progress.update();
      },
      onWait: (reason, untilMs) => progress.wait(reason, untilMs),
      onInconsistency: warnOnce(output.warn),
      onDeactivated: noteDeactivated(output.note),
    },
  );
  interruption.listen(sender);
  try {
    const end = await sender.send();
    // Nothing was left to do when the signal came: the run is complete.
    return end instanceof SignalReceived && isComplete(run, options) ? undefined : end;
  } finally {
    interruption.sent();
    progress.stop();
  }
}

/** Stops the run at the first signal, ends the process at the second. */
class Interruption {
  readonly #noteResumeCommand: () => void;
  readonly #context: Context;
  #isStopping = false;
  #release: () => void = () => {};

  constructor(noteResumeCommand: () => void, context: Context) {
    this.#noteResumeCommand = noteResumeCommand;
    this.#context = context;
  }

  listen(sender: Scheduler): void {
    const { host, output } = this.#context;
    this.#release = host.onSignal((signal) => {
      if (this.#isStopping) {
        this.#noteResumeCommand();
        host.exitNow(SIGNAL_EXIT[signal]);
      }
      this.#isStopping = true;
      sender.stop(new SignalReceived(signal));
      const requests = sender.inFlight === 1 ? '1 request' : `${sender.inFlight} requests`;
      output.note(sender.inFlight === 0 ? 'stopping' : `finishing ${requests}; again to stop now`);
    });
  }

  /** Nothing more is sent: restores the default action, unless the run was stopped and is yet to print its resume command. */
  sent(): void {
    if (!this.#isStopping) this.#release();
  }

  release(): void {
    this.#release();
  }
}

/** Whether every row was sent, and those of unknown outcome need not be confirmed. */
function isComplete({ rowStates }: ImportRun, { confirm }: BulkAddOptions): boolean {
  const { unsent, unknown } = rowStates.counts();
  return unsent === 0 && (unknown === 0 || !confirm);
}

function announceResume(resumed: boolean, run: ImportRun, { output }: Context): void {
  if (!resumed) output.note('no earlier run of this list is there: it starts now');
  else if (!run.unfinished)
    output.note('the earlier run of this list is finished: this is its report, nothing is sent');
  else {
    const { unsent, unknown } = run.rowStates.counts();
    output.note(`continuing: ${formatCount(unsent)} unsent, ${formatCount(unknown)} of unknown outcome`);
  }
}

/** A key is rotated, or it is another organization's. */
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

/** A service whose responses are inconsistent sends many such responses: one warning is enough. */
function warnOnce(warn: (text: string) => void): (text: string) => void {
  let isWarned = false;
  return (text) => {
    if (!isWarned) warn(`the response of the service is inconsistent: ${text}`);
    isWarned = true;
  };
}

/** Like the warning about inconsistencies, once: every response of such a service may list some. */
function noteDeactivated(note: (text: string) => void): (userIds: readonly string[]) => void {
  let noted = false;
  return (userIds) => {
    if (!noted)
      note(
        `the service also lists a deactivated membership of ${userIds.slice(0, 3).join(', ')}${userIds.length > 3 ? ', …' : ''}`,
      );
    noted = true;
  };
}

function stopReason(end: unknown): string | null {
  if (end === undefined) return null;
  if (end instanceof SignalReceived) return `interrupted by ${end.signal}`;
  return end instanceof Error ? end.message : String(end);
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

/** The exit code. Throws the error that ended the run, or that of the errors file. */
function setExitCode(end: unknown, run: ImportRun, options: BulkAddOptions, context: Context): void {
  if (end instanceof SignalReceived) {
    context.exitCode = SIGNAL_EXIT[end.signal];
    return;
  }
  if (end instanceof ListChangedError) throw listChangedError(end);
  if (end !== undefined)
    throw end instanceof OrgadmError ? end : new Error('the run ended by a defect', { cause: end });
  const { existing, failed, invalid, unknown, unsent } = run.rowStates.counts();
  const notAsAsked = failed + invalid + unknown + unsent + (options.ignoreExisting ? 0 : existing);
  context.exitCode = notAsAsked + run.duplicates.length > 0 ? EXIT.incomplete : EXIT.ok;
}

/** After sending has begun it is no mere wrong usage any more. */
function listChangedError(end: ListChangedError): OrgadmError {
  return new OrgadmError(end.code, EXIT.failure, end.message, {
    hint: 'The report shows the outcome of the rows as they were. The list as it is now is another list, to be imported by itself.',
    cause: end,
  });
}

function* invalidRows(check: ListValidation): Generator<number> {
  if (check.invalid === 0) return;
  for (let entry = 1; entry <= check.total; entry++) if (check.isInvalid(entry)) yield entry;
}

const isFinalState = (state: RowState) => state !== 'unknown' && state !== 'unsent';

/** Under -o ndjson: tells each row as it is settled, a created one with its member. Does nothing in other formats. */
class LiveRows {
  readonly #run: ImportRun;
  readonly #list: MemberList;
  readonly #output: Output;
  readonly #live: boolean;
  readonly #members = new Map<number, Member>();

  constructor(run: ImportRun, list: MemberList, output: Output) {
    this.#run = run;
    this.#list = list;
    this.#output = output;
    this.#live = output.format === 'ndjson';
  }

  /** Whether rows of this state were told, when the run is over. */
  readonly hasPrinted = (state: RowState): boolean => this.#live && isFinalState(state);

  /** Tells the rows that are settled before anything is sent: invalid ones, and those of an earlier process. */
  async printFinal(): Promise<void> {
    if (!this.#live || this.#run.rowStates.finalized === 0) return;
    const source = {
      rows: () => this.#list.rows(),
      rowStates: this.#run.rowStates,
      messageFor: (entry: number) => this.#run.messageFor(entry),
    };
    for await (const { row } of reportRows(source, isFinalState)) await this.#output.ndjson(row);
  }

  /** Keeps a member until its row is told. */
  created(row: PendingRow, member: Member): void {
    if (this.#live) this.#members.set(row.entry, member);
  }

  /** Tells those of the rows that are settled now. Each row is given again only as long as it is not. */
  async print(rows: readonly PendingRow[]): Promise<void> {
    if (!this.#live) return;
    for (const { entry, line, value } of rows) {
      const state = this.#run.rowStates.stateOf(entry);
      if (!isFinalState(state)) continue;
      const row = await reportRow({ entry, line, userId: value.userId, issues: [] }, state, this.#run);
      const member = this.#members.get(entry);
      this.#members.delete(entry);
      await this.#output.ndjson(member === undefined ? row : { ...row, member });
    }
  }
}

/** What sending needs in addition to the list. */
export interface PreparedImport {
  /** Directory of the journals. */
  root: string;
  /** Directory of the locks, one per service and key. */
  locks: string;
}
