import { randomInt } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createCommandRunner } from '../../helpers/service-run.ts';
import { createAutoClock } from '../../helpers/test-clock.ts';

const cli = createCommandRunner();

/** Resolves `awaited` when the command listens for signals: it serves from then on. */
class Signals extends EventEmitter {
  readonly awaited = new Promise<void>((resolve) => {
    this.on('newListener', (name) => {
      if (name === 'signal') resolve();
    });
  });

  send(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP'): void {
    this.emit('signal', signal);
  }
}

/** Returns a port on which nothing listens. */
async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('sandbox serve', () => {
  it('tells a person what to paste', async () => {
    const signals = new Signals();
    const serving = cli.plain(['sandbox', 'serve'], { signals });
    await signals.awaited;
    signals.send('SIGINT');
    expect((await serving).stdout).toMatch(/^export ORGADM_BASE_URL=http:\/\/127\.0\.0\.1:\d+\nexport ORGADM_API_KEY=/);
  });

  it('lists the roles and departments that it accepts, as its rejections do', async () => {
    const stdin = 'userId,role,department\nusr_0101,chief,sales\n';
    const { stdout } = await cli.sandbox(['people', 'bulk-add', '-', '-o', 'csv'], { stdin });
    expect(stdout).toContain(
      'role must be one of the following values: owner, admin, auditor, employee, contractor, member',
    );
    expect(stdout).toContain('department must be one of the following values: none, admin, gov, hr, it, itsm, qms');
    const { stdout: help } = await cli.plain(['sandbox', 'serve', '--help']);
    expect(help).toContain('member roles          owner, admin, auditor, employee, contractor, member\n');
    expect(help).toContain('departments           none, admin, gov, hr, it, itsm, qms\n');
  });

  // macOS has no other address of loopback.
  it.runIf(process.platform === 'linux')('listens on one address of loopback only', async () => {
    const port = await freePort();
    const signals = new Signals();
    const serving = cli.plain(['sandbox', 'serve', '--port', String(port)], { signals });
    await signals.awaited;
    await expect(fetch(`http://127.0.0.2:${port}/v1/findings`)).rejects.toThrow();
    expect((await fetch(`http://127.0.0.1:${port}/v1/findings`)).status).toBe(401);
    signals.send('SIGINT');
    await serving;
  });

  it('prints its address as JSON, and stops at once at a second signal', async () => {
    const signals = new Signals();
    const serving = cli.plain(['sandbox', 'serve', '--json'], { signals });
    await signals.awaited;
    signals.send('SIGINT');
    expect(() => signals.send('SIGINT')).toThrow('the run ended its process with 130');
    expect((await serving).json()).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      apiKey: expect.stringMatching(/^sandbox_[\w-]{32}$/),
    });
  });

  it('serves other processes, and prints nothing about their requests', async () => {
    // Below the ports that the system gives to connections.
    const port = randomInt(20_000, 32_768);
    const signals = new Signals();
    const serving = cli.plain(['sandbox', 'serve', '--port', String(port), '--quiet'], { signals });
    await signals.awaited;
    const { apiKey } = JSON.parse(readFileSync(cli.file('state/sandbox.json'), 'utf8')) as { apiKey: string };
    const env = { ORGADM_BASE_URL: `http://127.0.0.1:${port}`, ORGADM_API_KEY: apiKey };
    const argv = ['findings', 'list', '--task', 'tsk_0001', '--jq', 'length'];
    expect(await cli.plain(argv, { env })).toMatchObject({ code: 0, stdout: '3\n' });
    expect((await cli.plain(argv, { env: { ...env, ORGADM_API_KEY: 'another-key' } })).code).toBe(4);
    signals.send('SIGINT');
    expect(await serving).toMatchObject({
      stdout: `export ORGADM_BASE_URL=${env.ORGADM_BASE_URL}\nexport ORGADM_API_KEY=${apiKey}\n`,
      stderr: '',
    });
  });

  it('keeps its state between commands, which --sandbox shares, until it is reset', async () => {
    const argv = ['people', 'bulk-add', '-', '-o', 'csv'];
    const stdin = 'userId,role\nusr_0101,member\n';
    expect((await cli.sandbox(argv, { stdin })).code).toBe(0);
    expect((await cli.sandbox([...argv, '--restart'], { stdin })).stdout).toContain(',existing,');
    expect(await cli.plain(['sandbox', 'reset'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/\b2 import runs\b/),
    });
    const again = await cli.sandbox(argv, { stdin });
    expect({ code: again.code, stderr: again.stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^.* 1 person .*\n/),
    });
    expect((await cli.plain(['sandbox', 'reset', '--json'])).json()).toEqual({
      file: cli.file('state/sandbox.json'),
      removedRuns: 1,
    });
    expect((await cli.plain(['sandbox', 'reset'])).stderr).not.toMatch(/\brun/);
  });

  it('is reset with its unfinished runs, so that their lists can be imported again', async () => {
    const argv = ['people', 'bulk-add', '-'];
    const stdin = 'userId,role\nusr_0101,member\nusr_0102,member\n';
    expect((await cli.sandbox([...argv, '--limit', '1'], { stdin })).code).toBe(3);
    expect((await cli.plain(['sandbox', 'reset'])).stderr).toMatch(/\b1 import run\b/);
    expect((await cli.plain(['runs', 'list', '--json'])).json()).toEqual([]);
    expect((await cli.sandbox([...argv, '--json'], { stdin })).json()).toMatchObject({
      summary: { total: 2, created: 2 },
      run: { continued: false },
    });
  });

  it.each([
    [['findings', 'list', '--task', 'tsk_0003'], 0],
    [['findings', 'list', '--task', 'tsk_0004'], 5],
    [['findings', 'list', '--evidence-submission', 'sub_0002'], 0],
    [['findings', 'list', '--evidence-submission', 'sub_0003'], 5],
    [['role', 'update', 'rol_custom_3', '--name', 'Visitor'], 0],
    [['role', 'update', 'rol_custom_4', '--name', 'Visitor'], 5],
    [['domain', 'status', 'unreachable.example.com'], 0],
  ])('has the ids that it lists, and no others: %j', async (argv, code) => {
    expect((await cli.sandbox([...argv, '--json'])).code).toBe(code);
  });

  it('injects faults, which are retried', async () => {
    const clock = createAutoClock();
    const argv = ['findings', 'list', '--task', 'tsk_0001', '--fault', 'error500=1', '--retries', '3'];
    const { code } = await cli.sandbox(argv, { clock });
    expect(code).toBe(6);
    expect(clock.sleeps).toHaveLength(3);
  });
});

describe('an invalid port', () => {
  it.each(['10abc', '65536'])('rejects the port %s', async (port) => {
    const { code, stdout, stderr } = await cli.plain(['sandbox', 'serve', `--port=${port}`]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^error: --port/);
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
