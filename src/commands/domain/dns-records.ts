import { isIPv6 } from 'node:net';
import type { DomainStatus } from '../../client/response-schemas.ts';
import { mapConcurrently } from '../../util/map-concurrently.ts';
import { type DnsLookup, type LookupResult, RECORD_TYPES, type RecordType } from './dns-lookup.ts';
import { canonicalName, isDnsName } from './domain-name.ts';
import type { RecordCheck } from './domain-output.ts';

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
    name: (record.domain ?? domain).trim(),
    value: record.value ?? undefined,
  }));
  const isListed = expected.some(
    ({ type, name }) => type === 'CNAME' || (/^A(AAA)?$/.test(type) && canonicalName(name) === domain),
  );
  return cnameTarget && !isListed ? [...expected, { type: 'CNAME', name: domain, value: cnameTarget }] : expected;
}

/** Number of concurrent lookups: a response may list very many records. */
const CONCURRENT_RECORDS = 8;

/** Looks up each record; returns the results in the same order. */
export function checkRecords(records: readonly ExpectedRecord[], lookup: DnsLookup): Promise<RecordCheck[]> {
  return mapConcurrently(records, CONCURRENT_RECORDS, (record) => checkRecord(record, lookup));
}

async function checkRecord({ type, name, value }: ExpectedRecord, lookup: DnsLookup): Promise<RecordCheck> {
  const result = (state: RecordCheck['state'], actual: string[] = [], error?: string): RecordCheck => ({
    ...{ type, name, expected: value ?? null, state, actual },
    ...(error === undefined ? {} : { error }),
  });
  const known = RECORD_TYPES.find((supported) => supported === type.trim().toUpperCase());
  if (known === undefined) return result('unchecked', [], 'orgadm does not check records of this type');
  if (value === undefined) return result('unchecked', [], 'the service returned no value');
  const owner = canonicalName(name);
  if (!isDnsName(owner)) return result('unknown', [], 'the name is not a valid DNS name');

  const found = await lookup(known, owner);
  if (found.kind === 'unknown') return result('unknown', [], found.reason);
  if (found.kind === 'records') {
    const isMatch = found.values.some((actual) => comparable(known, actual) === comparable(known, value));
    return result(isMatch ? 'found' : 'different', found.values);
  }
  const flattened = known === 'CNAME' && found.isName ? await addresses(owner, lookup) : [];
  return result(flattened.length > 0 ? 'different' : 'missing', flattened);
}

/** Looks up the addresses of a name without a CNAME: providers that flatten a CNAME at the apex return them instead. */
async function addresses(name: string, lookup: DnsLookup): Promise<string[]> {
  const [v4, v6] = await Promise.all([lookup('A', name), lookup('AAAA', name)]);
  const values = (found: LookupResult) => (found.kind === 'records' ? found.values : []);
  return [...values(v4).map((address) => `A ${address}`), ...values(v6).map((address) => `AAAA ${address}`)];
}

/** Returns a normal form of a value, in which equivalent values are equal. */
function comparable(type: RecordType, value: string): string {
  const text = value.trim();
  switch (type) {
    case 'TXT':
      return /^".*"$/s.test(text) ? text.slice(1, -1) : text;
    case 'CNAME':
      return canonicalName(text);
    case 'A':
      return text;
    case 'AAAA':
      // An invalid address has no such form, and equals none of the DNS.
      return isIPv6(text) && !text.includes('%') ? new URL(`http://[${text}]`).hostname : '';
  }
}
