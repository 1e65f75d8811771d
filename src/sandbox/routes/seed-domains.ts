/** DNS records that a domain needs (interface 2.4). */
export interface SeedVerificationRecord {
  readonly type: string;
  readonly domain: string;
  readonly value: string;
  readonly reason: string;
}

export interface SeedDomainStatus {
  readonly domain: string;
  readonly verified: boolean;
  readonly verification?: readonly SeedVerificationRecord[];
  readonly cnameTarget?: string;
  /** null when the hosting provider cannot be reached. */
  readonly misconfigured: boolean | null;
}

const CNAME_TARGET = 'cname.hosting.example.net.';
const READS_UNTIL_READY = 2;

/**
 * The status of a domain that the sandbox holds, else undefined. `reads` is how often it was asked for before:
 * soon.example.com is pending twice and ready from then on, so that waiting can be tried.
 */
export function findSeedDomain(domain: string, reads: number): SeedDomainStatus | undefined {
  switch (domain) {
    case 'trust.example.com':
      return { domain, verified: true, cnameTarget: CNAME_TARGET, misconfigured: false };
    case 'pending.example.com':
      return pending(domain);
    case 'soon.example.com':
      if (reads < READS_UNTIL_READY) return pending(domain);
      return { domain, verified: true, cnameTarget: CNAME_TARGET, misconfigured: false };
    case 'misconfigured.example.com':
      return { domain, verified: true, verification: [cname(domain)], cnameTarget: CNAME_TARGET, misconfigured: true };
    case 'unreachable.example.com':
      return { domain, verified: true, misconfigured: null };
    default:
      return undefined;
  }
}

function pending(domain: string): SeedDomainStatus {
  const txt = {
    type: 'TXT',
    domain: `_verify.${domain}`,
    value: `domain-verify=${domain},7f3a9c1e5b`,
    reason: 'pending_domain_verification',
  };
  return {
    domain,
    verified: false,
    verification: [txt, cname(domain)],
    cnameTarget: CNAME_TARGET,
    misconfigured: true,
  };
}

function cname(domain: string): SeedVerificationRecord {
  return { type: 'CNAME', domain, value: CNAME_TARGET, reason: 'missing_cname' };
}
