import type { FaultPlan } from '../fault-plan.ts';
import type { RowFault } from '../faults.ts';
import type { SeedUser } from '../seed/seed-users.ts';

/** A member as it is answered (interface 2.2); the device label may go by another name. */
export interface CreatedRow {
  readonly id: string;
  readonly userId: string;
  readonly isActive: boolean;
  readonly user: SeedUser | undefined;
  readonly [field: string]: unknown;
}

/** An entry that was not added (interface 4.2). */
export interface FailedRow {
  readonly index?: number;
  readonly userId?: string;
  readonly error: string;
}

export interface BulkResponseRows {
  readonly created: readonly CreatedRow[];
  readonly errors: readonly FailedRow[];
}

/** What the faults drawn for a request do to its rows, one after another. About every fifth row goes missing or double. */
const ROW_CORRUPTIONS: Readonly<Record<RowFault, (rows: BulkResponseRows, random: () => number) => BulkResponseRows>> =
  {
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
    shuffle: ({ created, errors }, random) => ({
      created: shuffled(created, random),
      errors: shuffled(errors, random),
    }),
  };

/** The rows of an answer after the faults drawn for it. What was stored is not touched. */
export function corruptRows(rows: BulkResponseRows, faultPlan: FaultPlan): BulkResponseRows {
  return [...faultPlan.rowFaults].reduce((sofar, fault) => ROW_CORRUPTIONS[fault](sofar, faultPlan.random), rows);
}

/** A few of the values, and one at least if there are any. */
function some<T>(values: readonly T[], random: () => number): ReadonlySet<T> {
  const certain = Math.floor(random() * values.length);
  return new Set(values.filter((_, index) => random() < 0.2 || index === certain));
}

/** A former membership of the same user. */
function deactivated(row: CreatedRow): CreatedRow {
  return { ...row, id: `${row.id}_former`, isActive: false };
}

function shuffled<T>(values: readonly T[], random: () => number): T[] {
  return values
    .map((value) => ({ value, weight: random() }))
    .sort((a, b) => a.weight - b.weight)
    .map(({ value }) => value);
}
