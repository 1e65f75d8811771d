import { isIPv4, isIPv6 } from 'node:net';
import type { DnsLookup, LookupResult } from './dns-lookup.ts';
import { canonicalName, isDnsName } from './dns-name.ts';
import { type ExpectedRecord, type RecordType, recordType } from './dns-records.ts';

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
