import type { DomainStatus, VerificationRecord } from '../../service/contract.ts';

/** A character string of a TXT record holds 255 bytes (RFC 1035, 3.3). */
const TXT_STRING_BYTES = 255;

/**
 * Renders the records that a domain needs as lines of a zone file. What cannot stand in one as it is becomes a
 * comment: types other than TXT, CNAME, A and AAAA, a CNAME at the apex of a zone, values that are no names.
 */
export function renderZone(domain: string, status: DomainStatus): string {
  const lines = (status.verification ?? []).map((record) => zoneLine(domain, record));
  const target = status.cnameTarget;
  const listed = (status.verification ?? []).some((record) => record.type?.toUpperCase() === 'CNAME');
  if (target && !listed) lines.push(zoneLine(domain, { type: 'CNAME', domain, value: target }));
  if (lines.length === 0) lines.push(`; ${domain}: the service names no records`);
  return `${lines.join('\n')}\n`;
}

function zoneLine(domain: string, record: VerificationRecord): string {
  const type = (record.type ?? '').trim().toUpperCase();
  const owner = absolute(record.domain ?? domain);
  const value = record.value ?? '';
  const comment = (why: string) => `; ${printable(owner)} IN ${printable(type)} ${printable(value)} ; ${why}`;
  if (!isName(owner)) return comment('this owner is no domain name');
  if (type === 'TXT') return `${owner} IN TXT ${txtStrings(value)}`;
  if (type === 'CNAME') {
    if (isApex(owner)) return comment("a CNAME cannot stand at the apex of a zone: use your provider's ALIAS or ANAME");
    return isName(absolute(value)) ? `${owner} IN CNAME ${absolute(value)}` : comment('this value is no domain name');
  }
  if (type === 'A' && /^\d{1,3}(\.\d{1,3}){3}$/.test(value)) return `${owner} IN A ${value}`;
  if (type === 'AAAA' && /^[0-9a-f:.]+$/i.test(value)) return `${owner} IN AAAA ${value}`;
  return comment('not written as a record: check it by hand');
}

function absolute(name: string): string {
  const trimmed = name.trim().toLowerCase();
  return trimmed.endsWith('.') ? trimmed : `${trimmed}.`;
}

function isName(absoluteName: string): boolean {
  return /^(\*\.)?([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+$/.test(absoluteName);
}

/** Two labels: the apex of a zone, as far as the name alone can tell. */
function isApex(absoluteName: string): boolean {
  return absoluteName.split('.').length === 3;
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

/** Text for a comment: one line, nothing that a terminal or a name server would act upon. */
function printable(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\${String(byte).padStart(3, '0')}`))
    .join('');
}
