import { isIPv6 } from 'node:net';
import type { DomainStatus } from '../../client/response-schemas.ts';
import { mapConcurrently } from '../../util/map-concurrently.ts';
import { type DnsLookup, type LookupResult, RECORD_TYPES, type RecordType } from './dns-lookup.ts';
import { canonicalName, doubledNames, fullName, isDnsName } from './domain-name.ts';

/**
 * The state of an expected record in the DNS:
 * - `found`: the DNS has it
 * - `missing`: no record of its type with its name
 * - `flattened`: addresses of the target instead of a CNAME, as providers publish them for a domain itself
 * - `different`: another value
 * - `unchecked`: its type or value cannot be compared
 * - `unknown`: no usable response from the name server
 */
export interface RecordCheck {
  type: string;
  name: string;
  expected: string | null;
  state: 'found' | 'flattened' | 'missing' | 'different' | 'unchecked' | 'unknown';
  /** The values found. */
  actual: string[];
  /** Another name that has the record, because the domain was added to the name twice. */
  foundAt?: string | undefined;
  /** Why the record is unchecked or unknown. */
  error?: string | undefined;
}

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
    name: fullName((record.domain ?? domain).trim(), domain),
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
  const result = (
    state: RecordCheck['state'],
    actual: string[] = [],
    more: Partial<RecordCheck> = {},
  ): RecordCheck => ({
    ...{ type, name, expected: value ?? null, state, actual, ...more },
  });
  const known = RECORD_TYPES.find((supported) => supported === type.trim().toUpperCase());
  if (known === undefined) return result('unchecked', [], { error: 'orgadm does not check records of this type' });
  if (value === undefined) return result('unchecked', [], { error: 'the service returned no value' });
  const owner = canonicalName(name);
  if (!isDnsName(owner)) return result('unknown', [], { error: 'the name is not a valid DNS name' });

  const found = await lookup(known, owner);
  if (found.kind === 'unknown') return result('unknown', [], { error: found.reason });
  const wanted = expectedValues(known, value);
  const isWanted = (actual: string) => wanted.includes(comparable(known, actual));
  if (found.kind === 'records' && found.values.some(isWanted)) return result('found', found.values);
  const misplaced = await findDoubled(owner, (at) => lookup(known, at), isWanted);
  const more = misplaced === undefined ? {} : { foundAt: misplaced };
  if (found.kind === 'records') return result('different', found.values, more);
  const own = known === 'CNAME' && found.isName ? await addresses(owner, lookup) : [];
  if (own.length === 0) return result('missing', [], more);
  const ofTarget = await addresses(canonicalName(value), lookup);
  return result(own.every((address) => ofTarget.includes(address)) ? 'flattened' : 'different', own, more);
}

/** Returns the name at which a record is because a provider has added the domain to a name that had it already. */
async function findDoubled(
  owner: string,
  lookupAt: (name: string) => Promise<LookupResult>,
  isWanted: (actual: string) => boolean,
): Promise<string | undefined> {
  for (const name of doubledNames(owner).filter(isDnsName)) {
    const found = await lookupAt(name);
    if (found.kind === 'records' && found.values.some(isWanted)) return name;
  }
  return undefined;
}

/** Looks up the addresses of a name without a CNAME: providers that flatten a CNAME at the apex return them instead. */
async function addresses(name: string, lookup: DnsLookup): Promise<string[]> {
  const [v4, v6] = await Promise.all([lookup('A', name), lookup('AAAA', name)]);
  const values = (found: LookupResult) => (found.kind === 'records' ? found.values : []);
  return [...values(v4).map((address) => `A ${address}`), ...values(v6).map((address) => `AAAA ${address}`)];
}

/** Returns normal forms of the value that a service lists: as it is, and without spaces at its ends, which a form removes. */
function expectedValues(type: RecordType, value: string): string[] {
  return [value, value.trim()].map((text) => comparable(type, type === 'TXT' ? zoneText(text) : text));
}

/** The longest text of a record in a zone file: each byte may be an escape of four characters. */
const MAX_ZONE_TEXT = 4 * 65_536;

/**
 * Reads the text of a TXT record that a service has written as a zone file does: `"a" "b"` is ab, and `\"` a quotation mark.
 * Returns any other text unchanged.
 */
function zoneText(value: string): string {
  if (value.length > MAX_ZONE_TEXT || !/^(?:"(?:[^"\\]|\\.)*"\s*)+$/s.test(value)) return value;
  const strings = value.match(/"(?:[^"\\]|\\.)*"/gs) ?? [];
  const bytes = strings.flatMap((string) =>
    (string.slice(1, -1).match(/\\\d{3}|\\.|[^\\]+/gs) ?? []).map((part) => {
      const isByte = /^\\\d{3}$/.test(part) && Number(part.slice(1)) < 256;
      return isByte ? Buffer.from([Number(part.slice(1))]) : Buffer.from(part.replace(/^\\/, ''));
    }),
  );
  return Buffer.concat(bytes).toString();
}

/** Returns a normal form of a value, in which equivalent values are equal. The text of a TXT record must be exactly the one to add. */
function comparable(type: RecordType, text: string): string {
  switch (type) {
    case 'TXT':
    case 'A':
      return text;
    case 'CNAME':
      return canonicalName(text);
    case 'AAAA':
      // An invalid address has no such form, and equals none of the DNS.
      return isIPv6(text) && !text.includes('%') ? new URL(`http://[${text}]`).hostname : '';
  }
}
