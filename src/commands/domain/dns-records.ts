import { Resolver } from 'node:dns/promises';
import { isIP, isIPv4, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import type { DomainStatus } from '../../client/response-schemas.ts';
import { UsageError } from '../../util/errors.ts';
import type { Clock } from '../../util/host.ts';
import type { RecordCheck } from './domain-output.ts';

/** The record types that are looked up and written. */
const RECORD_TYPES = ['TXT', 'CNAME', 'A', 'AAAA'] as const;

type RecordType = (typeof RECORD_TYPES)[number];

/** A record that a domain needs, as the service returned it. */
interface ExpectedRecord {
  type: string;
  name: string;
  /** Undefined if the service did not return one. */
  value: string | undefined;
}

/** Returns the type of a record, whatever its case; undefined for types that the tool does not support. */
function recordType(type: string): RecordType | undefined {
  return RECORD_TYPES.find((known) => known === type.trim().toUpperCase());
}

/** Longest name in RFC 1035, without the dot of the root. */
const MAX_DNS_NAME = 253;
const NAME = /^(\*\.)?([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Returns a name in lower-case ASCII without a dot at its end, so that names can be compared; accepts invalid names. */
export function canonicalName(text: string): string {
  const bare = text.trim().toLowerCase().replace(/\.$/, '');
  return NAME.test(bare) ? bare : domainToASCII(bare) || bare;
}

/** Returns whether a canonical name can be looked up and written to a zone file. */
export function isDnsName(canonical: string): boolean {
  return canonical.length <= MAX_DNS_NAME && NAME.test(canonical);
}

const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/**
 * Normalizes a domain as people write it: case, scheme, trailing slash, trailing dot, international letters.
 *
 * @returns the name in lower-case ASCII, without trailing dot
 * @throws UsageError for an address, a port, a path, a wildcard, or a single label
 */
export function normalizeDomain(written: string): string {
  const withoutUrl = written.trim().replace(/^https?:\/\/|\/$/gi, '');
  const bare = withoutUrl.replace(/\.$/, '');
  const reject = (reason: string) =>
    new UsageError(`"${written}" is not a domain name: ${reason}`, 'Use a name such as trust.example.com.');
  if (bare === '') throw reject('it is empty');
  if (/[/?#]/.test(bare)) throw reject('it has a path');
  if (/[\s@%\\]/.test(bare)) throw reject('it has an invalid character');
  if (isIP(bare) !== 0 || bare.startsWith('[')) throw reject('it is an address');
  if (bare.includes(':')) throw reject('it has a port');
  const ascii = domainToASCII(bare);
  if (ascii === '') throw reject('it cannot be converted to ASCII');
  const labels = ascii.split('.');
  if (labels.length < 2) throw reject('it has a single label');
  const bad = labels.find((label) => !LABEL.test(label));
  if (bad !== undefined) throw reject(bad === '' ? 'it has an empty label' : `"${bad}" is not a valid label`);
  if (ascii.length > MAX_DNS_NAME) throw reject(`it has ${ascii.length} characters, more than ${MAX_DNS_NAME}`);
  if (isIP(ascii) !== 0) throw reject('it is an address');
  return ascii;
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

/** Calls `work` for each item, at most `limit` calls at a time. Returns the results in the order of the items. */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [at, item] of queue) results[at] = await work(item);
  };
  await Promise.all(Array.from({ length: limit }, worker));
  return results;
}

async function checkRecord({ type, name, value }: ExpectedRecord, lookup: DnsLookup): Promise<RecordCheck> {
  const result = (state: RecordCheck['state'], actual: string[] = [], error?: string): RecordCheck => ({
    ...{ type, name, expected: value ?? null, state, actual },
    ...(error === undefined ? {} : { error }),
  });
  const known = recordType(type);
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
  const instead = known === 'CNAME' && found.isName ? await addresses(owner, lookup) : [];
  return result(instead.length > 0 ? 'different' : 'missing', instead);
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

/** A character string of a TXT record holds 255 bytes (RFC 1035, 3.3). */
const TXT_STRINGS = /.{1,255}/gs;

/**
 * Renders the records that a domain needs as lines of a zone file. Records that cannot be written become comments: types
 * other than TXT, CNAME, A and AAAA, a CNAME at the apex of a zone or next to another record, invalid values.
 */
export function renderZone(domain: string, status: DomainStatus): string {
  const records = expectedRecords(domain, status);
  if (records.length === 0) return `; ${domain}: the service lists no records\n`;
  return records.map((record) => `${zoneLine(record, records)}\n`).join('');
}

function zoneLine(record: ExpectedRecord, all: readonly ExpectedRecord[]): string {
  const { value = '' } = record;
  const owner = canonicalName(record.name);
  const comment = (reason: string) =>
    `; ${printable(owner)}. IN ${printable(record.type)} ${printable(value)} ; ${reason}`;
  if (!isDnsName(owner)) return comment('the name is not a valid domain name');
  switch (recordType(record.type)) {
    case 'TXT':
      return `${owner}. IN TXT ${txtStrings(value)}`;
    case 'A':
      return isIPv4(value) ? `${owner}. IN A ${value}` : comment('the value is not an IPv4 address');
    case 'AAAA':
      return isIPv6(value) && !value.includes('%')
        ? `${owner}. IN AAAA ${value}`
        : comment('the value is not an IPv6 address');
    case 'CNAME': {
      const conflict = cnameConflict(owner, value, all);
      return conflict === undefined ? `${owner}. IN CNAME ${canonicalName(value)}.` : comment(conflict);
    }
    case undefined:
      return comment('unsupported record type: add it by hand');
  }
}

/** Returns why a zone cannot have this CNAME (RFC 1034, 3.6.2); undefined where it can. */
function cnameConflict(owner: string, value: string, all: readonly ExpectedRecord[]): string | undefined {
  if (!isDnsName(canonicalName(value))) return 'the value is not a valid domain name';
  const isShared = all.filter(({ name }) => canonicalName(name) === owner).length > 1;
  // A name of two labels is most likely the apex of a zone.
  const isApex = owner.split('.').length <= 2;
  if (!isApex && !isShared) return undefined;
  const where = isApex ? 'at the apex of a zone' : 'next to another record';
  return `a CNAME is not allowed ${where}: use your provider's ALIAS or ANAME`;
}

/** Quoted strings of at most 255 bytes; quotes, backslashes and everything unprintable escaped (RFC 1035, 5.1). */
function txtStrings(value: string): string {
  const strings = latin1(value).match(TXT_STRINGS) ?? [''];
  return strings.map((string) => `"${escapeUnprintable(string.replace(/["\\]/g, '\\$&'))}"`).join(' ');
}

/** Escapes text for a comment: one line, without control characters. */
function printable(text: string): string {
  return escapeUnprintable(latin1(text));
}

/** Returns the bytes of a text in UTF-8, as characters. */
function latin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function escapeUnprintable(bytes: string): string {
  return bytes.replace(/[^ -~]/g, (byte) => `\\${String(byte.charCodeAt(0)).padStart(3, '0')}`);
}

/**
 * The result of a lookup:
 * - `records`: values, at least one; the strings of a TXT record are joined
 * - `none`: there are none; `isName` is true if the name has records of another type
 * - `unknown`: no usable response from the name server
 */
type LookupResult =
  | { kind: 'records'; values: string[] }
  | { kind: 'none'; isName: boolean }
  | { kind: 'unknown'; reason: string };

/** Looks up the records of one type for a canonical name. Never rejects. */
type DnsLookup = (type: RecordType, name: string) => Promise<LookupResult>;

/** One attempt at one name server, in milliseconds; each server is tried twice. */
const ATTEMPT_MS = 2_000;
const LOOKUP_ATTEMPTS = 2;
/** Longest time for one lookup, however many name servers the system has, in milliseconds. */
export const LOOKUP_DEADLINE_MS = 10_000;

/**
 * Creates a lookup.
 *
 * @param server address of a name server as node:dns accepts it; undefined for that of the system
 */
export function createLookup({ server, clock }: { server?: string | undefined; clock: Clock }): DnsLookup {
  return async (type, name) => {
    // One resolver per lookup: canceling a resolver ends all of its queries.
    const resolver = new Resolver({ timeout: ATTEMPT_MS, tries: LOOKUP_ATTEMPTS });
    const release = clock.after(LOOKUP_DEADLINE_MS, () => resolver.cancel());
    try {
      if (server !== undefined) resolver.setServers([server]);
      const values = await queryServer(resolver, type, name);
      return values.length > 0 ? { kind: 'records', values } : { kind: 'none', isName: true };
    } catch (error) {
      return failedLookup((error as NodeJS.ErrnoException).code ?? String(error));
    } finally {
      release();
    }
  };
}

async function queryServer(resolver: Resolver, type: RecordType, name: string): Promise<string[]> {
  if (type !== 'TXT') return resolver.resolve(name, type);
  return (await resolver.resolveTxt(name)).map((strings) => decodeUtf8(strings.join('')));
}

/** Decodes a TXT record: Node returns its bytes as Latin-1, and they are usually UTF-8. */
function decodeUtf8(bytes: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return bytes;
  }
}

const FAILURE_REASONS: Readonly<Record<string, string>> = {
  ESERVFAIL: 'the name server failed (SERVFAIL)',
  EREFUSED: 'the name server rejected the query (REFUSED)',
  ECONNREFUSED: 'the name server cannot be reached',
  ETIMEOUT: 'the name server does not respond',
  ECANCELLED: 'the name server does not respond',
  EBADNAME: 'the name is not a valid DNS name',
};

function failedLookup(code: string): LookupResult {
  if (code === 'ENOTFOUND') return { kind: 'none', isName: false };
  if (code === 'ENODATA') return { kind: 'none', isName: true };
  return { kind: 'unknown', reason: FAILURE_REASONS[code] ?? `the response from the name server is invalid (${code})` };
}

const PORT_MAX = 65_535;

/**
 * Reads the address of a name server: `192.0.2.53`, `192.0.2.53:5353`, `2001:db8::53` or `[2001:db8::53]:5353`.
 *
 * @param name the flag, for the error
 * @returns the address as node:dns accepts it
 * @throws UsageError for anything else, host names included: they would need a name server themselves
 */
export function parseServerAddress(text: string, name: string): string {
  const written = text.trim();
  if (isIPv6(written)) return `[${written}]`;
  const match = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(written);
  const [, bracketed, plain, port] = match ?? [];
  const version = bracketed === undefined ? 4 : 6;
  const isPort = port === undefined || (Number(port) >= 1 && Number(port) <= PORT_MAX);
  if (match === null || isIP(bracketed ?? plain ?? '') !== version || !isPort) {
    throw new UsageError(
      `${name}: "${text}" is not the address of a name server`,
      'Use an IP address, with a port unless it is 53: 192.0.2.53, 192.0.2.53:5353 or [2001:db8::53]:5353.',
    );
  }
  return written;
}
