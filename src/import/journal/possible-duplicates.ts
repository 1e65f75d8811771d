import type { RowState } from '../outcome.ts';

/** How a probe of a row ended. */
interface ProbedRow {
  /** Whether a probe created the person, so that the probed request may do so, too. */
  readonly isCreated: boolean;
  /** Whether the outcome of a probe is unknown, and it may have added the person next to the probed request. */
  readonly isStuck: boolean;
}

/** A request that was probed. */
interface ProbedRequest {
  /** The rows whose outcome it left unknown. */
  readonly rows: ReadonlySet<number>;
  readonly isStuck: boolean;
  /** Whether it is one of another run. */
  readonly isOthers: boolean;
  /** Whether nobody knows whose rows are in it: then rows that were created say nothing about it. */
  readonly isAnybody: boolean;
  readonly probes: Map<number, ProbedRow>;
  /** The user IDs of people who are not on this list, and whom another run has probed. */
  readonly strangers: Set<string>;
}

/** What the other rows of a request show about a row that was probed. */
export interface RowStates {
  stateOf(number: number): RowState;
  /** Whether the service fails with the row when it is alone, so that it shows nothing. */
  isFailing(number: number): boolean;
}

/** Finds out who may have been added twice, because orgadm sent the person again while the first request may have been running. */
export class PossibleDuplicates {
  readonly #requests = new Map<number, ProbedRequest>();
  /** Rows of a confirming request that timed out. */
  readonly #timedOut = new Set<number>();

  has(request: number): boolean {
    return this.#requests.has(request);
  }

  /** Records a request that is about to be probed. */
  addRequest(request: number, rows: Iterable<number>, { isStuck = true, isOthers = false, isAnybody = false }): void {
    this.#requests.set(request, {
      rows: new Set(rows),
      isStuck,
      isOthers,
      isAnybody,
      probes: new Map(),
      strangers: new Set(),
    });
  }

  /** Records that rows of a request are probed. */
  probe(request: number, rows: Iterable<number>): void {
    const probes = this.#requests.get(request)?.probes;
    for (const row of rows) if (!probes?.has(row)) probes?.set(row, { isCreated: false, isStuck: false });
  }

  /** Whether a request was stuck, so that it may have added its people a moment ago. */
  isRequestStuck(request: number): boolean {
    return this.#requests.get(request)?.isStuck ?? false;
  }

  /** Records that the outcome of a probe is unknown, and that the probe or its request was stuck. */
  stuck(request: number, rows: Iterable<number>): void {
    for (const row of rows) this.#change(request, row, { isStuck: true });
  }

  /** Whether a row may have been added by its probe and by the probed request, if that shows in the end. */
  isAtRisk(row: number, state: RowState): boolean {
    const probes = [...this.#requests.values()].flatMap((request) => request.probes.get(row) ?? []);
    return probes.some((probe) => isDoubtful(probe, state));
  }

  /** Whether a probe of a row was stuck. */
  isStuck(request: number, row: number): boolean {
    return this.#requests.get(request)?.probes.get(row)?.isStuck ?? false;
  }

  /** Records that a probe created somebody. */
  created(request: number, rows: Iterable<number>): void {
    for (const row of rows) this.#change(request, row, { isCreated: true });
  }

  /** Records people whom another run has probed, and who are not on this list. */
  addStrangers(request: number, userIds: Iterable<string>): void {
    for (const userId of userIds) this.#requests.get(request)?.strangers.add(userId);
  }

  /** Records the rows of a confirming request that timed out. */
  timedOut(rows: Iterable<number>): void {
    for (const row of rows) this.#timedOut.add(row);
  }

  /** Returns the rows whose people may be in the organization twice, in the order of the list. */
  rows(states: RowStates): number[] {
    const found = new Set<number>();
    for (const row of this.#timedOut)
      if (isMember(states.stateOf(row)) || states.stateOf(row) === 'created') found.add(row);
    for (const request of this.#requests.values()) {
      const candidates = [...request.probes].flatMap(([row, probe]) =>
        isDoubtful(probe, states.stateOf(row)) ? row : [],
      );
      if (candidates.length > 0 && mayHaveAdded(request, states)) for (const row of candidates) found.add(row);
    }
    return [...found].sort((a, b) => a - b);
  }

  /** Returns the rows that may have been added twice, if that shows in the end: those of one request, or all of them. */
  atRisk(states: RowStates, request?: number): number[] {
    const probed = [...this.#requests].flatMap(([number, found]) =>
      request === undefined || request === number ? [...found.probes] : [],
    );
    return probed.flatMap(([row, probe]) => (isDoubtful(probe, states.stateOf(row)) ? row : []));
  }

  /** Returns the user IDs of people who are not on this list, and may be in the organization twice. */
  strangers(states: RowStates): string[] {
    const named = [...this.#requests.values()].filter(
      (request) => request.strangers.size > 0 && mayHaveAdded(request, states),
    );
    return [...new Set(named.flatMap(({ strangers }) => [...strangers]))];
  }

  /** Whether a person who is not on this list is known to have been probed by another run. */
  hasStranger(userId: string): boolean {
    return [...this.#requests.values()].some(({ strangers }) => strangers.has(userId));
  }

  /** Whether a row is known to have been in a probe of another run. */
  hasProbeOfOthers(row: number): boolean {
    return [...this.#requests.values()].some(({ isOthers, probes }) => isOthers && probes.has(row));
  }

  /** Changes what is known about a row, if it was probed. */
  #change(request: number, row: number, change: Partial<ProbedRow>): void {
    const probes = this.#requests.get(request)?.probes;
    const probe = probes?.get(row);
    if (probe !== undefined) probes?.set(row, { ...probe, ...change });
  }
}

function isDoubtful({ isCreated, isStuck }: ProbedRow, state: RowState): boolean {
  return (isCreated && state === 'created') || (isStuck && (isMember(state) || state === 'unknown'));
}

/**
 * Whether a probed request may have added its people: if others of its rows are members, or still unknown. If none of them can
 * tell, because they were probed, rejected, or are not on this list, it may have if it was stuck.
 */
function mayHaveAdded({ rows, probes, isStuck, isAnybody }: ProbedRequest, states: RowStates): boolean {
  let areCreated = false;
  for (const row of rows) {
    if (probes.has(row)) continue;
    const state = states.stateOf(row);
    if (isMember(state) || (state === 'unknown' && !states.isFailing(row))) return true;
    areCreated ||= state === 'created';
  }
  return isStuck && (isAnybody || !areCreated);
}

function isMember(state: RowState): boolean {
  return state === 'recovered' || state === 'existing';
}
