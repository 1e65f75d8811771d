import type { RunPlan } from '../../import/journal/plan-run.ts';
import type { RowSource } from '../../import/journal/rows.ts';
import type { RunState } from '../../import/journal/run-state.ts';
import { PeopleTotals } from '../../import/list/rows/people-totals.ts';
import type { People } from './mapping/mapping-in-effect.ts';

/**
 * Returns the totals, and the first and last people, of the rows that are about to be sent: those that an earlier command has
 * left, and no more than `--limit`.
 *
 * @param state that of the run; undefined before a run begins
 */
export async function pendingPeople(
  rows: RowSource,
  kind: RunPlan['kind'],
  state: RunState | undefined,
  limit = Number.POSITIVE_INFINITY,
): Promise<People> {
  const people = new PeopleTotals();
  let left = limit;
  for await (const chunk of rows.read()) {
    for (const { number, member } of chunk) {
      if (member === undefined) continue;
      const rowState = state?.stateOf(number) ?? 'unsent';
      const isNew = rowState === 'unsent' || (kind === 'resend' && rowState === 'failed');
      // The limit counts rows that were never sent.
      if (rowState === 'unknown' || (isNew && left-- > 0)) people.add(member);
    }
  }
  return people;
}
