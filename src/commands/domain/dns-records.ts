import { isIP, isIPv4, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import type { DomainStatus } from '../../client/response-schemas.ts';
import { UsageError } from '../../util/errors.ts';
import { type DnsLookup, type LookupResult, RECORD_TYPES, type RecordType } from './dns-lookup.ts';
/** A record that ought to be there, as someone wrote it. */
export interface ExpectedRecord {
  type: string;
  name: string;
  /** Undefined where nobody told it. */
  value: string | undefined;
}

/** The type of a record, however it is spelled; undefined for those that the tool knows nothing about. */
export function recordType(type: string): RecordType | undefined {
  return RECORD_TYPES.find((known) => known === type.trim().toUpperCase());
}

/** Length of a whole name in RFC 1035, without the dot of the root. */
const NAME_MAX = 253;
const NAME = /^(\*\.)?([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** A name as names are compared: lower-case ASCII, no dot at its end. What is no name stays as it is but for that. */
export function canonicalName(text: string): string {
  const bare = text.trim().toLowerCase().replace(/\.$/, '');
  return NAME.test(bare) ? bare : domainToASCII(bare) || bare;
}

/** Whether a canonical name can be asked for and can stand in a zone file. */
export function isDnsName(canonical: string): boolean {
  return canonical.length <= NAME_MAX && NAME.test(canonical);
}

const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/**
 * Cleans a domain as a person writes it: case, scheme, a lone trailing slash, trailing dot, international letters.
 *
 * @returns the name in lower-case ASCII, without trailing dot
 * @throws UsageError for what is no domain name: an address, a port, a path, a wildcard, a single label
 */
export function normalizeDomain(written: string): string {
  const bare = written
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/\/$/, '')
    .replace(/\.$/, '');
  const reject = (reason: string) =>
    new UsageError(`"${written}" is not a domain name: ${reason}`, 'Write it like trust.example.com.');
  if (bare === '') throw reject('it is empty');
  if (/[/?#]/.test(bare)) throw reject('it has a path');
  if (/[\s@%\\]/.test(bare)) throw reject('it has a character that no name has');
  if (isIP(bare) !== 0 || bare.startsWith('[')) throw reject('it is an address');
  if (bare.includes(':')) throw reject('it has a port');
  const ascii = domainToASCII(bare);
  if (ascii === '') throw reject('its letters cannot be written as a name');
  const labels = ascii.split('.');
  if (labels.length < 2) throw reject('it has a single label');
  const bad = labels.find((label) => !LABEL.test(label));
  if (bad !== undefined) throw reject(bad === '' ? 'it has an empty label' : `"${bad}" is no label`);
  if (ascii.length > NAME_MAX) throw reject(`it has ${ascii.length} characters, ${NAME_MAX} is the most`);
  if (isIP(ascii) !== 0) throw reject('it is an address');
  return ascii;
}

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

/**
 * - `found`: the DNS has it
 * - `missing`: there is nothing of its type at its name
 * - `different`: something else is there
 * - `unchecked`: a record of a type, or with a value, that cannot be compared
 * - `unknown`: the name server gave no answer to rely on
 */
export type RecordState = 'found' | 'missing' | 'different' | 'unchecked' | 'unknown';

/** What the DNS holds of a wanted record. */
export interface RecordCheck {
  type: string;
  name: string;
  expected: string | null;
  state: RecordState;
  /** The values that are there. */
  actual: string[];
  /** Why the record is unchecked or unknown. */
  error?: string;
}

/** Lookups under way at the same time: who tells the records may tell very many. */
const CONCURRENT_RECORDS = 8;

/** Asks the DNS for each record, in the order given. */
export async function checkRecords(records: readonly ExpectedRecord[], lookup: DnsLookup): Promise<RecordCheck[]> {
  const checks: RecordCheck[] = [];
  for (let at = 0; at < records.length; at += CONCURRENT_RECORDS) {
    const some = records.slice(at, at + CONCURRENT_RECORDS);
    checks.push(...(await Promise.all(some.map((record) => checkRecord(record, lookup)))));
  }
  return checks;
}

async function checkRecord({ type, name, value }: ExpectedRecord, lookup: DnsLookup): Promise<RecordCheck> {
  const result = (state: RecordState, actual: string[] = [], error?: string): RecordCheck => ({
    ...{ type, name, expected: value ?? null, state, actual },
    ...(error === undefined ? {} : { error }),
  });
  const known = recordType(type);
  if (known === undefined) return result('unchecked', [], 'records of this type are not checked');
  if (value === undefined) return result('unchecked', [], 'the service tells no value');
  const owner = canonicalName(name);
  if (!isDnsName(owner)) return result('unknown', [], 'this is no name that can be asked for');

  const found = await lookup(known, owner);
  if (found.kind === 'unknown') return result('unknown', [], found.reason);
  if (found.kind === 'records') {
    const isThere = found.values.some((actual) => comparable(known, actual) === comparable(known, value));
    return result(isThere ? 'found' : 'different', found.values);
  }
  const instead = known === 'CNAME' && found.isName ? await addresses(owner, lookup) : [];
  return result(instead.length > 0 ? 'different' : 'missing', instead);
}

/** The addresses at a name that has no CNAME: where a zone's apex is flattened, they stand in its place. */
async function addresses(name: string, lookup: DnsLookup): Promise<string[]> {
  const [v4, v6] = await Promise.all([lookup('A', name), lookup('AAAA', name)]);
  const values = (found: LookupResult) => (found.kind === 'records' ? found.values : []);
  return [...values(v4).map((address) => `A ${address}`), ...values(v6).map((address) => `AAAA ${address}`)];
}

/** A value in the one form in which two that mean the same are equal. */
function comparable(type: RecordType, value: string): string {
  const text = value.trim();
  switch (type) {
    case 'TXT':
      return /^".*"$/s.test(text) ? text.slice(1, -1) : text;
    case 'CNAME':
      return canonicalName(text);
    case 'A':
      return isIPv4(text) ? text : `not an address: ${text}`;
    case 'AAAA':
      return isIPv6(text) && !text.includes('%') ? new URL(`http://[${text}]`).hostname : `not an address: ${text}`;
  }
}
