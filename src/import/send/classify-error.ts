import type { ServiceError } from '../../client/http/service-error.ts';
import { messagesByPosition } from './row-messages.ts';

/** The consequence for the rows of a bulk request without a usable response. */
export type FailureClass =
  /** Nothing was processed: the service limits requests (429). */
  | { kind: 'rate-limited' }
  /** Nothing was processed: there was no connection. */
  | { kind: 'not-sent' }
  /** Rejected because of its size. `limit`: the number of members that its message names, if it helps. */
  | { kind: 'too-large'; limit: number | undefined; isCertain: boolean }
  /** Rejected because of its members. `named`: what the messages say about the positions in the request that they name. */
  | { kind: 'rejected'; named: ReadonlyMap<number, string> }
  /** Rejected, as every other request would be: nothing more is to be sent. */
  | { kind: 'fatal' }
  /** The outcome of the rows is unknown. */
  | { kind: 'unknown'; reason: string; timedOut: boolean };

/** The 4xx that do not prove that nothing was processed. */
const UNKNOWN_OUTCOME: ReadonlySet<number> = new Set([408, 409, 425, 499]);

/**
 * Classifies a failed bulk request (interface 4.2; 7 leaves all of it open).
 *
 * @param sent number of members in the request
 */
export function classifyFailure(error: ServiceError, sent: number): FailureClass {
  const { kind, status, processed, message } = error;
  if (kind === 'certificate' && processed === 'no') return { kind: 'fatal' };
  const isRejection = kind === 'rejected' && status !== undefined && status < 500 && !UNKNOWN_OUTCOME.has(status);
  if (isRejection && !mayListCreatedMembers(error, status)) return classifyRejection(error, status, sent);
  if (processed === 'no' && status === undefined) return { kind: 'not-sent' };
  return { kind: 'unknown', reason: message, timedOut: kind === 'timeout' };
}

/** Returns the message of a failure in full: the service's own, if it has one. */
export function messageOfFailure(error: ServiceError): string {
  return error.messages.join('; ') || error.message;
}

/** The statuses with which a service rejects members: it has read them. */
const ABOUT_MEMBERS: ReadonlySet<number> = new Set([400, 422]);

/** Whether a rejection lists members that were created nevertheless, or may do so in a part of its body that orgadm cannot read. */
function mayListCreatedMembers({ response }: ServiceError, status: number): boolean {
  if (response === undefined) return false;
  if (ABOUT_MEMBERS.has(status) && !response.isComplete) return true;
  return /"created"\s*:\s*\[\s*[^\s\]]/.test(response.text);
}

function classifyRejection(error: ServiceError, status: number, sent: number): FailureClass {
  if (status === 429) return { kind: 'rate-limited' };
  const message = messageOfFailure(error);
  if (status === 413) return { kind: 'too-large', limit: limitIn(message, sent), isCertain: true };
  if (status !== 400 && status !== 422) return { kind: 'fatal' };
  const named = messagesByPosition(error.messages, sent);
  const limit = named.size === 0 && isAboutSize(message) ? limitIn(message, sent) : undefined;
  return limit === undefined ? { kind: 'rejected', named } : { kind: 'too-large', limit, isCertain: false };
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
