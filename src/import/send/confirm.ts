import type { Clock } from '../../util/host.ts';
import type { AmbiguousRequest, ImportRun } from '../journal/import-run.ts';
import type { RowState } from '../journal/row-states.ts';
import type { ListRow } from '../list/open-list.ts';
import type { BatchDispatcher } from './batch-dispatcher.ts';
import type { AttemptResult, PendingRow } from './send-batch.ts';
import type { WaitReason } from './send-events.ts';
import { MAX_COINCIDENCE, MAX_REJECTED_PROBES } from './send-limits.ts';
import type { Throttle } from './throttle.ts';

export interface ConfirmContext {
  readonly run: ImportRun;
  readonly clock: Clock;
  readonly throttle: Throttle;
  readonly dispatcher: BatchDispatcher;
  /** How long the service may keep processing a request whose connection is lost, in milliseconds. */
  readonly requestLifetimeMs: number;
  /** A pass over the list: every row in order. */
  readonly rows: () => AsyncIterable<readonly ListRow[]>;
  /** Calls `work` for each item, for several at a time. */
  readonly forEach: <T>(items: AsyncGenerator<T, void>, work: (item: T) => Promise<void>) => Promise<void>;
  /** Waits until a time, in milliseconds since the epoch. */
  readonly waitUntil: (reason: WaitReason, untilMs: number) => Promise<void>;
}

/** Rows of unknown outcome that were sent in one request. */
interface AmbiguousBatch {
  readonly request: AmbiguousRequest;
  readonly rows: readonly PendingRow[];
}

/**
 * Resolves the rows of unknown outcome. Services insert without a uniqueness check, so sending rows again while the first
 * request is still running adds people twice. After the quiet period one row of each ambiguous request is sent alone, the
 * last one, for services process entries in order:
 *
 * - "Already a member": the request was applied. The others follow at once.
 * - Created: it was not applied so far. If it may still be running, the others wait for the end of its lifetime.
 * - Rejected: this proves nothing. The row before it is tried, three at most.
 *
 * Rows that a confirming request leaves unknown stay unknown in this run.
 */
export async function confirmAmbiguous(context: ConfirmContext): Promise<void> {
  const { throttle, clock, requestLifetimeMs, forEach, waitUntil } = context;
  await waitUntil('quiet-period', throttle.quietUntil());
  const waiting = new Set<AmbiguousRequest>();
  await forEach(
    ambiguousBatches(context, () => true),
    async (batch) => {
      const { next, rows } = await probe(batch, context);
      if (next === 'wait') waiting.add(batch.request);
      else if (next !== 'leave') await deliverOthers({ ...batch, rows }, next === 'applied', context);
    },
  );
  if (waiting.size === 0) return;
  const lastSentAt = Math.max(...[...waiting].map(({ sentAtMs }) => Math.min(sentAtMs, clock.now())));
  await waitUntil('request-lifetime', lastSentAt + requestLifetimeMs);
  await forEach(
    ambiguousBatches(context, (request) => waiting.has(request)),
    (batch) => deliverOthers(batch, false, context),
  );
}

/** What to do with the other rows: send them at once, after the request's lifetime, or not in this run. */
type NextStep = 'applied' | 'over' | 'wait' | 'leave';

/** Sends rows of the batch alone, from the last one on, until they show what to do with the others. */
async function probe(
  { request, rows }: AmbiguousBatch,
  { run, clock, requestLifetimeMs, dispatcher }: ConfirmContext,
): Promise<{ next: NextStep; rows: readonly PendingRow[] }> {
  const others = [...rows];
  const isOver = () => !request.mayBeRunning || clock.now() >= request.sentAtMs + requestLifetimeMs;
  // Another probe could add a second person twice. Carried rows come from several requests, in an order that is not known:
  // a member among them shows nothing about the others.
  if (request.probes.length > 0 || request.isCarried) return { next: isOver() ? 'over' : 'wait', rows: others };
  let rejected = 0;
  let members = 0;
  while (rejected < MAX_REJECTED_PROBES) {
    // The last row would show nothing about others, and no other row would show whether it was added twice.
    if (others.length === 1 && !isOver()) return { next: 'wait', rows: others };
    const row = others.pop();
    if (row === undefined) return LEAVE;
    // Only a probe of a request that may still be running can be added twice.
    const result = await dispatcher.sendUntilProcessed([row], isOver() ? undefined : request);
    if (result === undefined || isAmbiguous(result)) return LEAVE;
    const state = run.rowStates.stateOf(row.entry);
    if (state === 'created') break;
    if (state !== 'recovered') rejected++;
    else if (isOver()) break;
    else if (++members >= membersToAgree(run))
      return { next: isCoincidence(run, members) ? 'wait' : 'applied', rows: others };
  }
  return { next: isOver() ? 'over' : 'wait', rows: others };
}

/** Whether a probe has no usable response: then sending the other rows would not help either. */
function isAmbiguous(result: AttemptResult): boolean {
  return result.kind === 'response' ? result.coverage !== 'all' : result.failure.kind !== 'rejected';
}

const LEAVE = { next: 'leave', rows: [] } as const;

/** A member may have been one before the run: in a run with existing members, a second probe has to agree. */
function membersToAgree(run: ImportRun): number {
  return run.rowStates.counts().existing > 0 ? 2 : 1;
}

/**
 * Whether it is too likely that the probes were members before the run, which leaves open whether the request was applied:
 * estimated by the share of existing members among the rows of known outcome (Laplace's rule of succession).
 */
function isCoincidence(run: ImportRun, members: number): boolean {
  const { created, existing } = run.rowStates.counts();
  return ((existing + 1) / (created + existing + 2)) ** members > MAX_COINCIDENCE;
}

/**
 * Sends the other rows of an ambiguous request, and records who was probably added twice: the probe, unless another row is
 * created, which shows that the request was not applied; and each row that is created although it seemed to be applied.
 */
async function deliverOthers({ request, rows }: AmbiguousBatch, seemedApplied: boolean, context: ConfirmContext) {
  const { run, dispatcher } = context;
  if (rows.length > 0) await dispatcher.sendUntilFinal(rows);
  const entriesIn = (state: RowState) =>
    rows.map(({ entry }) => entry).filter((entry) => run.rowStates.stateOf(entry) === state);
  const created = entriesIn('created');
  const wasApplied = entriesIn('recovered').length > 0 || created.length === 0;
  const doubled = [
    ...(wasApplied ? request.probes : []),
    ...(seemedApplied ? created.map((entry) => ({ entry, memberId: null })) : []),
  ];
  if (request.probes.length + doubled.length > 0) run.resolveProbes(request, doubled);
}

/**
 * Reads the list as far as needed, and yields the rows of each ambiguous request as soon as they are complete. Memory: the
 * rows of the requests that are read in part, `batchSize` of each at most.
 */
async function* ambiguousBatches(
  { run, rows, dispatcher: { batchSize } }: ConfirmContext,
  wanted: (request: AmbiguousRequest) => boolean,
): AsyncGenerator<AmbiguousBatch, void> {
  const left = new Map<AmbiguousRequest, number>();
  for (let entry = 1; entry <= run.rowStates.total; entry++) {
    const request = run.ambiguousRequest(entry);
    if (request !== undefined && wanted(request)) left.set(request, (left.get(request) ?? 0) + 1);
  }
  const collected = new Map<AmbiguousRequest, PendingRow[]>();
  if (left.size === 0) return;
  for await (const chunk of rows()) {
    for (const { entry, line, value } of chunk) {
      const request = run.ambiguousRequest(entry);
      const missing = request === undefined ? undefined : left.get(request);
      if (request === undefined || missing === undefined || value === undefined) continue;
      const batch = collected.get(request) ?? [];
      collected.set(request, batch);
      batch.push({ entry, line, value });
      left.set(request, missing - 1);
      if (batch.length < batchSize && missing > 1) continue;
      collected.delete(request);
      if (missing === 1) left.delete(request);
      yield { request, rows: batch };
    }
    if (left.size === 0) return;
  }
}
