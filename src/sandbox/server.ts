import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { dirname } from 'node:path';
import type { Duplex } from 'node:stream';
import { type Clock, systemClock } from '../util/clock.ts';
import { EXIT, OrgadmError } from '../util/errors.ts';
import { type Faults, NO_FAULTS } from './faults.ts';
import { createRequestHandler } from './handle-request.ts';
import { readOrCreateKey } from './key.ts';
import { exclusively, openSandboxStore, removeStateFile, stateError } from './store.ts';
import { DEFAULT_VARIANTS, type Variants } from './variants.ts';

const HOST = '127.0.0.1';
const KEEP_ALIVE_MS = 60_000;

export interface SandboxOptions {
  /** The file that holds the state; made on first use. */
  stateFile: string;
  /** 0, which is the default, takes any free port. */
  port?: number;
  faults?: Faults;
  variants?: Variants;
  /** Called once a request, with a line that holds neither the key nor personal data. */
  log?: (line: string) => void;
  clock?: Clock;
}

export interface Sandbox {
  /** The base URL, without a slash at its end. */
  readonly url: string;
  /** Random, the same for every sandbox with this state file. */
  readonly apiKey: string;
  /** Ends open connections, drops requests that are not done, and resolves when nothing runs any more. */
  close(): Promise<void>;
}

/**
 * Starts a service on loopback that serves the whole interface (sections 4 and 5) with its state in a file. A change is
 * in the file before it is answered.
 * @throws OrgadmError when the port cannot be had, or the state file not be read or written.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { stateFile, port = 0, faults = NO_FAULTS, variants = DEFAULT_VARIANTS, clock = systemClock } = options;
  const log = options.log ?? (() => {});
  const store = await openSandboxStore(stateFile);
  const apiKey = await readOrCreateKey(stateFile).catch((cause: unknown) => {
    throw cause instanceof OrgadmError
      ? cause
      : stateError(stateFile, 'has a key that cannot be read or written', cause);
  });
  const closing = new AbortController();
  const seed = faults.seed ?? randomInt(1_000_000);
  const exchange = createRequestHandler({
    context: { store, variants, clock, domainReads: new Map() },
    faults,
    seed,
    apiKey,
    log,
    signal: closing.signal,
  });

  const running = new Set<Promise<void>>();
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    const done = exchange(request, response).finally(() => running.delete(done));
    running.add(done);
  });
  server.on('clientError', rejectUnreadable);
  const url = await listen(server, port);
  if (faults !== NO_FAULTS) log(`faults are drawn with seed=${seed}`);

  const close = async (): Promise<void> => {
    closing.abort();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await Promise.all(running);
    await closed;
  };
  return { url, apiKey, close };
}

/**
 * Starts over: the next use of the state file, by a sandbox that is running too, begins with the seed. The key stays.
 * @throws OrgadmError when the file cannot be removed.
 */
export async function resetSandbox(stateFile: string): Promise<void> {
  if (!existsSync(dirname(stateFile))) return;
  await exclusively(stateFile, () => removeStateFile(stateFile));
}

/** Resolves with the base URL. */
async function listen(server: Server, port: number): Promise<string> {
  try {
    await once(server.listen(port, HOST), 'listening');
  } catch (cause) {
    throw listenError(port, cause);
  }
  const address = server.address();
  return `http://${HOST}:${typeof address === 'object' && address ? address.port : port}`;
}

function listenError(port: number, cause: unknown): OrgadmError {
  const reason = cause instanceof Error ? cause.message : 'no reason is given';
  const inUse = reason.includes('EADDRINUSE');
  return new OrgadmError(
    'sandbox-port',
    EXIT.usage,
    `Port ${port} ${inUse ? 'is in use' : `cannot be had: ${reason}`}.`,
    {
      hint: 'Choose another port for the sandbox, or leave it out to take any that is free.',
      cause,
    },
  );
}

/** Answers what is not HTTP, or has headers beyond all measure: there is no request then to answer. */
function rejectUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable) return;
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
  const head = [`HTTP/1.1 ${status}`, `x-request-id: req_${randomUUID()}`, 'connection: close', 'content-length: 0'];
  socket.end(`${head.join('\r\n')}\r\n\r\n`);
}
