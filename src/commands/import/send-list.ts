import { DeletedJournal } from '../../import/journal/journal-errors.ts';
import type { OpenedRun } from '../../import/journal/open-run.ts';
import type { SizeChange } from '../../import/send/batch-size.ts';
import { FirstBatchRejected } from '../../import/send/first-batch-rejected.ts';
import { type SendOptions, send } from '../../import/send/send.ts';
import { LimitReached, type SendEvent } from '../../import/send/send-events.ts';
import { text } from '../../output/text.ts';
import { OrgadmError } from '../../util/errors.ts';
import { countOf, renderDuration } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import type { PendingImport } from './checked-list.ts';
import { type Interruption, SignalReceived } from './interruption.ts';
import type { StopReason } from './report/document.ts';
import type { Ending } from './report/ending.ts';
import type { ImportProgress } from './report/import-progress.ts';
import { noteResumeCommand } from './report/next-steps.ts';

/** An import in progress. */
export interface ActiveImport extends PendingImport {
  opened: OpenedRun;
  interruption: Interruption;
}

/** Sends the remaining rows. Returns the reason if the run ended early, otherwise undefined. */
export async function sendList(active: ActiveImport, progress: ImportProgress, context: Context): Promise<unknown> {
  const { opened, interruption } = active;
  const { output } = context;
  // Some services repeat these in every response.
  const reported = new Set<SendEvent['type']>();
  let change: SizeChange | undefined;
  let reason: unknown;
  interruption.listen(() => {
    // The progress line would be drawn again before the process ends.
    progress.stop();
    if (isResumable(opened))
      noteResumeCommand({ options: active.options, journaled: opened, ending: { kind: 'stopped' } }, context);
  }, context);
  try {
    for await (const event of send(await sendOptions(active, context))) {
      if ('inFlight' in event) interruption.inFlight = event.inFlight;
      if (event.type === 'inconsistency' && !reported.has(event.type))
        output.warn(text`the response from the service is inconsistent: ${event.message}`);
      if (event.type === 'batch-size') change = event;
      if (event.type === 'stopped') reason = event.reason;
      reported.add(event.type);
      progress.show(event);
    }
  } catch (error) {
    // The output or the journal failed. The iteration has waited for the requests in flight.
    reason = error;
  } finally {
    progress.stop();
    // A run that was stopped is yet to print its resume command.
    if (!interruption.signal.aborted) interruption.release();
  }
  if (change !== undefined) {
    const { timeoutMs } = await context.settings();
    output.note(batchReduced(change.smallest, timeoutMs));
  }
  // Nothing was left to do when the signal came: the run is complete.
  const isComplete = !opened.run.state.isUnfinished && opened.plan.kind !== 'resend';
  return reason instanceof SignalReceived && isComplete ? undefined : reason;
}

async function sendOptions({ opened, options, interruption }: ActiveImport, context: Context): Promise<SendOptions> {
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
    rows: () => opened.rows.read(),
    resendsFailed: opened.plan.kind === 'resend',
    signal: interruption.signal,
  };
}

/** Says that the service was slow for a while, as it is when a table is locked: the size of the batches had nothing to do with it. */
function batchReduced(smallest: number, timeoutMs: number): string {
  return `the service took longer than ${renderDuration(timeoutMs)} to respond for a while, so orgadm reduced the batch size to ${countOf(smallest, 'row')} for that time. To wait longer for responses, use --timeout.`;
}

/**
 * Returns how the report of a run came about.
 *
 * @param reason why it ended early; undefined if it reached its end
 */
export function endingOf(reason: unknown, opened: OpenedRun): Ending {
  const canContinue = isResumable(opened) && !isDeleted(reason);
  if (reason === undefined)
    return opened.plan.kind === 'report'
      ? { kind: 'recorded', stopped: null, canContinue }
      : { kind: 'complete', canContinue };
  const rejection = reason instanceof FirstBatchRejected ? reason : undefined;
  return {
    kind: 'stopped',
    reason: describeStop(reason),
    canContinue: canContinue && rejection === undefined,
    isError: !(reason instanceof SignalReceived) && !(reason instanceof LimitReached),
    quotedMessage: rejection?.sharedMessage,
  };
}

/** Whether the journal is gone, so that no command knows the run. */
function isDeleted(reason: unknown): boolean {
  return reason instanceof Error && reason.cause instanceof DeletedJournal;
}

/** Returns what the report says about the early end of a run. */
function describeStop(reason: unknown): StopReason {
  if (reason instanceof SignalReceived) return { code: 'interrupted', message: `interrupted by ${reason.signal}` };
  if (reason instanceof LimitReached)
    return { code: 'limit', message: `--limit: stopped after ${countOf(reason.limit, 'row')}` };
  if (reason instanceof FirstBatchRejected)
    return { code: reason.code, message: 'the service rejected every row of the first batch' };
  if (reason instanceof OrgadmError) return { code: reason.code, message: reason.message };
  return { code: 'internal', message: reason instanceof Error ? reason.message : String(reason) };
}

/** Whether there is anything to continue. A run without any outcome leaves nothing behind. */
function isResumable({ run: { state } }: OpenedRun): boolean {
  return state.hasOutcome && state.isUnfinished;
}
