import { ServiceError } from '../../client/service-error.ts';
import { OrgadmError } from '../../util/errors.ts';
import type { DomainCheck } from './check-domain.ts';

/** How long a failure is retried that may be a short outage, in milliseconds. */
export const OUTAGE_MS = 60_000;
/** The longest pause between two looks meanwhile, in milliseconds. */
export const OUTAGE_PAUSE_MS = 15_000;

/**
 * Decides during a wait how long two failures are retried that polling may or may not fix:
 * - a 401 after the key was accepted, since services return 401 when they cannot look keys up
 * - no connection to a service that has not responded so far, since it may be restarting, or the base URL may be wrong
 *
 * A service that has responded once and is out of reach later is retried for as long as the wait lasts.
 */
export class OutageTracker {
  readonly #startedAt: number;
  /** When the present series of 401 began, by domain; milliseconds since the epoch. */
  readonly #rejectedSince = new Map<string, number>();
  #isKeyAccepted = false;
  #hasResponded = false;

  /** @param now milliseconds since the epoch, as everywhere here */
  constructor(now: number) {
    this.#startedAt = now;
  }

  /** Records the outcome of a look. */
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

  /** When the domain is given up unless the failure ends before; undefined if no such failure is present. */
  givenUpAt({ domain, error }: DomainCheck): number | undefined {
    if (error === undefined) return undefined;
    if (this.isRetried(error)) return (this.#rejectedSince.get(domain) ?? this.#startedAt) + OUTAGE_MS;
    const isUnreached = !this.#hasResponded && error instanceof ServiceError && error.kind === 'unreachable';
    return isUnreached ? this.#startedAt + OUTAGE_MS : undefined;
  }

  /** The same look, or one with a final error if its failure has lasted too long. */
  concluded(look: DomainCheck, now: number): DomainCheck {
    const { domain, error } = look;
    const givenUpAt = this.givenUpAt(look);
    if (error === undefined || givenUpAt === undefined || now < givenUpAt) return look;
    const lasted = `${OUTAGE_MS / 1_000} s`;
    const reason = isRejectedKey(error)
      ? `The key was accepted earlier in this run and has been rejected for ${lasted}: the service may be unable to look keys up, or the key was revoked meanwhile.`
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
