import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { getDefaultHighWaterMark } from 'node:stream';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, it } from 'vitest';
import type { RequestSpec } from '../../../src/client/service-client.ts';
import { certificatesForTests } from '../../helpers/certificates.ts';
import { closeAfterTests } from '../../helpers/opened.ts';
import { startProxyServer } from '../../helpers/proxy-server.ts';
import { failureOf, testClient } from '../../helpers/test-client.ts';

/* Connections that end or fail at a bad moment: before the reader of a response is ready for its last bytes, for example. */

const READ: RequestSpec = { method: 'GET', path: ['v1', 'findings'], retry: 'none' };
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

/** Starts a service that ends its connections, and waits until orgadm has closed them, too. */
async function startClosingService(head: string, tls?: { key: string; cert: string }) {
  let end: (socket: Socket) => void = () => {};
  const closed = new Promise<void>((resolve) => {
    end = (socket) => void socket.once('close', () => resolve()).end();
  });
  return { ...(await startService(`HTTP/1.1 200 OK\r\n${head}\r\n${BODY}`, end, tls)), closed };
}

async function textOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += chunk.toString();
  return text;
}

const LENGTH = `content-length: ${BODY.length}\r\n`;

describe('a response that ends before its reader reads it', () => {
  it.each([
    ['has no length', ''],
    ['has a length and announces the end of the connection', `${LENGTH}connection: close\r\n`],
    ['has a length and announces nothing', LENGTH],
  ])('is complete if it %s', async (_name, head) => {
    const service = await startClosingService(head);
    const response = await opened(testClient(`http://127.0.0.1:${service.port}`)).stream(READ);
    await service.closed;
    expect(await textOf(response.chunks)).toBe(BODY);
  });

  it('is complete over TLS, directly and through a tunnel', async () => {
    for (const tunneled of [false, true]) {
      const { port, closed } = await startClosingService('', certificates.server);
      const proxy = opened(await startProxyServer({ port }));
      const [baseUrl, settings] = tunneled
        ? ['https://service.test', { https: proxy.url }]
        : [`https://127.0.0.1:${port}`, {}];
      const client = opened(testClient(baseUrl, { proxy: settings, caCert: certificates.ca }));
      const response = await client.stream(READ);
      await closed;
      expect(await textOf(response.chunks)).toBe(BODY);
    }
  });

  it('is incomplete if the connection is reset', async () => {
    const sockets: Socket[] = [];
    const { port } = await startService(`HTTP/1.1 200 OK\r\n\r\n${BODY}`, (socket) => void sockets.push(socket));
    const response = await opened(testClient(`http://127.0.0.1:${port}`)).stream(READ);
    for (const socket of sockets) socket.resetAndDestroy();
    expect(await failureOf(textOf(response.chunks))).toMatchObject({ kind: 'interrupted', processed: 'maybe' });
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
      kind: 'interrupted',
      processed: 'maybe',
      message: `the connection to ${baseUrl} was lost before the response was complete`,
    });
  });
});
