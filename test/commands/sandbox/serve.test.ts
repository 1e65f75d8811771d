import { randomInt } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createCommandRunner } from '../../helpers/service-run.ts';
import { createAutoClock } from '../../helpers/test-clock.ts';

const cli = createCommandRunner();

/** Starts `sandbox serve`, and returns what ends it once it waits for a signal: it serves from then on. */
async function startSandbox(...options: string[]) {
  const signals = new EventEmitter();
  const listening = new Promise<void>((resolve) => {
    signals.on('newListener', (name) => {
      if (name === 'signal') resolve();
    });
  });
  const serving = cli.plain(['sandbox', 'serve', ...options], { signals });
  await listening;
  return { stop: () => signals.emit('signal', 'SIGINT'), serving };
}

/** Returns a port below those that the system gives to connections. */
const somePort = () => randomInt(20_000, 32_768);

describe('sandbox serve', () => {
  // macOS has no other address of loopback.
  it.runIf(process.platform === 'linux')('listens on one address of loopback only', async () => {
    const port = somePort();
    const { stop, serving } = await startSandbox('--port', String(port));
    await expect(fetch(`http://127.0.0.2:${port}/v1/findings`)).rejects.toThrow();
    expect((await fetch(`http://127.0.0.1:${port}/v1/findings`)).status).toBe(401);
    stop();
    expect((await serving).code).toBe(130);
  });

  it('serves other processes with its key, which it prints for a person to paste, and nothing else', async () => {
    const port = somePort();
    const { stop, serving } = await startSandbox('--port', String(port), '--quiet');
    const { apiKey } = JSON.parse(readFileSync(cli.file('state/sandbox.json'), 'utf8')) as { apiKey: string };
    const env = { ORGADM_BASE_URL: `http://127.0.0.1:${port}`, ORGADM_API_KEY: apiKey };
    const argv = ['findings', 'list', '--task', 'tsk_0001', '--jq', 'length'];
    expect(await cli.plain(argv, { env })).toMatchObject({ code: 0, stdout: '3\n' });
    expect((await cli.plain(argv, { env: { ...env, ORGADM_API_KEY: 'another-key' } })).code).toBe(4);
    stop();
    expect(await serving).toMatchObject({
      stdout: `export ORGADM_BASE_URL=${env.ORGADM_BASE_URL}\nexport ORGADM_API_KEY=${apiKey}\n`,
      stderr: '',
    });
  });

  it('prints its address and a random key as JSON, and stops at once at a second signal', async () => {
    const { stop, serving } = await startSandbox('--json');
    stop();
    expect(stop).toThrow('the run ended its process with 130');
    expect((await serving).json()).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      apiKey: expect.stringMatching(/^sandbox_[\w-]{32}$/),
    });
  });

  it('reports a port that is in use', async () => {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const { code, stderr } = await cli.plain(['sandbox', 'serve', '--port', String(port)]);
    server.close();
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(`^error: .*\\b${port}\\b`));
  });
});

describe('the sandbox', () => {
  const ADD = ['people', 'bulk-add', '-', '--json'];
  const stdin = 'userId,role\nusr_0101,member\nusr_0102,member\n';

  it('keeps its state between commands until it is reset, with its runs', async () => {
    expect((await cli.sandbox(ADD, { stdin })).code).toBe(0);
    expect((await cli.sandbox([...ADD, '--restart'], { stdin })).json()).toMatchObject({ summary: { existing: 2 } });
    const reset = await cli.plain(['sandbox', 'reset']);
    expect(reset).toMatchObject({ code: 0, stdout: '', stderr: expect.stringMatching(/\b2 import runs\b/) });
    expect((await cli.sandbox([...ADD, '--limit', '1'], { stdin })).json()).toMatchObject({ summary: { created: 1 } });
    expect((await cli.plain(['sandbox', 'reset', '--json'])).json()).toEqual({
      ...{ file: cli.file('state/sandbox.json'), removedRuns: 1 },
    });
    expect((await cli.plain(['runs', 'list', '--json'])).json()).toEqual([]);
    expect((await cli.sandbox(ADD, { stdin })).json()).toMatchObject({
      ...{ summary: { total: 2, created: 2 }, run: { continued: false } },
    });
  });

  it.each([
    [['findings', 'list', '--task', 'tsk_0003'], 0],
    [['findings', 'list', '--task', 'tsk_0004'], 5],
    [['role', 'update', 'rol_custom_3', '--name', 'Visitor'], 0],
    [['role', 'update', 'rol_custom_4', '--name', 'Visitor'], 5],
    [['domain', 'status', 'unreachable.example.com'], 0],
  ])('has the ids that its help lists, and no others: %j', async (argv, code) => {
    expect((await cli.sandbox([...argv, '--json'])).code).toBe(code);
  });

  it('injects the faults of --fault, which are retried', async () => {
    const clock = createAutoClock();
    const argv = ['findings', 'list', '--task', 'tsk_0001', '--fault', 'error500=1', '--retries', '3'];
    expect((await cli.sandbox(argv, { clock })).code).toBe(6);
    expect(clock.sleeps).toHaveLength(3);
  });
});
