import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request as the service received it. */
export interface Recorded {
  method: string;
  /** Path and query, as sent. */
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** A response sent by node:http. A body that is neither a string nor a buffer is sent as JSON. */
export interface Reply {
  status?: number;
  headers?: Record<string, string | string[]>;
  body?: unknown;
}

/** Bytes sent on the connection as they are, and what happens to the connection afterwards. */
export interface RawReply {
  raw: string | Buffer;
  after: 'end' | 'reset' | 'hang';
}

/** Responds to one request with its return value, or by writing to `response` and returning nothing. */
export type Handler = (
  request: Recorded,
  response: ServerResponse,
) => Reply | RawReply | undefined | Promise<Reply | RawReply | undefined>;

export interface ScriptedService {
  /** Base URL, without a trailing slash. */
  url: string;
  port: number;
  requests: Recorded[];
  /** Connections accepted so far. */
  connections(): number;
  /** Refuses connections, after those that are open have ended, until the function that it returns is called. */
  stopListening(): () => Promise<void>;
  /** Stops the service. Throws if a request was not expected, or a response of the script was not requested. */
  close(): Promise<void>;
}

export interface ScriptOptions {
  /** Whether the script responds to the read before the first write, too. Otherwise it is an empty list, and not recorded. */
  scriptsFirstRead?: boolean;
  tls?: { key: string; cert: string };
}

/**
 * Starts a real service on loopback. A list has the responses to one request after the other, all of which must be
 * requested; a function responds to all requests. A deviation from the script makes `close` throw.
 */
export async function startScriptedService(
  script: Handler | readonly (Reply | RawReply | Handler)[],
  options: ScriptOptions = {},
): Promise<ScriptedService> {
  const requests: Recorded[] = [];
  const problems: string[] = [];
  let connections = 0;

  const respond = async (incoming: IncomingMessage, response: ServerResponse) => {
    const request = await record(incoming);
    if (!options.scriptsFirstRead && isFirstRead(request.path)) {
      send({ body: [] }, response);
      return;
    }
    requests.push(request);
    const step = typeof script === 'function' ? script : script[requests.length - 1];
    if (step === undefined) {
      problems.push(`unexpected request ${requests.length}: ${request.method} ${request.path}`);
      response.writeHead(599).end('unexpected request');
      return;
    }
    const reply = typeof step === 'function' ? await step(request, response) : step;
    if (reply) send(reply, response);
  };
  const listener: RequestListener = (incoming, response) => {
    response.on('error', () => {});
    respond(incoming, response).catch((error: unknown) => {
      // The client may abort a request; any other error is a fault of the script.
      if (!incoming.destroyed || incoming.complete) problems.push(`the script failed: ${String(error)}`);
      response.destroy();
    });
  };

  const server = options.tls ? createTlsServer(options.tls, listener) : createServer(listener);
  server.keepAliveTimeout = 60_000;
  server.on('connection', () => connections++);
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;

  return {
    url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    requests,
    connections: () => connections,
    stopListening() {
      server.close();
      return () => listen(port);
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      if (typeof script !== 'function' && requests.length < script.length) {
        problems.push(`${script.length - requests.length} of ${script.length} responses were not requested`);
      }
      if (problems.length > 0) throw new Error(`Scripted service: ${problems.join('; ')}`);
    },
  };
}

/** Whether a request is the read before the first write: the findings of a task that does not exist (interface 4.4). */
export function isFirstRead(path = ''): boolean {
  return path.endsWith('=orgadm-key-check');
}

async function record(incoming: IncomingMessage): Promise<Recorded> {
  const { method = '', url = '', headers } = incoming;
  return { method, path: url, headers, body: await text(incoming) };
}

function send(reply: Reply | RawReply, response: ServerResponse): void {
  if ('raw' in reply) {
    const { socket } = response;
    socket?.write(reply.raw, () => {
      if (reply.after === 'end') socket.end();
      if (reply.after === 'reset') socket.resetAndDestroy();
    });
    return;
  }
  const { status = 200, headers = {}, body = '' } = reply;
  const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const type = bytes === body ? {} : { 'content-type': 'application/json' };
  response.writeHead(status, { ...type, ...headers }).end(bytes);
}
