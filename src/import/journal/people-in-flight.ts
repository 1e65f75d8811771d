import { join } from 'node:path';
import type { Moment } from '../../util/moment.ts';
import { readRun } from './import-run.ts';
import type { InFlightEntry } from './in-flight.ts';
import { openRunRows } from './rows.ts';
import type { RunState } from './run-state.ts';
import type { UnknownRequest } from './unknown-requests.ts';

/** The people in a request of another run whose outcome is unknown, or in several that count as one. */
export interface PeopleInFlight {
  /** Their user IDs; undefined if nobody knows who they are, so that everybody counts. */
  readonly userIds: ReadonlySet<string> | undefined;
  /** The user IDs of people whom that run may have added twice, because it sent them again as probes. */
  readonly atRisk: ReadonlySet<string>;
  readonly isStuck: boolean;
  /** When the request ended; it must have ended `timeoutMs` later. */
  readonly at: Moment;
  readonly timeoutMs: number;
  readonly lifetimeMs: number;
  /** The end of the first later request that created somebody; undefined without such a proof. */
  readonly proof: Moment | undefined;
}

/**
 * Returns which people are in flight in another run, by the requests that probes tell apart. Its journal and its stored rows say
 * who they are. Without them, everybody counts, as if its last request had all of them.
 *
 * @param root the directory that contains the directories of the runs
 * @param entry the run in the file of requests in flight
 */
export async function peopleInFlight(root: string, entry: InFlightEntry): Promise<PeopleInFlight[]> {
  const run = await readRunOf(root, entry);
  if (run === undefined)
    return [{ ...entry, userIds: undefined, atRisk: new Set(entry.probes), isStuck: entry.stuck, proof: entry.proof }];
  const { state, userIdOf } = run;
  const userIds = (numbers: readonly number[]) => new Set(numbers.flatMap((number) => userIdOf.get(number) ?? []));
  const named = new Set(state.possibleDuplicates());
  const found: PeopleInFlight[] = [];
  for (const [probed, requests] of groupByProbed(state.unknownRequests())) {
    const atRisk = state.atRisk(probed);
    for (const number of atRisk) named.delete(number);
    const rows = [...requests.values()].flat();
    found.push({ userIds: userIds(rows), atRisk: userIds(atRisk), ...endOf([...requests.keys()], entry) });
  }
  // Its own report would name them, whatever becomes of the rows that are left.
  if (named.size > 0)
    found.push({ ...entry, userIds: new Set(), atRisk: userIds([...named]), isStuck: true, proof: entry.at });
  return found;
}

interface OtherRun {
  readonly state: RunState;
  readonly userIdOf: ReadonlyMap<number, string>;
}

/** Reads a run. Returns undefined if it is gone or damaged, or if its journal lacks the last request. */
async function readRunOf(root: string, { run, request, sentAt }: InFlightEntry): Promise<OtherRun | undefined> {
  try {
    const { head, state } = await readRun(join(root, run, 'journal'));
    if (!state.hasSent(request, sentAt)) return undefined;
    const rows = await openRunRows(root, head);
    const userIdOf = new Map<number, string>();
    const isWanted = new Set([...state.unknownRows(), ...state.possibleDuplicates(), ...state.atRisk()]);
    for await (const chunk of rows.read())
      for (const { number, member } of chunk)
        if (member !== undefined && isWanted.has(number)) userIdOf.set(number, member.userId);
    return { state, userIdOf };
  } catch {
    return undefined;
  }
}

/** Groups requests by the one that they probe: a request and its probes have the same people. */
function groupByProbed(requests: ReadonlyMap<UnknownRequest, number[]>): Map<number, Map<UnknownRequest, number[]>> {
  const groups = new Map<number, Map<UnknownRequest, number[]>>();
  for (const [request, rows] of requests) {
    const group = groups.get(request.probed) ?? new Map<UnknownRequest, number[]>();
    groups.set(request.probed, group.set(request, rows));
  }
  return groups;
}

/** Returns when the last of these requests ended, and what proves that all of them are over. */
function endOf(
  requests: readonly UnknownRequest[],
  entry: InFlightEntry,
): Pick<PeopleInFlight, 'at' | 'timeoutMs' | 'lifetimeMs' | 'proof' | 'isStuck'> {
  const [first, ...others] = requests;
  const last = others.reduce((one, other) => (latestMs(other) > latestMs(one) ? other : one), first ?? entry);
  const proofs = requests.flatMap(({ proof }) => proof ?? entry.proof ?? []);
  return {
    at: last.at,
    timeoutMs: last.timeoutMs,
    lifetimeMs: Math.max(entry.lifetimeMs, ...requests.map(({ lifetimeMs }) => lifetimeMs)),
    proof: proofs.length === requests.length ? proofs.toSorted((a, b) => b.clock - a.clock)[0] : undefined,
    isStuck: requests.some(({ isStuck }) => isStuck),
  };
}

function latestMs({ at, timeoutMs }: Pick<PeopleInFlight, 'at' | 'timeoutMs'>): number {
  return at.clock + timeoutMs;
}
