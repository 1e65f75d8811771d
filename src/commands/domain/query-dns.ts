import type { Clock } from '../../util/clock.ts';
import { concurrently } from '../../util/concurrency.ts';
import type { DomainLook } from './check-domain.ts';
import { checkRecords } from './check-records.ts';
import { createLookup } from './dns-lookup.ts';
import { wantedRecords } from './expected-records.ts';

/** Domains whose records are looked up at the same time. */
const DOMAINS_AT_ONCE = 4;

/**
 * Adds to each domain what the DNS holds of the records that it ought to have.
 *
 * @param server address of a name server; the system's own where it is undefined
 */
export function askDns(looks: readonly DomainLook[], server: string | undefined, clock: Clock): Promise<DomainLook[]> {
  const lookup = createLookup({ server, clock });
  return concurrently(looks, DOMAINS_AT_ONCE, async (look) => {
    const { domain, status } = look;
    return status === undefined ? look : { ...look, dns: await checkRecords(wantedRecords(domain, status), lookup) };
  });
}
