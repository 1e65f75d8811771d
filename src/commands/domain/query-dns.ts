import type { Clock } from '../../util/clock.ts';
import { mapConcurrently } from '../../util/concurrency.ts';
import type { DomainCheck } from './check-domain.ts';
import { checkRecords } from './check-records.ts';
import { createLookup } from './dns-lookup.ts';
import { expectedRecords } from './expected-records.ts';

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
