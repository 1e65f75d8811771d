import type { ServiceError } from '../../../client/service-error.ts';
import { messagesByPosition } from './row-messages.ts';

/**
 * The class of a bulk request without a usable response (`../consequences.ts` says what follows from it):
 * - `rate-limited`: nothing was processed, because the service limits requests (429)
 * - `not-processed`: nothing was processed, because there was no connection, or the service rejects every other request, too
 * - `too-large`: rejected because of its size
 * - `seems-too-large`: rejected with a message about its size; the members may be at fault nevertheless
 * - `rejected`: rejected because of its members
 * - `unknown`: the outcome of its rows is unknown
 */
export type FailureClass = 'rate-limited' | 'not-processed' | 'too-large' | 'seems-too-large' | 'rejected' | 'unknown';

/** A failure, and what its message says about the request. */
export interface Failure {
  readonly kind: FailureClass;
  /** The number of members that a message about the size names, if it helps. */
  readonly limit?: number | undefined;
  /** What the messages of a rejection say about the positions in the request that they name. */
  readonly named?: ReadonlyMap<number, string>;
}

/**
 * Classifies a failed bulk request (interface 4.2; 7 leaves all of it open).
 *
 * @param sent number of members in the request
 */
export function classifyFailure(error: ServiceError, sent: number): Failure {
  const { status, isAmbiguous } = error;
  if (isAmbiguous) return { kind: 'unknown' };
  if (status === undefined) return { kind: 'not-processed' };
  return listsCreatedMembers(error) ? { kind: 'unknown' } : classifyRejection(error, status, sent);
}

/** Returns the message of a failure in full: the service's own, if it has one. */
export function messageOfFailure(error: ServiceError): string {
  return error.messages.join('; ') || error.message;
}

/** The statuses with which a service rejects members: it has read them. */
const ABOUT_MEMBERS: ReadonlySet<number> = new Set([400, 422]);

/** Whether a rejection lists members that were created nevertheless. */
function listsCreatedMembers({ response }: ServiceError): boolean {
  return response !== undefined && /"created"\s*:\s*\[\s*[^\s\]]/.test(response.text);
}

function classifyRejection(error: ServiceError, status: number, sent: number): Failure {
  if (status === 429) return { kind: 'rate-limited' };
  const message = messageOfFailure(error);
  if (status === 413) return { kind: 'too-large', limit: limitIn(message, sent) };
  if (!ABOUT_MEMBERS.has(status)) return { kind: 'not-processed' };
  const named = messagesByPosition(error.messages, sent);
  const limit = named.size === 0 && isAboutSize(message) ? limitIn(message, sent) : undefined;
  return limit === undefined ? { kind: 'rejected', named } : { kind: 'seems-too-large', limit };
}

/** Whether a message is about the number of members in the request, and not about a field or the customer's plan. */
function isAboutSize(message: string): boolean {
  const limit = /\b(max(imum)?|at most|no more than|too (many|large|big|long)|limit(ed)?|exceed\w*|up to)\b/i;
  const many =
    /\b(members|entries|items|elements|rows|records|people|users|objects|batch|bulk|list|array|request|payload|body)\b/i;
  return limit.test(message) && many.test(message);
}

/** Returns the largest number in a message that counts members and is smaller than what was sent; thousands may be grouped (`1,000`). */
function limitIn(message: string, sent: number): number | undefined {
  const numbers = [
    ...message.matchAll(/(?<![\w.-])(?:\d{1,3}(?:,\d{3})+|\d+)(?![\w.]|\s*(?:[kmg]i?b|byte|char|second|minute|%))/gi),
  ]
    .map(([text]) => Number(text.replaceAll(',', '')))
    // The status of the response itself, as an HTML page shows it.
    .filter((number) => number !== 413);
  const fitting = numbers.filter((number) => number > 0 && number < sent);
  return fitting.length === 0 ? undefined : Math.max(...fitting);
}
