/* Defaults and bounds of a bulk run, in one place. docs/import-engine.md lists those that a user can notice. */

/** Entries in one request. */
export const DEFAULT_BATCH_SIZE = 500;
/** Entries in one request under a rate limit, unless the service rejects so many: services seen accept 1,000 at most. */
export const RATE_LIMITED_BATCH_SIZE = 1000;
/** Requests in flight at the same time. */
export const DEFAULT_CONCURRENCY = 4;
/** The shortest pause after the last ambiguous request before its rows are sent again. */
export const DEFAULT_QUIET_PERIOD = '10s';
/** How long a service may keep processing a request whose connection is lost. */
export const DEFAULT_REQUEST_LIFETIME = '2m';
/** The pause is also at least this many times the slowest response so far. */
export const SLOWEST_RESPONSE_FACTOR = 2;
/** Rejected probes of one ambiguous request after which no further row of it is tried alone. */
export const MAX_REJECTED_PROBES = 3;
/** Largest accepted chance that the probes of an ambiguous request were all members before it was sent. */
export const MAX_COINCIDENCE = 0.01;
/** Ambiguous requests in a row that open the circuit breaker: then only probes are sent. */
export const BREAKER_THRESHOLD = 5;
/** Ambiguous probes in a row that end the run. */
export const BREAKER_PROBES = 3;
/** A longer Retry-After ends the run; it can be resumed. */
export const MAX_RETRY_AFTER_MS = 10 * 60_000;
/** How long to retry while the service is unreachable, or rejects a key that it accepted before. */
export const OUTAGE_PATIENCE_MS = 60_000;
/** How long a service may reject all requests because of its rate limit. */
export const RATE_LIMIT_PATIENCE_MS = 10 * 60_000;
/** First pause during an outage; it doubles up to eight times as long. A service that restarts is back within seconds. */
export const OUTAGE_BACKOFF_MS = 1_000;
