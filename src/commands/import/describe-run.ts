import type { RunPlan } from '../../import/journal/plan-run.ts';
import type { RunDetails } from '../../import/journal/recorded-runs.ts';
import { shortRunId } from '../../import/journal/run-identity.ts';
import { quote } from '../../output/sanitize.ts';
import { countOf, formatCount } from '../../util/units.ts';
import type { PendingImport } from './checked-list.ts';

/**
 * Returns the question whether to continue a run.
 *
 * @param source where the people are: see `describeSource`
 * @param limit the rows to send at most
 */
export function continueQuestion(run: RunDetails, source: string, target: string, limit: number | undefined): string {
  const people = describePeople(run.counts, limit, 'continue');
  return `Continue run ${shortRunId(run.id)}: import ${people} from ${source} into ${target}?`;
}

/**
 * Returns `10 of the remaining 2,899 people`.
 *
 * @param limit the rows to send at most that were not sent before; those of unknown outcome are sent in any case
 */
export function describePeople(
  { unsent, unknown = 0 }: { unsent: number; unknown?: number },
  limit: number | undefined,
  kind: RunPlan['kind'],
): string {
  const left = unknown + unsent;
  const limited = limit !== undefined && limit < unsent ? `${formatCount(unknown + limit)} of ` : '';
  if (kind !== 'continue') return `${limited}${countOf(left, 'person', 'people')}`;
  return left === 1 ? 'the remaining person' : `${limited}the remaining ${formatCount(left)} people`;
}

/** Returns the name of a list: `members.csv`, or `sheet "Berlin" of members.xlsx`. */
export function describeSource({ list, read }: Pick<PendingImport, 'list' | 'read'>): string {
  const sheet = read?.sheet;
  return sheet === undefined ? list.name : `sheet ${quote(sheet)} of ${list.name}`;
}

/** Returns `650 of 2,899 people are left`. */
export function describeRemaining({ counts, total }: RunDetails): string {
  const left = counts.unsent + counts.unknown;
  return `${formatCount(left)} of ${countOf(total, 'person', 'people')} ${left === 1 ? 'is' : 'are'} left`;
}

/** Returns the command `orgadm runs <verb>` for a run. */
export function runsCommand(verb: 'show' | 'resume', id: string): string {
  return `orgadm runs ${verb} ${shortRunId(id)}`;
}
