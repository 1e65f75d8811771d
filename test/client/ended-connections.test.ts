import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { getDefaultHighWaterMark } from 'node:stream';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, it } from 'vitest';
import type { RequestSpec } from '../../src/client/service.ts';
import { certificatesForTests } from '../helpers/certificates.ts';
import { closeAfterTests } from '../helpers/opened.ts';
import { startProxyServer } from '../helpers/proxy-server.ts';
import { failureOf, testClient } from '../helpers/test-client.ts';

/* Connections that end or fail at a bad moment: before the reader of a response is ready for its last bytes, for example. */

const READ: RequestSpec = { method: 'GET', path: ['v1', 'findings'] };
/** Fills the buffer of a reader that does not read, with nothing left in that of the connection. */
const BODY = 'x'.repeat(getDefaultHighWaterMark(false) + 4_000);

const opened = closeAfterTests();
const certificates = certificatesForTests();

/** Starts a service that sends these bytes in response to a request, and then does `after` with the connection. */
async function startService(bytes: string, after: (socket: Socket) => void, tls?: { key: string; cert: string }) {
  const answer = (socket: Socket) => {
    socket.on('error', () => {}).once('data', () => socket.write(bytes, () => after(socket)));
  };
  const server: Server = tls === undefined ? createServer(answer) : createTlsServer(tls, answer);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  opened({ close: async () => void server.close() });
  return { port: (server.address() as AddressInfo).port };
}

/** Starts a service that ends its connections. */
function startClosingService(head: string, tls?: { key: string; cert: string }) {
  return startService(`HTTP/1.1 200 OK\r\n${head}\r\n${BODY}`, (socket) => void socket.end(), tls);
}

const LENGTH = `content-length: ${BODY.length}\r\n`;

describe('a response that ends with its connection', () => {
  it.each([
    ['has no length', ''],
    ['has a length and announces the end of the connection', `${LENGTH}connection: close\r\n`],
    ['has a length and announces nothing', LENGTH],
  ])('is complete if it %s', async (_name, head) => {
    const service = await startClosingService(head);
    const response = await opened(testClient(`http://127.0.0.1:${service.port}`)).request(READ);
    expect(response.text).toBe(BODY);
  });

  it('is complete over TLS, directly and through a tunnel', async () => {
    for (const tunneled of [false, true]) {
      const { port } = await startClosingService('', certificates.server);
      const proxy = opened(await startProxyServer({ port }));
      const [baseUrl, settings] = tunneled
        ? ['https://service.test', { https: proxy.url }]
        : [`https://127.0.0.1:${port}`, {}];
      const client = opened(testClient(baseUrl, { proxy: settings, caCert: certificates.ca }));
      expect((await client.request(READ)).text).toBe(BODY);
    }
  });

  it('is incomplete if the connection is reset before its announced length', async () => {
    const head = `HTTP/1.1 200 OK\r\ncontent-length: ${BODY.length + 1}\r\n\r\n`;
    const { port } = await startService(`${head}${BODY}`, (socket) => void socket.resetAndDestroy());
    const call = opened(testClient(`http://127.0.0.1:${port}`)).request(READ);
    expect(await failureOf(call)).toMatchObject({ code: 'interrupted', isAmbiguous: true, isTransient: true });
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
    const client = opened(testClient(baseUrl, { caCert: certificates.ca }));
    expect(await failureOf(client.request({ ...READ, method: 'POST', body: {} }))).toMatchObject({
      code: 'interrupted',
      isAmbiguous: true,
      message: expect.stringContaining(`the connection to ${baseUrl} was lost before the response was complete`),
    });
  });
});
