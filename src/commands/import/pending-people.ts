import { join } from 'node:path';
import { readRun } from '../../import/journal/import-run.ts';
import type { RunPlan } from '../../import/journal/plan-run.ts';
import { PeopleTotals } from '../../import/list/rows/people-totals.ts';
import type { CheckedImport } from './checked-list.ts';

/**
 * Returns a list with the totals, and the first and last people, of the rows that are about to be sent: those that an earlier
 * command has left, and no more than `--limit`.
 *
 * @param root directory of the runs
 * @throws JournalDamagedError; the error of the file system
 */
export async function withPendingPeople(checked: CheckedImport, plan: RunPlan, root: string): Promise<CheckedImport> {
  const { list, check, options } = checked;
  if (plan.kind === 'report' || (plan.kind === 'start' && options.limit === undefined)) return checked;
  const states = plan.kind === 'start' ? undefined : (await readRun(join(root, plan.run.id, 'journal'))).state;
  const people = new PeopleTotals();
  let left = options.limit ?? Number.POSITIVE_INFINITY;
  for await (const chunk of list.rows()) {
    for (const { number, member } of chunk) {
      if (member === undefined || check.isInvalid(number)) continue;
      const state = states?.stateOf(number) ?? 'unsent';
      const isNew = state === 'unsent' || (plan.kind === 'resend' && state === 'failed');
      // The limit counts rows that were never sent.
      if (state === 'unknown' || (isNew && left-- > 0)) people.add(member);
    }
  }
  return { ...checked, check: { ...check, totals: people.totals, sample: people.sample } };
}
