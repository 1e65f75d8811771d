import type { Doubts } from '../../client/gate.ts';
import { getDomainStatus } from '../../client/operations.ts';
import type { DomainStatus } from '../../client/responses.ts';
import type { ServiceClient } from '../../client/service.ts';
import { isReadyDomain, misconfiguredState } from '../../client/success.ts';
import { OrgadmError, withHint } from '../../util/errors.ts';
import { checkRecords, expectedRecords, type RecordCheck } from './dns-records.ts';
import { doubtStatus } from './domain-gate.ts';
import { mapConcurrently } from './map-concurrently.ts';

/** Number of domains to check at a time. */
export const CONCURRENT_DOMAINS = 4;

/** Whether a domain is ready, or what keeps it from being so. */
export type DomainState = 'ready' | 'not-verified' | 'misconfigured' | 'unknown' | 'error';

/** The known state of a domain. */
export interface DomainCheck {
  domain: string;
  status?: DomainStatus;
  ready: boolean;
  /** What orgadm does not understand about the status. */
  doubts?: Doubts;
  /** Why the latest check failed; `status` is then from an earlier one. */
  error?: OrgadmError;
  /** The state of each of its DNS records, if they were checked. */
  dns?: (RecordCheck | undefined)[];
}

/**
 * Requests the status of one domain. A failure is part of the result, so that it does not affect other domains.
 *
 * @param options `ignored`: fields and their values (setting wire.domain.ignore)
 */
export async function checkDomain(
  client: ServiceClient,
  domain: string,
  { ignored, ...options }: { isRepeatable?: boolean; signal?: AbortSignal; ignored: readonly string[] },
): Promise<DomainCheck> {
  try {
    const response = await getDomainStatus(client, domain, options);
    const { status } = response;
    return { domain, status, ready: isReadyDomain(status), doubts: doubtStatus(response, domain, ignored) };
  } catch (error) {
    if (!(error instanceof OrgadmError)) throw error;
    return { domain, ready: false, error };
  }
}

/** Adds a hint to a 500, which services also return for an unknown domain, and if they cannot reach the hosting provider. */
export function explainDomainError(error: OrgadmError, domain: string): OrgadmError {
  if (error.status !== 500) return error;
  return withHint(
    error,
    `Try again later. If the error remains, the service may be unable to reach its hosting provider, or may not have ${domain}.`,
  );
}

/** Summarizes a check; `unknown` if the hosting provider or the service was not asked successfully. */
export function domainState({ status, ready, error }: DomainCheck): DomainState {
  if (status === undefined) return error === undefined ? 'unknown' : 'error';
  if (ready) return 'ready';
  if (!status.verified) return 'not-verified';
  return misconfiguredState(status) === 'yes' ? 'misconfigured' : 'unknown';
}

/** Describes why a domain is not ready: `not verified, misconfigured`. */
export function describeNotReady({ status, error }: DomainCheck): string {
  if (error !== undefined) return error.message;
  if (status === undefined) return 'not checked yet';
  const misconfigured = misconfiguredState(status);
  const reasons = [
    status.verified ? '' : 'not verified',
    misconfigured === 'yes' ? 'misconfigured' : misconfigured === 'unknown' ? 'configuration unknown' : '',
  ];
  return reasons.filter((reason) => reason !== '').join(', ');
}

/** Looks up the expected records of each domain and adds their state, see `checkRecords`. */
export function queryDns(checks: readonly DomainCheck[], warn: (message: string) => void): Promise<DomainCheck[]> {
  return mapConcurrently(checks, CONCURRENT_DOMAINS, async (check) => {
    const { domain, status } = check;
    return status === undefined ? check : { ...check, dns: await checkRecords(expectedRecords(domain, status), warn) };
  });
}
