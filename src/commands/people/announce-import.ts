import type { OpenedRun } from '../../import/journal/open-run.ts';
import { readRecordedRun } from '../../import/journal/recorded-runs.ts';
import { type RunIdentity, runIdOf } from '../../import/journal/run-identity.ts';
import { confirmChange } from '../../output/prompt.ts';
import { countOf, formatCount, formatTime } from '../../util/units.ts';
import { announceChange, type Context, needsConfirmation } from '../command-context.ts';
import type { CheckedImport } from './checked-list.ts';

/** Asks before it opens anything, so that declining changes nothing. Does not ask about a run that sends nothing. */
export async function confirmImport(
  { options, list, check }: CheckedImport,
  identity: RunIdentity,
  root: string,
  target: string,
  context: Context,
): Promise<void> {
  const earlier = await readRecordedRun(root, runIdOf(identity));
  const counts = options.restart ? undefined : earlier?.details?.counts;
  const unfinished = counts === undefined ? 0 : counts.unsent + counts.unknown;
  // It is an error, see `openRun`.
  if (unfinished > 0 && !options.resume) return;
  const isContinued = counts !== undefined && options.resume === true;
  const remaining = unfinished === 0 && options.retryFailed ? (counts?.failed ?? 0) : unfinished;
  const left = isContinued ? remaining : check.total - check.invalid;
  if (left === 0 || !(await needsConfirmation(options.yes, context))) return;
  const isRemaining = isContinued && unfinished > 0;
  const people = describePeople(left, options.limit, isRemaining);
  await confirmChange(`Import ${people} from ${list.name} into ${target}?`, 'nothing was sent', context.host);
}

/**
 * Returns `10 of the remaining 2,899 people`.
 *
 * @param limit the rows to send at most
 * @param isRemaining whether an earlier command has sent the others
 */
function describePeople(left: number, limit: number | undefined, isRemaining: boolean): string {
  const limited = limit !== undefined && limit < left ? `${formatCount(limit)} of ` : '';
  return `${limited}${isRemaining ? 'the remaining ' : ''}${countOf(left, 'person', 'people')}`;
}

/** Prints how many people orgadm sends to which service. Prints nothing if no rows remain. */
export function announceTarget(
  { run, resumed, reopened }: OpenedRun,
  target: string,
  limit: number | undefined,
  { output }: Context,
): void {
  const { unsent, unknown } = run.rowStates.counts();
  if (unsent + unknown === 0) return;
  const left = unsent + unknown;
  const people = describePeople(left, limit, resumed && reopened === 0);
  const outcome = unknown > 0 ? ` (${formatCount(unknown)} may have been added already)` : '';
  announceChange(`Importing ${people}${outcome} into ${target}`, output);
}

/** Says what --resume continues, or which earlier run of the list this one replaces. */
export function announceRun(
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
  if (!options.resume) return;
  if (reopened > 0) output.note(`sending ${countOf(reopened, 'failed row')} again`);
  else if (!resumed && replaced === undefined) output.note('this list has no earlier run, so orgadm starts a new one');
  else if (resumed && !run.isUnfinished)
    output.note('this list was already imported, so nothing was sent. The report of that run:');
}
