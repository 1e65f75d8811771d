import dns, { Resolver } from 'node:dns/promises';
import type { DomainStatus } from '../../client/responses.ts';
import { systemErrorCode } from '../../util/errors.ts';
import { canonicalName } from './domain-name.ts';
import { mapConcurrently } from './map-concurrently.ts';

/** A record that a domain needs, as the service returned it. */
export interface ExpectedRecord {
  type: string;
  name: string;
  /** Undefined if the service did not return one. */
  value: string | undefined;
}

/**
 * Returns the records that a domain needs (interface 2.4): those of `verification`, then the recommended CNAME, unless a
 * CNAME is listed or the domain needs addresses, which exclude a CNAME.
 */
export function expectedRecords(domain: string, { verification, cnameTarget }: DomainStatus): ExpectedRecord[] {
  const expected = (verification ?? []).map((record) => ({
    type: (record.type ?? '').trim().toUpperCase(),
    name: record.domain?.trim() || domain,
    value: record.value ?? undefined,
  }));
  const isListed = expected.some(
    ({ type, name }) => type === 'CNAME' || (/^A(AAA)?$/.test(type) && canonicalName(name) === domain),
  );
  return cnameTarget && !isListed ? [...expected, { type: 'CNAME', name: domain, value: cnameTarget }] : expected;
}

/** What the DNS has in the place of a record that a domain needs. */
export interface RecordCheck {
  type: string;
  name: string;
  expected: string | null;
  /**
   * - `found`: the DNS has exactly this text
   * - `different`: only other records of this type have this name
   * - `missing`: no record of this type has this name
   */
  state: 'found' | 'different' | 'missing';
  /** The values found. */
  actual: string[];
}

/** Number of concurrent lookups: a response may list very many records. */
const CONCURRENT_RECORDS = 8;
/** One attempt at one name server, in milliseconds. */
const ATTEMPT_MS = 2_000;
const ATTEMPTS = 2;

/**
 * Looks up each record with the name servers of the system.
 *
 * @param warn receives a message about a record that cannot be looked up
 * @returns the answers in the same order; undefined for a record that cannot be looked up
 */
export function checkRecords(
  records: readonly ExpectedRecord[],
  warn: (message: string) => void,
): Promise<(RecordCheck | undefined)[]> {
  // Only a resolver of its own has a timeout.
  const resolver = new Resolver({ timeout: ATTEMPT_MS, tries: ATTEMPTS });
  resolver.setServers(dns.getServers());
  return mapConcurrently(records, CONCURRENT_RECORDS, async ({ type, name, value }) => {
    try {
      const actual = await lookUp(resolver, type, canonicalName(name));
      const isFound = actual.some((text) => text === value || (type === 'CNAME' && isSameName(text, value)));
      const state = isFound ? 'found' : actual.length > 0 ? 'different' : 'missing';
      return { type, name, expected: value ?? null, state, actual };
    } catch (error) {
      warn(`cannot look up ${type} ${name} in the DNS: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  });
}

/** Names differ neither in case nor in a period at the end. */
function isSameName(name: string, other: string | undefined): boolean {
  return other !== undefined && canonicalName(name) === canonicalName(other);
}

/** Returns the values of the records of one type; none if there are none. */
async function lookUp(resolver: Resolver, type: string, name: string): Promise<string[]> {
  try {
    switch (type) {
      case 'TXT':
        // Node returns the bytes as Latin-1. The strings of one record belong together.
        return (await resolver.resolveTxt(name)).map((texts) => Buffer.from(texts.join(''), 'latin1').toString());
      case 'CNAME':
        return await resolver.resolveCname(name);
      case 'A':
        return await resolver.resolve4(name);
      case 'AAAA':
        return await resolver.resolve6(name);
      default:
        throw new Error('orgadm does not know this type of record');
    }
  } catch (error) {
    if (['ENOTFOUND', 'ENODATA'].includes(systemErrorCode(error) ?? '')) return [];
    throw error;
  }
}
