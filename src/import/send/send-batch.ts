import type { BulkResult } from '../../client/add-members.ts';
import { type Member, memberUserId, parseIdentifier } from '../../client/bulk-response.ts';
import type { RateLimit } from '../../client/http/rate-limit-headers.ts';
import type { BulkResponse } from '../../client/response-schemas.ts';
import { ServiceError } from '../../client/service-error.ts';
import type { Clock } from '../../util/host.ts';
import type { MemberEntry } from '../entry.ts';
import type { AmbiguousRequest, ImportRun } from '../journal/import-run.ts';
import { type BatchOutcome, emptyBatchOutcome, type Probe } from '../journal/journal-records.ts';
import { type MembershipStatement, readMembership, type ServiceConventions } from './already-member.ts';
import { classifyFailure, type FailureClass, messageOfFailure } from './classify-error.ts';
import { type EntryOutcome, type Reconciled, reconcile } from './reconcile.ts';
import { messagesByEntry, shortenMessage } from './row-messages.ts';

/** A row to be sent. */
export interface PendingRow {
  readonly entry: number;
  readonly line: number;
  readonly value: MemberEntry;
}

/** How many rows of the request a response covers. */
export type Coverage = 'all' | 'some' | 'none';

/** The result of one request. */
export type AttemptResult = {
  /** How long the service took to respond, in milliseconds; undefined without a response. */
  durationMs: number | undefined;
} & (
  | {
      kind: 'response';
      /** What the response says about the rate limit. */
      rateLimit: RateLimit | undefined;
      coverage: Coverage;
      /** Created members, by the number of their row. */
      created: ReadonlyMap<number, Member>;
      /** Whether people were added to another organization than those of the first response. */
      wrongOrganization: boolean;
      inconsistencies: string[];
      deactivated: string[];
    }
  | { kind: 'failure'; failure: FailureClass; error: ServiceError }
);

export interface AttemptContext {
  readonly run: ImportRun;
  readonly clock: Clock;
  /** What the settings say about the service. */
  readonly conventions: ServiceConventions;
  /** Sends the entries in one request: interface 4.2. Throws ServiceError. */
  readonly post: (entries: readonly MemberEntry[]) => Promise<BulkResult>;
}

/** Characters of a member id that the journal keeps: a longer one is not an id. */
const MAX_MEMBER_ID = 200;

const INTERRUPTED_REASON = 'it was being sent when the run failed';

/**
 * Sends rows once: logged before, reconciled and logged after. Only rows whose outcome the response proves are finalized;
 * rows of a request that was rejected or not processed are as they were before, and the caller decides what to do with them.
 * A row that is rejected alone is finalized here.
 *
 * @param confirms for a probe: the ambiguous request that it is to resolve
 */
export async function sendBatch(
  rows: readonly PendingRow[],
  context: AttemptContext,
  confirms?: AmbiguousRequest,
): Promise<AttemptResult> {
  const { run, clock, post } = context;
  const entries = rows.map(({ entry }) => entry);
  const began = clock.now();
  const userIds = rows.map(({ value }) => value.userId);
  const number = await run.begin(entries, userIds, began, confirms);
  try {
    const { response, rateLimit } = await post(rows.map(({ value }) => value));
    const durationMs = clock.now() - began;
    const { outcome, ...result } = applyResponse(rows, response, context);
    run.finish(number, { ...outcome, durationMs, probe: confirms && probeOf(outcome, rows, response) });
    return { kind: 'response', durationMs, rateLimit, ...result };
  } catch (error) {
    // A probe without a known outcome may have added its row, as the request that it is to resolve may have.
    const probe = confirms && { entry: entries[0] ?? 0, memberId: null };
    if (!(error instanceof ServiceError)) {
      // An internal error: the request may have been sent.
      run.finish(number, {
        ...emptyBatchOutcome(),
        ambiguous: [[entries, INTERRUPTED_REASON]],
        mayBeRunning: true,
        probe,
      });
      throw error;
    }
    const durationMs = error.status === undefined ? undefined : clock.now() - began;
    const failure = classifyFailure(error, {
      sent: rows.length,
      isConfirming: rows.some(({ entry }) => run.rowStates.wasAttempted(entry)),
      isAlreadyMember: (message) => isMember(readMembership(message, context.conventions)),
    });
    const outcome = outcomeOfFailure(failure, error, rows, context);
    run.finish(number, { ...outcome, durationMs, ...(outcome.ambiguous.length > 0 && { probe }) });
    return { kind: 'failure', failure, error, durationMs };
  }
}

function applyResponse(
  rows: readonly PendingRow[],
  response: BulkResponse,
  context: AttemptContext,
): { outcome: BatchOutcome } & Omit<Extract<AttemptResult, { kind: 'response' }>, 'kind' | 'durationMs' | 'rateLimit'> {
  const { run } = context;
  const userIds = rows.map(({ value }) => value.userId);
  const reconciled = reconcile(userIds, response, run.metadata.indexBase, context.conventions.errorIndexBase);
  const { outcomes, base, inconsistencies } = reconciled;
  run.recordMetadata(response, base, organizationOf(outcomes));

  const outcome = emptyBatchOutcome();
  const created = new Map<number, Member>();
  const memberIds: (string | null)[] = [];
  const ambiguous = new Map<string, number[]>();
  let otherOrganization: string | undefined;
  for (const [at, row] of rows.entries()) {
    const result = outcomes[at];
    if (result?.kind === 'created') {
      const organizationId = parseIdentifier(result.member.organizationId);
      if (organizationId === undefined || organizationId === run.metadata.organizationId) {
        outcome.created.push(row.entry);
        created.set(row.entry, result.member);
        const memberId = parseIdentifier(result.member.id);
        memberIds.push(memberId !== undefined && memberId.length <= MAX_MEMBER_ID ? memberId : null);
      } else {
        otherOrganization = organizationId;
        outcome.failed.push([row.entry, addedElsewhere(organizationId, row.entry, run)]);
      }
    } else if (result?.kind === 'error') addRejected(outcome, row.entry, result.message, context);
    else if (result !== undefined) {
      const reason = shortenMessage(result.reason);
      const entries = ambiguous.get(reason);
      if (entries === undefined) ambiguous.set(reason, [row.entry]);
      else entries.push(row.entry);
    }
  }
  for (const [reason, entries] of ambiguous) outcome.ambiguous.push([entries, reason]);
  const coverage = coverageOf(outcomes);
  // A service that responds without a result may have queued the request.
  outcome.mayBeRunning = coverage === 'none';
  outcome.duplicates = duplicatesOf(reconciled, rows);
  outcome.memberIds = memberIds;
  if (otherOrganization !== undefined) run.recordOtherOrganization(otherOrganization);
  return {
    outcome,
    coverage,
    created,
    wrongOrganization: otherOrganization !== undefined,
    inconsistencies,
    deactivated: reconciled.deactivated.flatMap((at) => userIds[at] ?? []),
  };
}

/** Returns the message on a row that was added to another organization. An earlier attempt may have added it to the run's. */
function addedElsewhere(organizationId: string, entry: number, { metadata, rowStates }: ImportRun): string {
  return shortenMessage(
    rowStates.wasAttempted(entry)
      ? `added to organization ${organizationId}; an earlier request may have added it to ${metadata.organizationId}`
      : `added to organization ${organizationId}, not to ${metadata.organizationId}`,
  );
}

/** Returns the probe if it was created or its outcome is unknown: the earlier request may add its row again. */
function probeOf(outcome: BatchOutcome, rows: readonly PendingRow[], { created }: BulkResponse): Probe | undefined {
  const [row] = rows;
  if (row === undefined || outcome.created.length + outcome.ambiguous.length === 0) return undefined;
  const member = created?.find((one) => memberUserId(one) === row.value.userId);
  return { entry: row.entry, memberId: parseIdentifier(member?.id) ?? null };
}

/**
 * Adds a row that the service rejected individually. After an ambiguous request the row becomes `recovered` only if the
 * message definitely states a membership. A message that may state one, or no message at all, leaves the outcome open. Any
 * other message is a definite rejection, because a service that had added the person would have reported the membership.
 */
export function addRejected(
  outcome: BatchOutcome,
  entry: number,
  message: string,
  { run, conventions }: Pick<AttemptContext, 'run' | 'conventions'>,
): void {
  const text = shortenMessage(message);
  const wasAttempted = run.rowStates.wasAttempted(entry);
  const statement = readMembership(message, conventions);
  if (statement === 'member' && wasAttempted) outcome.recovered.push([entry, text]);
  else if (isMember(statement)) outcome.existing.push([entry, text]);
  else if (statement === 'open' && wasAttempted) outcome.ambiguous.push([[entry], text]);
  else outcome.failed.push([entry, text]);
}

function isMember(statement: MembershipStatement): boolean {
  return statement === 'member' || statement === 'probably-member';
}

function duplicatesOf({ duplicates }: Reconciled, rows: readonly PendingRow[]): BatchOutcome['duplicates'] {
  return duplicates.flatMap(({ at, memberIds }) => {
    const row = rows[at];
    return row === undefined ? [] : [{ entry: row.entry, memberIds, certain: true }];
  });
}

function coverageOf(outcomes: readonly EntryOutcome[]): Coverage {
  const ambiguous = outcomes.filter(({ kind }) => kind === 'ambiguous').length;
  if (ambiguous === 0) return 'all';
  return ambiguous === outcomes.length ? 'none' : 'some';
}

/** The organization that the first of these rows was added to; members outside the request prove nothing about it. */
function organizationOf(outcomes: readonly EntryOutcome[]): string | undefined {
  for (const outcome of outcomes) {
    const found = outcome.kind === 'created' ? parseIdentifier(outcome.member.organizationId) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function outcomeOfFailure(
  failure: FailureClass,
  error: ServiceError,
  rows: readonly PendingRow[],
  context: AttemptContext,
): BatchOutcome {
  const outcome = emptyBatchOutcome();
  const entries = rows.map(({ entry }) => entry);
  if (failure.kind === 'ambiguous') {
    const { reason, timedOut, mayBeRunning } = failure;
    return { ...outcome, ambiguous: [[entries, shortenMessage(reason)]], timedOut, mayBeRunning };
  }
  if (failure.kind === 'fatal' && failure.ambiguous)
    outcome.ambiguous.push([entries, 'the service responded with a redirect']);
  const [entry] = entries;
  if ((failure.kind === 'rejected' || failure.kind === 'too-large') && rows.length === 1 && entry !== undefined)
    addRejected(outcome, entry, messageAlone(error), context);
  return outcome;
}

/** The message on an entry that was rejected alone, without its position in the request, which is not that in the list. */
function messageAlone(error: ServiceError): string {
  const byEntry = [...messagesByEntry(error.messages, Number.POSITIVE_INFINITY).values()];
  return byEntry.length > 0 ? byEntry.join('; ') : messageOfFailure(error);
}
