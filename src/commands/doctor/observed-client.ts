import type { IncomingHeaders } from '../../client/http/transport.ts';
import type { RequestSpec, ServiceClient } from '../../client/service-client.ts';
import { ServiceError } from '../../client/service-error.ts';
import type { Clock } from '../../util/host.ts';

/** The head of a response, and its times in milliseconds since the epoch. */
export interface ObservedResponse {
  readonly status: number;
  readonly headers: IncomingHeaders;
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** A client that records its responses, including rejections. */
export interface ObservedClient extends ServiceClient {
  readonly responses: readonly ObservedResponse[];
}

/** Wraps a client in one that records its responses. */
export function observeClient(client: ServiceClient, clock: Clock): ObservedClient {
  const responses: ObservedResponse[] = [];
  const observed =
    <T extends { status: number; headers: IncomingHeaders }>(send: (spec: RequestSpec) => Promise<T>) =>
    async (spec: RequestSpec): Promise<T> => {
      const sentAt = clock.now();
      const record = (status: number, headers: IncomingHeaders) =>
        responses.push({ status, headers, sentAt, receivedAt: clock.now() });
      try {
        const response = await send(spec);
        record(response.status, response.headers);
        return response;
      } catch (error) {
        if (error instanceof ServiceError && error.response) record(error.status ?? 0, error.response.headers);
        throw error;
      }
    };
  return { ...client, responses, request: observed(client.request), stream: observed(client.stream) };
}
