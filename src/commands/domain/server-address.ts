import { isIP, isIPv6 } from 'node:net';
import { UsageError } from '../../util/errors.ts';

const PORT_MAX = 65_535;

/**
 * Reads the address of a name server: `192.0.2.53`, `192.0.2.53:5353`, `2001:db8::53` or `[2001:db8::53]:5353`.
 *
 * @param name the flag, for the error
 * @returns the address as node:dns takes it
 * @throws UsageError for anything else, host names included: they would need a name server themselves
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
      'Write an IP address, with a port where it is not 53: 192.0.2.53, 192.0.2.53:5353 or [2001:db8::53]:5353.',
    );
  }
  return written;
}
