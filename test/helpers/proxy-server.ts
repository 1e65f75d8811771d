import { once } from 'node:events';
import { createServer, request as forward, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';

export interface ProxyServer {
  /** `http://127.0.0.1:<port>`, or `https:` with `tls`. */
  url: string;
  port: number;
  /** The requests that it received: `CONNECT host:port`, or `GET http://...`, with its Proxy-Authorization. */
  requests: { line: string; authorization: string | undefined; headers: IncomingMessage['headers'] }[];
  close(): Promise<void>;
}

/**
 * A real HTTP proxy: tunnels and forwards everything to one port on loopback, rejects it with `status`, or closes the
 * connection of each request.
 *
 * @param tls key and certificate of a proxy that is itself reached through https
 */
export async function startProxyServer(
  target: { port: number } | { status: number } | { closes: 'end' | 'reset' },
  tls?: { key: string; cert: string },
): Promise<ProxyServer> {
  const requests: ProxyServer['requests'] = [];
  const sockets = new Set<Socket>();
  const record = ({ method, url, headers }: IncomingMessage) =>
    requests.push({ line: `${method} ${url}`, authorization: headers['proxy-authorization'], headers });

  const listener: RequestListener = (incoming, response) => {
    record(incoming);
    if ('closes' in target) return hangUp(incoming.socket, target.closes);
    if ('status' in target) {
      response.writeHead(target.status).end();
      return;
    }
    const { method, url = '', headers } = incoming;
    const { pathname, search } = new URL(url);
    const onward = forward(
      { host: '127.0.0.1', port: target.port, method, path: `${pathname}${search}`, headers },
      (proxied) => {
        response.writeHead(proxied.statusCode ?? 502, proxied.headers);
        proxied.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    incoming.pipe(onward);
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  server.on('connect', (incoming, socket: Socket) => {
    record(incoming);
    if ('closes' in target) return hangUp(socket, target.closes);
    if ('status' in target) {
      socket.end(`HTTP/1.1 ${target.status} Rejected\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const onward = connect(target.port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    sockets.add(onward);
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    requests,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function hangUp(socket: Socket, how: 'end' | 'reset'): void {
  if (how === 'end') socket.end();
  else socket.resetAndDestroy();
}
