import type { RunState } from '../../../import/journal/run-state.ts';
import { ROW_STATES, type RowState } from '../../../import/outcome.ts';
import { countOf, formatCount } from '../../../util/units.ts';
import type { ImportSummary } from './document.ts';
import { type Ending, stopReasonOf } from './ending.ts';

/** Counts the rows of a report; the unsent ones of a dry run are valid. */
export function summarize(run: RunState, ending: Ending): ImportSummary {
  const { unsent, ...counts } = run.counts();
  const isDryRun = ending.kind === 'checked' && ending.isDryRun;
  return {
    total: run.total,
    ...counts,
    ...(isDryRun ? { unsent: 0, valid: unsent } : { unsent }),
    stopped: stopReasonOf(ending),
  };
}

/**
 * Renders `1 failed, 12 created, 1 existing`, without the states that no row has.
 *
 * @param first states to name before the others
 */
export function renderCounts(
  { total, valid = 0, ...counts }: Pick<ImportSummary, 'total' | 'valid' | RowState>,
  first: readonly RowState[] = [],
): string {
  const states = [...first, ...ROW_STATES.filter((state) => !first.includes(state))];
  const parts = [['valid', valid] as const, ...states.map((state) => [state, counts[state]] as const)]
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${formatCount(count)} ${state}`);
  return parts.length === 0 ? countOf(total, 'row') : parts.join(', ');
}
