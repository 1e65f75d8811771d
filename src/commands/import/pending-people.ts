import type { RunPlan } from '../../import/journal/plan-run.ts';
import type { RunState } from '../../import/journal/run-state.ts';
import { PeopleTotals } from '../../import/list/rows/people-totals.ts';
import type { CheckedImport } from './checked-list.ts';

/**
 * Returns a list with the totals, and the first and last people, of the rows that are about to be sent: those that an earlier
 * command has left, and no more than `--limit`.
 *
 * @param state that of the run; undefined before a run begins
 */
export async function withPendingPeople(
  checked: CheckedImport,
  { kind }: RunPlan,
  state: RunState | undefined,
): Promise<CheckedImport> {
  const { list, check, options } = checked;
  if (kind === 'report' || (kind === 'start' && options.limit === undefined)) return checked;
  const people = new PeopleTotals();
  let left = options.limit ?? Number.POSITIVE_INFINITY;
  for await (const chunk of list.rows()) {
    for (const { number, member } of chunk) {
      if (member === undefined || check.isInvalid(number)) continue;
      const rowState = state?.stateOf(number) ?? 'unsent';
      const isNew = rowState === 'unsent' || (kind === 'resend' && rowState === 'failed');
      // The limit counts rows that were never sent.
      if (rowState === 'unknown' || (isNew && left-- > 0)) people.add(member);
    }
  }
  return { ...checked, check: { ...check, totals: people.totals, sample: people.sample } };
}
