import { describe, expect, it } from 'vitest';
import { Outages } from '../../../src/client/http/outage.ts';
import { ServiceError, type ServiceErrorDetails } from '../../../src/client/http/service-error.ts';
import { createVariableClock } from '../../import/send/limited-service.ts';

const START_MS = 1_795_341_612_345;

function createOutages({ random = 0.5 } = {}) {
  const clock = createVariableClock(START_MS);
  return { clock, outages: new Outages({ clock, random: () => random }) };
}

function failure(details: Partial<ServiceErrorDetails> = {}): ServiceError {
  const { status } = details;
  return new ServiceError('rejected', 4, status === undefined ? 'connection refused' : `status ${status}`, {
    ...{ kind: status === undefined ? 'unreachable' : 'rejected', processed: 'no', messages: [] },
    ...details,
  });
}

/** Lets requests fail in the same way until orgadm gives up. Returns its waits, how long they took, and the error. */
function failUntilGivenUp(error: ServiceError, { clock, outages }: ReturnType<typeof createOutages>) {
  const began = clock.time;
  const waits: number[] = [];
  for (;;) {
    outages.failed(error, clock.time);
    const step = outages.next(error, 4);
    if (step === undefined) throw new Error('not an outage');
    if ('error' in step) return { waits, lasted: clock.time - began, error: step.error };
    waits.push(step.waitMs);
    clock.time += step.waitMs;
  }
}

describe('an outage', () => {
  it('of connections is tried again for a minute, after waits that double up to 8 s, half of them random', () => {
    const refused = failure();
    const { waits, lasted, error } = failUntilGivenUp(refused, createOutages());
    expect(waits).toEqual([750, 1_500, 3_000, ...Array(9).fill(6_000), 750]);
    expect(lasted).toBe(60_000);
    expect(error).toBe(refused);
  });

  it('ends at the first failure if the user allows no retries', () => {
    const { clock, outages } = createOutages();
    const refused = failure();
    outages.failed(refused, clock.time);
    expect(outages.next(refused, 0)).toEqual({ error: refused });
  });

  it('is not the page of a gateway, which says nothing about the key', () => {
    const { clock, outages } = createOutages();
    const details = { kind: 'rejected', processed: 'no' } as const;
    const pages = [403, 401].map((status) => new ServiceError('gateway', 1, 'a page', { ...details, status }));
    for (const page of pages) {
      outages.failed(page, clock.time);
      expect(outages.next(page, 4)).toBeUndefined();
    }
    const rejected = failure({ status: 401 });
    outages.failed(rejected, clock.time);
    expect(outages.next(rejected, 4)).toBeUndefined();
  });

  it('is a 401 after the service accepted the key', () => {
    const fixture = createOutages();
    fixture.outages.accepted();
    const { lasted, error } = failUntilGivenUp(failure({ status: 401, messages: ['Invalid key'] }), fixture);
    expect(error).toMatchObject({
      message: 'the service accepted the API key until 1 m 0 s ago and has rejected it since (401 Invalid key)',
      hint: 'The service may be failing, or someone revoked the key.',
      exitCode: 4,
    });
    expect(lasted).toBe(60_000);
  });

  it.each([400, 403, 409, 413, 422])('is a 401 after a %i, which shows that the service accepted the key', (status) => {
    const { clock, outages } = createOutages();
    outages.failed(failure({ status }), clock.time);
    const rejected = failure({ status: 401 });
    outages.failed(rejected, clock.time);
    expect(outages.next(rejected, 4)).toEqual({ waitMs: 750 });
  });

  it('is a 401 after a 5xx, and is reported as one', () => {
    const fixture = createOutages();
    fixture.outages.failed(failure({ status: 500 }), fixture.clock.time);
    expect(failUntilGivenUp(failure({ status: 401 }), fixture).error).toMatchObject({
      code: 'service-failed',
      exitCode: 6,
      message: 'the service is failing: 500, then 401',
      hint: 'Try again later.',
      status: 401,
    });
  });

  it.each([404, 408, 429])('is not a 401 after a %i, because the service may not have looked at the key', (status) => {
    const { clock, outages } = createOutages();
    outages.failed(failure({ status }), clock.time);
    const rejected = failure({ status: 401 });
    outages.failed(rejected, clock.time);
    expect(outages.next(rejected, 4)).toBeUndefined();
  });

  it.each<[string, Partial<ServiceErrorDetails>]>([
    ['a reset, after which the service may go on', { kind: 'interrupted', processed: 'maybe' }],
    ['a certificate that is not trusted', { kind: 'certificate' }],
    ['a request that the user stopped', { kind: 'aborted' }],
    ['a 503', { status: 503 }],
  ])('is not %s', (_, details) => {
    const { clock, outages } = createOutages();
    outages.accepted();
    const error = failure(details);
    outages.failed(error, clock.time);
    expect(outages.next(error, 4)).toBeUndefined();
  });

  it('counts requests that failed at the same time once', () => {
    const { clock, outages } = createOutages();
    const refused = failure();
    const sentAtMs = clock.time;
    for (let at = 0; at < 4; at++) {
      clock.time += 10;
      outages.failed(refused, sentAtMs);
    }
    expect(outages.next(refused, 4)).toEqual({ waitMs: 750 });
  });

  it.each<[string, (outages: Outages, nowMs: number) => void]>([
    ['an accepted request', (outages) => outages.accepted()],
    ['any response', (outages, nowMs) => outages.failed(failure({ status: 503 }), nowMs)],
  ])('of connections begins anew after %s', (_, respond) => {
    const { clock, outages } = createOutages();
    const refused = failure();
    outages.failed(refused, clock.time);
    clock.time += 50_000;
    respond(outages, clock.time);
    clock.time += 50_000;
    outages.failed(refused, clock.time);
    expect(outages.next(refused, 4)).toEqual({ waitMs: 750 });
  });

  it('of the lookup of keys goes on while the service also fails with a 5xx', () => {
    const { clock, outages } = createOutages();
    outages.accepted();
    const rejected = failure({ status: 401 });
    outages.failed(rejected, clock.time);
    clock.time += 30_000;
    outages.failed(failure({ status: 500 }), clock.time);
    clock.time += 30_000;
    outages.failed(rejected, clock.time);
    expect(outages.next(rejected, 4)).toHaveProperty('error');
  });

  it('tells whether the service has ever responded', () => {
    const { clock, outages } = createOutages();
    outages.failed(failure(), clock.time);
    // The response of a proxy.
    outages.failed(failure({ status: 407 }), clock.time);
    expect(outages.hasResponded).toBe(false);
    outages.failed(failure({ status: 401 }), clock.time);
    expect(outages.hasResponded).toBe(true);
  });
});
