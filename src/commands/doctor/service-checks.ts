import { staleness } from '../../client/gates.ts';
import { headerOf } from '../../client/http/headers.ts';
import { ServiceError } from '../../client/http/service-error.ts';
import type { IncomingHeaders } from '../../client/http/transport.ts';
import type { RequestSpec, ServiceClient } from '../../client/service-client.ts';
import { renderDuration } from '../../util/units.ts';
import { profileOption } from '../command-context.ts';
import { describeVerification, probeKey } from '../verify-key.ts';
import { type Check, type CheckOutcome, type Examination, failed, ok, skipped, warning } from './check.ts';

/** The check of the service and the key, with the requests that `auth login` sends, and what their responses show. */
export const SERVICE_CHECKS: readonly Check[] = [
  { name: 'service', needs: ['base-url', 'api-key'], run: checkService },
  { name: 'clock', needs: ['service'], run: checkClock },
];

async function checkService(examination: Examination): Promise<CheckOutcome> {
  const { context } = examination;
  const client = await context.service();
  const { wire } = await context.settings();
  const verification = await probeKey(
    withClockOffset(client, examination),
    wire.findings,
    await profileOption(context),
  );
  const { result, error } = verification;
  if (error === undefined) return ok(`${client.baseUrl} responds, and accepts the key`);
  if (result === 'no-permission') {
    return warning(`${client.baseUrl} responds; the key is ${describeVerification(verification)}`, error.hint);
  }
  // The service responded with its API: other commands may work. A 404 would mean a wrong path.
  const isReachable = error.code === 'unverified' || error.status === 400;
  return (isReachable ? warning : failed)(error.message, error.hint);
}

/** Returns the client; its streams also compare the clocks. */
function withClockOffset(client: ServiceClient, examination: Examination): ServiceClient {
  const { clock } = client;
  const stream = async (spec: RequestSpec) => {
    const sentMs = clock.now();
    const compare = (headers: IncomingHeaders) => {
      // The time of a response from a cache is that of long ago.
      if (staleness(headers) !== undefined) return;
      const serviceMs = Date.parse(headerOf(headers, 'date') ?? '');
      // The header is in seconds, rounded down.
      if (!Number.isNaN(serviceMs)) examination.clockOffsetMs = (sentMs + clock.now()) / 2 - (serviceMs + 500);
    };
    try {
      const response = await client.stream(spec);
      compare(response.headers);
      return response;
    } catch (error) {
      if (error instanceof ServiceError && error.response) compare(error.response.headers);
      throw error;
    }
  };
  return { ...client, stream };
}

/** Larger differences make logs hard to compare, and certificates invalid. */
const MAX_OFFSET_MS = 60_000;

function checkClock({ clockOffsetMs }: Examination): CheckOutcome {
  if (clockOffsetMs === undefined) return skipped('no response of the service itself has a valid Date header');
  if (Math.abs(clockOffsetMs) <= MAX_OFFSET_MS) return ok("this machine's clock agrees with the service's");
  const difference = `${renderDuration(Math.abs(clockOffsetMs))} ${clockOffsetMs < 0 ? 'behind' : 'ahead of'}`;
  return warning(
    `this machine's clock is ${difference} the service's clock`,
    "Set this machine's clock, or synchronize it with NTP.",
  );
}
