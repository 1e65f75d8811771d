import { randomBytes, randomUUID } from 'node:crypto';
import type { MemberRequestEntry } from '../../client/add-members.ts';
import { entryIndex, memberUserId, parseIdentifier } from '../../client/bulk-response.ts';
import type { BulkResponse } from '../../client/response-schemas.ts';
import { maskPeople, matchesPhrase, NO_MESSAGE } from '../../import/send/already-member.ts';
import { reconcile } from '../../import/send/reconcile.ts';
import { messagesByEntry } from '../../import/send/row-messages.ts';
import type { Calibration } from '../schema/setup-output.ts';

/** What a calibration sends entries for. */
export interface CalibrationPlan {
  /** A user who is a member already. */
  member: string;
  /** A user who cannot exist. */
  unknownUser: string;
  role: string;
  department: string;
  /** What the service calls `deviceMgmtLabelId`. */
  labelName: string;
}

export type Entries = readonly MemberRequestEntry[];

/** A label that any service accepts as an integer. It is only stored if the service adds a member. */
const LABEL = 1;

/** The entries of the first request: the member and the unknown user, in this order. */
export function probeEntries(plan: CalibrationPlan, withLabel: boolean): Entries {
  const { member, unknownUser, role, department, labelName } = plan;
  const label = withLabel ? { [labelName]: LABEL } : {};
  return [member, unknownUser].map((userId) => ({ userId, role, department, ...label }));
}

/** The entries of the second request: the member, and the unknown user without a role. */
export function malformedEntries({ member, unknownUser, role, department }: CalibrationPlan): Entries {
  return [
    { userId: member, role, department },
    { userId: unknownUser, role: '', department },
  ];
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns an identifier of the same kind that no user has: a service may check how identifiers are written. */
export function nonexistentIdLike(userId: string): string {
  if (UUID.test(userId)) return randomUUID();
  const prefix = /^[A-Za-z]{1,10}[_-]/.exec(userId)?.[0] ?? '';
  return `${prefix}orgadmdoctor${randomBytes(8).toString('hex')}`;
}

/**
 * Returns the members that a response lists as created, and those that only its summary counts.
 *
 * @param sent number of entries in the request
 */
export function addedBy({ created, errors, summary }: BulkResponse, sent: number): Calibration['added'] {
  const listed = (created ?? []).map((member) => ({
    userId: memberUserId(member) ?? null,
    memberId: parseIdentifier(member.id) ?? null,
  }));
  const unmentioned = Math.max(0, sent - listed.length - (errors ?? []).length);
  const counted = Math.min(unmentioned, Math.max(0, (summary?.successful ?? 0) - listed.length));
  return [...listed, ...Array.from({ length: counted }, () => ({ userId: null, memberId: null }))];
}

/** What the response to the first request shows; null for what it leaves open. */
interface ProbeResult {
  indexBase: 0 | 1 | null;
  /** Why the base is null. */
  indexBaseReason: string | null;
  memberMessage: string | null;
  unknownMessage: string | null;
}

/** Reads the response to the entries of `probeEntries`. */
export function readProbeResponse({ member, unknownUser }: CalibrationPlan, response: BulkResponse): ProbeResult {
  const base = indexBaseOf([member, unknownUser], response);
  const { outcomes } = reconcile([member, unknownUser], response, base.indexBase ?? undefined);
  const [memberMessage = null, unknownMessage = null] = outcomes.map((outcome) =>
    outcome.kind === 'error' && outcome.message !== NO_MESSAGE ? outcome.message : null,
  );
  if (memberMessage !== null || unknownMessage !== null) return { ...base, memberMessage, unknownMessage };
  return { ...base, ...messagesByMention(unknownUser, response) };
}

type ProbedBase = Pick<ProbeResult, 'indexBase' | 'indexBaseReason'>;

/** The base that all errors agree on. */
function indexBaseOf(userIds: readonly string[], { errors }: BulkResponse): ProbedBase {
  const bases: number[] = [];
  const unnamed: number[] = [];
  for (const error of errors ?? []) {
    const index = entryIndex(error);
    if (index === undefined) continue;
    const userId = memberUserId(error)?.toLowerCase();
    const at = userIds.findIndex((id) => id.toLowerCase() === userId);
    if (at >= 0) bases.push(index - at);
    else unnamed.push(index);
  }
  // Errors without a user: the two entries are both rejected, so the smaller index is the first one's.
  const [first = 0, second = 0] = unnamed;
  if (bases.length === 0 && unnamed.length === userIds.length && Math.abs(first - second) === 1) {
    bases.push(Math.min(first, second));
  }
  const [base] = bases;
  const open = (indexBaseReason: string) => ({ indexBase: null, indexBaseReason });
  if (base === undefined) return open('the errors have no usable index');
  if (bases.some((other) => other !== base)) return open('the indexes of the errors contradict each other');
  if (base !== 0 && base !== 1) return open(`the indexes of the errors count from ${base}`);
  return { indexBase: base, indexBaseReason: null };
}

type ProbeMessages = Pick<ProbeResult, 'memberMessage' | 'unknownMessage'>;

/** Two errors that name neither user nor index: the one that quotes the unknown id is about it. */
function messagesByMention(unknownUser: string, response: BulkResponse): ProbeMessages {
  const isAbout = (message: string) => message.toLowerCase().includes(unknownUser.toLowerCase());
  const messages = errorTexts(response).filter((message) => message !== '');
  const [unknownMessage = null] = messages.filter(isAbout);
  const [memberMessage = null] = messages.filter((message) => !isAbout(message));
  const isUnambiguous = memberMessage !== null && unknownMessage !== null && messages.length === 2;
  return isUnambiguous ? { memberMessage, unknownMessage } : { memberMessage: null, unknownMessage: null };
}

/** The messages of the errors in a response. */
export function errorTexts({ errors }: BulkResponse): string[] {
  return (errors ?? []).flatMap(({ error }) => (typeof error === 'string' ? [error] : []));
}

/** Position of the malformed entry in `malformedEntries`, from 0. */
const MALFORMED_AT = 1;

/**
 * Reads the messages of a 400 for the entries of `malformedEntries`.
 *
 * @returns the base of the numbers in `members.<number>`; null if they name no entry, or more than one
 */
export function namesBaseOf(messages: readonly string[]): 0 | 1 | null {
  const [number, ...others] = messagesByEntry(messages, Number.POSITIVE_INFINITY).keys();
  if (others.length > 0) return null;
  return number === MALFORMED_AT ? 0 : number === MALFORMED_AT + 1 ? 1 : null;
}

/** Longer messages are not turned into a phrase. */
const MAX_PHRASE = 300;
/** A phrase with fewer letters would match unrelated messages. */
const MIN_LETTERS = 6;

/**
 * Turns a message about one user into a phrase that the same message about any other user matches: `*` matches names,
 * identifiers and e-mail addresses.
 *
 * @returns null if nothing specific is left of the message
 */
export function phraseOf(message: string, userIds: readonly string[]): string | null {
  const masked = maskPeople(userIds.reduce((text, userId) => text.replaceAll(userId, '#'), message));
  const phrase = masked
    .replaceAll(/[@#"*]+/g, '*')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const letters = phrase.match(/\p{L}/gu)?.length ?? 0;
  return letters < MIN_LETTERS || phrase.length > MAX_PHRASE ? null : phrase;
}

/** The phrases for a member and for an unknown user; null for one that would match the other's message as well. */
export function distinctPhrases(
  { memberMessage, unknownMessage }: ProbeMessages,
  { member, unknownUser }: CalibrationPlan,
): { existing: string | null; unknown: string | null } {
  const phrase = (message: string | null, other: string | null) => {
    const found = message === null ? null : phraseOf(message, [member, unknownUser]);
    return found !== null && other !== null && matchesPhrase(other, found) ? null : found;
  };
  return { existing: phrase(memberMessage, unknownMessage), unknown: phrase(unknownMessage, memberMessage) };
}
