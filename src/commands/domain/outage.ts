import { ServiceError } from '../../client/service-error.ts';
import { OrgadmError } from '../../util/errors.ts';
import type { DomainCheck } from './check-domain.ts';

/** How long a possible outage is retried, in milliseconds. */
export const OUTAGE_MS = 60_000;
/** Longest pause between two checks during an outage, in milliseconds. */
export const OUTAGE_PAUSE_MS = 15_000;

/**
 * Decides how long two failures that polling may not fix are retried during a wait:
 * - a 401 after the key was accepted, since services return 401 when they cannot look keys up
 * - no connection to a service that has not responded so far, since it may be restarting, or the base URL may be wrong
 *
 * A service that has responded once and becomes unreachable later is retried for as long as the wait lasts.
 */
export class OutageTracker {
  readonly #startedAt: number;
  /** When the current series of 401 began, by domain; milliseconds since the epoch. */
  readonly #rejectedSince = new Map<string, number>();
  #isKeyAccepted = false;
  #hasResponded = false;

  /** @param now milliseconds since the epoch, as everywhere here */
  constructor(now: number) {
    this.#startedAt = now;
  }

  /** Records the result of a check. */
  record({ domain, status, error }: DomainCheck, now: number): void {
    this.#isKeyAccepted ||= status !== undefined;
    this.#hasResponded ||= status !== undefined || error?.status !== undefined;
    if (!isRejectedKey(error)) this.#rejectedSince.delete(domain);
    else if (!this.#rejectedSince.has(domain)) this.#rejectedSince.set(domain, now);
  }

  /** Whether this is a 401 that is retried. */
  isRetried(error: OrgadmError): boolean {
    return this.#isKeyAccepted && isRejectedKey(error);
  }

  /** Returns when the domain is given up unless the failure ends before; undefined without such a failure. */
  givenUpAt({ domain, error }: DomainCheck): number | undefined {
    if (error === undefined) return undefined;
    if (this.isRetried(error)) return (this.#rejectedSince.get(domain) ?? this.#startedAt) + OUTAGE_MS;
    const isUnreached = !this.#hasResponded && error instanceof ServiceError && error.kind === 'unreachable';
    return isUnreached ? this.#startedAt + OUTAGE_MS : undefined;
  }

  /** Returns the same check, or one with a final error if its failure has lasted too long. */
  concluded(check: DomainCheck, now: number): DomainCheck {
    const { domain, error } = check;
    const givenUpAt = this.givenUpAt(check);
    if (error === undefined || givenUpAt === undefined || now < givenUpAt) return check;
    const lasted = `${OUTAGE_MS / 1_000} s`;
    const reason = isRejectedKey(error)
      ? `The key was accepted earlier in this run and has been rejected for ${lasted}: the service may be unable to look keys up, or the key was revoked.`
      : `Tried for ${lasted}.`;
    // No ServiceError: those may be retried.
    const final = new OrgadmError(error.code, error.exitCode, error.message, {
      hint: isRejectedKey(error) ? reason : [reason, error.hint].filter(Boolean).join(' '),
      status: error.status,
      requestId: error.requestId,
      cause: error,
    });
    return { domain, ready: false, error: final };
  }
}

function isRejectedKey(error: OrgadmError | undefined): boolean {
  return error instanceof ServiceError && error.status === 401;
}
