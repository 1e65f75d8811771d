import { DOMAINS } from './fixtures.ts';
import { jsonResponse, type Operation, RequestRejection, readParameter } from './operation.ts';

/** GET /v1/trust-portal/domain/status (interface 4.3). */
export const domainStatusOperation: Operation = ({ query }, { domainReads }) => {
  const domain = readParameter(query, 'domain').toLowerCase();
  const statuses = DOMAINS.get(domain);
  if (!statuses) throw new RequestRejection(404, `Domain ${domain} not found`);
  const reads = domainReads.get(domain) ?? 0;
  domainReads.set(domain, reads + 1);
  const status = statuses[Math.min(reads, statuses.length - 1)];
  return () => jsonResponse(200, { domain, ...status });
};
