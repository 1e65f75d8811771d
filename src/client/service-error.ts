import { type ErrorDetails, OrgadmError } from '../util/errors.ts';
import type { IncomingHeaders } from './http/pending-request.ts';
import type { RateLimit } from './http/rate-limit-headers.ts';

/**
 * What kind of failure a request met:
 * - `refused`: an answer with an error status (4xx or 5xx), see `status`
 * - `unreachable`: no connection (DNS, refused, proxy); nothing was sent
 * - `certificate`: no trusted TLS connection
 * - `interrupted`: the connection was lost, or the answer was cut
 * - `timeout`: no answer, or no further byte of it, in time
 * - `not-understood`: what came is no answer that HTTP or the interface knows
 * - `too-large-answer`: the answer is larger than what is held in memory
 * - `redirect`: the service points elsewhere, which is never followed
 * - `aborted`: stopped by the caller
 */
export type ServiceErrorKind =
  | 'refused'
  | 'unreachable'
  | 'certificate'
  | 'interrupted'
  | 'timeout'
  | 'not-understood'
  | 'too-large-answer'
  | 'redirect'
  | 'aborted';

/** `no` is proof that the service processed nothing of the request; `maybe` is everything else. */
export type ProcessedState = 'no' | 'maybe';

/** The answer that a refusal came as. */
export interface ErrorResponse {
  headers: IncomingHeaders;
  /** The start of the body, as the service wrote it, the API key masked. */
  text: string;
}

export interface ServiceErrorDetails extends ErrorDetails {
  kind: ServiceErrorKind;
  processed: ProcessedState;
  /** The service's own words: untrusted text, bounded in length, not cleaned for a terminal. */
  messages?: readonly string[];
  /** How long the service asked to wait, in milliseconds. */
  retryAfterMs?: number | undefined;
  /** What the response says about the rate limit. */
  rateLimit?: RateLimit | undefined;
  response?: ErrorResponse | undefined;
}

/** A request that did not end in a 2xx answer. Never carries the API key, in no field and no cause. */
export class ServiceError extends OrgadmError {
  readonly kind: ServiceErrorKind;
  readonly processed: ProcessedState;
  readonly messages: readonly string[];
  readonly retryAfterMs: number | undefined;
  readonly rateLimit: RateLimit | undefined;
  /** There where the kind is `refused`. */
  readonly response: ErrorResponse | undefined;

  constructor(code: string, exitCode: number, message: string, details: ServiceErrorDetails) {
    super(code, exitCode, message, details);
    this.kind = details.kind;
    this.processed = details.processed;
    this.messages = details.messages ?? [];
    this.retryAfterMs = details.retryAfterMs;
    this.rateLimit = details.rateLimit;
    this.response = details.response;
  }
}
