import type { Clock } from '../../clock.ts';
import { concurrently } from '../../concurrently.ts';
import { checkRecords } from '../../dns/check-records.ts';
import { createLookup } from '../../dns/lookup.ts';
import type { DomainLook } from './look.ts';
import { wantedRecords } from './wanted-records.ts';

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
