import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { UsageError } from '../../util/errors.ts';

/** Lengths of RFC 1035: of a whole name, and of one label. */
const NAME_MAX = 253;
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
