import { isIPv4, isIPv6 } from 'node:net';
import type { DomainStatus } from '../../client/response-schemas.ts';
import { type ExpectedRecord, expectedRecords, recordType } from './dns-records.ts';
import { canonicalName, isDnsName } from './domain-name.ts';

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
