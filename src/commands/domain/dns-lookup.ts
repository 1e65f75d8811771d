import { Resolver } from 'node:dns/promises';
import { isIP, isIPv6 } from 'node:net';
import { systemErrorCode, UsageError } from '../../util/errors.ts';
import type { Clock } from '../../util/host.ts';

/** The record types that are looked up. */
export const RECORD_TYPES = ['TXT', 'CNAME', 'A', 'AAAA'] as const;

export type RecordType = (typeof RECORD_TYPES)[number];

/**
 * The result of a lookup:
 * - `records`: values, at least one; the strings of a TXT record are joined
 * - `none`: there are none; `isName` is true if the name has records of another type
 * - `unknown`: no usable response from the name server
 */
export type LookupResult =
  | { kind: 'records'; values: string[] }
  | { kind: 'none'; isName: boolean }
  | { kind: 'unknown'; reason: string };

/** Looks up the records of one type for a canonical name. Never rejects. */
export type DnsLookup = (type: RecordType, name: string) => Promise<LookupResult>;

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
      return failedLookup(systemErrorCode(error) ?? String(error));
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
 * @throws UsageError for anything else, also for host names, which would need a name server themselves
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
      'Use an IP address, with a port unless it is 53: 192.0.2.53, 192.0.2.53:5353, or [2001:db8::53]:5353.',
    );
  }
  return written;
}
