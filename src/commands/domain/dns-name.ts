import { domainToASCII } from 'node:url';

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
