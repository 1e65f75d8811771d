import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { parseFaults } from '../../src/sandbox/faults.ts';
import { type SandboxOptions, startSandbox } from '../../src/sandbox/server.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

export interface SandboxReply {
  status: number;
  headers: Headers;
  body: unknown;
}

export interface OpenSandbox {
  url: string;
  apiKey: string;
  stateFile: string;
  /** Sends a request with the key and a JSON body. Rejects as fetch does. */
  send(method: string, path: string, body?: unknown): Promise<SandboxReply>;
  close(): Promise<void>;
}

type Setup = Partial<Omit<SandboxOptions, 'faults'>> & { faults?: string };

/** Starts a sandbox that is closed when the test ends. */
export async function openSandbox({ faults, ...rest }: Setup = {}): Promise<OpenSandbox> {
  const stateFile = rest.stateFile ?? join(temporaryFolder().path, 'sandbox', 'state.json');
  const sandbox = await startSandbox({
    ...rest,
    stateFile,
    ...(faults === undefined ? {} : { faults: parseFaults(faults) }),
  });
  onTestFinished(() => sandbox.close());
  const send: OpenSandbox['send'] = async (method, path, body) => {
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' };
    const response = await fetch(sandbox.url + path, { method, headers, ...init });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  return { url: sandbox.url, apiKey: sandbox.apiKey, stateFile, send, close: () => sandbox.close() };
}
