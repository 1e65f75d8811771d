import {
  type GetDomainStatusOptions,
  getDomainStatus,
  isReady,
  misconfiguredState,
} from '../../client/domain-status.ts';
import type { DomainStatus } from '../../client/response-schemas.ts';
import type { ServiceClient } from '../../client/service-client.ts';
import type { Clock } from '../../util/clock.ts';
import { mapConcurrently } from '../../util/concurrency.ts';
import { OrgadmError } from '../../util/errors.ts';
import { createLookup } from './dns-lookup.ts';
import { checkRecords, expectedRecords, type RecordCheck } from './dns-records.ts';

/** What is known of a domain. */
export interface DomainCheck {
  domain: string;
  status?: DomainStatus;
  ready: boolean;
  /** Why the latest look failed; a status beside it is that of an earlier one. */
  error?: OrgadmError;
  /** What the DNS holds of its records, where it was asked. */
  dns?: RecordCheck[];
}

/** Asks the service for one domain. A failure is part of what it returns, so that it keeps no other domain back. */
export async function checkDomain(
  client: ServiceClient,
  domain: string,
  options: GetDomainStatusOptions = {},
): Promise<DomainCheck> {
  try {
    const status = await getDomainStatus(client, domain, options);
    return { domain, status, ready: isReady(status) };
  } catch (error) {
    if (!(error instanceof OrgadmError)) throw error;
    return { domain, ready: false, error };
  }
}

/** A plain 500 is what services answer for a domain that they do not hold: says so, for the words alone do not. */
export function explainDomainError(error: OrgadmError, domain: string): OrgadmError {
  if (error.status !== 500) return error;
  return new OrgadmError(error.code, error.exitCode, error.message, {
    hint: `Either the service does not hold ${domain}, or its hosting provider is out of reach. Check the name, or try again later.`,
    status: error.status,
    requestId: error.requestId,
    cause: error,
  });
}

/** Why a domain is not ready, in a few words: `not verified, misconfigured`. */
export function describeNotReady({ status, error }: DomainCheck): string {
  if (error !== undefined) return error.message;
  if (status === undefined) return 'not asked yet';
  const misconfigured = misconfiguredState(status);
  const reasons = [
    status.verified ? '' : 'not verified',
    misconfigured === 'yes' ? 'misconfigured' : misconfigured === 'unknown' ? 'configuration unknown' : '',
  ];
  return reasons.filter((reason) => reason !== '').join(', ');
}

/** Domains whose records are looked up at the same time. */
const DOMAINS_AT_ONCE = 4;

/**
 * Adds to each domain what the DNS holds of the records that it ought to have.
 *
 * @param server address of a name server; the system's own where it is undefined
 */
export function queryDns(
  checks: readonly DomainCheck[],
  server: string | undefined,
  clock: Clock,
): Promise<DomainCheck[]> {
  const lookup = createLookup({ server, clock });
  return mapConcurrently(checks, DOMAINS_AT_ONCE, async (check) => {
    const { domain, status } = check;
    return status === undefined
      ? check
      : { ...check, dns: await checkRecords(expectedRecords(domain, status), lookup) };
  });
}
