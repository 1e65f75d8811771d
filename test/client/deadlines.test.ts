import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { RequestSpec } from '../../src/client/service.ts';
import { type Moment, momentAfter, presentMoment } from '../../src/util/moment.ts';
import { certificatesForTests } from '../helpers/certificates.ts';
import { closeAfterTests } from '../helpers/opened.ts';
import { type Handler, startScriptedService } from '../helpers/scripted-service.ts';
import { failureOf, testClient } from '../helpers/test-client.ts';
import { createTestClock, type TestClock } from '../helpers/test-clock.ts';

const READ: RequestSpec = { method: 'GET', path: ['v1', 'findings'] };

const opened = closeAfterTests();

/** A service that sends the headers and then what the test writes, and a client whose clock the test advances. */
async function slowService(headers: Record<string, string> = {}) {
  const clock = createTestClock();
  let responding: (response: ServerResponse) => void = () => {};
  const response = new Promise<ServerResponse>((resolve) => {
    responding = resolve;
  });
  const service = opened(
    await startScriptedService((_request, own) => {
      own.writeHead(200, headers).flushHeaders();
      responding(own);
      return undefined;
    }),
  );
  return { clock, response, client: opened(testClient(service.url, { clock })) };
}

async function silentService(handler: Handler = () => new Promise(() => {})) {
  const clock = createTestClock();
  const service = opened(await startScriptedService(handler));
  return { clock, service, client: opened(testClient(service.url, { clock })) };
}

/** Lets `count` steps of `ms` pass, each followed by one written piece that the reader has seen. */
async function drip(clock: TestClock, response: ServerResponse, step: { ms: number; bytes: number; count: number }) {
  for (let piece = 0; piece < step.count; piece++) {
    await clock.advance(step.ms);
    await new Promise((resolve) => response.write('x'.repeat(step.bytes), resolve));
    await setTimeout(20);
  }
}

describe('the deadline for the headers', () => {
  it('ends a request that gets no response', async () => {
    const { clock, client, service } = await silentService();
    const call = failureOf(client.request(READ));
    while (service.requests.length === 0) await clock.advance(0);
    await clock.advance(29_999);
    expect(clock.waiting()).toEqual([1, 1]);
    await clock.advance(1);
    const error = await call;
    expect(error).toMatchObject({ code: 'timeout', isAmbiguous: true, exitCode: 6 });
    expect(error.message).toMatch(/^no response from http:\/\/127\.0\.0\.1:\d+ within 30 s$/);
    expect(error.hint).toContain('--timeout');
  });

  it('resets the connection, so that the system does not deliver later what it has not sent yet', async () => {
    let received = 0;
    // It reads the start of the request, and the rest only after the client has given up.
    const stuck = createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (bytes) => {
        received += bytes.length;
      });
      socket.once('data', () => socket.pause());
    });
    await once(stuck.listen(0, '127.0.0.1'), 'listening');
    const { port } = stuck.address() as AddressInfo;
    const clock = createTestClock();
    const client = opened(testClient(`http://127.0.0.1:${port}`, { clock }));
    const accepted = once(stuck, 'connection');
    const body = { members: [{ userId: 'x'.repeat(2_000_000) }] };
    const call = failureOf(client.request({ method: 'POST', path: ['v1', 'people', 'bulk'], body }));
    const [socket] = (await accepted) as [Socket];
    await once(socket, 'pause');
    await clock.advance(30_000);
    expect(await call).toMatchObject({ code: 'timeout', isAmbiguous: true });
    // The reset may be an error of the socket, too, which `once` would throw.
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.resume();
    await closed;
    expect(received).toBeLessThan(1_000_000);
    await new Promise((resolve) => stuck.close(resolve));
  });

  it('proves that nothing was processed if it ends before the connection is established', async () => {
    // The TCP connection is established, but the TLS handshake never completes.
    const mute = createServer((socket) => socket.on('error', () => {}).resume());
    await once(mute.listen(0, '127.0.0.1'), 'listening');
    const { port } = mute.address() as AddressInfo;
    const clock = createTestClock();
    const client = opened(testClient(`https://127.0.0.1:${port}`, { clock }));
    const accepted = once(mute, 'connection');
    const call = failureOf(client.request(READ));
    await accepted;
    await clock.advance(30_000);
    const error = await call;
    expect(error).toMatchObject({ code: 'timeout', isAmbiguous: false, exitCode: 6 });
    expect(error.message).toContain('no connection to https://127.0.0.1');
    // Closing ends the half-open connection; otherwise this would wait forever.
    await client.close();
    await new Promise((resolve) => mute.close(resolve));
  });
});

describe('the moment at which a request must be over', () => {
  const certificates = certificatesForTests();
  const add = (endsAt: Moment): RequestSpec => ({
    method: 'POST',
    path: ['v1', 'people', 'bulk'],
    body: { members: [] },
    endsAt,
  });
  const NOT_SENT = {
    code: 'timeout',
    isAmbiguous: false,
    status: undefined,
    message: expect.stringMatching(/was not sent, because its deadline had passed before it could be sent$/),
    hint: expect.stringContaining('--timeout'),
  };

  it('passes before the request: nothing connects', async () => {
    const { clock, client, service } = await silentService();
    expect(await failureOf(client.request(add(presentMoment(clock))))).toMatchObject(NOT_SENT);
    expect(service.connections()).toBe(0);
  });

  // The time passes without running timers, as it does for a process whose event loop is blocked. While the machine sleeps, only
  // its uptime goes on.
  it.each([
    ['sends a request that connects a moment before it', 999, 999, 1],
    ['does not send a request whose connection takes until then', 1_000, 1_000, 0],
    ['does not send a request whose connection takes longer', 3_500, 3_500, 0],
    ['does not send a request if the machine sleeps until then', 0, 2_000, 0],
    ['sends a request if the uptime is in whole seconds', 20, 1_000, 1],
    ['does not send a request until then if the uptime does not advance', 1_000, 0, 0],
  ])('%s', async (_name, clockMs, uptimeMs, sent) => {
    const started = createTestClock();
    let [blockedMs, blockedUptimeMs] = [0, 0];
    const clock = {
      ...started,
      now: () => started.now() + blockedMs,
      uptime: () => started.uptime() + blockedUptimeMs,
    };
    const service = opened(await startScriptedService(() => ({ status: 201, body: {} }), { tls: certificates.server }));
    // The TLS handshake with the service cannot end before the time has passed.
    const relay = createServer((socket) => {
      [blockedMs, blockedUptimeMs] = [clockMs, uptimeMs];
      const onward = connect(service.port, '127.0.0.1');
      pipeline(socket, onward, socket, () => {});
    });
    await once(relay.listen(0, '127.0.0.1'), 'listening');
    opened({ close: () => promisify(relay.close.bind(relay))() });
    const { port } = relay.address() as AddressInfo;
    const client = opened(testClient(`https://127.0.0.1:${port}`, { clock, caCert: certificates.ca }));
    const call = client.request(add(momentAfter(presentMoment(started), 1_000)));
    if (sent === 1) await call;
    else expect(await failureOf(call)).toMatchObject(NOT_SENT);
    expect(service.requests).toHaveLength(sent);
  });

  it('ends a request soon after the machine has slept past it, although the timers stood still', async () => {
    const started = createTestClock();
    let sleptMs = 0;
    const clock = { ...started, uptime: () => started.uptime() + sleptMs };
    const service = opened(await startScriptedService(() => new Promise(() => {})));
    const client = opened(testClient(service.url, { clock }));
    const call = failureOf(client.request(add(momentAfter(presentMoment(clock), 30_000))));
    while (service.requests.length === 0) await started.advance(0);
    await started.advance(10_000);
    sleptMs = 3_600_000;
    await started.advance(5_000);
    expect(await call).toMatchObject({ code: 'timeout', isAmbiguous: true });
    expect(started.waiting()).toEqual([]);
  });
});

describe('the deadlines of a body', () => {
  it('ends a body that pauses for as long as the timeout', async () => {
    const { clock, response, client } = await slowService();
    const call = failureOf(client.request(READ));
    const own = await response;
    await drip(clock, own, { ms: 29_000, bytes: 100_000, count: 3 });
    await clock.advance(30_000);
    const error = await call;
    expect(error).toMatchObject({ code: 'timeout', isAmbiguous: true, exitCode: 6 });
  });

  it('ends a body of one byte per second after ten times the timeout', async () => {
    const { clock, response, client } = await slowService();
    const call = failureOf(client.request(READ));
    const own = await response;
    void drip(clock, own, { ms: 1_000, bytes: 1, count: 310 });
    const error = await call;
    expect(error).toMatchObject({ code: 'timeout', isAmbiguous: true });
  });

  it('does not end a slow but steady list', async () => {
    const { clock, response, client } = await slowService();
    const call = client.request(READ);
    const own = await response;
    await drip(clock, own, { ms: 5_000, bytes: 1_000, count: 50 });
    own.end();
    expect((await call).text).toHaveLength(50_000);
  });

  it('ends the body of an error response', async () => {
    const { clock, service, client } = await silentService((_request, own) => {
      own.writeHead(503, { 'content-length': '100' }).write('upstream ');
      return undefined;
    });
    const call = failureOf(client.request(READ));
    while (service.requests.length === 0) await clock.advance(0);
    await setTimeout(20);
    await clock.advance(30_000);
    expect(await call).toMatchObject({ code: 'timeout', isAmbiguous: true, status: undefined });
  });
});

describe('an abort by the caller', () => {
  it('ends a request that was sent', async () => {
    const stop = new AbortController();
    const { client } = await silentService(() => {
      stop.abort();
      return new Promise(() => {});
    });
    expect(await failureOf(client.request({ ...READ, signal: stop.signal }))).toMatchObject({
      code: 'aborted',
      isAmbiguous: true,
    });
  });

  it('sends nothing if it comes before the request', async () => {
    const { client, service } = await silentService();
    const error = await failureOf(client.request({ ...READ, signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ code: 'aborted', isAmbiguous: false });
    expect(service.requests).toHaveLength(0);
  });

  it('sends nothing if it comes while connecting', async () => {
    const { client, service } = await silentService();
    const stop = new AbortController();
    const call = failureOf(client.request({ ...READ, signal: stop.signal }));
    stop.abort();
    expect(await call).toMatchObject({ code: 'aborted', isAmbiguous: false });
    await client.close();
    expect(service.requests).toHaveLength(0);
  });

  it('ends a body that is being read', async () => {
    const { response, client } = await slowService();
    const stop = new AbortController();
    const call = failureOf(client.request({ ...READ, signal: stop.signal }));
    (await response).write('first');
    await setTimeout(20);
    stop.abort();
    expect(await call).toMatchObject({ code: 'aborted', isAmbiguous: true });
  });

  it('ends requests in flight if it closes the client', async () => {
    const { client, service, clock } = await silentService();
    const call = failureOf(client.request(READ));
    while (service.requests.length === 0) await clock.advance(0);
    await client.close();
    expect(await call).toMatchObject({ code: 'aborted' });
  });
});
