import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { createServer as createTlsServer } from 'node:tls';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type ClientOptions, createClient, type RequestSpec, type ServiceClient } from '../../src/client/service.ts';
import { ServiceError } from '../../src/client/service-error.ts';
import { Secrets } from '../../src/output/redact.ts';
import { type Moment, momentAfter, presentMoment } from '../../src/util/moment.ts';
import { API_KEY } from '../helpers/api-key.ts';
import { certificatesForTests } from '../helpers/certificates.ts';
import { closeAfterTests } from '../helpers/opened.ts';
import { type Handler, startScriptedService } from '../helpers/scripted-service.ts';
import { createTestClock } from '../helpers/test-clock.ts';

/* An import relies on when a request is over, and on whether a byte of it has left: these tests call the client itself. */

const READ: RequestSpec = { method: 'GET', path: ['v1', 'findings'] };
const TIMED_OUT = { code: 'timeout', isAmbiguous: true, exitCode: 6 };

const opened = closeAfterTests();
const certificates = certificatesForTests();

/** A client without a proxy, whose requests have a timeout of 30 s, unless `options` say otherwise. */
function clientOf(baseUrl: string, options: Partial<ClientOptions>): ServiceClient {
  const client = createClient({
    baseUrl,
    apiKey: API_KEY,
    timeoutMs: 30_000,
    retries: 4,
    allowHttp: false,
    proxy: {},
    userAgent: 'orgadm/test',
    clock: createTestClock(),
    random: () => 0,
    secrets: new Secrets(),
    ...options,
  });
  return opened(client);
}

/** The error that a call ends with; throws if it ends otherwise. */
async function failureOf(call: Promise<unknown>): Promise<ServiceError> {
  const error: unknown = await call.then(
    () => new Error('expected a failure, but the call succeeded'),
    (reason: unknown) => reason,
  );
  if (error instanceof ServiceError) return error;
  throw error;
}

/** A server of raw connections on a port of loopback. */
async function listen(onConnection: (socket: Socket) => void): Promise<{ host: string; accepted: Promise<Socket> }> {
  const server = createServer((socket) => onConnection(socket.on('error', () => {})));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  opened({ close: () => promisify(server.close.bind(server))() });
  const accepted = once(server, 'connection').then(([socket]) => socket as Socket);
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, accepted };
}

/** A service that never responds, unless `handler` does, and a client whose clock the test advances. */
async function silentService(handler: Handler = () => new Promise(() => {})) {
  const clock = createTestClock();
  const service = opened(await startScriptedService(handler));
  return { clock, service, client: clientOf(service.url, { clock }) };
}

/** A response of which the client has the headers, and which the test continues. */
async function startedResponse(status: number) {
  const began = new EventEmitter();
  const beginning = once(began, 'response');
  const { clock, client } = await silentService((_request, response) => {
    response.writeHead(status);
    began.emit('response', response);
    return undefined;
  });
  const call = client.request(READ);
  call.catch(() => {});
  const [response] = (await beginning) as [ServerResponse];
  /** Writes so many pieces, each after some time, and each received before the next one. */
  const write = async (count: number, ms: number) => {
    for (let piece = 0; piece < count; piece++) {
      await clock.advance(ms);
      const received = untilReceived();
      response.write('x');
      await received;
    }
  };
  return { clock, call, response, write };
}

/** Resolves when a client receives a piece of a body. */
function untilReceived(): Promise<void> {
  const channel = 'undici:request:bodyChunkReceived';
  return new Promise((resolve) => {
    const onPiece = () => {
      unsubscribe(channel, onPiece);
      resolve();
    };
    subscribe(channel, onPiece);
  });
}

describe('the deadline for the headers', () => {
  it('ends a request that gets no response', async () => {
    const { clock, client, service } = await silentService();
    const call = failureOf(client.request(READ));
    while (service.requests.length === 0) await clock.advance(0);
    await clock.advance(29_999);
    expect(clock.waiting()).toEqual([1, 1]);
    await clock.advance(1);
    expect(await call).toMatchObject({ ...TIMED_OUT, hint: expect.stringContaining('--timeout') });
  });

  it('resets the connection, so that the system does not deliver later what it has not sent yet', async () => {
    let received = 0;
    // It reads the start of the request, and the rest only after the client has given up.
    const { host, accepted } = await listen((socket) => {
      socket.on('data', (bytes) => {
        received += bytes.length;
      });
      socket.once('data', () => socket.pause());
    });
    const clock = createTestClock();
    const client = clientOf(`http://${host}`, { clock });
    const body = { members: [{ userId: 'x'.repeat(2_000_000) }] };
    const call = failureOf(client.request({ method: 'POST', path: ['v1', 'people', 'bulk'], body }));
    const socket = await accepted;
    await once(socket, 'pause');
    await clock.advance(30_000);
    expect(await call).toMatchObject(TIMED_OUT);
    // The reset may be an error of the socket, too, which `once` would throw.
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.resume();
    await closed;
    expect(received).toBeLessThan(1_000_000);
  });

  it.each([
    ['a TLS handshake', (host: string) => ({ baseUrl: `https://${host}`, proxy: {} })],
    ['the tunnel of a proxy', (host: string) => ({ baseUrl: 'https://service.test', proxy: { https: host } })],
  ])('proves that nothing was sent if it ends %s', async (_name, through) => {
    const { host, accepted } = await listen((socket) => socket.resume());
    const { baseUrl, proxy } = through(host);
    const clock = createTestClock();
    const client = clientOf(baseUrl, { clock, proxy });
    const call = failureOf(client.request(READ));
    await accepted;
    await clock.advance(30_000);
    expect(await call).toMatchObject({ code: 'timeout', isAmbiguous: false, exitCode: 6 });
    // This ends the half-open connection; otherwise the server would wait forever.
    await client.close();
  });
});

describe('the moment at which a request must be over', () => {
  const add = (endsAt: Moment): RequestSpec => ({
    method: 'POST',
    path: ['v1', 'people', 'bulk'],
    body: { members: [] },
    endsAt,
  });
  const NOT_SENT = { code: 'timeout', isAmbiguous: false, hint: expect.stringContaining('--timeout') };

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
    const { host } = await listen((socket) => {
      [blockedMs, blockedUptimeMs] = [clockMs, uptimeMs];
      const onward = connect(service.port, '127.0.0.1');
      pipeline(socket, onward, socket, () => {});
    });
    const client = clientOf(`https://${host}`, { clock, caCert: certificates.ca });
    const call = client.request(add(momentAfter(presentMoment(started), 1_000)));
    if (sent === 1) expect(await call).toMatchObject({ status: 201 });
    else expect(await failureOf(call)).toMatchObject(NOT_SENT);
    expect(service.requests).toHaveLength(sent);
  });

  it('ends a request soon after the machine has slept past it, although the timers stood still', async () => {
    const started = createTestClock();
    let sleptMs = 0;
    const clock = { ...started, uptime: () => started.uptime() + sleptMs };
    const service = opened(await startScriptedService(() => new Promise(() => {})));
    const client = clientOf(service.url, { clock });
    const call = failureOf(client.request(add(momentAfter(presentMoment(clock), 30_000))));
    while (service.requests.length === 0) await started.advance(0);
    await started.advance(10_000);
    sleptMs = 3_600_000;
    await started.advance(5_000);
    expect(await call).toMatchObject(TIMED_OUT);
    expect(started.waiting()).toEqual([]);
  });
});

describe('the deadlines of a body', () => {
  it.each([200, 503])('end one with the status %i that pauses for as long as the timeout', async (status) => {
    const { clock, call, write } = await startedResponse(status);
    await write(3, 29_000);
    await clock.advance(29_999);
    expect(clock.waiting()).toContain(1);
    await clock.advance(1);
    expect(await failureOf(call)).toMatchObject({ ...TIMED_OUT, status: undefined });
  });

  it('end one that goes on for ten times the timeout, and no sooner', async () => {
    const complete = await startedResponse(200);
    await complete.write(10, 29_999);
    complete.response.end();
    expect((await complete.call).text).toHaveLength(10);

    const endless = await startedResponse(200);
    await endless.write(10, 29_999);
    await endless.clock.advance(10);
    expect(await failureOf(endless.call)).toMatchObject(TIMED_OUT);
  });
});

describe('a TLS connection that fails after the request was written', () => {
  it('says nothing about the outcome of the request', async () => {
    const server = createTlsServer(certificates.server);
    server.on('tlsClientError', () => {}).on('secureConnection', (socket) => socket.on('error', () => {}));
    // Bytes that are no record of TLS, below the TLS connection.
    server.on('connection', (plain: Socket) => {
      server.once('secureConnection', (socket) => socket.once('data', () => plain.write('no TLS at all')));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    opened({ close: async () => void server.close() });
    const baseUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = clientOf(baseUrl, { caCert: certificates.ca });
    expect(await failureOf(client.request({ ...READ, method: 'POST', body: {} }))).toMatchObject({
      code: 'interrupted',
      isAmbiguous: true,
    });
  });
});
