import type { Luck } from '../fault-plan.ts';
import type { RowFault } from '../faults.ts';
import type { User } from '../seed/seed-users.ts';

/** A member as it is answered (interface 2.2); the device label may go by another name. */
export interface MemberRow {
  readonly id: string;
  readonly userId: string;
  readonly isActive: boolean;
  readonly user: User | undefined;
  readonly [field: string]: unknown;
}

/** An entry that was not added (interface 4.2). */
export interface ErrorRow {
  readonly index?: number;
  readonly userId?: string;
  readonly error: string;
}

export interface BulkRows {
  readonly created: readonly MemberRow[];
  readonly errors: readonly ErrorRow[];
}

/** What the faults drawn for a request do to its rows, one after another. About every fifth row goes missing or double. */
const DISTURBANCES: Readonly<Record<RowFault, (rows: BulkRows, random: () => number) => BulkRows>> = {
  'missing-rows': ({ created, errors }, random) => {
    const all = [...created, ...errors];
    const gone = some(all, random);
    return { created: created.filter((row) => !gone.has(row)), errors: errors.filter((row) => !gone.has(row)) };
  },
  'double-rows': ({ created, errors }, random) => {
    const doubled = some(created, random);
    return { created: created.flatMap((row) => (doubled.has(row) ? [deactivated(row), row] : [row])), errors };
  },
  'no-user-id': ({ created, errors }) => {
    return { created, errors: errors.map(({ index, error }) => ({ index, error })) };
  },
  shuffle: ({ created, errors }, random) => ({ created: shuffled(created, random), errors: shuffled(errors, random) }),
};

/** The rows of an answer after the faults drawn for it. What was stored is not touched. */
export function disturbRows(rows: BulkRows, luck: Luck): BulkRows {
  return [...luck.rowFaults].reduce((sofar, fault) => DISTURBANCES[fault](sofar, luck.random), rows);
}

/** A few of the values, and one at least if there are any. */
function some<T>(values: readonly T[], random: () => number): ReadonlySet<T> {
  const certain = Math.floor(random() * values.length);
  return new Set(values.filter((_, place) => random() < 0.2 || place === certain));
}

/** A former membership of the same user. */
function deactivated(row: MemberRow): MemberRow {
  return { ...row, id: `${row.id}_former`, isActive: false };
}

function shuffled<T>(values: readonly T[], random: () => number): T[] {
  return values
    .map((value) => ({ value, weight: random() }))
    .sort((a, b) => a.weight - b.weight)
    .map(({ value }) => value);
}
