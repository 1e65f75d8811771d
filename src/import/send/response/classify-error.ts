import type { ServiceError } from '../../../client/service-error.ts';
import { messagesByPosition } from './row-messages.ts';

/**
 * The class of a bulk request without a usable response (`../consequences.ts` says what follows from it):
 * - `rate-limited`: nothing was processed, because the service limits requests (429)
 * - `not-processed`: nothing was processed, because there was no connection, or the service rejects every other request, too
 * - `too-large`: rejected because of its size
 * - `rejected`: rejected because of its members
 * - `unknown`: the outcome of its rows is unknown
 */
export type FailureClass = 'rate-limited' | 'not-processed' | 'too-large' | 'rejected' | 'unknown';

/** A failure, and what its message says about the request. */
export interface Failure {
  readonly kind: FailureClass;
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
  if (status === 413) return { kind: 'too-large' };
  if (!ABOUT_MEMBERS.has(status)) return { kind: 'not-processed' };
  return { kind: 'rejected', named: messagesByPosition(error.messages, sent) };
}
