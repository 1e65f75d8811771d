import { parseIdentifier } from '../../client/bulk-response.ts';
import { addMembers } from '../../client/operations.ts';
import type { BulkResponse } from '../../client/responses.ts';
import type { ServiceClient } from '../../client/service.ts';
import { ServiceError } from '../../client/service-error.ts';
import type { Redact } from '../../output/redact.ts';
import type { Clock } from '../../util/host.ts';
import type { ImportRun, Intent } from '../journal/import-run.ts';
import { toWireMember } from '../new-member.ts';
import type { FailedNote, Outcome, Outcomes } from '../outcome.ts';
import type { Batch, BatchPart, NamedRow } from './batch.ts';
import { isSlow } from './batch-size.ts';
import { CONSEQUENCES, unknownOutcomes } from './consequences.ts';
import { rejectedOutcome } from './response/already-member.ts';
import { classifyFailure, type Failure } from './response/classify-error.ts';
import { isActivated } from './response/compare-stored.ts';
import { type ResponseConventions, reconcile } from './response/reconcile.ts';

/** A request that had no outcome for so long was not worked on, in milliseconds. */
const STUCK_MS = 5_000;

/** The settings for what the interface leaves open (interface 4.2). */
export interface ServiceConventions extends ResponseConventions {
  /** The service's name for `deviceMgmtLabelId`. */
  readonly deviceMgmtLabelId: string;
}

export interface RequestContext {
  readonly run: ImportRun;
  readonly client: ServiceClient;
  readonly clock: Clock;
  readonly conventions: ServiceConventions;
}

/** The result of one request. The outcomes of its rows are in the journal already. */
export type RequestResult = ResponseResult | FailureResult;

interface EndedRequest {
  /** When orgadm began to send it, in milliseconds since the epoch. */
  readonly sentAtMs: number;
}

export interface ResponseResult extends EndedRequest {
  readonly kind: 'response';
  /** Whether the service worked on it for so long that it is slow. */
  readonly isSlow: boolean;
  /** Whether it settles the outcome of at least one row. */
  readonly isUsable: boolean;
  /** Whether it lists created members of the request, none of which may be certain. */
  readonly listsMembers: boolean;
  /** People who were sent as inactive, and are stored as active. */
  readonly activated: number;
  readonly inconsistencies: readonly string[];
}

interface FailureResult extends EndedRequest {
  readonly kind: 'failure';
  readonly failure: Failure;
  readonly error: ServiceError;
}

/**
 * Sends a part of a batch in one request (interface 4.2): logs the intent before, and the outcomes after. Only rows whose
 * outcome the response proves get a final state.
 *
 * @throws JournalWriteError
 */
export async function sendRequest(batch: Batch, part: BatchPart, context: RequestContext): Promise<RequestResult> {
  const { run, client, clock, conventions } = context;
  const { rows } = part;
  const sentAtMs = clock.now();
  const numbers = rows.map(({ number }) => number);
  const { request, endsAt } = await run.begin(numbers, intentOf(batch, part));
  const begunAtMs = clock.now();
  const tookMs = () => clock.now() - begunAtMs;
  const finish = (outcomes: Outcomes, isTimeout = false) => {
    run.finish(request, outcomes, { isStuck: isTimeout || tookMs() >= STUCK_MS, isTimeout });
  };
  try {
    const members = rows.map(({ member }) => toWireMember(member, conventions.deviceMgmtLabelId));
    const response = withoutKey(await addMembers(client, members, { endsAt }), client.redact);
    const { outcomes, ...result } = readResponse(part, response, context);
    finish(outcomes);
    return { sentAtMs, isSlow: isSlow(tookMs(), client.timeoutMs), ...result };
  } catch (error) {
    if (!(error instanceof ServiceError)) {
      // An internal error: the request may have been sent.
      finish(unknownOutcomes(rows, 'orgadm failed while it handled this request'));
      throw error;
    }
    const failure = classifyFailure(error, rows.length);
    const { rows: outcomesOf } = CONSEQUENCES[failure.kind];
    const isTimeout = error.code === 'timeout' && error.status === undefined;
    finish(outcomesOf({ batch, part, failure, error, sentAtMs }, conventions.existing), isTimeout);
    return { kind: 'failure', sentAtMs, failure, error };
  }
}

/** Removes the key from what the journal may keep of a response: from all texts but the user IDs, by which rows are matched. */
function withoutKey(response: BulkResponse, redact: Redact): BulkResponse {
  const json = JSON.stringify(response);
  if (redact(json) === json) return response;
  return JSON.parse(json, (name, value) => (typeof value === 'string' && name !== 'userId' ? redact(value) : value));
}

function intentOf({ purpose, probed }: Batch, { rows }: BatchPart): Intent {
  if (purpose !== 'probe') return { purpose };
  return { purpose, probed: probed ?? 0, userIds: rows.map(({ member }) => member.userId) };
}

/** Records rows that have failed without a request of their own. */
export function failRows(failed: readonly NamedRow[], { run, conventions }: RequestContext, note?: FailedNote): void {
  const rows = failed.map(
    ({ row, message }) => [row.number, rejectedOutcome(message, conventions.existing, note)] as const,
  );
  run.finish(0, new Map(rows));
}

function readResponse(
  { rows, named = [] }: BatchPart,
  response: BulkResponse,
  { run, conventions }: RequestContext,
): Omit<ResponseResult, 'sentAtMs' | 'isSlow'> & { readonly outcomes: Outcomes } {
  const members = rows.map(({ member }) => member);
  const reconciled = reconcile(members, response, conventions);
  recordFacts(run, response);
  const { listsMembers, inconsistencies } = reconciled;
  const isUsable = reconciled.outcomes.some(({ state }) => state !== 'unknown');
  const activated = reconciled.outcomes.filter(({ mismatches = [] }) => mismatches.some(isActivated)).length;
  const outcomes = new Map<number, Outcome>();
  for (const [at, { number }] of rows.entries()) {
    const outcome = reconciled.outcomes[at];
    if (outcome !== undefined) outcomes.set(number, outcome);
  }
  // The service has accepted the request without them, which proves the names.
  if (isUsable)
    for (const { row, message } of named) outcomes.set(row.number, rejectedOutcome(message, conventions.existing));
  return { kind: 'response', outcomes, isUsable, listsMembers, activated, inconsistencies };
}

/** Records what a response shows about the entire run, and no earlier one has shown. */
function recordFacts(run: ImportRun, { authType, authenticatedUser: user }: BulkResponse): void {
  const { facts } = run.state;
  const id = parseIdentifier(user?.id);
  const email = user?.email ?? undefined;
  const authenticatedUser = { ...(id !== undefined && { id }), ...(email !== undefined && { email }) };
  const news = {
    ...(facts.authType === undefined && authType != null && { authType }),
    ...(facts.authenticatedUser === undefined && user != null && { authenticatedUser }),
  };
  if (Object.keys(news).length > 0) run.note(news);
}
