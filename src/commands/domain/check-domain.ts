import { isReady, misconfiguredState } from '../../client/domain-readiness.ts';
import { type GetDomainStatusOptions, getDomainStatus } from '../../client/domain-status.ts';
import type { DomainStatus } from '../../client/response-schemas.ts';
import type { ServiceClient } from '../../client/service-client.ts';
import { OrgadmError } from '../../util/errors.ts';
import type { RecordCheck } from './check-records.ts';

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
