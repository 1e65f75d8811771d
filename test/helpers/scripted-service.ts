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

/** An answer made by node:http. A body that is no text or buffer is sent as JSON. */
export interface Reply {
  status?: number;
  headers?: Record<string, string | string[]>;
  body?: unknown;
}

/** Bytes put on the connection as they are, and what becomes of the connection then. */
export interface RawReply {
  raw: string | Buffer;
  after: 'end' | 'reset' | 'hang';
}

/** Answers one request: by what it returns, or by writing to `response` itself and returning nothing. */
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
  /** Stops the service. Throws when a request came that the script has no answer for, or an answer was left over. */
  close(): Promise<void>;
}

export interface ScriptOptions {
  tls?: { key: string; cert: string };
}

/**
 * A real service on loopback. A list answers one request after the other, and each of its answers must be asked for;
 * a function answers all requests. Whatever the script does not foresee makes `close` throw.
 */
export async function startScriptedService(
  script: Handler | readonly (Reply | RawReply | Handler)[],
  options: ScriptOptions = {},
): Promise<ScriptedService> {
  const requests: Recorded[] = [];
  const problems: string[] = [];
  let connections = 0;

  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const request = await record(incoming);
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
    answer(incoming, response).catch((error: unknown) => {
      // A request cut by its sender is the sender's business; anything else is a fault of the script.
      if (!incoming.destroyed || incoming.complete) problems.push(`the script failed: ${String(error)}`);
      response.destroy();
    });
  };

  const server = options.tls ? createTlsServer(options.tls, listener) : createServer(listener);
  server.keepAliveTimeout = 60_000;
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    requests,
    connections: () => connections,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      if (typeof script !== 'function' && requests.length < script.length) {
        problems.push(`${script.length - requests.length} of ${script.length} answers were never asked for`);
      }
      if (problems.length > 0) throw new Error(`Scripted service: ${problems.join('; ')}`);
    },
  };
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
