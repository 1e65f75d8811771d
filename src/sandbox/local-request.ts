import type { IncomingMessage } from 'node:http';
import { RequestRejection } from './operation.ts';

const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i;

/** What browsers state about a request that no other site caused. */
const SAME_SITE: readonly unknown[] = [undefined, 'same-origin', 'none'];

/**
 * Rejects requests that a web page in the user's browser may have caused: those for another host name, which arrive
 * after DNS rebinding, and those of another origin. Any port is accepted, for the sandbox may be behind a forwarded one.
 *
 * @returns the refusal (403); undefined for a request of this machine's own programs
 */
export function refuseForeignRequest({ headers, rawHeaders }: IncomingMessage): RequestRejection | undefined {
  const { host = '', origin } = headers;
  // Node.js keeps the first of several Host headers; another program may have decided by the last one.
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts.length > 1 || !LOOPBACK.test(host)) {
    return new RequestRejection(403, 'The sandbox only accepts requests for 127.0.0.1 or localhost', {
      connection: 'close',
    });
  }
  if (!SAME_SITE.includes(headers['sec-fetch-site']) || (origin !== undefined && origin !== `http://${host}`)) {
    return new RequestRejection(403, 'The sandbox does not accept requests of other origins', { connection: 'close' });
  }
  return undefined;
}
