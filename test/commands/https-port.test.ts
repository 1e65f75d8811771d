import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { closeAfterTests } from '../helpers/opened.ts';
import { createCommandRunner } from '../helpers/service-run.ts';

const cli = createCommandRunner();
const opened = closeAfterTests();
const STATUS = ['domain', 'status', 'trust.example.com', '--retries', '0'];

/** Starts a server that closes every connection at its first byte, as one that expects TLS does. */
async function startClosingServer(): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve());
  });
  opened({ close: () => new Promise<void>((resolve) => server.close(() => resolve())) });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('a base URL with http and the port of a service that uses https', () => {
  it.each([
    '<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head></html>',
    'Client sent an HTTP request to an HTTPS server.',
  ])('is named if the server says so: %s', async (body) => {
    const { run } = await cli.scripted(() => ({ status: 400, headers: { 'content-type': 'text/html' }, body }));
    const { code, stderr } = await run(STATUS);
    expect(code).toBe(1);
    expect(stderr).toContain('hint: Use https:// in the base URL.\n');
  });

  it('is a possible reason if the server closes the connection', async () => {
    const port = await startClosingServer();
    const env = { ORGADM_API_KEY: 'k'.repeat(20) };
    const { code, stderr } = await cli.plain([...STATUS, '--base-url', `http://127.0.0.1:${port}`], { env });
    expect(code).toBe(6);
    expect(stderr).toContain('hint: If the service uses https on this port, use https:// in the base URL.');
  });
});
