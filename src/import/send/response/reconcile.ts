import { type Member, memberUserId, parseIdentifier } from '../../../client/bulk-response.ts';
import { extractErrorMessages } from '../../../client/error-messages.ts';
import type { BulkResponse } from '../../../client/responses.ts';
import { saysFailure } from '../../../client/success.ts';
import { countOf } from '../../../util/units.ts';
import type { NewMember } from '../../new-member.ts';
import type { Outcome } from '../../outcome.ts';
import { rejectedOutcome } from './already-member.ts';
import { compareStored } from './compare-stored.ts';
import { matchErrors } from './match-errors.ts';
import { shortenMessage } from './row-messages.ts';

/** Why the outcome of a row is unknown although there is a response. */
const UNMENTIONED = 'the response does not mention it';
/** Why a row that a response lists as created may not be: it may be the row of such an error. */
const LOST_ERROR = 'the response has an error that orgadm cannot match to a row';
/** Why no row that a response lists as created may be: the service may have rolled all of them back. */
const FAILED = 'the response lists it as created, but says that the request failed';

/** The settings for what the interface leaves open about responses (interface 4.2). */
export interface ResponseConventions {
  /** Phrases of messages for a user who is already a member. */
  readonly existing: readonly string[];
}

export interface Reconciled {
  /** One for each member, in the order of the request. */
  outcomes: Outcome[];
  /** Whether the response lists created members of the request, none of which may be certain. */
  listsMembers: boolean;
  /** How the response contradicts its request, one sentence each. */
  inconsistencies: string[];
}

/**
 * Attributes a response of the bulk operation (interface 4.2) to the members of its request: by userId, and by index only if
 * that is all that errors have, and fits exactly. Does not rely on order or completeness, and does not read the summary.
 *
 * @param sent the members of the request, each user once
 */
export function reconcile(
  sent: readonly NewMember[],
  response: BulkResponse,
  conventions: ResponseConventions,
): Reconciled {
  const positions = new Map(sent.map(({ userId }, position) => [userId, position]));
  const created = matchCreated(response.created ?? [], positions);
  const { members } = created;
  const errors = matchErrors(response.errors ?? [], positions, members);
  const unmentioned = sent.filter((_, at) => members[at] === undefined && errors.messages[at] === undefined);
  const failure = failureText(response);
  const detail = failure ? `: ${failure}` : '';
  // It is about all rows unless there are errors, which explain it.
  const isFailed = failure !== undefined && (response.errors ?? []).length === 0;
  const doubts = {
    // A lost error may be about any row.
    whyUncertain: errors.lost > 0 ? LOST_ERROR : isFailed ? `${FAILED}${detail}` : undefined,
    // If there are more unidentified members than unmatched rows, an error must be wrong.
    isErrorDoubtful: created.unidentified > unmentioned.length,
    whyUnmentioned: `${UNMENTIONED}${detail}`,
  };
  const outcomes = sent.map((wanted, at): Outcome => {
    const member = members[at];
    const outcome = rowOutcome(member, errors.messages[at]?.join('; '), doubts, conventions.existing);
    if (member === undefined) return outcome;
    // Also of a row that is not certain: someone who was sent as inactive may be active.
    const mismatches = compareStored(wanted, member);
    const memberships = created.memberships.get(at);
    return { ...outcome, ...(memberships && { memberships }), ...(mismatches.length > 0 && { mismatches }) };
  });
  const listsMembers = members.some((member) => member !== undefined);
  const inconsistencies = [...created.inconsistencies, ...errors.inconsistencies];
  return { outcomes, listsMembers, inconsistencies };
}

/** What a response leaves open about the rows that it does not list as created. */
interface Doubts {
  readonly whyUncertain: string | undefined;
  readonly isErrorDoubtful: boolean;
  readonly whyUnmentioned: string;
}

/** Returns what a successful response says about a failure, such as `quota exceeded`, or an empty text. Undefined if it names none. */
function failureText({ created: _, errors: __, ...others }: BulkResponse): string | undefined {
  return saysFailure(others) ? extractErrorMessages(JSON.stringify(others)).join('; ') : undefined;
}

/**
 * Returns the outcome of a row.
 *
 * @param member the created member that the response lists for it
 * @param message of the errors about it
 * @param phrases the setting `wire.member.existing`
 */
function rowOutcome(
  member: Member | undefined,
  message: string | undefined,
  { whyUncertain, isErrorDoubtful, whyUnmentioned }: Doubts,
  phrases: readonly string[],
): Outcome {
  const unknown = (reason: string): Outcome => ({ state: 'unknown', message: shortenMessage(reason) });
  if (message === undefined) {
    if (member === undefined) return unknown(whyUnmentioned);
    return whyUncertain !== undefined
      ? unknown(whyUncertain)
      : { state: 'created', memberId: parseIdentifier(member.id) };
  }
  if (member !== undefined) return unknown(`the response lists it as created and as failed: ${message}`);
  if (isErrorDoubtful) return unknown(`it may be one of the created members without a userId: ${message}`);
  return rejectedOutcome(message, phrases);
}

/** The created members that a response lists, by position. */
interface Created {
  readonly members: readonly (Member | undefined)[];
  /** The IDs of the active memberships of users with two or more. */
  readonly memberships: ReadonlyMap<number, readonly string[]>;
  /** Number of members without a userId. */
  readonly unidentified: number;
  readonly inconsistencies: readonly string[];
}

/**
 * Matches the created members. One that is listed twice is one membership, and a deactivated one next to the new one does not
 * count.
 */
function matchCreated(listed: readonly Member[], positions: ReadonlyMap<string, number>): Created {
  const members: (Member | undefined)[] = [];
  const repeated = new Map<number, Member[]>();
  let [unmatched, unidentified] = [0, 0];
  for (const member of listed) {
    const userId = memberUserId(member);
    if (userId === undefined) unidentified++;
    const at = userId === undefined ? undefined : positions.get(userId);
    const first = at === undefined ? undefined : members[at];
    if (at === undefined) unmatched++;
    else if (first === undefined) members[at] = member;
    else repeated.set(at, [...(repeated.get(at) ?? [first]), member]);
  }
  const memberships = new Map<number, string[]>();
  for (const [at, all] of repeated) {
    const active = all.filter(({ isActive }) => isActive !== false);
    const ids = new Set(active.flatMap(({ id }) => parseIdentifier(id) ?? []));
    if (ids.size > 1) memberships.set(at, [...ids]);
    members[at] = active[0] ?? newestOf(all);
  }
  const inconsistencies =
    unmatched > 0 ? [`the response lists ${countOf(unmatched, 'created member')} that the request did not name`] : [];
  return { members, memberships, unidentified, inconsistencies };
}

/** Returns the membership that was created last, or the first one: if a person was sent as inactive, the new one is, too. */
function newestOf(members: readonly Member[]): Member | undefined {
  const createdMs = ({ createdAt }: Member) => Date.parse(String(createdAt)) || 0;
  return members.toSorted((a, b) => createdMs(b) - createdMs(a))[0];
}
