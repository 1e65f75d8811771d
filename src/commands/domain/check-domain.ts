import { isReady, misconfiguredOf } from '../../client/domain-readiness.ts';
import { type DomainStatusOptions, domainStatus } from '../../client/domain-status.ts';
import type { DomainStatus } from '../../client/response-schemas.ts';
import type { ServiceClient } from '../../client/service-client.ts';
import { OrgadmError } from '../../util/errors.ts';
import type { RecordCheck } from './check-records.ts';

/** What is known of a domain. */
export interface DomainLook {
  domain: string;
  status?: DomainStatus;
  ready: boolean;
  /** Why the latest look failed; a status beside it is that of an earlier one. */
  error?: OrgadmError;
  /** What the DNS holds of its records, where it was asked. */
  dns?: RecordCheck[];
}

/** Asks the service for one domain. A failure is part of what it returns, so that it keeps no other domain back. */
export async function lookAt(
  client: ServiceClient,
  domain: string,
  options: DomainStatusOptions = {},
): Promise<DomainLook> {
  try {
    const status = await domainStatus(client, domain, options);
    return { domain, status, ready: isReady(status) };
  } catch (error) {
    if (!(error instanceof OrgadmError)) throw error;
    return { domain, ready: false, error };
  }
}

/** A plain 500 is what services answer for a domain that they do not hold: says so, for the words alone do not. */
export function explained(error: OrgadmError, domain: string): OrgadmError {
  if (error.status !== 500) return error;
  return new OrgadmError(error.code, error.exitCode, error.message, {
    hint: `Either the service does not hold ${domain}, or its hosting provider is out of reach. Check the name, or try again later.`,
    status: error.status,
    requestId: error.requestId,
    cause: error,
  });
}

/** Why a domain is not ready, in a few words: `not verified, misconfigured`. */
export function whyNotReady({ status, error }: DomainLook): string {
  if (error !== undefined) return error.message;
  if (status === undefined) return 'not asked yet';
  const misconfigured = misconfiguredOf(status);
  const reasons = [
    status.verified ? '' : 'not verified',
    misconfigured === 'yes' ? 'misconfigured' : misconfigured === 'unknown' ? 'configuration unknown' : '',
  ];
  return reasons.filter((reason) => reason !== '').join(', ');
}
