import type { IncomingHeaders } from '../../client/http/transport.ts';
import type { RequestSpec, ServiceClient } from '../../client/service-client.ts';
import { ServiceError } from '../../client/service-error.ts';
import type { Clock } from '../../util/clock.ts';
import { EXIT } from '../../util/errors.ts';

/** The head of a response, and when it came; milliseconds since the epoch. */
export interface ObservedResponse {
  status: number;
  headers: IncomingHeaders;
  sentAt: number;
  receivedAt: number;
}

export interface ObservedClient {
  readonly client: ServiceClient;
  /** Every response so far that had headers. */
  readonly responses: readonly ObservedResponse[];
}

/** Wraps a client: records what the service returns, and ends each request after `deadlineMs` with a timeout. */
export function observeClient(client: ServiceClient, deadlineMs: number, clock: Clock): ObservedClient {
  const responses: ObservedResponse[] = [];

  const observed =
    <T extends { status: number; headers: IncomingHeaders }>(send: (spec: RequestSpec) => Promise<T>) =>
    async (spec: RequestSpec): Promise<T> => {
      const deadline = new AbortController();
      const disarm = clock.after(deadlineMs, () => deadline.abort());
      const sentAt = clock.now();
      const record = (status: number, headers: IncomingHeaders) =>
        responses.push({ status, headers, sentAt, receivedAt: clock.now() });
      try {
        const response = await send({ ...spec, signal: deadline.signal });
        record(response.status, response.headers);
        return response;
      } catch (error) {
        if (deadline.signal.aborted) throw deadlineError(client.baseUrl, deadlineMs);
        if (error instanceof ServiceError && error.response !== undefined) {
          record(error.status ?? 0, error.response.headers);
        }
        throw error;
      } finally {
        disarm();
      }
    };

  return {
    responses,
    client: {
      ...client,
      request: observed((spec) => client.request(spec)),
      requestBytes: observed((spec) => client.requestBytes(spec)),
      stream: observed((spec) => client.stream(spec)),
    },
  };
}

function deadlineError(baseUrl: string, deadlineMs: number): ServiceError {
  return new ServiceError('timeout', EXIT.unreachable, `No response from ${baseUrl} within ${deadlineMs / 1_000} s`, {
    kind: 'timeout',
    processed: 'maybe',
    hint: 'Try again later.',
  });
}
