import { jsonResponse, type Operation, RequestRejection, readParameter } from './operation.ts';

/** GET /v1/trust-portal/domain/status (interface 4.3). */
export const domainStatusOperation: Operation = (call, { domainReads }) => {
  const domain = readParameter(call.query, 'domain').toLowerCase();
  const reads = domainReads.get(domain) ?? 0;
  domainReads.set(domain, reads + 1);
  const status = findSeedDomain(domain, reads);
  if (!status) throw new RequestRejection(404, `Domain ${domain} not found`);
  const { misconfigured } = status;
  const body = { ...status, misconfigured: misconfigured === null ? null : { misconfigured } };
  return () => jsonResponse(200, body);
};

const CNAME_TARGET = 'cname.hosting.example.net.';
const READS_UNTIL_READY = 2;

/**
 * Returns the status of a domain of the sandbox (interface 2.4), undefined for any other. `misconfigured` is null if the
 * hosting provider cannot be reached.
 *
 * @param reads number of earlier requests for it: soon.example.com is pending for the first two, so that waiting can be
 *   tried
 */
function findSeedDomain(domain: string, reads: number) {
  const ready = { domain, verified: true, cnameTarget: CNAME_TARGET, misconfigured: false };
  switch (domain) {
    case 'trust.example.com':
      return ready;
    case 'pending.example.com':
      return pending(domain);
    case 'soon.example.com':
      return reads < READS_UNTIL_READY ? pending(domain) : ready;
    case 'misconfigured.example.com':
      return { ...ready, verification: [cname(domain)], misconfigured: true };
    case 'unreachable.example.com':
      return { domain, verified: true, cnameTarget: undefined, misconfigured: null };
    default:
      return undefined;
  }
}

function pending(domain: string) {
  const value = `domain-verify=${domain},7f3a9c1e5b`;
  const txt = { type: 'TXT', domain: `_verify.${domain}`, value, reason: 'pending_domain_verification' };
  const verification = [txt, cname(domain)];
  return { domain, verified: false, verification, cnameTarget: CNAME_TARGET, misconfigured: true };
}

function cname(domain: string): object {
  return { type: 'CNAME', domain, value: CNAME_TARGET, reason: 'missing_cname' };
}
