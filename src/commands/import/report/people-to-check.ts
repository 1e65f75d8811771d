import type { CheckedRow } from '../../../import/checked-row.ts';
import type { RunState } from '../../../import/journal/run-state.ts';
import type { PossibleDuplicate, ReportMismatch, RowPlace } from './document.ts';
import { placeOf, type ReportSource, rowsWhere } from './listed-rows.ts';

/** The people whom somebody should check in the organization. */
export interface PeopleToCheck {
  readonly mismatches: readonly ReportMismatch[];
  readonly possibleDuplicates: readonly PossibleDuplicate[];
  /** The existing members whom the list calls inactive. */
  readonly existingInactive: readonly RowPlace[];
}

/** Finds them in one pass over the rows, which reads nothing if there are none. */
export async function findPeopleToCheck(source: ReportSource): Promise<PeopleToCheck> {
  const { run } = source;
  const { existing } = run.counts();
  const mismatched = lastOfEach(run.mismatches);
  const memberships = new Map(run.duplicates.map(({ number, memberIds }) => [number, [...memberIds]]));
  const twice = new Set([...memberships.keys(), ...run.possibleDuplicates()]);
  const named = new Set([...mismatched.map(({ number }) => number), ...twice]);
  const found = new Map<number, CheckedRow>();
  const existingInactive: RowPlace[] = [];
  const isExisting = (number: number) => run.stateOf(number) === 'existing';
  const others = [...named].filter((number) => !isExisting(number)).length;
  const isWanted = ({ number }: CheckedRow) => named.has(number) || isExisting(number);
  for await (const row of rowsWhere(source, isWanted, existing + others)) {
    if (named.has(row.number)) found.set(row.number, row);
    if (isExisting(row.number) && row.member?.isActive === false) existingInactive.push(placeOf(row));
  }
  const rowOf = (number: number) => {
    const row = found.get(number);
    if (row === undefined) throw new Error(`row ${number} is not among the stored rows`);
    return row;
  };
  return {
    possibleDuplicates: [
      ...ascending(twice).map((number) => {
        const memberIds = memberships.get(number);
        return { ...placeOf(rowOf(number)), ...(memberIds !== undefined && { memberIds }) };
      }),
      ...run.strangers().map((userId) => ({ line: null, entry: null, userId })),
    ],
    mismatches: mismatched.map(({ number, path, stored }) => {
      const row = rowOf(number);
      return { ...placeOf(row), path, sent: row.member?.[path] ?? null, stored };
    }),
    existingInactive,
  };
}

/** Returns the last value of each field, in the order of the list: a row whose first response was not certain may have two. */
function lastOfEach(values: RunState['mismatches']): RunState['mismatches'] {
  const last = new Map(values.map((value) => [`${value.number} ${value.path}`, value]));
  return [...last.values()].sort((a, b) => a.number - b.number);
}

function ascending(numbers: ReadonlySet<number>): number[] {
  return [...numbers].sort((a, b) => a - b);
}
