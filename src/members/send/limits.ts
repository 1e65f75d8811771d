/* The defaults and bounds of a bulk run, in one place. The README tells those that a user can feel. */

/** Entries in one request; services seen take 1,000 at the most. */
export const DEFAULT_BATCH_SIZE = 500;
/** Requests under way at the same time. */
export const DEFAULT_CONCURRENCY = 4;
/** The least pause after the last unclear request before its rows are sent once more. */
export const DEFAULT_SETTLE = '10s';
/** The pause is also at least this many times the slowest answer so far. */
export const SETTLE_SLOWEST_FACTOR = 2;
/** How often rows of unclear fate are sent once more. */
export const CONFIRM_ROUNDS = 3;
/** Unclear requests in a row after which only probes are sent. */
export const BREAKER_THRESHOLD = 5;
/** Unclear probes in a row that end the run. */
export const BREAKER_PROBES = 3;
/** A longer Retry-After ends the run; it can be resumed. */
export const LONGEST_RETRY_AFTER_MS = 10 * 60_000;
/** Back-off before a request that is known not to have been processed is sent again: full jitter below a doubling cap. */
export const BACKOFF_BASE_MS = 500;
export const BACKOFF_CAP_MS = 30_000;
/** Retry-After is never undercut; up to this share of it is added, so that clients do not all come back at once. */
export const LIMIT_JITTER = 0.1;
/** Rows not added that a terminal shows; a pipe gets all of them. */
export const SHOWN_ROWS = 50;

/** Requests in a row, none of them accepted, that may be spent on guessing which rows of a refused batch are to blame. */
export function splitBudget(size: number): number {
  return Math.ceil(4 * (1 + Math.log2(Math.max(1, size))));
}
