import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { parseFaults } from '../../src/sandbox/faults.ts';
import { type SandboxOptions, startSandbox } from '../../src/sandbox/server.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

export interface SandboxReply {
  status: number;
  headers: Headers;
  text: string;
  body: unknown;
}

export interface OpenSandbox {
  url: string;
  apiKey: string;
  stateFile: string;
  /** The log, one line per request. */
  lines: string[];
  /** Resolves when the log has `count` lines. */
  logged(count: number): Promise<void>;
  /** Sends a request with the key and a JSON body. Rejects as fetch does. */
  send(method: string, path: string, body?: unknown): Promise<SandboxReply>;
  close(): Promise<void>;
}

type Setup = Partial<Omit<SandboxOptions, 'faults' | 'log'>> & { faults?: string };

/** Starts a sandbox that is closed when the test ends. */
export async function openSandbox({ faults, ...rest }: Setup = {}): Promise<OpenSandbox> {
  const stateFile = rest.stateFile ?? join(temporaryFolder(), 'sandbox', 'state.json');
  const lines: string[] = [];
  const events = new EventEmitter();
  const sandbox = await startSandbox({
    ...rest,
    stateFile,
    log: (line) => {
      lines.push(line);
      events.emit('line');
    },
    ...(faults === undefined ? {} : { faults: parseFaults(faults) }),
  });
  onTestFinished(() => sandbox.close());
  const send: OpenSandbox['send'] = async (method, path, body) => {
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' };
    const response = await fetch(sandbox.url + path, { method, headers, ...init });
    return readReply(response);
  };
  const logged = async (count: number) => {
    while (lines.length < count) await once(events, 'line');
  };
  return { url: sandbox.url, apiKey: sandbox.apiKey, stateFile, lines, logged, send, close: () => sandbox.close() };
}

/** Reads a response; `body` is undefined if the text is not JSON. */
async function readReply(response: Response): Promise<SandboxReply> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parseJson(text) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
