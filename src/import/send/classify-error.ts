import type { ServiceError } from '../../client/service-error.ts';
import { messagesByEntry } from './row-messages.ts';

/** What follows for the rows of a bulk request without a usable response. */
export type FailureClass =
  /** Proof that nothing was processed: the service limits requests (429). */
  | { kind: 'rate-limited'; retryAfterMs: number | undefined }
  /** Proof that nothing was processed: there was no connection. */
  | { kind: 'not-sent' }
  /**
   * The request has more entries than the service accepts at once. `limit` is the number in its message, if it helps;
   * `sure`: its status says so, not only its message.
   */
  | { kind: 'too-large'; limit: number | undefined; sure: boolean }
  /** Rejected because of its entries. `named`: what the messages say about positions in the request, or beyond it. */
  | { kind: 'rejected'; named: ReadonlyMap<number, string> }
  /** Nothing more is to be sent. `ambiguous`: these rows may have been added nevertheless. */
  | { kind: 'fatal'; ambiguous: boolean }
  /** The outcome of the rows is unknown. `mayBeRunning`: the service may be processing the request still. */
  | { kind: 'ambiguous'; reason: string; timedOut: boolean; mayBeRunning: boolean };

/** The 4xx that do not prove that nothing was processed. The others do, and every further request would get them too. */
const AMBIGUOUS_STATUS = new Set([408, 409, 425]);

/** Sent by gateways that gave up waiting for the service, which may keep processing the request. */
const GATEWAY_GAVE_UP = new Set<number | undefined>([408, 502, 503, 504, 520, 522, 524]);

export interface FailedRequest {
  /** Number of entries in the request. */
  sent: number;
  /** Whether the request was sent to resolve an ambiguous one: then the service has finished processing that one. */
  isConfirming: boolean;
  /** Whether a message says that a user is already a member. */
  isAlreadyMember: (message: string) => boolean;
}

/** Classifies a failed bulk request (interface 4.2 and 7 leave all of it open). */
export function classifyFailure(error: ServiceError, request: FailedRequest): FailureClass {
  const { status } = error;
  if (error.kind === 'certificate') return { kind: 'fatal', ambiguous: false };
  if (error.kind === 'redirect') return { kind: 'fatal', ambiguous: true };
  if (status === 429) return { kind: 'rate-limited', retryAfterMs: error.retryAfterMs };
  if (error.kind === 'rejected' && status !== undefined && status < 500) return classifyStatus(error, status, request);
  if (error.processed === 'no') return { kind: 'not-sent' };
  return ambiguous(error);
}

/** Returns the message of a failure in full: the service's own, if it has one. */
export function messageOfFailure(error: ServiceError): string {
  return error.messages.join('; ') || error.message;
}

function classifyStatus(error: ServiceError, status: number, request: FailedRequest): FailureClass {
  const { sent } = request;
  const message = messageOfFailure(error);
  if (status === 413) return { kind: 'too-large', limit: limitIn(message, sent), sure: true };
  const named = messagesByEntry(error.messages, Number.POSITIVE_INFINITY);
  if (status === 400 || status === 422) {
    if (![...named.keys()].some((at) => at < sent) && mentionsSize(message))
      return { kind: 'too-large', limit: limitIn(message, sent), sure: false };
    return { kind: 'rejected', named };
  }
  // A conflict with one entry shows nothing about the others: they may have been added before it. When the rows are being
  // confirmed, the service has finished processing them, so a batch that still conflicts can be split.
  const isAboutEntries =
    sent === 1
      ? request.isConfirming || request.isAlreadyMember(message)
      : request.isConfirming && request.isAlreadyMember(message);
  if (status === 409 && isAboutEntries) return { kind: 'rejected', named };
  if (AMBIGUOUS_STATUS.has(status)) return ambiguous(error);
  return { kind: 'fatal', ambiguous: false };
}

function ambiguous({ kind, status, message }: ServiceError): FailureClass {
  const timedOut = kind === 'timeout';
  const isLost = timedOut || kind === 'interrupted' || kind === 'aborted';
  const mayBeRunning = isLost || GATEWAY_GAVE_UP.has(status);
  return { kind: 'ambiguous', reason: message, timedOut, mayBeRunning };
}

/** Whether a message is about the size of the request itself, and not about that of a field or of the customer's plan. */
function mentionsSize(message: string): boolean {
  const limit = /\b(max(imum)?|at most|no more than|too (many|large|big|long)|limit(ed)?|exceed\w*|up to)\b/i;
  const many =
    /\b(members|entries|items|elements|rows|records|people|users|objects|batch|bulk|list|array|request|payload|body)\b/i;
  return limit.test(message) && many.test(message);
}

/** Returns the largest number in a message that counts entries and is smaller than what was sent; thousands may be grouped (`1,000`). */
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
