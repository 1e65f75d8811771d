import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { UsageError } from '../../util/errors.ts';
import { checkIdentifier } from '../identifier.ts';

/** Longest name in RFC 1035, without the dot of the root. */
const MAX_DNS_NAME = 253;
const NAME = /^(\*\.)?([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Returns a name in lower-case ASCII without a dot at its end, so that names can be compared; accepts invalid names. */
export function canonicalName(text: string): string {
  const bare = text.trim().toLowerCase().replace(/\.$/, '');
  return NAME.test(bare) ? bare : domainToASCII(bare) || bare;
}

/** Returns whether a canonical name can be looked up. */
function isDnsName(canonical: string): boolean {
  return canonical.length <= MAX_DNS_NAME && NAME.test(canonical);
}

/** Characters of URLs and of IPv6 addresses, which `domainToASCII` does not reject. */
const NOT_IN_NAMES = /[/?#%@\\:[\]]/;

/**
 * Normalizes a domain as people write it: case, scheme, trailing slash, trailing dot, international letters.
 *
 * @returns the name in lower-case ASCII, without trailing dot
 * @throws UsageError for an address, a port, a path, a wildcard, or a single label, and see `checkIdentifier`
 */
export function normalizeDomain(written: string): string {
  const bare = checkIdentifier(written, 'the domain')
    .replace(/^https?:\/\/|\/$/gi, '')
    .replace(/\.$/, '');
  const ascii = domainToASCII(bare);
  const isName = isDnsName(ascii) && ascii.includes('.');
  if (!isName || NOT_IN_NAMES.test(bare) || isIP(ascii) !== 0) {
    throw new UsageError(
      `"${written}" is not a domain name`,
      'Use a name such as trust.example.com, without a port or a path.',
    );
  }
  return ascii;
}
