import { type ClientOptions, createClient, type ServiceClient } from '../../src/client/service.ts';
import { ServiceError } from '../../src/client/service-error.ts';
import { Secrets } from '../../src/output/redact.ts';
import type { Clock } from '../../src/util/host.ts';
import { API_KEY } from './api-key.ts';
import { createAutoClock } from './test-clock.ts';

/** A client for tests: back-offs take no time and have no jitter, no proxy, unless `options` say otherwise. */
export function testClient(baseUrl: string, options: Partial<ClientOptions> & { clock?: Clock } = {}): ServiceClient {
  return createClient({
    baseUrl,
    apiKey: API_KEY,
    timeoutMs: 30_000,
    retries: 4,
    allowHttp: false,
    proxy: {},
    userAgent: 'orgadm/test',
    clock: createAutoClock(),
    random: () => 0,
    secrets: new Secrets(),
    ...options,
  });
}

/** The ServiceError that a call ends with; throws when it ends otherwise. */
export async function failureOf(call: Promise<unknown>): Promise<ServiceError> {
  const error: unknown = await call.then(
    () => new Error('expected a failure, but the call succeeded'),
    (reason: unknown) => reason,
  );
  if (error instanceof ServiceError) return error;
  throw error;
}
