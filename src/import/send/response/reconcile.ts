import {
  errorIndex,
  type Member,
  type MemberError,
  memberUserId,
  parseIdentifier,
} from '../../../client/bulk-response.ts';
import type { BulkResponse } from '../../../client/response-schemas.ts';
import { isJsonObject } from '../../../util/json/json-object.ts';
import { countOf } from '../../../util/units.ts';
import type { IndexBase } from '../../journal/records.ts';
import type { NewMember } from '../../new-member.ts';
import type { Outcome } from '../../outcome.ts';
import { rejectedOutcome } from './already-member.ts';
import { compareStored } from './compare-stored.ts';
import { shortenMessage } from './row-messages.ts';

/** The base of the indexes that the errors of a run prove; `mixed` if they contradict each other. */
type ProvenBase = IndexBase | 'mixed' | undefined;

/** Replaces the message of an error that has none. */
const NO_MESSAGE = 'rejected without a message';

/** Why a row that a response lists as created may not be. */
const UNCERTAIN = 'the response has an error that orgadm cannot match to a row';

/** The settings for what the interface leaves open about responses (interface 4.2). */
export interface ResponseConventions {
  /** Phrases of messages for a user who is already a member. */
  readonly existing: readonly string[];
  /** The number of the first member in `errors[].index`; undefined if the responses have to prove it. */
  readonly errorIndexBase: IndexBase | undefined;
}

export interface Reconciled {
  /** One for each member, in the order of the request. */
  outcomes: Outcome[];
  /** Whether the response lists created members of the request, none of which may be certain. */
  listsMembers: boolean;
  /** The base that the errors of the run prove, including those of this response. */
  base: ProvenBase;
  /** How the response contradicts its request or the settings, one sentence each. */
  inconsistencies: string[];
}

/**
 * Attributes a response of the bulk operation (interface 4.2) to the members of its request: by userId first, by index
 * only for errors that name no user of the request. Does not rely on order or completeness, and does not read the summary.
 *
 * @param sent the members of the request, each user once
 * @param base what the errors of earlier responses of this run prove
 * @param conventions the index base of the settings counts unless a response proves another one
 */
export function reconcile(
  sent: readonly NewMember[],
  response: BulkResponse,
  base: ProvenBase,
  { existing, errorIndexBase: configured }: ResponseConventions,
): Reconciled {
  const positions = new Map(sent.map(({ userId }, at) => [userId, at]));
  const members: (Member | undefined)[] = [];
  const repeated = new Map<number, Member[]>();
  const messages: Messages = [];
  const inconsistencies: string[] = [];

  let unmatchedCreated = 0;
  let unidentified = 0;
  for (const member of response.created ?? []) {
    const userId = memberUserId(member);
    if (userId === undefined) unidentified++;
    const at = userId === undefined ? undefined : positions.get(userId);
    if (at === undefined) unmatchedCreated++;
    else {
      const first = members[at];
      if (first === undefined) members[at] = member;
      else repeated.set(at, [...(repeated.get(at) ?? [first]), member]);
    }
  }
  if (unmatchedCreated > 0)
    inconsistencies.push(
      `the response lists ${countOf(unmatchedCreated, 'created member')} that the request did not name`,
    );
  const memberships = readRepeated(repeated, members);

  const unnamed: MemberError[] = [];
  for (const error of response.errors ?? []) {
    const userId = memberUserId(error);
    const at = userId === undefined ? undefined : positions.get(userId);
    // A service may name the user in another way than the request, such as by email address.
    if (at === undefined) unnamed.push(error);
    else {
      addMessage(messages, at, messageOf(error));
      base = combine(base, inferIndexBase(error, at));
    }
  }

  if (base !== undefined && configured !== undefined && base !== configured) {
    inconsistencies.push(
      `errors[].index counts from ${base}, although the setting wire.member.errorIndexBase is ${configured}`,
    );
  }
  const attributed = attributeByIndex(unnamed, base ?? configured, sent.length, members, messages);
  // A setting proves nothing: it must not be recorded as what the service was found to do.
  if (configured === undefined) base = attributed.base;
  const { lost } = attributed;
  if (lost > 0) inconsistencies.push(`orgadm cannot match ${lost} of the errors in the response to a row`);

  // If there are more unidentified members than unmatched rows, an error must be wrong.
  const unmentioned = sent.filter((_, at) => members[at] === undefined && messages[at] === undefined);
  const isDoubtful = unidentified > unmentioned.length;

  const stateAt = (at: number): Outcome => {
    const member = members[at];
    const message = messages[at]?.join('; ');
    if (message === undefined) {
      if (member === undefined) return unknown('the response does not mention it');
      // One of these errors may be about this row.
      if (lost > 0) return unknown(UNCERTAIN);
      return { state: 'created', memberId: parseIdentifier(member.id) };
    }
    if (member !== undefined) return unknown(`the response lists it as created and as failed: ${message}`);
    if (isDoubtful) return unknown(`it may be one of the created members without a userId: ${message}`);
    return rejectedOutcome(message, existing);
  };
  const outcomes = sent.map((wanted, at): Outcome => {
    const outcome = stateAt(at);
    const member = members[at];
    if (member === undefined) return outcome;
    // Also of a row that is not certain: someone who was sent as inactive may be active.
    const mismatches = compareStored(wanted, member);
    const ids = memberships.get(at);
    return {
      ...outcome,
      ...(ids !== undefined && { memberships: ids }),
      ...(mismatches.length > 0 && { mismatches }),
    };
  });
  const listsMembers = members.some((member) => member !== undefined);
  return { outcomes, listsMembers, base, inconsistencies };
}

function unknown(reason: string): Outcome {
  return { state: 'unknown', message: shortenMessage(reason) };
}

/** The different messages on each member; few responses have any. */
type Messages = (string[] | undefined)[];

function addMessage(messages: Messages, at: number, message: string): void {
  const earlier = messages[at];
  if (earlier === undefined) messages[at] = [message];
  else if (!earlier.includes(message)) earlier.push(message);
}

/**
 * Returns the IDs of the active memberships of users with two or more, by position. A member that is listed twice is one
 * membership, and a deactivated one next to the new one does not count. An active member replaces a deactivated one in `members`.
 */
function readRepeated(
  repeated: ReadonlyMap<number, readonly Member[]>,
  members: (Member | undefined)[],
): Map<number, string[]> {
  const memberships = new Map<number, string[]>();
  for (const [at, listed] of repeated) {
    const active = listed.filter(({ isActive }) => isActive !== false);
    const ids = new Set(active.flatMap(({ id }) => parseIdentifier(id) ?? []));
    if (ids.size > 1) memberships.set(at, [...ids]);
    members[at] = active[0] ?? listed[0];
  }
  return memberships;
}

function combine(known: ProvenBase, inferred: IndexBase | undefined): ProvenBase {
  if (inferred === undefined) return known;
  return known === undefined || known === inferred ? inferred : 'mixed';
}

/** An error that names its user and its index proves the base. */
function inferIndexBase(error: MemberError, at: number): IndexBase | undefined {
  const index = errorIndex(error);
  if (index === at) return 0;
  return index === at + 1 ? 1 : undefined;
}

/**
 * Attributes errors that name no user of the request by their index. A known base counts if every such error then points at a row of the request,
 * also one that the response lists as created. Otherwise, a base is accepted only if every such error points at a row that the
 * response does not otherwise mention, and only if the other base does not fit as well. The only error of a request with one
 * member is about that member.
 */
function attributeByIndex(
  errors: readonly MemberError[],
  known: ProvenBase,
  size: number,
  members: readonly (Member | undefined)[],
  messages: Messages,
): { base: ProvenBase; lost: number } {
  const mayBe = (at: number) => at >= 0 && at < size && messages[at] === undefined;
  const isOpen = (at: number) => mayBe(at) && (known !== undefined || members[at] === undefined);
  const [only, ...others] = errors;
  if (size === 1 && only !== undefined && others.length === 0 && mayBe(0)) {
    addMessage(messages, 0, messageOf(only));
    return { base: known, lost: 0 };
  }
  if (known === 'mixed') return { base: known, lost: errors.length };
  const bases: readonly IndexBase[] = known === undefined ? [0, 1] : [known];
  const fitting = bases
    .map((base) => ({
      base,
      found: errors.map((error) => ({ at: (errorIndex(error) ?? Number.NaN) - base, message: messageOf(error) })),
    }))
    .filter(({ found }) => found.every(({ at }) => isOpen(at)));

  // Both fit only if the response leaves other rows out: then the index may refer to two rows.
  const [fit, ...otherFits] = fitting;
  if (fit === undefined || otherFits.length > 0) return { base: known, lost: errors.length };
  for (const { at, message } of fit.found) addMessage(messages, at, message);
  return { base: fit.base, lost: 0 };
}

/** Returns the text of an error, which may be an object with a message or a code. */
function messageOf({ error, message }: MemberError): string {
  const value = error ?? message;
  const texts = isJsonObject(value) ? [value.message, value.code] : Array.isArray(value) ? value : [value];
  const text = texts.find((one) => typeof one === 'string' && one.trim() !== '');
  if (typeof text === 'string') return text;
  return value == null || value === '' ? NO_MESSAGE : JSON.stringify(value);
}
