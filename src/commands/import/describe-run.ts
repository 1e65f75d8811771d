import type { RunPlan } from '../../import/journal/plan-run.ts';
import type { RunDetails } from '../../import/journal/recorded-runs.ts';
import { shortRunId } from '../../import/journal/run-identity.ts';
import { quote } from '../../output/sanitize.ts';
import { countOf, formatCount } from '../../util/units.ts';
import type { MappedList } from './mapping/mapping-in-effect.ts';

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
export function describeSource({ list, check }: Pick<MappedList, 'list' | 'check'>): string {
  const { sheet } = check;
  return sheet === undefined ? list.name : `sheet ${quote(sheet)} of ${list.name}`;
}

/** Returns `2,250 of 5,000 rows are done`. */
export function describeProgress(run: RunDetails): string {
  const total = Object.values(run.counts).reduce((sum, count) => sum + count, 0);
  const done = total - unfinishedRows(run);
  return `${formatCount(done)} of ${countOf(total, 'row')} ${done === 1 ? 'is' : 'are'} done`;
}

function unfinishedRows({ counts }: RunDetails): number {
  return counts.unsent + counts.unknown;
}
