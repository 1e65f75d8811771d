import { isIPv4, isIPv6 } from 'node:net';
import type { DomainStatus } from '../../client/response-schemas.ts';
import { canonicalName, type ExpectedRecord, expectedRecords, isDnsName, recordType } from './dns-records.ts';

/** A character string of a TXT record holds 255 bytes (RFC 1035, 3.3). */
const TXT_STRING_BYTES = 255;

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
  if (isApex(owner)) return "a CNAME is not allowed at the apex of a zone: use your provider's ALIAS or ANAME";
  const others = all.filter(({ name }) => canonicalName(name) === owner);
  return others.length > 1
    ? "a CNAME is not allowed next to another record: use your provider's ALIAS or ANAME"
    : undefined;
}

/** Returns whether a name has two labels, which is most likely the apex of a zone. */
function isApex(name: string): boolean {
  return name.split('.').length <= 2;
}

/** Quoted strings of at most 255 bytes; quotes, backslashes and everything unprintable escaped (RFC 1035, 5.1). */
function txtStrings(value: string): string {
  const bytes = Buffer.from(value);
  const strings: string[] = [];
  for (let at = 0; at < Math.max(bytes.length, 1); at += TXT_STRING_BYTES) {
    const escaped = [...bytes.subarray(at, at + TXT_STRING_BYTES)].map(escapeByte).join('');
    strings.push(`"${escaped}"`);
  }
  return strings.join(' ');
}

function escapeByte(byte: number): string {
  if (byte === 0x22 || byte === 0x5c) return `\\${String.fromCharCode(byte)}`;
  return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\${String(byte).padStart(3, '0')}`;
}

/** Escapes text for a comment: one line, without control characters. */
function printable(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\${String(byte).padStart(3, '0')}`))
    .join('');
}
