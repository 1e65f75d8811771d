import type { ImportRun } from '../journal/import-run.ts';
import { type PeopleInFlight, peopleInFlight } from '../journal/people-in-flight.ts';
import type { RunState } from '../journal/run-state.ts';
import type { ListPass } from './list-batches.ts';

export interface AdoptOptions {
  readonly run: ImportRun;
  /** Returns a pass over the rows. */
  readonly rows: () => ListPass;
  /** Rows to send at most that were never sent before; undefined for all. */
  readonly limit: number | undefined;
  readonly resendsFailed: boolean;
}

/**
 * Makes the outcome of the rows unknown that this process is about to send, and whose people are in requests of other runs: the
 * same rules apply to them as to requests of this run. Also takes over whom those runs may have added twice.
 *
 * @returns how many of the rows were never sent before
 * @throws JournalWriteError
 */
export async function adoptOthers({ run, rows, limit, resendsFailed }: AdoptOptions): Promise<number> {
  const entries = run.othersInFlight();
  if (entries.length === 0) return 0;
  const lifetimeMs = Math.max(...entries.map((entry) => entry.lifetimeMs));
  const all = (await Promise.all(entries.map((entry) => peopleInFlight(run.root, entry)))).flat();
  // A row counts for the last of its requests.
  const adoptions = all
    .sort((a, b) => latestMs(a) - latestMs(b))
    .map((people) => ({ people, rows: new Set<number>(), atRisk: new Set<number>(), listed: 0 }));
  const listed = new Set<string>();
  const adopted = new Set<number>();
  let left = limit ?? Number.POSITIVE_INFINITY;
  for await (const chunk of rows())
    for (const { number, member } of chunk) {
      if (member === undefined) continue;
      const { userId } = member;
      const state = run.state.stateOf(number);
      const isNew = (state === 'unsent' || (resendsFailed && state === 'failed')) && left > 0;
      if (isNew) left--;
      for (const adoption of adoptions) {
        const { people } = adoption;
        const isIncluded = people.userIds?.has(userId) ?? true;
        if (isIncluded) adoption.listed++;
        if (people.atRisk.has(userId)) {
          listed.add(userId);
          if (!run.state.isKnownRisk(userId, number)) adoption.atRisk.add(number);
        }
        const mayBeSent = isNew || (state === 'unknown' && isBefore(run.state, number, people));
        if (!isIncluded || !mayBeSent) continue;
        adoption.rows.add(number);
        if (isNew) adopted.add(number);
      }
    }
  for (const { people, rows, atRisk, listed: count } of adoptions) {
    const strangers = [...people.atRisk].filter(
      (userId) => !listed.has(userId) && !run.state.isKnownRisk(userId, undefined),
    );
    if (rows.size + atRisk.size + strangers.length === 0) continue;
    const isAnybody = people.userIds === undefined || count < people.userIds.size;
    const { at, timeoutMs, proof, isStuck } = people;
    const end = { at, timeoutMs, lifetimeMs, proof, isStuck };
    run.adoptOthers({ rows: [...rows], atRisk: [...atRisk], strangers, isAnybody, ...end });
  }
  return adopted.size;
}

/** Whether the last request of a row had ended before that of the other run. */
function isBefore(state: RunState, number: number, people: PeopleInFlight): boolean {
  const last = state.unknownRequest(number);
  return last === undefined || latestMs(last) < latestMs(people);
}

/** Returns by when a request must have ended, in milliseconds since the epoch. */
function latestMs({ at, timeoutMs }: Pick<PeopleInFlight, 'at' | 'timeoutMs'>): number {
  return at.clock + timeoutMs;
}
