import type { DomainStatus } from '../../client/response-schemas.ts';
import { canonicalName } from './dns-name.ts';
import type { ExpectedRecord } from './dns-records.ts';

/**
 * The records that a domain ought to have (interface 2.4): those of `verification`, then the recommended CNAME, unless
 * a CNAME is listed or the domain is to have addresses, beside which none can stand.
 */
export function expectedRecords(domain: string, { verification, cnameTarget }: DomainStatus): ExpectedRecord[] {
  const wanted = (verification ?? []).map((record) => ({
    type: (record.type ?? '').trim().toUpperCase(),
    name: (record.domain ?? domain).trim(),
    value: record.value ?? undefined,
  }));
  const isListed = wanted.some(
    ({ type, name }) => type === 'CNAME' || (/^A(AAA)?$/.test(type) && canonicalName(name) === domain),
  );
  return cnameTarget && !isListed ? [...wanted, { type: 'CNAME', name: domain, value: cnameTarget }] : wanted;
}
