import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { EXIT, OrgadmError } from '../util/errors.ts';
import { type Clock, systemClock } from '../util/host.ts';
import { type Faults, NO_FAULTS } from './faults.ts';
import { createRouter } from './router.ts';
import { openStore } from './store.ts';

const HOST = '127.0.0.1';
const KEEP_ALIVE_MS = 60_000;

export interface SandboxOptions {
  /** The state file; created on first use. */
  stateFile: string;
  /** Default 0, which selects a free port. */
  port?: number;
  faults?: Faults;
  clock?: Clock;
}

export interface Sandbox {
  /** The base URL, without a trailing slash. */
  readonly url: string;
  /** Random; the same for every sandbox with this state file. */
  readonly apiKey: string;
  /** Closes all connections, drops unfinished requests, and resolves when nothing runs anymore. */
  close(): Promise<void>;
}

/**
 * Starts a service on loopback that implements the interface (sections 4 and 5) and keeps its state in a file. A change
 * is written before its response is sent.
 *
 * @throws OrgadmError when the port is not available, or the state file cannot be read or written
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { stateFile, port = 0, faults = NO_FAULTS, clock = systemClock } = options;
  const store = await openStore(stateFile);
  const { apiKey } = store.read();
  const closing = new AbortController();
  const context = { store, now: () => new Date(clock.now()).toISOString(), domainReads: new Map<string, number>() };
  const handle = createRouter({ context, apiKey, faults, clock, signal: closing.signal });

  const running = new Set<Promise<void>>();
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    const done = handle(request, response)
      // Its connection is closed.
      .catch(() => {})
      .finally(() => running.delete(done));
    running.add(done);
  });
  const url = await listenOnLoopback(server, port);

  const close = async (): Promise<void> => {
    closing.abort();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await Promise.all(running);
    await closed;
  };
  return { url, apiKey, close };
}

/** Returns the base URL. Throws OrgadmError when the port is not available. */
async function listenOnLoopback(server: Server, port: number): Promise<string> {
  try {
    await once(server.listen(port, HOST), 'listening');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown reason';
    const problem = reason.includes('EADDRINUSE') ? 'is in use' : `is not available: ${reason}`;
    const hint = 'Choose another port, or omit --port to use any free port.';
    throw new OrgadmError('sandbox-port', EXIT.usage, `port ${port} ${problem}`, { hint, cause });
  }
  const address = server.address();
  return `http://${HOST}:${typeof address === 'object' && address ? address.port : port}`;
}
