import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Returns a TCP port of the loopback address that was free a moment ago. Another process may take it meanwhile. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
