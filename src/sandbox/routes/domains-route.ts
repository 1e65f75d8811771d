import type { Operation } from '../operation.ts';
import { jsonResponse, RequestRejection } from '../sandbox-response.ts';
import type { Variants } from '../variants.ts';
import { findSeedDomain } from './seed-domains.ts';

const DOMAIN_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/;

/** GET /v1/trust-portal/domain/status (interface 4.3). A domain that it does not hold is a plain 500, as elsewhere. */
export const domainStatusOperation: Operation = (call, { variants, domainReads }) => {
  const domain = readDomain(call.query);
  const reads = domainReads.get(domain) ?? 0;
  domainReads.set(domain, reads + 1);
  const status = findSeedDomain(domain, reads);
  if (!status) throw new RequestRejection(500, 'Internal server error');
  const { misconfigured, cnameTarget, ...rest } = status;
  const body = { ...rest, ...target(cnameTarget, variants), ...misconfiguration(misconfigured, variants) };
  return () => jsonResponse(200, body);
};

function readDomain(query: URLSearchParams): string {
  const [domain, ...others] = query.getAll('domain');
  if (!domain) throw new RequestRejection(400, ['domain should not be empty']);
  if (others.length > 0) throw new RequestRejection(400, ['domain must be a string']);
  const lower = domain.toLowerCase();
  if (!DOMAIN_NAME.test(lower)) throw new RequestRejection(400, ['domain must be a valid domain name']);
  return lower;
}

function target(cnameTarget: string | undefined, variants: Variants): object {
  if (cnameTarget === undefined || variants['cname-target'] === 'absent') return {};
  return { cnameTarget: variants['cname-target'] === 'plain' ? cnameTarget.replace(/\.$/, '') : cnameTarget };
}

function misconfiguration(misconfigured: boolean | null, variants: Variants): object {
  switch (variants.misconfigured) {
    case 'boolean':
      return { misconfigured };
    case 'object':
      return { misconfigured: misconfigured === null ? null : { misconfigured } };
    case 'other-object':
      return { misconfigured: { configuredBy: misconfigured === false ? 'CNAME' : null } };
    case 'null':
      return { misconfigured: null };
    case 'absent':
      return {};
  }
}
