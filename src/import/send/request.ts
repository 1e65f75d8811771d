import { addMembers } from '../../client/add-members.ts';
import { parseIdentifier } from '../../client/bulk-response.ts';
import { ServiceError } from '../../client/http/service-error.ts';
import type { BulkResponse } from '../../client/response-schemas.ts';
import type { ServiceClient } from '../../client/service-client.ts';
import type { Clock } from '../../util/host.ts';
import type { ImportRun } from '../journal/import-run.ts';
import type { IndexBase, RowNote } from '../journal/records.ts';
import { emptyOutcome, type RequestOutcome } from '../journal/request-outcome.ts';
import { toWireMember } from '../new-member.ts';
import { isAlreadyMember } from './already-member.ts';
import type { BatchPart, NamedRow } from './batch.ts';
import { isSlow } from './batch-size.ts';
import { classifyFailure, type FailureClass, messageOfFailure } from './classify-error.ts';
import { compareStored, isActivated } from './compare-stored.ts';
import { reconcile } from './reconcile.ts';
import { messagesByPosition, shortenMessage } from './row-messages.ts';
import type { PendingRow } from './send-events.ts';

/** The settings for what the interface leaves open (interface 4.2). */
export interface ServiceConventions {
  /** The service's name for `deviceMgmtLabelId`. */
  readonly deviceMgmtLabelId: string;
  /** Phrases of messages for a user who is already a member. */
  readonly existing: readonly string[];
  /** The number of the first member in `errors[].index`; undefined if the responses have to prove it. */
  readonly errorIndexBase: IndexBase | undefined;
}

/** The failures that show that the service has worked on the request, so that it tells how fast it is. */
const PROCESSED: ReadonlySet<FailureClass['kind']> = new Set(['rejected', 'too-large', 'unknown']);

export interface RequestContext {
  readonly run: ImportRun;
  readonly client: ServiceClient;
  readonly clock: Clock;
  readonly conventions: ServiceConventions;
}

/** The result of one request. The outcome of its rows is in the journal already. */
export type RequestResult = {
  /** When orgadm began to send it, in milliseconds since the epoch. */
  readonly sentAtMs: number;
  /** Whether the service worked on it for so long that it may be stalled. */
  readonly isSlow: boolean;
} & (
  | {
      readonly kind: 'response';
      /** Whether it settles the outcome of at least one row. */
      readonly isUsable: boolean;
      /** Whether it lists created members of the request, none of which may be certain. */
      readonly listsMembers: boolean;
      /** People who were sent as inactive, and are stored as active. */
      readonly activated: number;
      readonly inconsistencies: readonly string[];
    }
  | { readonly kind: 'failure'; readonly failure: FailureClass; readonly error: ServiceError }
);

/**
 * Sends the rows of a part in one request (interface 4.2): logs the intent before, and the outcome after. Only rows whose
 * outcome the response proves get a final state. Rows of a request that was rejected or not processed are as they were
 * before, and the caller decides what to do with them; a row that is rejected alone has failed.
 *
 * @throws JournalWriteError
 */
export async function sendRequest(part: BatchPart, context: RequestContext): Promise<RequestResult> {
  const { run, client, clock, conventions } = context;
  const { rows } = part;
  const numbers = rows.map(({ number }) => number);
  const sentAtMs = clock.now();
  const { request, endsAt } = await run.begin(numbers, part.isProbe);
  const begunAtMs = clock.now();
  const isSlowNow = () => isSlow(clock.now() - begunAtMs, client.timeoutMs);
  try {
    const members = rows.map(({ member }) => toWireMember(member, conventions.deviceMgmtLabelId));
    const response = await addMembers(client, members, { endsAt });
    const slow = isSlowNow();
    const { outcome, ...result } = applyResponse(part, response, context);
    run.finish(request, slow ? atRisk(part, outcome) : outcome);
    return { kind: 'response', sentAtMs, isSlow: slow, ...result };
  } catch (error) {
    if (!(error instanceof ServiceError)) {
      // An internal error: the request may have been sent.
      run.finish(request, { ...emptyOutcome(), unknown: [[numbers, 'orgadm failed while it handled this request']] });
      throw error;
    }
    const failure = classifyFailure(error, rows.length);
    const slow = isSlowNow() && PROCESSED.has(failure.kind);
    const outcome = outcomeOfFailure(failure, error, rows, context);
    run.finish(request, slow ? atRisk(part, outcome) : outcome);
    return { kind: 'failure', sentAtMs, isSlow: slow, failure, error };
  }
}

/**
 * Adds to the outcome of a row that was sent again during a stall that the person may have been added twice. A row that the
 * service has not added this time is not at risk.
 */
function atRisk({ isProbe = false }: BatchPart, outcome: RequestOutcome): RequestOutcome {
  const stalled = isProbe ? [...outcome.created, ...outcome.unknown.flatMap(([numbers]) => numbers)] : [];
  return { ...outcome, stalled };
}

/** Records rows that have failed without a request of their own. */
export function failRows(failed: readonly NamedRow[], { run, conventions }: RequestContext, note?: RowNote): void {
  const outcome = emptyOutcome();
  for (const { row, message } of failed) addRejected(outcome, row.number, message, conventions.existing, note);
  run.finish(0, outcome);
}

type ResponseResult = Extract<RequestResult, { kind: 'response' }>;

function applyResponse(
  { rows, named = [] }: BatchPart,
  response: BulkResponse,
  { run, conventions }: RequestContext,
): { outcome: RequestOutcome } & Omit<ResponseResult, 'kind' | 'sentAtMs' | 'isSlow'> {
  const userIds = rows.map(({ member }) => member.userId);
  const reconciled = reconcile(userIds, response, run.state.facts.indexBase, conventions.errorIndexBase);
  const { outcomes, base } = reconciled;
  recordFacts(run, response, base);

  const outcome = emptyOutcome();
  const unknown = new Map<string, number[]>();
  for (const [at, { number, member }] of rows.entries()) {
    const result = outcomes[at];
    // Also of a row that is not certain: someone who was sent as inactive may be active.
    const stored = result !== undefined && 'member' in result ? result.member : undefined;
    if (stored !== undefined) outcome.mismatches.push(...compareStored(number, member, stored));
    if (result?.kind === 'created') {
      outcome.created.push(number);
      outcome.memberIds.push(parseIdentifier(result.member.id) ?? null);
    } else if (result?.kind === 'error') addRejected(outcome, number, result.message, conventions.existing);
    else if (result !== undefined) {
      const reason = shortenMessage(result.reason);
      const numbers = unknown.get(reason);
      if (numbers === undefined) unknown.set(reason, [number]);
      else numbers.push(number);
    }
  }
  for (const [reason, numbers] of unknown) outcome.unknown.push([numbers, reason]);
  const isUsable = outcomes.some(({ kind }) => kind !== 'ambiguous');
  // The service has accepted the request without them, which proves the names.
  if (isUsable) for (const { row, message } of named) addRejected(outcome, row.number, message, conventions.existing);
  for (const { at, memberIds } of reconciled.duplicates) {
    const row = rows[at];
    if (row !== undefined) outcome.duplicates.push({ entry: row.number, memberIds });
  }
  const listsMembers = outcomes.some((result) => 'member' in result && result.member !== undefined);
  const activated = outcome.mismatches.filter(isActivated).length;
  return { outcome, isUsable, listsMembers, activated, inconsistencies: reconciled.inconsistencies };
}

/** Records what a response shows about the entire run, once. */
function recordFacts(
  run: ImportRun,
  { authType, authenticatedUser: user }: BulkResponse,
  base: IndexBase | 'mixed' | undefined,
): void {
  const { facts } = run.state;
  const id = parseIdentifier(user?.id);
  const email = user?.email ?? undefined;
  const authenticatedUser = { ...(id !== undefined && { id }), ...(email !== undefined && { email }) };
  run.note({
    ...(base !== undefined && { indexBase: base }),
    ...(facts.authType === undefined && authType != null && { authType }),
    ...(facts.authenticatedUser === undefined && user != null && { authenticatedUser }),
  });
}

/** Adds a row that the service rejected individually: an existing member, or one that has failed. */
function addRejected(
  outcome: RequestOutcome,
  number: number,
  message: string,
  phrases: readonly string[],
  note?: RowNote,
): void {
  const text = shortenMessage(message);
  if (isAlreadyMember(message, phrases)) outcome.existing.push([number, text]);
  else outcome.failed.push(note === undefined ? [number, text] : [number, text, note]);
}

function outcomeOfFailure(
  failure: FailureClass,
  error: ServiceError,
  rows: readonly PendingRow[],
  { run, conventions }: RequestContext,
): RequestOutcome {
  const outcome = emptyOutcome();
  const numbers = rows.map(({ number }) => number);
  const [number] = numbers;
  const isAlone = number !== undefined && numbers.length === 1;
  if (failure.kind === 'unknown') {
    const isSentAgain = isAlone && run.state.rowStates.stateOf(number) === 'unknown';
    if (!isSentAgain) return { ...outcome, unknown: [[numbers, shortenMessage(failure.reason)]] };
    const note = (error.status ?? 0) >= 500 ? 'failing' : undefined;
    return { ...outcome, unknown: [[numbers, shortenMessage(reasonAlone(error)), note]] };
  }
  if ((failure.kind === 'rejected' || failure.kind === 'too-large') && isAlone)
    addRejected(outcome, number, messageAlone(error), conventions.existing);
  return outcome;
}

/** Says that a row has no known outcome although it was sent alone. */
function reasonAlone(error: ServiceError): string {
  const { status } = error;
  const detail = status === undefined ? error.message : [status, ...error.messages.slice(0, 1)].join(' ');
  return status !== undefined && status >= 500
    ? `the service fails when orgadm sends the row alone (${detail})`
    : `no usable response when orgadm sends the row alone (${detail})`;
}

/** Returns the message on a member that was rejected alone, without its position in the request, which is not that in the list. */
function messageAlone(error: ServiceError): string {
  const byPosition = [...messagesByPosition(error.messages, Number.POSITIVE_INFINITY).values()];
  return byPosition.length > 0 ? byPosition.join('; ') : messageOfFailure(error);
}
