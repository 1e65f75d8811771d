import { randomInt } from 'node:crypto';

/** A port for servers that have an address of their own, see {@link ownLoopbackAddress}. */
export const OWN_PORT = 10_053;

/**
 * Returns an IPv4 address of this machine's loopback network that no other test uses, for a program that cannot be
 * asked for a free port. On 127.0.0.1, a port that was free a moment ago may be taken by any connection of a test.
 */
export function ownLoopbackAddress(): string {
  return ['127', ...Array.from({ length: 3 }, () => randomInt(1, 255))].join('.');
}
