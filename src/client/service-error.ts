import type { ErrorCode } from '../util/error-codes.ts';
import { type ErrorDetails, OrgadmError } from '../util/errors.ts';
import type { RateLimit } from './http/rate-limit-headers.ts';
import type { IncomingHeaders } from './http/transport.ts';

/**
 * How a request failed:
 * - `rejected`: a response with an error status (4xx or 5xx), see `status`
 * - `unreachable`: no connection (DNS, refused, proxy); nothing was sent
 * - `certificate`: no trusted TLS connection
 * - `interrupted`: the connection was lost, or the response was truncated
 * - `timeout`: no response, or no further byte of it, in time
 * - `invalid-response`: a response that is not valid HTTP or does not follow the interface
 * - `response-too-large`: the response exceeds the limit for memory
 * - `redirect`: redirects are never followed
 * - `aborted`: aborted by the caller
 */
export type ServiceErrorKind =
  | 'rejected'
  | 'unreachable'
  | 'certificate'
  | 'interrupted'
  | 'timeout'
  | 'invalid-response'
  | 'response-too-large'
  | 'redirect'
  | 'aborted';

/** `no` means that the service certainly processed nothing of the request. */
export type ProcessedState = 'no' | 'maybe';

/** The response of a rejected request. */
export interface ErrorResponse {
  headers: IncomingHeaders;
  /** The start of the body, with the API key masked. */
  text: string;
}

export interface ServiceErrorDetails extends ErrorDetails {
  kind: ServiceErrorKind;
  processed: ProcessedState;
  /** The service's own messages: untrusted text, bounded in length, not sanitized. */
  messages?: readonly string[];
  /** The wait that the service requested, in milliseconds. */
  retryAfterMs?: number | undefined;
  /** What the response says about the rate limit. */
  rateLimit?: RateLimit | undefined;
  response?: ErrorResponse | undefined;
}

/** A request that did not end in a 2xx response. Never contains the API key, in any field or cause. */
export class ServiceError extends OrgadmError {
  readonly kind: ServiceErrorKind;
  readonly processed: ProcessedState;
  readonly messages: readonly string[];
  readonly retryAfterMs: number | undefined;
  readonly rateLimit: RateLimit | undefined;
  /** Set if the kind is `rejected`. */
  readonly response: ErrorResponse | undefined;

  constructor(code: ErrorCode, exitCode: number, message: string, details: ServiceErrorDetails) {
    super(code, exitCode, message, details);
    this.kind = details.kind;
    this.processed = details.processed;
    this.messages = details.messages ?? [];
    this.retryAfterMs = details.retryAfterMs;
    this.rateLimit = details.rateLimit;
    this.response = details.response;
  }
}
